#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Sizes and PSNR on the Kodak pictures against cjpeg -optimize and djpeg, with the
# same quantization (Annex K, plain rounding): the total size must not be larger, and
# the mean PSNR not lower by more than 0.02 dB.  Then by rANS, which must be smaller.  Parts of two pictures; all when XC_LONG is set.

. "${srcdir:-.}/tests/support/tap.sh"

kodak=$SHARED/data/kodak
tile=$BUILDDIR/bench/tools/tile
[ -n "$SHARED" ] && [ -d "$kodak" ] || skip_all "no Kodak pictures"
for program in cjpeg djpeg "$tile"; do
	command -v "$program" >/dev/null 2>&1 || skip_all "no $program"
done

if [ -n "${XC_LONG:-}" ]; then
	size=
	set -- "$kodak"/*.png
else
	size='-s 384x256'
	set -- "$kodak/kodim05.png" "$kodak/kodim23.png"
fi
for picture in "$@"; do
	[ -f "$picture" ] || skip_all "no $picture"
	# shellcheck disable=SC2086 # an option and its value
	"$tile" $size "$tmp/$(basename "$picture" .png).ppm" "$picture" || exit 99
done
qualities='30 50 75 90'

# psnr A B: over all samples.
psnr() {
	"$XCODEC" compare --json "$1" "$2" |
		sed -n 's/^ *"psnr_rgb": *\([0-9.e+-]*\),*$/\1/p'
}

# theirs SUBSAMPLING: "quality bytes psnr" of libjpeg, a line a picture and quality.
theirs() {
	case $1 in
	420) sample=2x2 ;;
	444) sample=1x1 ;;
	esac
	for ppm in "$tmp"/*.ppm; do
		for q in $qualities; do
			cjpeg -optimize -quality "$q" -sample "$sample" "$ppm" >"$tmp/peer.jpg" &&
				djpeg "$tmp/peer.jpg" >"$tmp/peer.pnm" || return 1
			echo "$q $(wc -c <"$tmp/peer.jpg") $(psnr "$ppm" "$tmp/peer.pnm")"
		done
	done
}

# ours SUBSAMPLING OPTION...: the same of xcodec.
ours() {
	subsampling=$1
	shift
	"$XCODEC" sweep -q "$(echo "$qualities" | tr ' ' ,)" --preset jpeg -s "$subsampling" "$@" \
		--csv - "$tmp"/*.ppm | awk -F, '$4 ~ /^[0-9]+$/ { print $4, $5, $7 }'
}

for subsampling in 420 444; do
	check "cjpeg and djpeg, $subsampling" theirs $subsampling
	mv "$tmp/.tap-output" "$tmp/theirs"
	check "xcodec sweep, $subsampling" ours $subsampling
	mv "$tmp/.tap-output" "$tmp/ours"
	check_equal "$subsampling: as many results" "$(wc -l <"$tmp/theirs")" "$(wc -l <"$tmp/ours")"
	for q in $qualities; do
		# Bytes and mean PSNR of theirs, then of ours.
		line=$(for side in theirs ours; do
			awk -v q="$q" '$1 == q { bytes += $2; psnr += $3; n++ }
				END { printf "%d %.4f ", bytes, n ? psnr / n : 0 }' "$tmp/$side"
		done)
		# shellcheck disable=SC2086 # four words
		set -- $line
		echo "# $subsampling, quality $q: libjpeg $1 bytes, $2 dB; xcodec $3 bytes, $4 dB"
		check "$subsampling, quality $q: $3 bytes, cjpeg -optimize has $1" \
			awk -v a="$3" -v b="$1" 'BEGIN { exit !(a > 0 && a <= b) }'
		check "$subsampling, quality $q: $4 dB, djpeg has $2" \
			awk -v a="$4" -v b="$2" 'BEGIN { exit !(b > 20 && a >= b - 0.02) }'
	done
	# rANS codes coefficients without AC prediction and restores them at points, so errors are about the same.
	check "rANS, $subsampling" ours $subsampling --entropy rans
	mv "$tmp/.tap-output" "$tmp/rans"
	paste "$tmp/ours" "$tmp/rans" >"$tmp/both"
	# shellcheck disable=SC2016 # those are awk's
	check "rANS, $subsampling: PSNR at most 0.05 dB lower, picture by picture" \
		awk '$4 != $1 || $6 < $3 - 0.05 { exit 1 }' "$tmp/both"
	# shellcheck disable=SC2016 # those are awk's
	check "rANS, $subsampling: 7 % fewer bytes, picture by picture" \
		awk 'NR == FNR { bytes[NR] = $2; next } $2 > bytes[FNR] * 0.93 { bad = 1 } END { exit bad || !FNR }' \
		"$tmp/ours" "$tmp/rans"
done

done_testing
