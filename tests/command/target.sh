#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Sizes and qualities that are asked for, fractions of a quality, and what encode and decode
# tell as JSON.

. "${srcdir:-.}/tests/support/tap.sh"

cp "$SRCDIR"/samples/meadow.png "$tmp/a.png" 2>/dev/null && cd "$tmp" || exit 99
"$XCODEC" encode a.png a.xc || skip_all "cannot read a PNG"

size() { wc -c <"$1" | tr -d ' '; }

# measured KEY FILE: what compare says of it.
measured() {
	"$XCODEC" compare --json a.png "$2" | sed -n 's/^ *"'"$1"'": *\([0-9.]*\),*$/\1/p'
}

# near NAME FOUND LOW HIGH
near() {
	check "$1: $2" awk "BEGIN { exit !($2 >= $3 && $2 <= $4) }"
}

# ------------------------------------------------------------------- targets

for preset in default jpeg; do
	"$XCODEC" encode --preset $preset --target-size 40000 a.png size.xc -f
	near "--preset $preset --target-size: bytes" "$(size size.xc)" 39600 40000
	"$XCODEC" encode --preset $preset --target-psnr 35 a.png psnr.xc -f
	near "--preset $preset --target-psnr: dB" "$(measured psnr_rgb psnr.xc)" 34.95 35.05
	"$XCODEC" encode --preset $preset --target-ssim 0.95 a.png ssim.xc -f
	near "--preset $preset --target-ssim" "$(measured ssim_y ssim.xc)" 0.9495 0.9505
	"$XCODEC" encode --preset $preset --target-ssimulacra2 60 a.png seen.xc -f
	near "--preset $preset --target-ssimulacra2" "$(measured ssimulacra2 seen.xc)" 59.8 60.2
done
"$XCODEC" encode --target-size 40K a.png size.xc -f
near "--target-size 40K: bytes" "$(size size.xc)" 40550 40960
"$XCODEC" encode --target-size 0.8bpp a.png size.xc -f
near "--target-size 0.8bpp: bytes" "$(size size.xc)" 38928 39322

check_status "a target under -v" 0 "$XCODEC" encode -vf --target-size 40000 a.png size.xc
check "-v says what was reached" grep -Eq '^  [0-9]+ bytes reached by quality [0-9.]+, in [0-9]+ trials$' stderr
quality=$(sed -n 's/.* reached by quality \([0-9.]*\),.*/\1/p' stderr)
"$XCODEC" encode -q "$quality" a.png same.xc
check "-q with that quality makes the same file" cmp size.xc same.xc
"$XCODEC" encode -t 3 --target-size 40000 - - <a.png >piped.xc
check "so it does from pipe to pipe with three threads" cmp size.xc piped.xc
"$XCODEC" decode a.xc a.pam && "$XCODEC" encode --strip --target-size 30000 a.pam b.xc &&
	"$XCODEC" encode --strip --target-size 30000 a.xc c.xc
check "an XC file to a target" cmp b.xc c.xc

check_status "a target that is too small is no failure" 0 "$XCODEC" encode -f --target-size 100 a.png o.xc
check "but a warning" grep -q 'warning: the least that there is gives [0-9]* bytes, where 100 bytes were wanted' stderr
"$XCODEC" encode -q 1 a.png least.xc
check "it gives the smallest file" cmp least.xc o.xc
check_status "a target that is too large" 0 "$XCODEC" encode -f -s 420 --target-psnr 99 a.png o.xc
check "is a warning as well" grep -q 'warning: the most that there is gives [0-9.]* dB, where 99.000 dB were wanted; this is what 4:2:0 can keep of colour: -s 444 gives more$' stderr
check_status "--quiet leaves warnings out" 0 "$XCODEC" encode -f --quiet --target-psnr 99 a.png o.xc
check "of a target too" test ! -s stderr

mkdir many
cp a.png b.png
check_status "several files" 0 "$XCODEC" encode --json -o many --target-size 40000 a.png b.png
check_status "two files of one name" 1 "$XCODEC" encode --json -o many --target-size 40000 a.png ./a.png
"$XCODEC" encode -f --json -o many --target-size 40000 a.png b.png >stdout
check "the file of each is that of a single run" cmp size.xc many/b.xc
check_json "JSON of several files is an array in their order" stdout \
	'[f["input"] for f in j] == ["a.png", "b.png"] and all(f["target"]["met"] and
	39600 <= f["target"]["bytes"] == f["bytes"] <= 40000 for f in j)'

# ------------------------------------------------------------------ fractions

for q in 30.5 75.25 97.9; do
	for preset in default jpeg; do
		"$XCODEC" encode --preset $preset -q $q a.png between.xc -f
		"$XCODEC" encode --preset $preset -q ${q%.*} a.png below.xc -f
		"$XCODEC" encode --preset $preset -q $((${q%.*} + 1)) a.png above.xc -f
		near "$preset, quality $q is between: bytes" "$(size between.xc)" "$(size below.xc)" "$(size above.xc)"
		"$XCODEC" decode between.xc between.png -f
		check "it is decoded" test -s between.png
	done
done
"$XCODEC" encode -q 75.0 a.png whole.xc
check "quality 75.0 is 75" cmp a.xc whole.xc

# ----------------------------------------------------------------------- JSON

check_status "encode --json" 0 "$XCODEC" encode -j -q 80.5 a.png json.xc
check_json "encode --json tells the sizes" stdout \
	"(j['width'] == 768 and j['channels'] == 3 and j['bytes'] == $(size json.xc) and j['quality'] == 80.5 and
	abs(j['bits_per_pixel'] - 8 * j['bytes'] / 768 / 512) < 1e-9 and j['output'] == 'json.xc' and
	sum(s['wall_ms'] for s in j['stages']) > 0)"
check_status "decode --json" 0 "$XCODEC" decode -j json.xc json.png
check_json "decode --json tells the sizes" stdout \
	"(j['height'] == 512 and j['bytes'] == $(size json.xc) and j['output_bytes'] == $(size json.png) and
	j['damaged_segments'] == 0 and j['input'] == 'json.xc')"
check_status "decode --json of several" 0 "$XCODEC" decode -j -o many json.xc b.xc
check_json "is an array" stdout '[f["output"] for f in j] == ["many/json.png", "many/b.png"]'
check_status "JSON and the file on standard output" 2 "$XCODEC" encode -j a.png - --format xc
check_status "JSON and the picture on standard output" 2 "$XCODEC" decode -j a.xc - --format png

# --------------------------------------------------------------------- misuse

for value in 0 -1 x 1.5 10bp 0bpp 1e4; do
	check_status "--target-size $value" 2 "$XCODEC" encode --target-size $value a.png o.xc -f
done
for value in 0 -3 40dB 1e1 5.; do
	check_status "--target-psnr $value" 2 "$XCODEC" encode --target-psnr $value a.png o.xc -f
done
for value in 0 1 1.5 -0.5; do
	check_status "--target-ssim $value" 2 "$XCODEC" encode --target-ssim $value a.png o.xc -f
done
check_status "--target-ssim .9" 0 "$XCODEC" encode --target-ssim .9 a.png o.xc -f
for value in 0 100 -5 70x; do
	check_status "--target-ssimulacra2 $value" 2 "$XCODEC" encode --target-ssimulacra2 $value a.png o.xc -f
done
printf 'P5 9 7 255\n%063d' 0 >low.pgm
check_status "SSIMULACRA2 of a picture that is too small" 1 "$XCODEC" encode --target-ssimulacra2 70 low.pgm o.xc -f
check "has a clear line" grep -q 'needs 8 x 8 pixels; this has 9 x 7' stderr
check_equal "compare has none of it" "SSIMULACRA2 nan" "$("$XCODEC" compare low.pgm low.pgm | sed -n 's/^\(SSIMULACRA2\) */\1 /p')"
"$XCODEC" compare --json low.pgm low.pgm >stdout
check_json "nor its JSON" stdout 'j["ssimulacra2"] is None'
for value in 0.5 100.5 75. 75.x; do
	check_status "-q $value" 2 "$XCODEC" encode -q $value a.png o.xc -f
done
check_status "two targets" 2 "$XCODEC" encode --target-psnr 40 --target-size 9K a.png o.xc -f
check_status "a quality and a target" 2 "$XCODEC" encode --target-psnr 40 -q 50 a.png o.xc -f

done_testing
