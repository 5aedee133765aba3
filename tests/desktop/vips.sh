#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The module for libvips in `vips` and `vipsheader`: files, pipes, reduced sizes, metadata, damage.

. "${srcdir:-.}/tests/support/tap.sh"
. "$SRCDIR/tests/support/desktop.sh"

module=$BUILDDIR/desktop/.libs/vips-xcodec.so
loadable "$module"
command -v vips >/dev/null && command -v vipsheader >/dev/null || skip_all "no vips or vipsheader"
libdir=$(pkg-config --variable=libdir vips)
version=$(pkg-config --modversion vips | sed 's/\([0-9]*\.[0-9]*\).*/\1/')
cd "$tmp" || exit 99
# libvips looks for modules below VIPSHOME as it does below its own prefix.
for folder in "home/${libdir##*/}" home/lib "home/lib/${libdir##*/}"; do
	mkdir -p "$folder/vips-modules-$version"
	ln -sf "$module" "$folder/vips-modules-$version"
done
VIPSHOME=$tmp/home
export VIPSHOME

vips -l foreign >list 2>&1
for name in xcodecload xcodecload_buffer xcodecload_source xcodecsave xcodecsave_target; do
	check "libvips has $name" grep -q "($name)" list
done

samples=$SRCDIR/samples
for name in meadow rgba grey16; do
	"$XCODEC" encode --quiet --lossless "$samples/$name.png" $name.xc
	check "$name: copy to PNG" vips copy $name.xc $name.png
	check "$name: the same pixels" is_same $name.png "$samples/$name.png"
	check "$name: copy from PNG" vips copy "$samples/$name.png" "$name-own.xc[lossless]"
	check "$name: the same pixels again" is_same $name-own.xc "$samples/$name.png"
done
check "the suffix chooses the saver for a target" sh -c 'vips copy meadow.xc ".xc[lossless]" >target.xc'
check "the target has the picture" is_same target.xc meadow.xc
check "a pipe" sh -c 'cat meadow.xc | vips copy stdin pipe.png'
check "a pipe has the picture" is_same pipe.png meadow.xc

# Buffers, which the command has not: by Python's way to call C.
if [ -n "$tap_python" ]; then
	check "a buffer" "$tap_python" -c 'import ctypes, ctypes.util
vips, data, out = ctypes.CDLL(ctypes.util.find_library("vips")), open("meadow.xc", "rb").read(), ctypes.c_void_p()
vips.vips_blob_new.restype = ctypes.c_void_p
assert not vips.vips_init(b"")
blob = ctypes.c_void_p(vips.vips_blob_new(None, data, ctypes.c_size_t(len(data))))
assert not vips.vips_call(b"xcodecload_buffer", blob, ctypes.byref(out), None)
assert not vips.vips_image_write_to_file(out, b"buffer.png", None)'
	check "a buffer has the picture" is_same buffer.png meadow.xc
else
	skip "a buffer" "no python3"
fi

"$XCODEC" encode --quiet -q 40 -e 0 meadow.xc q40.xc
check "Q and effort" vips copy meadow.xc 'own.xc[Q=40,effort=0]'
check "Q and effort are the command's" is_same own.xc q40.xc
for shrink in 2 4 8; do
	"$XCODEC" decode -f --quiet --scale 1/$shrink q40.xc scaled.pam
	check "shrink=$shrink" vips copy "q40.xc[shrink=$shrink]" shrunk.png
	check "shrink=$shrink is the library's reduced size" is_same scaled.pam shrunk.png
done
check "rows out of order" vips flip meadow.xc flipped.png vertical
check "rows in order again" vips flip flipped.png unflipped.png vertical
check "nothing is lost by it" is_same unflipped.png meadow.xc
check "nothing leaks" sh -c '! vips copy q40.xc leak.xc --vips-leak 2>&1 | grep -E "objects alive|still open|[1-9][0-9]* (files|bytes)$"'

# Metadata through libvips and back. libvips drops what is no profile, so it is asked for one.
if exif_png 26 6 >exif.png && vips copy exif.png 'profile.png[profile=srgb]' && "$XCODEC" encode --quiet profile.png exif.xc; then
	vipsheader -a exif.xc | grep -v '^filename\|^exif.xc' >header
	for line in icc-profile-data: exif-data: "orientation: 6" "xres: [23]" "yres: 2.8"; do
		check "header: $line" grep -q "^$line" header
	done
	vips copy exif.xc kept.xc
	vipsheader -a kept.xc | grep -v '^filename\|^kept.xc' >again
	check "copy keeps all of it" cmp header again
	vips autorot exif.xc upright.xc
	vipsheader -a upright.xc >turned
	check "what was turned is upright" grep -q '^orientation: 1$' turned
	check "and 1 pixel wide" grep -q '^width: 1$' turned
	vips copy exif.xc 'stripped.xc[strip]'
	check_equal "strip" 0 "$(vipsheader -a stripped.xc | grep -c -e '-data:')"
else
	skip "metadata" "no python3, or libvips has no profile"
fi

# Samples that a file cannot have.
for format in float short; do
	vips cast meadow.xc $format.v $format
	check_status "$format" 0 vips copy $format.v $format.xc
	check "$format: a line" grep -q "xcodec: samples of format $format are rounded and clipped" stderr
	check_status "$format without loss" 1 vips copy $format.v "rounded.xc[lossless]"
	check "$format without loss: says why" grep -q "lossless: samples of format $format would" stderr
done
check "without loss: writes nothing" [ ! -s rounded.xc ]

# What is damaged is shown as far as it goes, with a line, unless the caller wants a failure.
head -c 20000 meadow.xc >short.xc
check_status "a short file" 0 vips copy short.xc short.png
check "a short file: warns" grep -q 'xcodec: segment 0 is damaged' stderr
check_status "fail-on" 1 vips copy 'short.xc[fail-on=truncated]' none.xc
check "fail-on: says why" grep -q 'xcodecload: the file ends too early' stderr
check "fail-on: writes nothing" test ! -e none.xc
check_status "shrink=3" 1 vips copy 'meadow.xc[shrink=3]' none.png
check "shrink=3: says why" grep -q '1, 1/2, 1/4 and 1/8 exist' stderr
printf 'PF\n2 1\n-1\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >array.pfm
"$XCODEC" encode --quiet array.pfm array.xc
check_status "an array" 1 vips copy array.xc none.png
check "an array: says so" grep -q 'xcodecload: .*array' stderr

done_testing
