#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# JPEG files in and out of the command: the pixels are djpeg's and the files cjpeg's.
# shellcheck disable=SC2317,SC2016 # the functions are run through `check`, programs by an inner shell
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
	check_status "pixels of arithmetic coding are refused" 1 "$XCODEC" encode --lossy arithmetic.jpg o.xc

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

# A picture with the DCT becomes a JPEG with the same coefficients; others say what they lose.
near_pixels() { # DECIBELS FILE FILE
	"$XCODEC" compare "$2" "$3" | awk -v least="$1" '/^PSNR RGB/ { good = $3 == "inf" || $3 >= least } END { exit !good }'
}
for options in "--preset jpeg" "--preset jpeg -q 2" "-q 80 -s 444" "-q 60 -s 422 --entropy huffman" "-s grey"; do
	for how in "" --jpeg-progressive; do
		# shellcheck disable=SC2086 # options are words
		"$XCODEC" encode -f --lossy --transform dct $options in.ppm dct.xc &&
			"$XCODEC" decode -f $how dct.xc o.jpg 2>stderr
		"$XCODEC" decode -f --jpeg-rounding dct.xc o.pam && djpeg -outfile o.pnm o.jpg
		check "transcoded: $options $how" near_pixels 46 o.pam o.pnm
		check_equal "transcoded: $options $how: no word" "" "$(cat stderr)"
	done
done
check "transcoded: progressive" sh -c 'LC_ALL=C grep -aq "$(printf "\377\302")" o.jpg'
"$XCODEC" encode -f --lossy --transform tdlt in.ppm o.xc
"$XCODEC" decode -f o.xc o.jpg 2>stderr
check_equal "of a lapped transform: a second loss is one line" 1 "$(grep -c 'second loss' stderr)"
printf 'P5\n8 8\n65535\n' >deep.pgm && head -c 128 in.ppm >>deep.pgm
"$XCODEC" encode -f --lossless deep.pgm o.xc
check_status "16 bits" 0 "$XCODEC" decode -f o.xc o.jpg
check "16 bits: rounded" grep -q 'are rounded' stderr
rm -f o.xc

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
"$XCODEC" encode --lossy tagged.jpg tagged.xc
"$XCODEC" decode tagged.xc back.jpg
"$XCODEC" encode -f --lossy --transform dct tagged.jpg dct.xc && "$XCODEC" decode -f dct.xc o.jpg
check "metadata: transcoded" grep -aq 'Exif.*hello' o.jpg
if command -v pnmtopng >/dev/null && djpeg a.jpg | pnmtopng -gamma 0.7 >gamma.png 2>/dev/null &&
	"$XCODEC" encode -f --preset jpeg gamma.png dct.xc 2>/dev/null; then
	check_status "metadata: transcoded, what has no place" 0 "$XCODEC" decode -f dct.xc o.jpg
	check "metadata: transcoded, what has no place: a line" grep -q 'gamma and primaries: left out' stderr
fi
check "metadata: the marks are there again" grep -aq 'Exif.*hello' back.jpg
# shellcheck disable=SC2016 # for the inner shell
check "metadata: info" sh -c '"$1" info tagged.xc | grep -q "^Metadata *EXIF 8 bytes, text 14 bytes"' \
	sh "$XCODEC"
head -c 500 a.jpg >short.jpg
check_status "a file that ends too early" 1 "$XCODEC" encode --lossy short.jpg o.xc
head -c 1500 a.jpg >short.jpg
check_status "pixels that end too early" 1 "$XCODEC" encode --lossy short.jpg o.xc
check "a file that ends too early: the way is named" grep -q "'encode --keep-going'" stderr
check_status "a file that ends too early: what is left" 3 "$XCODEC" encode -f -k --lossy short.jpg o.xc
check_status "a file that ends too early: what is left, in a batch" 3 "$XCODEC" encode -k --lossy -o folder short.jpg a.jpg
check_status "a file that ends too early: for a target" 3 "$XCODEC" encode -fk --target-size 900 short.jpg o.xc

# warns WORDS IN: read with one line of warning beside that of a second loss
warns() {
	check_status "$1" 0 "$XCODEC" encode -f --lossy "$2" o.xc
	check_equal "$1: one warning" 1 "$(grep -c "warning: .*$1" stderr)"
	check_equal "$1: no other" 1 "$(grep -vc 'second loss' stderr)"
}

# Where scans of an interlaced and of a planar JPEG begin.
cjpeg -progressive -outfile p.jpg in.ppm
cut() { # FILE N: up to its N-th scan, with an end
	head -c "$(LC_ALL=C grep -obUaP '\xff\xda' "$1" | sed -n "$2s/:.*//p")" "$1"
	printf '\377\331'
}
cut p.jpg 2 >first.jpg
printf '0;\n1;\n2;\n' >scans
cjpeg -scans scans in.ppm >planes.jpg
cut planes.jpg 3 >no-cr.jpg
for file in first no-cr; do
	warns "lacks scans" $file.jpg
	djpeg -outfile a.pnm $file.jpg 2>/dev/null && check "$file: as djpeg reads it" same_pixels $file.jpg a.pnm
done
cat a.jpg a.jpg >two.jpg
warns "second picture" two.jpg
{ cat a.jpg && printf '\0\0\0\30ftypmp42'; } >motion.jpg
warns video motion.jpg
{ head -c -2 a.jpg && head -c 99 /dev/zero; } >padded.jpg
warns extraneous padded.jpg
cat in.ppm in.ppm >two.ppm
warns "several pictures" two.ppm

# What comes twice is one if it is the same; what goes on is joined; else the first one stays.
twice() { # WHAT CODE FIRST SECOND INFO
	{
		head -c 20 a.jpg
		for bytes in "$3" "$4"; do
			# shellcheck disable=SC2059 # escapes are wanted
			printf "\\377\\$2\\0\\$(printf %o $(($(printf "$bytes" | wc -c) + 2)))$bytes"
		done
		tail -c +21 a.jpg
	} >twice.jpg
	check_status "$1" 0 "$XCODEC" encode -f --lossy twice.jpg o.xc
	check_equal "$1: info" "$5" "$("$XCODEC" info o.xc | sed -n 's/^Metadata *//p')"
	check_equal "$1: warnings" "$(case $1 in second*) echo "$1" ;; esac)" "$(grep -o 'second [A-Zc][A-Za-z]*' stderr)"
}
twice "EXIF that goes on" 341 'Exif\0\0II*\0ab' 'Exif\0\0cd' "EXIF 8 bytes"
twice "EXIF twice" 341 'Exif\0\0II*\0ab' 'Exif\0\0II*\0ab' "EXIF 6 bytes"
twice "second EXIF" 341 'Exif\0\0II*\0ab' 'Exif\0\0MM\0*abc' "EXIF 6 bytes"
xmp='http://ns.adobe.com/xap/1.0/\0'
twice "second XMP" 341 "$xmp<x/>" "$xmp<more/>" "XMP 4 bytes"
twice "a profile twice" 342 'ICC_PROFILE\0\1\1abc' 'ICC_PROFILE\0\1\1abc' "ICC 3 bytes"
twice "second colour" 342 'ICC_PROFILE\0\1\1abc' 'ICC_PROFILE\0\1\1abcd' "ICC 3 bytes"
twice "blocks of IPTC" 355 'Photoshop 3.0\0PHUT\4\4\0\0\0\0\0\2ab' 'Photoshop 3.0\0008BIM\4\4\0\0\0\0\0\2cd' "IPTC 4 bytes"

# Turned as EXIF says.  A reference for each orientation comes from netpbm.
turn() { # N
	case $1 in
	1) cat ;;
	2) pamflip -lr ;;
	3) pamflip -r180 ;;
	4) pamflip -tb ;;
	5) pamflip -xy ;;
	6) pamflip -cw ;;
	7) pamflip -xy | pamflip -r180 ;;
	8) pamflip -ccw ;;
	esac
}
djpeg -outfile a.pnm a.jpg
for n in 1 2 3 4 5 6 7 8; do
	command -v pamflip >/dev/null || break
	{
		head -c 20 a.jpg
		printf '\377\341\0\042Exif\0\0MM\0*\0\0\0\010\0\001\001\022\0\003\0\0\0\001\0'
		# shellcheck disable=SC2059 # the byte of that number
		printf "\\0$(printf %o "$n")\\0\\0\\0\\0\\0\\0"
		tail -c +21 a.jpg
	} >tagged.jpg
	turn $n <a.pnm >turned.pnm
	"$XCODEC" encode -f --lossy tagged.jpg tagged.xc
	# shellcheck disable=SC2016 # for the inner shell
	check "orientation $n: compare" sh -c '"$0" compare --orient tagged.jpg turned.pnm | grep -q "^Identical *yes$"' "$XCODEC"
	"$XCODEC" decode -f tagged.xc plain.ppm 2>warning
	check_equal "orientation $n: told where it is lost" $((n > 1)) "$(grep -c -e --orient warning)"
	"$XCODEC" decode -f --orient tagged.xc upright.ppm 2>warning
	check_equal "orientation $n: decode is silent" "" "$(cat warning)"
	turn $n <plain.ppm >turned.ppm
	check "orientation $n: decode" cmp turned.ppm upright.ppm
	"$XCODEC" encode -f --lossy --orient tagged.jpg o.xc && "$XCODEC" encode -f turned.pnm other.xc
	"$XCODEC" decode -f o.xc o.ppm && "$XCODEC" decode -f other.xc other.ppm
	check "orientation $n: encode" cmp o.ppm other.ppm
	"$XCODEC" encode -f --strip tagged.jpg o.xc
	"$XCODEC" decode -f --orient o.xc o.ppm
	check "orientation $n: --strip keeps it" cmp turned.ppm o.ppm
	check_equal "orientation $n: --strip keeps nothing else" "$([ "$n" = 1 ] && echo none || echo "EXIF 26 bytes, orientation $n")" \
		"$("$XCODEC" info o.xc | sed -n 's/^Metadata *//p')"
	"$XCODEC" encode -f tagged.jpg kept.xc && "$XCODEC" decode -f --orient kept.xc o.jpg
	check_equal "orientation $n: decode --orient of a kept JPEG" $((n > 1)) "$(cmp -s tagged.jpg o.jpg; echo $?)"
	"$XCODEC" encode -f --orient tagged.jpg o.xc
	check_equal "orientation $n: encode --orient keeps what is upright" $((n > 1)) "$(cmp -s kept.xc o.xc; echo $?)"
	"$XCODEC" encode -f --lossy --preset jpeg tagged.jpg o.xc && "$XCODEC" decode -f o.xc o.jpg && "$XCODEC" decode -f --orient o.xc p.jpg
	check_equal "orientation $n: decode --orient of a picture with the DCT" $((n > 1)) "$(cmp -s o.jpg p.jpg; echo $?)"
done

# A JPEG comes back as it was, whatever it is, and its pixels are djpeg's but for rounding.
comes_back() { # FILE [HOW]
	rm -f o.xc back.jpg
	"$XCODEC" encode "$1" o.xc 2>stderr && "$XCODEC" decode o.xc back.jpg && cmp "$1" back.jpg &&
		[ "$(wc -c <o.xc)" -le $(($(wc -c <"$1") + 100)) ] && "$XCODEC" info o.xc | grep -q "^JPEG *${2-repacked}"
}
{
	printf 'P6\n183 141\n255\n'
	awk 'BEGIN { for (i = 0; i < 183 * 141; i++) { x = i % 183; y = int(i / 183)
		printf "%c%c%c", 33 + x * y % 67, 33 + (x + 2 * y) % 90, (x > y ? 40 : 120) } }'
} >large.ppm
cjpeg -outfile large.jpg large.ppm
cat large.jpg large.jpg >two.jpg
{ printf '\377\330\0\0'; tail -c +3 large.jpg; } >strewn.jpg # bytes before a marker, of which djpeg warns
for options in "-quality 90" "-optimize -sample 4x1" "-progressive -sample 1x2" "-grayscale" "-rgb" "-restart 1B" \
	"-baseline -quality 5"; do
	# shellcheck disable=SC2086 # options are words
	cjpeg $options -outfile kept.jpg large.ppm
	check "comes back: $options" comes_back kept.jpg
	"$XCODEC" decode -f o.xc kept.pam && djpeg -outfile a.pnm kept.jpg
	check "comes back: $options: pixels" near_pixels 48 kept.pam a.pnm
	for scale in 2 4 8; do
		"$XCODEC" decode -f --scale 1/$scale o.xc kept.pam && "$XCODEC" encode -f --lossless a.pnm a.xc &&
			"$XCODEC" decode -f --scale 1/$scale a.xc a.pam
		check "comes back: $options: 1/$scale" near_pixels 36 kept.pam a.pam
	done
done
for file in two motion padded tagged strewn; do
	check "comes back: $file" comes_back $file.jpg
	[ $file != tagged ] || check "kept: info: metadata" sh -c '"$0" info o.xc | grep -q "^Metadata *EXIF [0-9]* bytes, orientation 8$"' "$XCODEC"
done
check "comes back: two pictures" sh -c '"$0" encode two.jpg - | "$0" info --json - | grep -q "\"pictures\": 2"' "$XCODEC"
# Damage that the pixels of the first picture do not need.
cjpeg -quality 98 -outfile kept.jpg large.ppm && cat kept.jpg kept.jpg >later.jpg && "$XCODEC" encode -f later.jpg two.xc
"$XCODEC" encode -f two.jpg o.xc
for from in two.xc o.xc; do
	{ head -c -60 $from && printf '\252\125' && tail -c 58 $from; } >later-$from
done
mv later-two.xc later.xc
check_status "a damaged second picture, which is a chunk: info" 0 "$XCODEC" info -j later-o.xc
check_json "a damaged second picture, which is a chunk: info tells" stdout 'j["damaged_segments"] == 1'
check_status "damage in the second picture: verify" 3 "$XCODEC" verify later.xc
check "damage in the second picture: its place" grep -q "segment [0-9]* of the JPEG's picture 2 is damaged (at byte " stderr
"$XCODEC" info -j later.xc >stdout
check_json "damage in the second picture: info" stdout 'j["damaged_segments"] == 1 and not j["jpeg"]["damaged"]'
check_status "damage in the second picture: pixels" 0 "$XCODEC" decode -f later.xc o.ppm
check "damage in the second picture: that is told" grep -q "after the first picture 1 segment is damaged" stderr
check_status "damage in the second picture: decode -k" 3 "$XCODEC" decode -kf later.xc o.jpg
head -c 30 a.jpg >head.jpg
check "stored: no scan" comes_back head.jpg stored
check "stored: that is said" grep -q 'stored as it is: it has no scan, and so no pixels to decode$' stderr
check_status "stored: or refused" 1 "$XCODEC" encode -f --jpeg-fallback refuse head.jpg o.xc
[ ! -s arithmetic.jpg ] || check "stored: arithmetic coding" comes_back arithmetic.jpg stored
cjpeg -quality 85 -outfile kept.jpg large.ppm
"$XCODEC" encode -f kept.jpg kept.xc
check "kept: info" sh -c '"$0" info kept.xc | grep -q "^Quality *about 85"' "$XCODEC"
check "kept: metadata" sh -c '"$0" encode -f tagged.jpg o.xc && "$0" decode -f o.xc o.png && "$0" encode -f o.png o.xc && "$0" info o.xc | grep -q "^Metadata *EXIF [0-9]* bytes"' "$XCODEC"
{ head -c 20 a.jpg && printf '\377\341\0\022Exif\0\0IIjunkjunk' && tail -c +21 a.jpg; } >wrong.jpg
check "kept: EXIF that is none" comes_back wrong.jpg
for to in "decode -f o.xc o.png" "encode -f --lossy o.xc o2.xc"; do
	# shellcheck disable=SC2086 # words
	check_status "kept: EXIF that is none: $to" 0 "$XCODEC" $to
	check "kept: that is said" grep -q 'left out.*EXIF' stderr
done
check "kept: info knows the hash" sh -c '"$0" info kept.xc | grep -q "$(sha256sum kept.jpg | cut -c 1-64)"' "$XCODEC"
check "kept: to standard output" sh -c '"$0" decode --format jpg - - <kept.xc | cmp - kept.jpg' "$XCODEC"
check "kept: compare" near_pixels 48 kept.jpg kept.xc
check "kept: sweep" "$XCODEC" sweep -q 50 kept.xc
check "kept: encode" "$XCODEC" encode -f --quiet -q 50 kept.xc o.xc
"$XCODEC" decode -f -t 1 kept.xc one.ppm
check "kept: threads" sh -c '"$0" decode -f -t 2 kept.xc o.ppm && cmp o.ppm one.ppm' "$XCODEC"
check "kept: from a pipe" sh -c '"$0" decode -f --format ppm - o.ppm <kept.xc && cmp o.ppm one.ppm' "$XCODEC"
! command -v pamcut >/dev/null || check "kept: a region" sh -c '"$0" decode -f --region 20x10+3+4 kept.xc o.ppm && pamcut 3 4 20 10 one.ppm | cmp - o.ppm' "$XCODEC"
check_status "kept: no region of it" 1 "$XCODEC" decode -f --region 20x10+170+4 kept.xc o.ppm
# The only tile of fewer bytes would be in PICT, whose damage no option takes.
cjpeg -quality 99 -outfile tile.jpg large.ppm
"$XCODEC" encode tile.jpg tile.xc
check_status "kept: damaged tile" 3 sh -c '{ head -c 4000 tile.xc && printf "\0\0\0\0\0" && tail -c +4006 tile.xc; } >o.xc && "$0" decode -fk o.xc o.ppm' "$XCODEC"
"$XCODEC" encode -f -q 60 kept.jpg o.xc 2>stderr
check_equal "a second loss is one line" 1 "$(grep -c 'second loss' stderr)"
check_equal "a second loss is no line" "" "$("$XCODEC" encode -f --quiet -q 60 kept.jpg o.xc 2>&1)"
check_equal "a second loss: of a kept one" 1 "$("$XCODEC" encode -f kept.xc o.xc 2>&1 | grep -c 'second loss')"
# A JPEG that is cut off is kept as it is, and that is said wherever its pixels are wanted, but not with --quiet.
head -c $(($(wc -c <kept.jpg) / 2)) kept.jpg >half.jpg
said='warning: the JPEG is cut off: its scans lack [0-9]* of [0-9]* blocks$'
rm -f o.png
for command in "encode -f half.jpg half.xc" "decode half.xc o.png" "encode -f -q 50 half.xc o.xc" "compare half.xc o.png"; do
	# shellcheck disable=SC2086 # the command is words
	check_equal "cut off: $command" 1 "$("$XCODEC" $command 2>&1 >/dev/null | grep -c "$said")"
done
check_equal "cut off: --quiet" "" "$("$XCODEC" encode --quiet -f half.jpg half.xc 2>&1 && "$XCODEC" decode --quiet -f half.xc o.png 2>&1)"
check "cut off: comes back" sh -c '"$0" decode -f half.xc o.jpg 2>stderr && cmp half.jpg o.jpg && [ ! -s stderr ]' "$XCODEC"
check "cut off: info" sh -c '"$0" info half.xc | grep -q "^State *CUT OFF: [1-9]"' "$XCODEC"
check "whole: info" sh -c '"$0" info kept.xc | grep -q "^State" && exit 1 || :' "$XCODEC"
mkdir many back
"$XCODEC" encode -f -o many kept.jpg half.jpg 2>stderr
check "cut off: many: the sum" grep -q 'encode: warning: 1 JPEG was cut off or damaged before$' stderr
rm many/*
check_status "kept: many" 1 "$XCODEC" encode --jpeg-fallback refuse -o many kept.jpg two.jpg in.ppm head.jpg
check "kept: many: kinds" grep -q '^3 pictures: 2 repacked, 1 coded with loss, 1 refused,' stderr
"$XCODEC" decode -o back many/kept.xc many/two.xc && check "kept: many back" cmp two.jpg back/two.jpg
check_status "kept: by name" 0 "$XCODEC" encode -f --lossless-match 'kept*' -q 50 -o many kept.jpg two.jpg
check "kept: by name: the sum" grep -q '^2 pictures: 1 repacked, 1 coded with loss,' stderr
{ head -c 400 kept.xc && printf '\0\0\0\0\0' && tail -c +406 kept.xc; } >damaged.xc
rm -f o.jpg
check_status "kept: damage" 1 "$XCODEC" decode damaged.xc o.jpg
check "kept: damage leaves no file" [ ! -e o.jpg ]
# Two segments, of rows 0 to 127 and 128 to 140: what is intact is saved, as it was, and the first damage is named.
cjpeg -quality 90 -sample 1x1 -outfile parts.jpg large.ppm
"$XCODEC" encode parts.jpg parts.xc
size=$(wc -c <parts.xc)
{ head -c $((size - 60)) parts.xc && printf '\0\0\0\0\0' && tail -c 55 parts.xc; } >hurt.xc
head -c $((size - 100)) parts.xc >cut.xc
"$XCODEC" decode -f --region 183x128+0+0 parts.xc whole.ppm
for file in hurt cut; do
	check_status "kept: $file: no pixels" 1 "$XCODEC" decode $file.xc o.png
	check_status "kept: $file: pixels" 3 "$XCODEC" decode -fk $file.xc o.ppm
	check_status "kept: $file: a JPEG" 3 "$XCODEC" decode -k $file.xc $file.jpg
	check "kept: $file: it is told" grep -q ': warning: 1 of 2 segments damaged and left grey, and the JPEG is made anew: segment 1 of the JPEG is damaged (pixels 0,128 to 182,140)$' stderr
	"$XCODEC" encode $file.jpg again.xc && "$XCODEC" decode -f --region 183x128+0+0 again.xc o.ppm
	check "kept: $file: the rest is as it was" cmp whole.ppm o.ppm
	rm -f again.xc
done
# Likewise what only libjpeg shows, whatever its components and scans are.
printf '0;\n1;\n2;\n' >scans
for options in "-sample 4x1" "-progressive -sample 4x1" "-rgb" "-sample 4x1,2x1,1x1" "-scans scans -sample 4x1,4x1,4x1"; do
	# shellcheck disable=SC2086 # options are words
	cjpeg -quality 90 $options -outfile other.jpg large.ppm && "$XCODEC" encode -f other.jpg o.xc
	{ head -c -60 o.xc && printf '\0\0\0\0\0' && tail -c 55 o.xc; } >hurt-other.xc
	check_status "kept: $options: a JPEG" 3 "$XCODEC" decode -fk hurt-other.xc o.jpg
	check "kept: $options: the rest is as it was" sh -c 'djpeg other.jpg | head -c 66000 >a.ppm && djpeg o.jpg | head -c 66000 | cmp - a.ppm'
done
{ cat parts.xc && echo x; } >more.xc
check "kept: info: segments" sh -c '"$0" info --segments hurt.xc | grep -Eq "^1 +[0-9]+ +[0-9]+ +0 +128 +183 +13  DAMAGED$"' "$XCODEC"
check "kept: info: of a file that is cut off" sh -c '"$0" info cut.xc 2>stderr | grep -q "^Segments .* 1 DAMAGED$" && grep -q "too early" stderr' "$XCODEC"
check "kept: info: bits are not told" sh -c '"$0" info --bits parts.xc | grep -q "^Bits *are not counted"' "$XCODEC"
for picture in back.jpg back.png; do
	check_status "kept: bytes after the end: $picture" 1 "$XCODEC" decode -f more.xc $picture
	check_status "kept: bytes after the end: -k: $picture" 0 "$XCODEC" decode -fk more.xc $picture
	check "kept: bytes after the end: $picture: a warning" grep -q ': warning: 2 bytes too many after the end$' stderr
done
check_status "kept: bytes after the end: info" 0 "$XCODEC" info more.xc
check "kept: bytes after the end: info: a warning" grep -q ': warning: 2 bytes too many after the end$' stderr
"$XCODEC" decode -fk more.xc back.jpg 2>stderr && check "kept: bytes after the end: it is the JPEG" cmp parts.jpg back.jpg
check_status "kept: CMYK has no pixels" 1 "$XCODEC" decode -f "$SRCDIR/tests/vectors/good-jpeg-cmyk.xc" o.png
check "kept: CMYK: the hint says where the JPEG is" grep -q "converts a JPEG file, which 'xcodec decode' to a .jpg gives$" stderr
"$XCODEC" encode --quiet head.jpg head.xc
check "stored: info: no segments" sh -c '"$0" info --segments head.xc | grep -q "^Segments *none .*stored as it is$"' "$XCODEC"
head -c -20 head.xc >cut.xc
check_status "stored: what there is of it" 3 "$XCODEC" decode -fk cut.xc o.jpg
check "stored: is its beginning" sh -c 'head -c "$(wc -c <o.jpg)" head.jpg | cmp - o.jpg && [ -s o.jpg ]'

rm -f o.xc
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
