#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Every picture of PngSuite: the good ones there and back, near the original (the 8-bit
# colour ones at quality 100 and 4:4:4 reach 40 dB), with their gamma;
# the broken ones, whose names begin with x, are refused with one line and leave no file.

. "${srcdir:-.}/tests/support/tap.sh"

suite=$SHARED/data/pngsuite
[ -n "$SHARED" ] && [ -d "$suite" ] || skip_all "no PngSuite"
cd "$tmp" || exit 99

# keeps_gamma NAME: the gamma came back.
keeps_gamma() {
	[ "$(tr '\n' ' ' <"$suite/$1" | grep -ao 'gAMA....')" = "$(tr '\n' ' ' <"back/$1" | grep -ao 'gAMA....')" ]
}

# there_and_back NAME: 0 when the result is near enough, and nobody warned but of what an XC file has no place for.
there_and_back() {
	"$XCODEC" compare --json "$suite/$1" "back/$1" >compared 2>>err && keeps_gamma "$1" && ! grep "${1%.png}" err | grep -v 'has no place' ||
		return 1
	# A number, or null for infinity.  Transparency, in whatever form, comes back as it was.
	awk -F '[ ,:]+' '$2 == "\"psnr_rgb\"" { psnr = $3 } /"a":/ && !/"a": null/ { print "alpha differs"; exit differs = 1 }
		END { print "PSNR " psnr " dB"; exit differs || psnr == "" || (psnr != "null" && psnr < 40) }' compared
}

# refused PNG: exit status 1, one line on standard error, nothing else.
refused() {
	rm -f a.xc
	"$XCODEC" encode "$1" a.xc >out 2>err
	status=$?
	cat out err
	ls -A >files
	[ "$status" -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
		grep -q "^xcodec: .*$(basename "$1"): ." err && [ ! -e a.xc ] &&
		! grep -q 'xc' files
}

mkdir coded back
set --
for png in "$suite"/*.png; do
	[ "${png#"$suite/x"}" != "$png" ] || set -- "$@" "$png"
done
"$XCODEC" encode -q 100 -s 444 -o coded "$@" 2>err && "$XCODEC" decode --format png -o back coded/*.xc 2>>err ||
	not_ok "good pictures" "$(cat err)"
good=0
broken=0
for png in "$suite"/*.png; do
	name=$(basename "$png")
	case $name in
	x*)
		check "broken: $name" refused "$png"
		broken=$((broken + 1))
		;;
	*)
		check "good: $name" there_and_back "$name"
		good=$((good + 1))
		;;
	esac
done
check "there are good and broken pictures ($good, $broken)" test $good -gt 100 -a $broken -gt 10

done_testing
