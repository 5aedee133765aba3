#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Data of fewer bits than 16 in 16 bits: steps, depth, and what compare and sweep measure them against.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# slice MAXVAL: shapes and noise from 0 to 2205, as a slice of a CT has them.
slice() {
	awk -v maxval="$1" 'BEGIN {
		print "P2 96 80", maxval
		for (y = 0; y < 80; y++)
			for (x = 0; x < 96; x++) {
				s = s * 1103 + 12345; s %= 65536
				r = sqrt((x - 48) ^ 2 + (y - 40) ^ 2)
				v = r > 38 ? 0 : 1000 + 300 * sin(x / 9) * cos(y / 7)
				if ((x - 60) ^ 2 + (y - 30) ^ 2 < 80) v = 2150
				print x + y ? int(v + s % 56) : 2205
			}
	}'
}
slice 65535 >raw.pgm
slice 4095 >bits12.pgm
slice 2205 >odd.pgm

# back NAME IN OPTION...: there and back again, NAME.xc and NAME.pgm
back() {
	to=$1 in=$2
	shift 2
	"$XCODEC" encode "$@" "$in" "$to.xc" 2>"$to.err" && "$XCODEC" decode -f "$to.xc" "$to.pgm"
}
maxval() { sed -n '3{p;q;}' "$1"; }
value() { sed -n "s/^ *\"$1\": *\(.*[^,]\),*\$/\1/p"; }
psnr() { "$XCODEC" compare --quiet --json "$@" | value psnr_rgb; }
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

# --------------------------------------------------------- the maximum of PNM

for m in 4095:bits12 2205:odd; do
	name=${m#*:} most=${m%:*}
	back "100$name" "$name.pgm" -q 100 --transform dct
	check_equal "maxval $most comes back" "$most" "$(maxval "100$name.pgm")"
	check_status "its samples are compared" 0 "$XCODEC" compare --json "$name.pgm" "100$name.xc"
	check_json "in its numbers" stdout "j['peak'] == $most and j['max_abs_diff'] == 0"
	check_equal "without a warning" "" "$(cat "100$name.err")"
done
{ printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 1000\nTUPLTYPE RGB_ALPHA\nENDHDR\n' &&
	printf '\0\1\0\2\0\3\3\350\3\350\0\0\1\0\0\7'; } >a.pam
"$XCODEC" encode -q 100 -s 444 a.pam a.xc && "$XCODEC" decode a.xc b.pam
check "a PAM of maxval 1000 comes back" cmp a.pam b.pam
"$XCODEC" encode --strip bits12.pgm strip.xc && "$XCODEC" decode strip.xc strip.pgm
check_equal "--strip keeps it" 4095 "$(maxval strip.pgm)"
"$XCODEC" decode 100bits12.xc bits12.png
check_equal "PNG says so in sBIT" 1 "$(grep -c sBIT bits12.png)"
"$XCODEC" encode bits12.png png.xc && "$XCODEC" decode -f png.xc bits12.png
check_equal "which comes back" 1 "$(grep -c sBIT bits12.png)"

# ---------------------------------------------------------------- --range auto

back plain raw.pgm
check_equal "few of 16 bits" 1 "$(grep -c 'warning: samples go up to 2205 of 65535: --range auto' plain.err)"
back auto raw.pgm --range auto
check_equal "--range auto: no warning" "" "$(cat auto.err)"
check_status "info" 0 "$XCODEC" info --json auto.xc
check_json "knows the range" stdout 'j["metadata"]["range"] == 4095 and j["metadata"]["maxval"] == 0'
check_equal "the depth is that which came" 65535 "$(maxval auto.pgm)"
check "errors are those of 12 bits" above "$(psnr --peak 2205 raw.pgm auto.pgm)" 30
check "which they were not" above 25 "$(psnr --peak 2205 raw.pgm plain.pgm)"
back n raw.pgm --range 4095
check "--range 4095 is the same" cmp auto.xc n.xc
"$XCODEC" encode auto.xc again.xc 2>again.err
check_equal "an XC file hands it on" 4095 "$("$XCODEC" info --json again.xc | value range)"
back full raw.pgm --range 65535
check "--range 65535 is none" cmp plain.xc full.xc
"$XCODEC" encode -q 50 --tables flat --range 4095 raw.pgm flat.xc
check_status "the steps" 0 "$XCODEC" info --json flat.xc
check_json "are in 255ths of the range" stdout 'j["components"][0]["quantization"][0] == [257] * 8' # 16 * 4095 / 255
for r in 0 65536 -1 12bit; do
	check_status "--range $r" 2 "$XCODEC" encode --range $r raw.pgm no.xc
done
awk 'BEGIN { print "P2 64 64 65535"; for (i = 0; i < 4096; i++) print i % 7 > 3 ? 4095 : 0 }' >edge.pgm
back edge edge.pgm --range 4095 -q 20
check_equal "samples are held to the range" 0 \
	"$(od -An -v -tu1 -w2 -j15 edge.pgm | awk '256 * $1 + $2 > 4095' | wc -l)"

# ---------------------------------------------------------------------- --peak

peak() { "$XCODEC" compare --json "$@" 2>err | value peak; }
check_equal "the peak of 16 bits" 65535 "$(peak raw.pgm auto.pgm)"
check "has a warning" grep -q 'samples go up to 2205 of 65535: --peak auto' err
check_equal "--peak auto" 2205 "$(peak --peak auto raw.pgm auto.pgm)"
check_equal "an XC file's range" 4095 "$(peak raw.pgm auto.xc)"
check_status "--peak" 0 "$XCODEC" compare --peak 1000 raw.pgm raw.pgm
check "is shown" grep -q '^Peak  *1000$' stdout

# The peaks of two slices, each with the same error in proportion.
check_status "sweep" 0 "$XCODEC" sweep -q 75 --json s.json --config 'a: --range auto' --config 'p: --range 65535' raw.pgm odd.pgm
check_json "has the peaks of files" s.json '[p["peak"] for p in j["pictures"]] == [65535, 2205]'
check_json "and errors in their numbers" s.json '(j["points"][0]["psnr_rgb"] > j["points"][1]["psnr_rgb"] + 9 and
	all(0 < p["max_abs_diff"] < 2205 for p in j["points"]))'
check "in the table, too" grep -q '^odd.pgm: .*, peak 2205$' stdout
check_status "sweep --peak" 0 "$XCODEC" sweep -q 75 --peak auto --range auto --csv - raw.pgm
check_equal "--peak auto: the largest sample" peak,2205 "$(awk -F, '{ printf "%s%s", s, $17; s = "," }' stdout)"

done_testing
