#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# desktop/ImageMagick in ImageMagick's own programs, both ways.

. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/desktop.sh"

convert=
for name in magick convert-im6.q16 convert; do
	if $name -version 2>/dev/null | grep -q ImageMagick; then
		convert=$name
		break
	fi
done
[ -n "$convert" ] || skip_all "no ImageMagick"
cd "$tmp" || exit 99
MAGICK_CONFIGURE_PATH=$SRCDIR/desktop/ImageMagick PATH=$(dirname "$XCODEC"):$PATH
export MAGICK_CONFIGURE_PATH PATH

# "name.xc" and "name" alike, since the first bytes tell.
"$XCODEC" encode --quiet --lossless "$SRCDIR/samples/rgba.png" picture.xc
check "reads a file" $convert picture.xc back.png
check "the same pixels" is_same back.png "$SRCDIR/samples/rgba.png"
check "writes xcodec:FILE" $convert "$SRCDIR/samples/meadow.png" -quality 40 xcodec:own.xc
"$XCODEC" encode --quiet -q 40 "$SRCDIR/samples/meadow.png" q40.xc
check "-quality is the command's" is_same own.xc q40.xc
head -c 1000 picture.xc >short.xc
check_status "a short file" 1 $convert short.xc none.png
check "a short file: says so" grep -q 'ends too early' stderr

done_testing
