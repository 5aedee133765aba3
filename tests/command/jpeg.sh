#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# JPEG files in and out of the command: the pixels are djpeg's and the files cjpeg's.
# shellcheck disable=SC2317 # the functions are run through `check`
. "${srcdir:-.}/tests/support/tap.sh"

"$XCODEC" decode --help | grep -q jpeg-quality || skip_all "built without libjpeg"
for program in cjpeg djpeg; do
	command -v "$program" >/dev/null || skip_all "no $program"
done

cd "$tmp" || exit 99

# A picture of 61 x 47 with smooth parts, edges and colours.
make_ppm() {
	printf 'P6\n61 47\n255\n'
	awk 'BEGIN { for (i = 0; i < 61 * 47; i++) { x = i % 61; y = int(i / 61)
		printf "%c%c%c", 33 + x, 33 + (x + 2 * y) % 90, (x > y ? 40 : 120) } }'
}
make_ppm >in.ppm

same_pixels() { # FILE.jpg FILE.pnm
	"$XCODEC" compare "$1" "$2" | grep -q '^Identical *yes$'
}

# libjpeg-turbo's programs by way of files.
as_djpeg() {
	cjpeg "$@" -outfile a.jpg in.ppm && djpeg -outfile a.pnm a.jpg && same_pixels a.jpg a.pnm
}

check "as djpeg reads it: baseline" as_djpeg
check "as djpeg reads it: quality 100" as_djpeg -quality 100
for sample in 1x1 2x1 1x2 2x2 4x1; do
	check "as djpeg reads it: $sample" as_djpeg -sample "$sample"
	check "as djpeg reads it: $sample, progressive" as_djpeg -progressive -sample "$sample"
done
check "as djpeg reads it: grey" as_djpeg -grayscale
check "as djpeg reads it: grey, progressive" as_djpeg -grayscale -progressive
check "as djpeg reads it: RGB" as_djpeg -rgb
check "as djpeg reads it: restarts" as_djpeg -restart 1
check "as djpeg reads it: optimized" as_djpeg -optimize
cjpeg -arithmetic -outfile arithmetic.jpg in.ppm 2>/dev/null &&
	check_status "arithmetic coding is refused" 1 "$XCODEC" encode arithmetic.jpg o.xc

# What is decoded to JPEG has the bytes of cjpeg for the same pixels and quality.
"$XCODEC" encode in.ppm in.xc
"$XCODEC" decode in.xc decoded.ppm
as_cjpeg() { # quality options
	quality=$1
	shift
	cjpeg -baseline -quality "$quality" -outfile peer.jpg decoded.ppm &&
		"$XCODEC" decode -f "$@" in.xc o.jpg && cmp peer.jpg o.jpg
}
check "as cjpeg writes it: the default is quality 90" as_cjpeg 90
check "as cjpeg writes it: quality 1" as_cjpeg 1 --jpeg-quality 1
check "as cjpeg writes it: quality 100" as_cjpeg 100 --jpeg-quality 100
check "to standard output" "$XCODEC" decode --format jpeg in.xc - >o.out
check "to standard output: the file" as_cjpeg 90 --format jpeg
mkdir folder
check "into a folder" "$XCODEC" decode --format jpg -o folder in.xc
check "into a folder: the name" test -s folder/in.jpg

# A JPEG goes through every command that takes pictures.
cjpeg -quality 95 -outfile a.jpg in.ppm
check "encode" "$XCODEC" encode --format jpg a.jpg a.xc
check "compare" "$XCODEC" compare a.jpg a.xc
check "sweep" "$XCODEC" sweep -q 50 a.jpg

# Metadata come back: an EXIF block, a comment and the density.
{
	head -c 20 a.jpg
	printf '\377\341\000\020Exif\000\000MM\000*\000\000\000\010'
	printf '\377\376\000\007hello'
	tail -c +21 a.jpg
} >tagged.jpg
"$XCODEC" encode tagged.jpg tagged.xc
"$XCODEC" decode tagged.xc back.jpg
check "metadata: the marks are there again" grep -aq 'Exif.*hello' back.jpg
# shellcheck disable=SC2016 # for the inner shell
check "metadata: info" sh -c '"$1" info tagged.xc | grep -q "^Metadata *EXIF 8 bytes, text 14 bytes"' \
	sh "$XCODEC"
head -c 500 a.jpg >short.jpg
check_status "a file that ends too early" 1 "$XCODEC" encode short.jpg o.xc
printf 'RIFF\000\000\000\000WEBPVP8 ' >picture.webp
check_status "another kind of file" 1 "$XCODEC" encode picture.webp o.xc
# A hint names a program that is there: its own kind's, else ImageMagick's, whatever that is called.
mkdir bin
for program in convert magick dwebp; do
	printf '#!/bin/sh\n' >bin/$program && chmod +x bin/$program
	[ -z "${XC_EMULATOR-}" ] || continue
	check_status "another kind of file: $program" 1 env PATH="$tmp/bin" "$XCODEC" encode picture.webp o.xc
	check "another kind of file: $program is named" grep -q "a WebP file: '$program x.webp .*' converts it$" stderr
done

done_testing
