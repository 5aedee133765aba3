#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The type image/x-xcodec: for shared-mime-info and for file(1), by the first bytes and by the suffix.

. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/desktop.sh"

cd "$tmp" || exit 99
for file in desktop/gdk_pixbuf.c desktop/xcodec.magic desktop/xcodec.thumbnailer desktop/xcodec.xml \
	doc/format.md man/xc.5 python/xcodec/pillow.py; do
	check_equal "$file names the type" image/x-xcodec "$(grep -o 'image/x-[a-z]*' "$SRCDIR/$file" | sort -u)"
done

printf 'P5 60 40 255 %2400s' ' ' >picture.pgm
printf 'PF\n2 1\n-1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >array.pfm
"$XCODEC" encode --quiet picture.pgm picture.xc
"$XCODEC" encode --quiet array.pfm array.xc
cp picture.xc unnamed
echo text >text.xc

if command -v file >/dev/null; then
	check_equal "file(1): the type" image/x-xcodec "$(file -b -m "$SRCDIR/desktop/xcodec.magic" --mime-type unnamed)"
	check_equal "file(1): a picture" "xcodec picture, 60 x 40, 8-bit grey, lossless, version 3" \
		"$(file -b -m "$SRCDIR/desktop/xcodec.magic" unnamed)"
	check_equal "file(1): an array" "xcodec array of numbers, version 3" \
		"$(file -b -m "$SRCDIR/desktop/xcodec.magic" array.xc)"
else
	skip "file(1)" "there is none"
fi
own_types
check "shared-mime-info: the suffix" grep -q '^50:image/x-xcodec:\*\.xc$' data/mime/globs2
if command -v gio >/dev/null; then
	check_equal "gio: by the first bytes" "image/x-xcodec" \
		"$(gio info -a standard::content-type unnamed | sed -n 's/^ *standard::content-type: //p')"
else
	skip "gio" "there is none"
fi

done_testing
