#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The loader for gdk-pixbuf in gdk-pixbuf-thumbnailer and in a program that gives bytes as they come.

. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/desktop.sh"

module=$BUILDDIR/desktop/.libs/libpixbufloader-xcodec.so
show=$BUILDDIR/tests/desktop/pixbuf
loadable "$module"
[ -x "$show" ] || skip_all "no $show"
query=$(command -v gdk-pixbuf-query-loaders || pkg-config --variable=gdk_pixbuf_query_loaders gdk-pixbuf-2.0)
[ -x "$query" ] || skip_all "no gdk-pixbuf-query-loaders"
cd "$tmp" || exit 99
own_types
"$query" "$module" >loaders.cache 2>messages
check "gdk-pixbuf-query-loaders knows image/x-xcodec" grep -q '^"image/x-xcodec"' loaders.cache
GDK_PIXBUF_MODULE_FILE=$tmp/loaders.cache
export GDK_PIXBUF_MODULE_FILE

# shows NAME: gdk-pixbuf's pixels are those of the command.
shows() {
	"$XCODEC" decode -f --quiet "$1.xc" "$1.pam"
	check "$1: gdk-pixbuf loads it" "$show" "$1.xc" shown.pam
	check "$1: the same pixels" is_same "$1.pam" shown.pam
}

samples=$SRCDIR/samples
"$XCODEC" encode --quiet "$samples/meadow.png" meadow.xc
"$XCODEC" encode --quiet --lossless "$samples/rgba.png" alpha.xc
"$XCODEC" encode --quiet "$samples/grey.png" grey.xc
for name in meadow alpha grey; do
	shows $name
done
if "$XCODEC" decode --quiet --format jpeg meadow.xc photo.jpg 2>/dev/null; then
	"$XCODEC" encode --quiet photo.jpg kept.xc
	shows kept
	check "kept: by bytes" "$show" kept.xc slow.pam 777
	check "kept: by bytes, the same" cmp shown.pam slow.pam
fi
"$XCODEC" encode --quiet --lossless "$samples/rgb16.png" deep.xc
check "16 bits" "$show" deep.xc deep.pam
"$XCODEC" compare --json deep.pam "$samples/rgb16.png" >deep.json
check_json "16 bits are rounded to 8" deep.json 'j["max_abs_diff"] <= 128'

# As the bytes come.
"$show" meadow.xc whole.pam >/dev/null
check "byte by byte" "$show" meadow.xc bytes.pam 1
check "byte by byte: the same" cmp whole.pam bytes.pam
# One thread has the smallest batches.
one=
! taskset -c 0 true 2>/dev/null || one='taskset -c 0'
{ printf 'P5 1024 4096 255\n' && seq 800000 | head -c 4194304; } >tall.pgm
"$XCODEC" encode --quiet -e 0 --lossy -q 10 tall.pgm tall.xc
$one "$show" tall.xc pieces.pam 1000 | sed -n 's/^first \([0-9]*\) of \([0-9]*\), updates \([0-9]*\), rows /\1 \2 \3 /p' >progress
read -r first all updates rows <progress
check "rows come before the end: $first of $all bytes, $updates updates" \
	test "$first" -lt $((all / 2)) -a "$updates" -gt 3 -a "$rows" -eq 4096

# Sizes: a reduced size, which gdk-pixbuf brings to what was asked for.
check "a size" "$show" meadow.xc small.pam 65536 96 64
"$XCODEC" decode -f --quiet --scale 1/8 meadow.xc eighth.pam
check "an eighth is that of the library" is_same eighth.pam small.pam
if command -v gdk-pixbuf-thumbnailer >/dev/null; then
	"$XCODEC" decode -f --quiet meadow.xc back.png
	check "gdk-pixbuf-thumbnailer" gdk-pixbuf-thumbnailer -s 128 meadow.xc thumb.png
	gdk-pixbuf-thumbnailer -s 128 back.png other.png
	"$XCODEC" compare --json thumb.png other.png >thumb.json
	check_json "the thumbnail is that of a PNG" thumb.json 'j["width"] == 128 and j["psnr_rgb"] > 28'
else
	skip "gdk-pixbuf-thumbnailer" "there is none"
fi

# Metadata.
if exif_png 26 6 profile >exif.png && "$XCODEC" encode --quiet exif.png exif.xc; then
	check "metadata: loads" "$show" exif.xc exif.pam
	"$show" exif.xc exif.pam | sed 1,2d | grep -v '^original' | sort >options
	check_equal "orientation, profile, density and text" \
		"icc-profile=cHJvZmlsZQ== orientation=6 tEXt::Title=A title x-dpi=76 y-dpi=72" \
		"$(tr '\n' ' ' <options | sed 's/ $//')"
else
	skip "metadata" "no python3"
fi

# refused NAME WORDS COMMAND...: fails with a message that has these words, and writes nothing.
refused() {
	name=$1 words=$2
	shift 2
	rm -f none.pam
	"$@" >/dev/null 2>messages
	check_equal "$name: fails" 1 $?
	check "$name: says so" grep -q "^xcodec: .*$words" messages
	check "$name: writes nothing" test ! -e none.pam
}
head -c 20000 meadow.xc >short.xc
refused "a short file" "ends too early" "$show" short.xc none.pam
head -c 30 meadow.xc >head.xc
refused "a very short file" "ends too early" "$show" head.xc none.pam
{ head -c 30000 meadow.xc && printf xxx && tail -c +30004 meadow.xc; } >damaged.xc
refused "a damaged file" "damaged" "$show" damaged.xc none.pam 100
printf 'PF\n2 1\n-1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >array.pfm
"$XCODEC" encode --quiet array.pfm array.xc
refused "an array" "array" "$show" array.xc none.pam

done_testing
