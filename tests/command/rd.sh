#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# bench/rd: BD-rates of made-up points, and of a small picture with whatever codecs are installed.

. "${srcdir:-.}/tests/support/tap.sh"

bd=$BUILDDIR/bench/rd/bd

# line CODEC PICTURE RATE QUALITY: the same quality for each measure that bd turns into decibels.
line() {
	awk -v codec="$1" -v picture="$2" -v rate="$3" -v db="$4" 'BEGIN {
		ratio = exp(-db / 10 * log(10))
		printf "%s %s %.12g %.12g - %.15g - %.12g %.15g\n", codec, picture, rate, db, 1 - ratio,
			2 * db, ratio
	}'
}

# "small" takes four fifths of the bits; "above" begins where the anchor ends; "part" lacks more than
# a tenth of the range, and "one" a picture.
for picture in x y; do
	for point in '0.1 25' '0.3 30.5' '0.8 34' '1.7 41' '2.6 44'; do
		# shellcheck disable=SC2086 # two words
		set -- $point
		line anchor $picture "$1" "$2"
		line small $picture "$(awk "BEGIN { print 0.8 * $1 }")" "$2"
		line above $picture "$1" "$(awk "BEGIN { print 30 + $2 }")"
		[ "${2%.*}" -lt 34 ] || line part $picture "$1" "$2"
		[ $picture = y ] || line one $picture "$1" "$2"
	done
done >"$tmp/points"
check_status "bd" 0 "$bd" psnr_y:anchor ssim:anchor butteraugli:anchor psnr_rgb:anchor <"$tmp/points"
for row in '| small | -20.00 | -20.00 | -20.00 | - |' '| anchor | 0.00 | 0.00 | 0.00 | - |' \
	'| above | no overlap | no overlap | no overlap | - |' \
	'| one | 0.00 (1 of 2 pictures) | 0.00 (1 of 2 pictures) | 0.00 (1 of 2 pictures) | - |'; do
	check "bd: $row" grep -qxF "$row" "$tmp/stdout"
done
check "bd: a part of the range" grep -q '^| part | ~' "$tmp/stdout"
check_status "bd of a range of qualities" 0 "$bd" ss2:anchor:70-80 ss2:anchor:30-60 <"$tmp/points"
for row in '| small | -20.00 | ~-20.00 |' '| above | no overlap | no overlap |'; do
	check "bd of a range of qualities: $row" grep -qxF "$row" "$tmp/stdout"
done
check "bd of a range of qualities: below a curve" grep -q '^| part | [-.0-9]* | no overlap |$' "$tmp/stdout"
check "bd of a range of qualities: says which" grep -q ' ss2 70 to 80, to anchor |' "$tmp/stdout"
check_status "bd of no range" 1 "$bd" ss2:anchor:70 <"$tmp/points"

# A line through two points has no slopes to choose: log-rates differ by log 2 at 30 dB and by log 4
# at 40, so by log 8 / 2 on average.
for point in 'a 0.25 30' 'a 1 40' 'b 0.5 30' 'b 4 40'; do
	# shellcheck disable=SC2086 # three words
	set -- $point
	line "$1" x "$2" "$3"
done >"$tmp/points"
check_status "bd of straight lines" 0 "$bd" -l 0.1 -m 10 psnr_y:a <"$tmp/points"
check "bd of straight lines: 182.84" grep -qxF '| b | ~182.84 |' "$tmp/stdout"
check_status "bd without the anchor" 1 "$bd" psnr_y:c <"$tmp/points"
check_status "bd of half a line" 1 "$bd" psnr_y:a <"$tmp/stdout"

if ! command -v cjpeg >/dev/null || ! command -v djpeg >/dev/null; then
	skip "rd" "no cjpeg"
	done_testing
fi
"$BUILDDIR/samples/make_scene" meadow "$tmp/meadow.png" 128 96
rd() {
	RD_EVERY=3 "$SRCDIR/bench/rd/rd" -b "$BUILDDIR" -x "$XCODEC" -o "$tmp/kept" -j 2 -m 1.5 "$@" \
		"$tmp/meadow.png"
}
check_status "rd" 0 rd
# shellcheck disable=SC2016 # those are awk's
check "rd: a better coding takes fewer bits" \
	awk -F '|' '!rans && $2 ~ /^ rans-psnr / { rans = $3 }
		!huffman && $2 ~ /^ huffman-psnr / { huffman = $3 }
		END { exit !(rans < huffman && huffman < 0) }' "$tmp/stdout"
# In 4:2:0 the SSIMULACRA2 of such a meadow stays below 30 at all qualities.
# shellcheck disable=SC2016 # those are awk's
check "rd: no cell is empty" awk -F '|' '/^## colour/ { colour = 1 }
	{ for (i = 3 + colour; i < NF; i++) if ($i ~ /no overlap/ || $i == " - ") exit 1 }' "$tmp/stdout"
cp "$tmp/stdout" "$tmp/first"
check_status "rd once more" 0 rd
check "rd once more: the same" cmp -s "$tmp/first" "$tmp/stdout"
check_equal "rd once more: nothing is measured again" "" \
	"$(find "$tmp/kept" -name '*.point' -newer "$tmp/first")"
check "rd: SSIMULACRA2 is the first measure of colour" grep -q '^| BD-rate, % | ss2 30 to 92, to cjpeg-420 |' \
	"$tmp/stdout"
check_status "rd -q of 4:4:4" 0 rd -q -c -a cjpeg-444 -C '444: -s 444'
check "rd -q of 4:4:4: its SSIMULACRA2 is better than cjpeg's" \
	grep -q '^| 444 | ~*-[1-9][0-9.]* | ~*-[1-9]' "$tmp/stdout"
check_status "rd of npm's codecs, which are not there" 0 rd -c -C 'mine: ' -P 'peer: npm jxl 7 4:4:4'
check "rd of npm's codecs, which are not there: says so in one line" \
	grep -qx 'rd: peer is left out: .*' "$tmp/stderr"
check_status "rd -q -g of a configuration" 0 rd -q -g -C 'mine: --transform lot'
check "rd -q -g of a configuration: it is there" grep -q '^| mine | -' "$tmp/stdout"
check_status "rd of a wrong option of encode" 1 rd -q -g -C 'mine: --no-such-option'
check "rd of a wrong option of encode: says so" grep -q 'no-such-option' "$tmp/stderr"

done_testing
