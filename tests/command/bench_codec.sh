#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec bench codec: what is reported fits together; how fast it is does not matter here.

# shellcheck disable=SC2016 # what is quoted is for another shell
. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
samples=$SRCDIR/samples

check_status "both cases" 0 "$XCODEC" bench codec -n 2 --size 200x120 "$samples/meadow.png"
check_equal "both cases: quality 75 and quality 90" "75, 4:2:0, DCT 90, 4:4:4, DCT" \
	"$(sed -n 's/^200x120, quality \(.*\), SIMD.*/\1/p' stdout | tr '\n' ' ' | sed 's/ $//')"
check_equal "both cases: three pipelines each" 6 "$(grep -c '  all of it  ' stdout)"
check "the frequency is measured" grep -Eq 'at ([1-9][0-9]*\.|0\.[1-9])[0-9]* GHz' stdout
check_equal "nothing on standard error" "" "$(cat stderr)"

check_status "one case" 0 "$XCODEC" bench codec -n 1 -s 422 --size 61x35 --level scalar -t 1 --least \
	"$samples/meadow.png" "$samples/rgba.png"
check_equal "one case: as asked for" "61x35, quality 75, 4:2:2, DCT, SIMD level scalar, 1 runs" \
	"$(sed -n 1p stdout)"
check_equal "one thread: nothing with several" "" "$(grep -i 'threads$' stdout)"
for way in "-q 100 -s 444" "-q 1 -s 420" "--least"; do
	# shellcheck disable=SC2086 # options
	check "a single pixel, $way" \
		"$XCODEC" bench codec -n 1 --size 1x1 $way "$samples/grey16.png"
done
for transform in lot tdlt; do
	check_status "$transform" 0 "$XCODEC" bench codec -n 1 --size 200x120 -q 80 -s 420 \
		--transform "$transform" "$samples/meadow.png"
	check "$transform: as asked for" grep -qi "^200x120, quality 80, 4:2:0, $transform, " stdout
	# The size is that of a file with this transform.
	"$XCODEC" bench codec -n 1 -q 80 -s 420 --size 768x512 --transform "$transform" \
		"$samples/meadow.png" >whole
	"$XCODEC" encode -f -q 80 -s 420 --preset jpeg --transform "$transform" "$samples/meadow.png" a.xc
	check "$transform: the file" grep -q "^  $(wc -c <a.xc) bytes," whole
done
check "the sample picture is found" sh -c \
	'cd "$1" && "$XCODEC" bench codec -n 1 --size 64x48 -q 50' sh "$SRCDIR"
# Elsewhere it is the installed one, if any, or generated, which is told.
check_status "without a picture" 0 "$XCODEC" bench codec -n 1 --size 64x48 -q 50
check_equal "without a picture: one is found or generated" "" \
	"$(grep -v 'warning: the sample picture is not here, so one is generated' stderr)"
check_equal "without a picture: measured" "64x48" "$(sed -n '1s/,.*//p' stdout)"

# why NAME FILE WORDS: the one line that says why the file cannot be read
why() {
	check_status "$1" 1 "$XCODEC" bench codec -n 1 --size 64x48 "$2"
	check_equal "$1: message" "xcodec: $2: $3" "$(cat stderr)"
}
: >empty
why "no such picture" none.png "cannot read: No such file or directory"
why "a folder for a picture" . "cannot read: Is a directory"
why "an empty picture" empty "the file is empty"

# ------------------------------------------------------------------ JSON

check "JSON" sh -c \
	'"$XCODEC" bench codec -n 2 -t 3 --json --size 320x200 "$1" >bench.json' \
	sh "$samples/meadow.png"
# about NAME EXPRESSION: it is true of the cases, j, and of each of them, c.
about() {
	check_json "JSON: $1" bench.json "all($2 for c in j)"
}
about "two cases" 'len(j) == 2'
about "what was measured" \
	'(c["width"], c["height"], c["runs"], c["threads"]) == (320, 200, 2, 3)'
about "medians are no less than the least" \
	'all(t["least"] <= t["median"] for t in c["seconds"].values())'
about "all stages are there" 'len(c["stages"]) == 2 * (8 + 6 + 7)'
about "stages add up" 'all(abs(sum(s["seconds"] if s["stage"] != "all" else -s["seconds"]
	for s in c["stages"] if (s["pipeline"], s["threads"]) == (p, t))) < 1e-9
	for p in ("encode_optimized", "encode_default", "decode") for t in (1, 3))'
about "the whole is what the first table says" 'all(s["seconds"] == c["seconds"][
	("" if s["threads"] == 1 else "threads_") + s["pipeline"]]["median"]
	for s in c["stages"] if s["stage"] == "all")'
about "cycles follow from time and frequency" 'all(abs(s["cycles_per_pixel"] * 320 * 200 -
	s["seconds"] * c["hertz"]) < 1e-3 * abs(s["seconds"] * c["hertz"]) + 1e-3
	for s in c["stages"])'
about "libjpeg is there or is not" '("jpeg_bytes" in c) == ("jpeg_decode" in c["seconds"])'

# ---------------------------------------------------------------- errors

check_status "no such picture" 1 "$XCODEC" bench codec -n 1 none.png
check "no such picture: one line" grep -qx 'xcodec: none.png: .*' stderr
printf 'P3 1 1' >broken.ppm
check_status "a broken picture" 1 "$XCODEC" bench codec -n 1 broken.ppm
check_status "no such level" 1 "$XCODEC" bench codec --level pentium "$samples/grey.png"
check "no such level: it is named" grep -q -- '--level: .*pentium' stderr
check_status "a size that is none" 2 "$XCODEC" bench codec --size 0x5
check_status "no runs" 2 "$XCODEC" bench codec --runs 0
check_status "no grey" 2 "$XCODEC" bench codec -s grey
check_status "an option of the other benchmark" 2 "$XCODEC" bench codec --algorithms cpu-dmm

done_testing
