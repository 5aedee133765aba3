#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The command as it is used: what each subcommand does when all goes well.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# A text PPM of $1 x $2 pixels with smooth and busy parts.
make_ppm() {
	awk -v w="$1" -v h="$2" 'BEGIN {
		print "P3"; print w, h; print 255
		for (y = 0; y < h; y++)
			for (x = 0; x < w; x++)
				print (x * 7 + y * 3) % 256, (x * y) % 256, int(255 * y / h)
	}'
}

make_ppm 61 35 >in.ppm
awk 'BEGIN { print "P2 9 13 255"; for (i = 0; i < 117; i++) print i * 37 % 256 }' >grey.pgm
printf 'P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' >alpha.pam
printf '\001\002\003\377\101\102\103\200\201\202\203\001\371\372\373\100' >>alpha.pam

same() { check "$1" cmp "$2" "$3"; }

# identical NAME A B: equal pixels, whatever the files.
identical() {
	"$XCODEC" compare "$2" "$3" >compared 2>&1
	check "$1" grep -qx 'Identical  *yes' compared
}

# ------------------------------------------------------------ encode, decode

check_status "encode" 0 "$XCODEC" encode in.ppm a.xc
check_equal "encode is silent" "" "$(cat stdout stderr)"
check_status "decode" 0 "$XCODEC" decode a.xc a.png
check_equal "decode is silent" "" "$(cat stdout stderr)"
for format in ppm pam pnm bmp; do
	check "decode to $format" "$XCODEC" decode a.xc "a.$format"
	identical "$format holds the same pixels as PNG" a.png "a.$format"
done
identical "an XC file is compared as what it decodes to" a.xc a.png
check "PNG without compression" "$XCODEC" decode --png-level 0 a.xc level0.png
identical "PNG without compression holds the same pixels" a.png level0.png
check "decode with --png-level 9" "$XCODEC" decode --png-level=9 a.xc level9.png
check "--png-level changes the size" \
	test "$(wc -c <level9.png)" -lt "$(wc -c <level0.png)"

check "encode grey" "$XCODEC" encode grey.pgm grey.xc
check "decode grey to PGM" "$XCODEC" decode grey.xc grey-back.pgm
identical "grey PGM is what the XC file holds" grey.xc grey-back.pgm
for s in 444 420 grey; do
	"$XCODEC" encode -s $s grey.pgm - >grey-s.xc
	check "-s $s changes nothing of grey" cmp grey.xc grey-s.xc
done
check "encode alpha" "$XCODEC" encode -q 100 -s 444 alpha.pam alpha.xc
"$XCODEC" decode alpha.xc alpha-back.pam
"$XCODEC" compare --json alpha.pam alpha-back.pam >alpha.json
check_json "alpha is lossless" alpha.json 'j["psnr_channels"]["a"] is None'

"$XCODEC" encode - - <in.ppm >b.xc
same "standard input to standard output" a.xc b.xc
"$XCODEC" encode --format ppm - - <in.ppm >b.xc
same "encode --format ppm from standard input" a.xc b.xc
"$XCODEC" encode --format xc in.ppm - >b.xc
same "encode --format xc to standard output" a.xc b.xc
"$XCODEC" decode --format png - - <a.xc | cat >b.png
same "decode in a pipe" a.png b.png
check "--format overrides the name" "$XCODEC" decode --format ppm a.xc c.png
same "the format is that of --format" a.ppm c.png
check "decode --format xc leaves the format to the name" \
	"$XCODEC" decode --format xc - d.ppm <a.xc
same "decode --format xc" a.ppm d.ppm
check "encode --format xc takes any name" "$XCODEC" encode --format xc in.ppm named.png
same "encode to another name" a.xc named.png
check "an XC file is encoded again" "$XCODEC" encode -q 30 a.xc again.xc
check "write to a device" "$XCODEC" decode --format ppm a.xc /dev/null

# ------------------------------------------------------------------- options

"$XCODEC" encode -q 90 in.ppm q90.xc
check_status "quality changes the file" 1 cmp a.xc q90.xc
for form in -q90 --quality=90 '--quality 90' '-q 3 -q 90'; do
	# shellcheck disable=SC2086 # two words in some
	"$XCODEC" encode $form in.ppm - >form.xc
	same "option written as $form" q90.xc form.xc
done
"$XCODEC" encode in.ppm form.xc -fvq 90 2>verbose
same "options after the files, joined" q90.xc form.xc
check "--verbose says the bits per pixel" grep -q 'bits per pixel' verbose
check "--verbose says the device" grep -Eq '^  by (cpu|cuda:[0-9]+)$' verbose
check "--verbose says the stages" grep -Eq '^  total +[0-9.]+ +[0-9.]+$' verbose
"$XCODEC" encode in.ppm - --verbose --quiet 2>verbose >form.xc
check_equal "the last of --verbose and --quiet holds" "" "$(cat verbose)"
cp in.ppm ./-dash.ppm
check "a name that begins with a dash, after --" \
	"$XCODEC" encode -- -dash.ppm -dash.xc
same "a name that begins with a dash is a file" a.xc ./-dash.xc
for threads in 1 2 7; do
	"$XCODEC" encode -t $threads in.ppm - >threads.xc
	same "the same bytes with $threads threads" a.xc threads.xc
done
"$XCODEC" encode -s auto --entropy rans --tables eye --tune eye --colour ycbcr \
	--transform auto -e 2 -q 75 in.ppm - >defaults.xc
same "the defaults, spelt out" a.xc defaults.xc
for effort in 0 1; do
	"$XCODEC" encode -e $effort in.ppm effort$effort.xc
	check_status "effort $effort gives other bytes than 2" 1 cmp a.xc effort$effort.xc
done

"$XCODEC" encode --preset jpeg in.ppm jpeg.xc
"$XCODEC" encode -s 420 --entropy huffman --huffman optimized --tables annex-k --transform dct \
	-e 0 in.ppm spelt.xc
same "--preset jpeg, spelt out" spelt.xc jpeg.xc
"$XCODEC" encode -f -s 444 --entropy huffman --tables flat -e 0 in.ppm spelt.xc
"$XCODEC" encode -s 444 --preset jpeg --tables flat --transform tdlt in.ppm - >form.xc
same "options win over --preset, before and after it" spelt.xc form.xc
"$XCODEC" encode --preset jpeg -q 75 --preset default in.ppm - >form.xc
same "the last --preset holds" a.xc form.xc
"$XCODEC" sweep -q 75 --preset jpeg --csv - in.ppm >stdout
check "sweep takes --preset" grep -q "^in.ppm,61,35,75,$(wc -c <jpeg.xc | tr -d ' ')," stdout

awk 'BEGIN { for (i = 0; i < 64; i++) printf "16%s", i % 8 == 7 ? " # row\n" : "," }' >flat.txt
"$XCODEC" encode --tables flat in.ppm flat.xc
"$XCODEC" encode --tables flat.txt in.ppm flat-file.xc
same "tables from a file" flat.xc flat-file.xc
cp flat.txt annex-k
"$XCODEC" encode --tables ./annex-k in.ppm - >flat-file.xc
same "./annex-k is a file" flat.xc flat-file.xc

# A name is shown so that it cannot move the cursor or begin a line.
odd=$(printf 'a\nb\033[1m')
shown='a\\x0ab\\x1b\[1m'
mkdir odd
cp in.ppm "$odd.ppm"
"$XCODEC" encode -v "$odd.ppm" "$odd.xc" 2>verbose
check "control characters: encode -v" grep -q "^$shown.xc: 61 x 35" verbose
"$XCODEC" decode -v "$odd.xc" odd.pam 2>verbose
check "control characters: decode -v" grep -q "^$shown.xc: 61 x 35" verbose
"$XCODEC" encode -v -o odd "$odd.ppm" 2>verbose
check "control characters: encode -v -o" grep -q "^odd/$shown.xc: 61 x 35" verbose
"$XCODEC" info "$odd.xc" >said
check "control characters: info" grep -qx "File  *$shown.xc" said

# So is one with U+009B, which begins commands to terminals, or with bytes that are no UTF-8.
odd=$(printf 'c\302\233m\303\251\233')
shown='c\\xc2\\x9bm'$(printf '\303\251')'\\x9b'
"$XCODEC" encode -v in.ppm "$odd.xc" 2>verbose
check "C1 control characters: encode -v" grep -q "^$shown.xc: 61 x 35" verbose
"$XCODEC" info "$odd.xc" >said
check "C1 control characters: info" grep -qx "File  *$shown.xc" said
cp in.ppm "$odd.ppm"
"$XCODEC" compare --json "$odd.ppm" in.ppm >odd.json
check "C1 control characters: JSON" grep -q 'c.u009bm'"$(printf '\303\251.ufffd')" odd.json
"$XCODEC" sweep -q 50 "$odd.ppm" >said
check "control characters: sweep" grep -q "^$shown.ppm: 61 x 35" said
rm -rf odd odd.pam "$odd.ppm" "$odd.xc"

# So is one that turns what follows around: U+202E, U+061C, U+2069, U+200F.  Those beside them are shown.
odd=$(printf 'e\342\200\256gnp\330\234\342\201\251\342\200\217 \342\200\223\342\200\211\342\201\244\330\233')
shown='e\\xe2\\x80\\xaegnp\\xd8\\x9c\\xe2\\x81\\xa9\\xe2\\x80\\x8f '${odd##* }
"$XCODEC" info "$odd.ppm" 2>said
check "text from right to left: an error" grep -q "^xcodec: $shown.ppm: cannot open" said
cp in.ppm "$odd.ppm"
"$XCODEC" compare --json "$odd.ppm" in.ppm >odd.json
check "text from right to left: JSON" grep -q "e.u202egnp.u061c.u2069.u200f ${odd##* }" odd.json
"$XCODEC" sweep -q 50 --html odd.html "$odd.ppm" >said
check "text from right to left: sweep" grep -q "^$shown.ppm: 61 x 35" said
check_equal "text from right to left: the page" "" "$(grep -e "$(printf '\342\200\256')" -e '[\\]u202e' odd.html)"
rm "$odd.ppm" odd.html

# --------------------------------------------------------------------- info

for transform in dct lot tdlt; do
	"$XCODEC" encode --transform $transform in.ppm transform-$transform.xc
	name=$(printf %s $transform | tr '[:lower:]' '[:upper:]')
	"$XCODEC" info transform-$transform.xc >said
	check "info says $name" grep -q "^Coding  *$name," said
	"$XCODEC" info --json transform-$transform.xc >said
	check "info --json says $name" grep -q "\"transform\": \"$name\"" said
done
rm -f transform-*.xc

# The profiles of doc/format.md, section 9.2.
for kind in baseline:--preset=jpeg "baseline:--preset=jpeg --subsampling=444 --quality=90" \
	"baseline:--preset=jpeg --huffman=default" main:--lossy "main:--preset=jpeg --transform=tdlt" \
	"main:--preset=jpeg --effort=1" main:--lossless; do
	# shellcheck disable=SC2086 # several options
	"$XCODEC" encode -f --quiet ${kind#*:} in.ppm profile.xc
	check_equal "the profile of encode ${kind#*:}" "${kind%%:*}" \
		"$("$XCODEC" info --json profile.xc | sed -n 's/.*"profile": "\(.*\)".*/\1/p')"
done
rm -f profile.xc

"$XCODEC" encode -s 444 --entropy rans --colour picture in.ppm rans.xc
"$XCODEC" info rans.xc >said
check "info says rANS and whose components" \
	grep -q '^Coding .* 4:4:4, components made for the picture, rANS, format version 3, profile main$' said
check "its components have no names" grep -q '^Quantization steps of first$' said
"$XCODEC" info --json rans.xc >rans.json
check_json "info --json says rANS and whose components" rans.json \
	'(j["entropy"], j["huffman"], j["huffman_tables"], j["colour"]) == ("rANS", None, 0, "picture")'
for file in a rans; do
	"$XCODEC" info --json --bits $file.xc >$file.json
	check_json "the bits of $file add up, by component and by class" $file.json \
		'all(c["dc_bits"] + c["ac_bits"] == sum(c[k + "_bits"] for k in ("zero", "magnitude", "sign", "raw")) > 0 for c in j["components"])'
done
"$XCODEC" encode --entropy huffman in.ppm huffman.xc
"$XCODEC" info --json huffman.xc >huffman.json
check_json "info --json says Huffman" huffman.json \
	'(j["entropy"], j["huffman"], j["colour"]) == ("Huffman", "optimized", "YCbCr") and j["huffman_tables"] >= 4'

check_status "info" 0 "$XCODEC" info a.xc
check "info says the size" grep -q '61 x 35, RGB, 8 bits' stdout
check "info says the coding" grep -q 'TDLT, quality 75, 4:4:4, rANS' stdout
check "info shows two tables of steps" test "$(grep -c '^Quantization' stdout)" -eq 2
"$XCODEC" info --segments a.xc >listed
check_equal "info --segments lists them all" \
	"$(sed -n 's/^Segments *\([0-9]*\) of.*/\1/p' listed)" \
	"$(sed -n '/^Segment /,$p' listed | grep -c '^[0-9]')"
"$XCODEC" info --json --bits --segments a.xc >info.json
check_json "info --json" info.json '(j["width"], j["height"], j["channels"]) == (61, 35, 3)'
check_json "the parts add up to the file" info.json \
	"j['kind'] == 'picture' and sum(j['parts'].values()) == j['bytes'] == $(wc -c <a.xc)"
check_json "the segments' bits are those of the components" info.json \
	'sum(c["dc_bits"] + c["ac_bits"] for c in j["components"]) + j["padding_bits"] <= 8 * j["parts"]["segments"]'
check_json "info --json lists the segments" info.json \
	'len(j["segments"]["list"]) == j["segments"]["count"] > 0'
check_json "steps are 8 by 8" info.json \
	'all([len(r) for r in c["quantization"]] == [8] * 8 for c in j["components"])'
strange=$(printf 'we"ird\\\t\342\202\254\377.xc')
cp a.xc "$strange"
"$XCODEC" info --json "$strange" >strange.json
check_json "JSON of a strange file name" strange.json \
	'j["file"] == "we\"ird\\\t\u20ac\ufffd.xc"'
"$XCODEC" info - <a.xc >stdout
check "info from standard input" grep -q '61 x 35' stdout
"$XCODEC" info --json a.xc rans.xc a.xc >several.json
check_json "info --json of several files" several.json \
	'[f["file"] for f in j] == ["a.xc", "rans.xc", "a.xc"] and "dc_bits" not in j[0]["components"][0]'
# shellcheck disable=SC2016
check "info --json of one file is an array too" sh -c '"$0" info --json a.xc | head -1 | grep -qx "\["' "$XCODEC"
check_status "info of several files, one of which is missing" 1 "$XCODEC" info a.xc none.xc rans.xc
check_equal "info describes the others" 2 "$(grep -c '^Coding' stdout)"

# ------------------------------------------------------ regions, reduced sizes

"$XCODEC" decode --region 20x10+30+5 a.xc region.ppm
check_equal "--region has its size" "20 10" "$(sed -n 2p region.ppm)"
"$XCODEC" decode --format ppm a.xc whole-a.ppm
check_equal "--region has the pixels of the whole picture" \
	"$(tail -c +$((1 + $(wc -c <whole-a.ppm) - 61 * 35 * 3)) whole-a.ppm | od -An -v -tu1 -w183 |
		sed -n 6,15p | awk '{ for (i = 91; i <= 150; i++) printf "%s ", $i }')" \
	"$(tail -c 600 region.ppm | od -An -v -tu1 -w60 | awk '{ for (i = 1; i <= 60; i++) printf "%s ", $i }')"
"$XCODEC" decode --region 20x10+30+5 --format ppm - - <a.xc >piped.ppm
check "--region from a pipe" cmp region.ppm piped.ppm
"$XCODEC" decode --scale 1/4 a.xc quarter.ppm
check_equal "--scale 1/4" "16 9" "$(sed -n 2p quarter.ppm)"
"$XCODEC" decode --scale 1/2 --region 20x10+30+5 a.xc half.ppm
check_equal "--scale with --region" "10 6" "$(sed -n 2p half.ppm)"
for region in 0x5+1+1 5x5 5x5+1 -1x5+1+1 5x5+1+1x 99999999999x1+0+0; do
	check_status "--region $region" 2 "$XCODEC" decode --region=$region a.xc refused.ppm
done
check_status "a region outside" 1 "$XCODEC" decode --region 20x20+50+5 a.xc refused.ppm
check "it writes nothing" test ! -e refused.ppm

# Cut off within the segments, and after them.
for missing in 200 3; do
	lost=0
	[ $missing -eq 3 ] || lost=3
	damaged=$((lost / 3))
	head -c $(($(wc -c <a.xc) - missing)) a.xc >cut.xc
	"$XCODEC" info --json cut.xc >cut.json
	check_json "info without the last $missing bytes: the parts add up to what is there" cut.json \
		'sum(j["parts"].values()) == j["bytes"] and (j["damaged_segments"] > 0) == '$damaged
	check_status "the last $missing bytes missing: decode goes on" $lost \
		"$XCODEC" decode --keep-going --quiet --force --format ppm cut.xc cut.ppm
done
"$XCODEC" decode --format ppm a.xc whole.ppm
check "only the file's end missing: all the picture is there" cmp whole.ppm cut.ppm

# ----------------------------------------------------------------- metadata

if exif_png 14 >meta.png; then
	"$XCODEC" encode meta.png meta.xc 2>stderr
	check "an animated PNG warns" grep -q "an animated PNG" stderr
	"$XCODEC" encode --strip meta.png strip.xc
	"$XCODEC" info --json meta.xc >meta.json
	"$XCODEC" info --json strip.xc >strip.json
	check_json "metadata is kept" meta.json \
		'j["metadata"]["density"] == {"x": 3000, "y": 2835, "unit": "pixels per metre"} and j["metadata"]["exif_bytes"] == 14'
	check_json "the description of colour is kept" meta.json \
		'j["metadata"]["cicp"] == [9, 16, 0, 1] and j["metadata"]["gamma"] == 1 and j["metadata"]["significant_bits"] == [5, 6, 5, 0]'
	check_json "text is kept" meta.json 'j["metadata"]["text_bytes"] == 14'
	check_json "--strip drops metadata" strip.json \
		'j["metadata"]["density"] is None and j["metadata"]["exif_bytes"] == 0'
	"$XCODEC" decode meta.xc meta-back.png
	check "metadata returns to PNG" grep -q eXIf meta-back.png
	for kind in cICP gAMA sBIT tEXtTitle; do
		check "metadata returns to PNG: $kind" grep -q $kind meta-back.png
	done
	"$XCODEC" decode strip.xc strip-back.png
	check "stripped metadata does not" test "$(grep -c eXIf strip-back.png)" -eq 0
else
	skip "metadata" "no python3"
fi

# ------------------------------------------------------------------ compare

"$XCODEC" compare in.ppm in.ppm >equal
check "equal pictures have an infinite PSNR" grep -qx 'PSNR RGB  *inf' equal
"$XCODEC" compare --json in.ppm in.ppm >equal.json
check_json "infinity is null in JSON" equal.json \
	'j["identical"] is True and j["psnr_rgb"] is None and j["psnr_y"] is None and j["mse"] == 0'
check_status "different pictures are no failure" 0 "$XCODEC" compare --json in.ppm a.xc
check_json "compare --json has its keys" stdout 'sorted(j) == sorted(
	"file_a file_b kind width height depth peak identical same_jpeg ssimulacra2 butteraugli_3norm psnr_rgb psnr_y psnr_channels mse max_abs_diff ssim_y ms_ssim_y".split())'
check_json "the PSNR follows from the MSE" stdout \
	'abs(j["psnr_rgb"] - 10 * math.log10(255 ** 2 / j["mse"])) < 1e-9'
grep -v '"file_a":' stdout >from_file
"$XCODEC" compare --json - a.xc <in.ppm | grep -v '"file_a":' >piped
same "compare from standard input" from_file piped

# -------------------------------------------------------------------- sweep

cp grey.pgm 'a "grey", one.pgm'
check_status "sweep" 0 "$XCODEC" sweep -q 20:80:30,90 --csv sweep.csv in.ppm 'a "grey", one.pgm'
check_equal "sweep prints each quality for each picture and the mean" "20 50 80 90 20 50 80 90 20 50 80 90" \
	"$(awk '/^ *[0-9]+ / { printf "%s%s", s, $1; s = " " }' stdout)"
check "sweep names the mean" grep -q '^Mean of 2 pictures' stdout
check_equal "the columns are aligned" 1 \
	"$(awk '/^quality/ || /^ *[0-9]+ / { print length($0) }' stdout | sort -u | wc -l)"
check_equal "the CSV has a line for each" 9 "$(wc -l <sweep.csv | tr -d ' ')"
check "the CSV has headings" \
	grep -q '^picture,width,height,quality,bytes,bpp,psnr_rgb,psnr_y,ssim_y,config,' sweep.csv
check "the CSV quotes names" grep -q '^"a ""grey"", one.pgm",9,13,20,' sweep.csv
"$XCODEC" encode -q 50 in.ppm q50.xc
check "the bytes are those of encode" grep -q "^in.ppm,61,35,50,$(wc -c <q50.xc | tr -d ' ')," sweep.csv
"$XCODEC" sweep -q 20,80,50,90 --csv - in.ppm 'a "grey", one.pgm' >stdout
for file in sweep.csv stdout; do
	sed 's/,[^,]*,[^,]*$//' $file >$file.untimed
done
same "--csv - prints the same CSV alone, times aside" sweep.csv.untimed stdout.untimed
"$XCODEC" sweep -q 75 -s 444 --huffman default --tables flat --csv - in.ppm >stdout
"$XCODEC" encode -s 444 --huffman default --tables flat in.ppm o.xc
check "sweep takes the encoder's options" \
	grep -q "^in.ppm,61,35,75,$(wc -c <o.xc | tr -d ' ')," stdout
"$XCODEC" sweep in.ppm >stdout
check_equal "the default qualities" 18 "$(grep -c '^ *[0-9]* ' stdout)"

done_testing
