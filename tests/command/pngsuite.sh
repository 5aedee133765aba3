#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Every picture of PngSuite: the good ones there and back, near the original (the 8-bit
# colour ones at quality 100 and 4:4:4 reach 40 dB), with their gamma where it is not sRGB's;
# the broken ones, whose names begin with x, are refused with one line and leave no file.

. "${srcdir:-.}/tests/support/tap.sh"

suite=$SHARED/data/pngsuite
[ -n "$SHARED" ] && [ -d "$suite" ] || skip_all "no PngSuite"
cd "$tmp" || exit 99

# value KEY: a number of the last comparison; "null" for infinity.
value() {
	sed -n 's/^ *"'"$1"'": *\([0-9.a-z+-]*\),*$/\1/p' compared
}

# keeps_gamma PNG: the gamma is in a.png, unless it is like sRGB's: that of the g04 files is 0.45.
# Nobody warned.
keeps_gamma() {
	[ ! -s err ] || return 1
	if [ "$(basename "$1" | cut -c 1-3)" = g04 ] || ! grep -q gAMA "$1"; then
		! grep -q gAMA a.png
	else
		[ "$(tr '\n' ' ' <"$1" | grep -ao 'gAMA....')" = "$(tr '\n' ' ' <a.png | grep -ao 'gAMA....')" ]
	fi
}

# there_and_back PNG: 0 when the result is near enough.
there_and_back() {
	rm -f a.xc a.png
	"$XCODEC" encode -q 100 -s 444 "$1" a.xc 2>err && "$XCODEC" decode a.xc a.png 2>>err &&
		"$XCODEC" compare --json "$1" a.png >compared 2>>err && keeps_gamma "$1" || {
		cat err
		return 1
	}
	psnr=$(value psnr_rgb)
	echo "PSNR $psnr dB"
	# Transparency, in whatever form, comes back as it was.
	if grep -q '"a":' compared && ! grep -q '"a": null' compared; then
		echo "alpha differs"
		return 1
	fi
	[ "$psnr" = null ] || awk -v p="$psnr" 'BEGIN { exit !(p >= 40) }'
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
		check "good: $name" there_and_back "$png"
		good=$((good + 1))
		;;
	esac
done
check "there are good and broken pictures ($good, $broken)" test $good -gt 100 -a $broken -gt 10

done_testing
