#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Picture files against other programs (netpbm) and against PngSuite, where these
# are to be had.
# shellcheck disable=SC2317 # the functions are run through `check`
. "${srcdir:-.}/tests/support/tap.sh"

program=$BUILDDIR/tests/formats/check_formats
damage=$BUILDDIR/tests/formats/check_formats_damage
[ -x "$program" ] || skip_all "tests/formats/check_formats is not built"

convert() {
	"$program" --convert "$@"
}

compare() {
	"$program" --compare "$@"
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# A picture to start from, with something in every channel: a PAM of 61 x 47.
make_pam() { # channels TUPLTYPE
	printf 'P7\nWIDTH 61\nHEIGHT 47\nDEPTH %d\nMAXVAL 255\nTUPLTYPE %s\nENDHDR\n' "$1" "$2"
	awk -v n=$((61 * 47 * $1)) \
		'BEGIN { for (i = 0; i < n; i++) printf "%c", 33 + (i * 7 + i % 11 * 5) % 90 }'
}

# What we write, netpbm reads as the same picture.
written() {
	make_pam 1 GRAYSCALE >"$tmp/1.pam"
	make_pam 2 GRAYSCALE_ALPHA >"$tmp/2.pam"
	make_pam 3 RGB >"$tmp/3.pam"
	make_pam 4 RGB_ALPHA >"$tmp/4.pam"
	for n in 1 2 3 4; do
		convert "$tmp/$n.pam" "$tmp/$n.png" || return 1
		pngtopam -alphapam "$tmp/$n.png" >"$tmp/peer.pam" 2>/dev/null || return 1
		compare "$tmp/$n.pam" "$tmp/peer.pam" || return 1
	done
	convert "$tmp/3.pam" "$tmp/3.ppm" || return 1
	pamtopnm "$tmp/3.pam" | cmp - "$tmp/3.ppm" || return 1
	convert "$tmp/1.pam" "$tmp/1.pgm" || return 1
	pamtopnm "$tmp/1.pam" | cmp - "$tmp/1.pgm" || return 1
	for n in 1 3; do
		convert "$tmp/$n.pam" "$tmp/$n.bmp" || return 1
		bmptopnm "$tmp/$n.bmp" >"$tmp/peer.pnm" 2>/dev/null || return 1
		compare "$tmp/$n.pam" "$tmp/peer.pnm" || return 1
		convert "$tmp/$n.pam" "$tmp/$n.pnm" || return 1
		pamtopnm "$tmp/$n.pam" | cmp - "$tmp/$n.pnm" || return 1
	done
}

# What netpbm writes, we read as the same picture.
read_back() {
	make_pam 3 RGB >"$tmp/3.pam"
	pamtopnm "$tmp/3.pam" >"$tmp/3.ppm" || return 1
	pnmtopng -interlace "$tmp/3.ppm" >"$tmp/peer.png" 2>/dev/null || return 1
	compare "$tmp/3.ppm" "$tmp/peer.png" || return 1
	pnmtoplainpnm "$tmp/3.ppm" >"$tmp/peer.ppm" || return 1
	compare "$tmp/3.ppm" "$tmp/peer.ppm" || return 1
	ppmtobmp -bpp 24 "$tmp/3.ppm" >"$tmp/peer.bmp" 2>/dev/null || return 1
	compare "$tmp/3.ppm" "$tmp/peer.bmp" || return 1
	ppmtopgm "$tmp/3.ppm" | pamdepth 255 >"$tmp/3.pgm" || return 1
	ppmtobmp -os2 "$tmp/3.pgm" >"$tmp/peer.bmp" 2>/dev/null || return 1
	compare "$tmp/3.pgm" "$tmp/peer.bmp" || return 1
	pamdepth 1000 "$tmp/3.ppm" >"$tmp/deep.ppm" 2>/dev/null || return 1
	pamdepth 65535 "$tmp/deep.ppm" >"$tmp/deeper.ppm" 2>/dev/null || return 1
	compare "$tmp/deeper.ppm" "$tmp/deep.ppm" || return 1
}

suite_good() {
	for file in "$suite"/[!x]*.png; do
		convert "$file" "$tmp/a.png" || return 1
		compare "$file" "$tmp/a.png" || return 1
	done
}

suite_broken() {
	for file in "$suite"/x*.png; do
		rm -f "$tmp/x.pam"
		if convert "$file" "$tmp/x.pam" 2>"$tmp/error"; then
			echo "$file was read"
			return 1
		fi
		[ "$(wc -l <"$tmp/error")" -eq 1 ] || return 1
		[ ! -e "$tmp/x.pam" ] || return 1
	done
}

# netpbm does not see the transparent colour of an RGB picture (tb?n2c*).
suite_peer() {
	for file in "$suite"/[!x]*.png; do
		case $file in
		*/tb?n2c*) continue ;;
		esac
		pngtopam -alphapam "$file" >"$tmp/peer.pam" 2>/dev/null || return 1
		compare "$file" "$tmp/peer.pam" || return 1
	done
}

bmp_peer() {
	for file in "$SHARED"/data/*.bmp; do
		bmptopnm "$file" >"$tmp/peer.ppm" 2>/dev/null || return 1
		compare "$file" "$tmp/peer.ppm" || return 1
	done
}

suite_damage() {
	"$damage" --mutations 100 "$suite"/*.png >"$tmp/log" || {
		grep -B 5 '^not ok' "$tmp/log"
		return 1
	}
}

if have pngtopam && have pnmtopng && have bmptopnm; then
	check "netpbm reads what is written" written
	check "what netpbm writes is read" read_back
else
	skip "netpbm reads what is written" "no netpbm"
	skip "what netpbm writes is read" "no netpbm"
fi

suite=$SHARED/data/pngsuite
if [ -n "$SHARED" ] && [ -e "$suite/basn0g01.png" ]; then
	check "PngSuite: good pictures" suite_good
	check "PngSuite: broken pictures" suite_broken
	check "PngSuite: damaged pictures" suite_damage
	if have pngtopam; then
		check "PngSuite: as netpbm reads it" suite_peer
	else
		skip "PngSuite: as netpbm reads it" "no netpbm"
	fi
else
	skip "PngSuite" "it is not here"
fi

if [ -n "$SHARED" ] && [ -e "$SHARED/data/barbara.bmp" ] && have bmptopnm; then
	check "BMP files: as netpbm reads them" bmp_peer
else
	skip "BMP files: as netpbm reads them" "no files or no netpbm"
fi

# What an XC file has no place for is one line, unless nothing but pixels is wanted.
if "$XCODEC" decode --help | grep -q png-level; then
	make_pam 3 RGB >"$tmp/rich.pam"
	"$XCODEC" encode --lossless "$tmp/rich.pam" "$tmp/rich.xc" && "$XCODEC" decode "$tmp/rich.xc" "$tmp/plain.png"
	{
		head -c -12 "$tmp/plain.png"
		printf '\000\000\000\007tIME\007\352\001\002\003\004\005\372\042\374\255'
		printf '\000\000\000\001prVtx\203zh\073'
		printf '\000\000\000\016iTXtTitle\000\000\000en\000\000Hi\371\336\202\026'
		tail -c 12 "$tmp/plain.png"
		echo x
	} >"$tmp/rich.png"
	check_status "what a PNG loses" 0 "$XCODEC" encode -f "$tmp/rich.png" "$tmp/rich.xc"
	check_equal "what a PNG loses: one line" "1 tIME, prVt, the language of text, 2 bytes after the picture: left out" \
		"$(wc -l <"$tmp/stderr") $(sed 's/.*no place for //' "$tmp/stderr")"
	check_equal "what a PNG loses: --strip" "" "$("$XCODEC" encode -f --strip "$tmp/rich.png" "$tmp/rich.xc" 2>&1)"
	check_equal "what a PNG loses: nothing" "" "$("$XCODEC" encode -f "$tmp/plain.png" "$tmp/rich.xc" 2>&1)"
fi

done_testing
