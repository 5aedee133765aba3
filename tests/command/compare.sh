#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec compare: several pairs, folders, and the picture of the difference.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
mkdir one two maps empty
for n in 1 2 3; do
	awk -v n=$n 'BEGIN { print "P3 24 16 255"; for (i = 0; i < 1152; i++) print i * 37 * n % 251 }' >one/$n.ppm
	"$XCODEC" encode -q $((30 * n)) one/$n.ppm two/$n.xc || skip_all "cannot encode"
done

# keys of JSON as lines
values() { sed -n 's/^ *"'"$1"'": *\(.*[^,]\),*$/\1/p' "$2"; }

# ---------------------------------------------------------------------- pairs

check_status "three pairs" 0 "$XCODEC" compare one/1.ppm two/1.xc one/2.ppm two/2.xc one/3.ppm two/3.xc
cp stdout table
check_equal "a line for each, and the mean" "two/1.xc two/2.xc two/3.xc mean" \
	"$(awk 'NR > 1 { printf "%s%s", s, $NF; s = " " }' stdout)"
for n in 1 2 3; do
	"$XCODEC" compare --json one/$n.ppm two/$n.xc >single
	"$XCODEC" compare --json -t 1 one/$n.ppm two/$n.xc one/$n.ppm one/$n.ppm >array
	check_equal "pair $n is measured as alone" "$(values psnr_rgb single) null" \
		"$(values psnr_rgb array | tr '\n' ' ' | sed 's/ $//')"
	check "pair $n is so in the table" grep -q "^ .* $(printf %.4f "$(values psnr_rgb single)") .* two/$n.xc$" table
done
check_json "JSON of several pairs is an array" array 'len(j) == 2 and j[1]["identical"] and j[0]["file_a"] == "one/3.ppm"'
check_status "an odd one" 2 "$XCODEC" compare one/1.ppm two/1.xc one/2.ppm
check_status "standard input twice" 2 "$XCODEC" compare one/1.ppm - one/2.ppm -
check_status "a pair that fails" 1 "$XCODEC" compare one/1.ppm none one/2.ppm two/2.xc
check "has its line" grep -q '^xcodec: none: cannot open' stderr
check_equal "and the other is done" two/2.xc "$(awk 'END { print $NF }' stdout)"

# -------------------------------------------------------------------- folders

check_status "two folders" 0 "$XCODEC" compare one two
check "are the pairs of their files" cmp table stdout
rm two/3.xc
check_status "a file without partner" 0 "$XCODEC" compare --json one two
check "is a warning" grep -q "^xcodec: two: warning: has no partner of '3.ppm'" stderr
check_json "and left out" stdout '[p["file_b"] for p in j] == ["two/1.xc", "two/2.xc"]'
cp one/2.ppm two/2.pam.ppm
cp one/2.ppm two/2.ppm
check_status "the very name comes first" 0 "$XCODEC" compare --quiet one two
check "so this pair is equal" grep -q '^ *100.0000  *inf .*two/2.ppm$' stdout
mv two/2.ppm two/2.pnm
check_status "several partners" 1 "$XCODEC" compare one two
check_status "no pair at all" 1 "$XCODEC" compare one empty
check_status "a folder and a file" 1 "$XCODEC" compare one two/1.xc
rm two/2.pam.ppm two/2.pnm
mkdir archive
"$XCODEC" encode --keep-suffix -o archive one/1.ppm one/2.ppm
cp one/3.ppm archive/1.bmp.xc
check_status "an archive of a folder" 0 "$XCODEC" compare --quiet --json one archive
check_json "has partners with one suffix more" stdout '[p["file_b"] for p in j] == ["archive/1.ppm.xc", "archive/2.ppm.xc"]'
check_status "and the other way round" 0 "$XCODEC" compare --quiet --json archive one
check_json "likewise" stdout '[p["file_b"] for p in j] == ["one/1.ppm", "one/2.ppm"]'

# --------------------------------------------------------------- the JPEG that a file keeps

"$XCODEC" encode --preset jpeg one/1.ppm dct.xc && "$XCODEC" decode --format jpg dct.xc a.jpg && "$XCODEC" encode a.jpg a.xc || exit 99
check_status "a JPEG and its file" 0 "$XCODEC" compare --json a.jpg a.xc
check_json "are identical" stdout 'j["identical"] and j["same_jpeg"] and j["max_abs_diff"] == 0'
check_status "the other way round" 0 "$XCODEC" compare a.xc a.jpg
check "which is told" grep -q '^Identical .* yes, the same JPEG$' stdout
check_status "with a map" 0 "$XCODEC" compare --map same.ppm a.jpg a.xc
check "one decoder shows both" grep -q '^Identical .* yes, the same JPEG$' stdout
if command -v cjpeg >/dev/null && cjpeg -arithmetic -outfile hidden.jpg one/1.ppm 2>/dev/null; then
	"$XCODEC" encode --quiet hidden.jpg hidden.xc
	check_status "a JPEG that nothing shows" 0 "$XCODEC" compare --json hidden.jpg hidden.xc
	check_json "is compared by its bytes" stdout 'j["same_jpeg"]'
fi
cp a.jpg longer.jpg && echo >>longer.jpg
check_status "another JPEG" 0 "$XCODEC" compare --json longer.jpg a.xc
check_json "is not the same" stdout 'not j["same_jpeg"]'

# ----------------------------------------------------------------------- maps

printf 'P3 3 1 255 100 100 100 100 100 100 10 20 30\n' >a.ppm
printf 'P3 3 1 255 100 100 100 101 98 100 255 0 30\n' >b.ppm
check_status "--map" 0 "$XCODEC" compare --map map.ppm a.ppm b.ppm
pixels() { tail -c 9 "$1" | od -An -tu1 | tr -s ' ' ' ' | sed 's/^ //; s/ $//'; }
check_equal "is grey where nothing differs, 8 times as large elsewhere" \
	"128 128 128 136 112 128 255 0 128" "$(pixels map.ppm)"
check_status "--map does not overwrite" 1 "$XCODEC" compare --map map.ppm a.ppm b.ppm
"$XCODEC" compare -f -m map.ppm --factor 1 b.ppm a.ppm >/dev/null
check_equal "--factor 1, the other way round" "128 128 128 127 130 128 0 148 128" "$(pixels map.ppm)"
printf 'P2 3 1 65535 0 257 65535\n' >a.pgm
printf 'P2 3 1 65535 129 0 65535\n' >b.pgm
"$XCODEC" compare -fm map.pgm --factor 2 a.pgm b.pgm >/dev/null
check_equal "16 bits, grey: rounded" "129 126 128" "$(tail -c 3 map.pgm | od -An -tu1 | tr -s ' ' ' ' | sed 's/^ //; s/ $//')"
check_status "maps of several pairs" 0 "$XCODEC" compare -m maps one/1.ppm two/1.xc one/2.ppm two/2.xc
check_equal "are in the folder" "1 2" "$(cd maps && echo * | sed 's/\.[a-z]*//g')"
check_status "maps of several pairs need a folder" 2 "$XCODEC" compare -m map.ppm a.ppm b.ppm a.ppm b.ppm
check_status "maps of one name" 1 "$XCODEC" compare -fm maps one/1.ppm two/1.xc one/2.ppm two/1.xc
check_status "a map of no format" 2 "$XCODEC" compare -m map.foo a.ppm b.ppm
check_status "a map in place of an input" 1 "$XCODEC" compare -fm a.ppm a.ppm b.ppm
check_status "--factor 0" 2 "$XCODEC" compare --factor 0 -m map.ppm a.ppm b.ppm

done_testing
