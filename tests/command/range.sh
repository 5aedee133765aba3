#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Data of fewer bits than 16 in 16 bits: steps, depth, and what compare and sweep measure them against.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99

# slice MAXVAL: shapes and noise from 0 to 2205, as a slice of a CT has them.
slice() {
	awk -v maxval="$1" 'BEGIN {
		print "P2 96 80", maxval, 2205
		for (i = 1; i < 7680; i++) {
			x = i % 96; y = int(i / 96); s = (s * 1103 + 12345) % 65536
			v = (x - 48) ^ 2 + (y - 40) ^ 2 > 1444 ? 0 : 1000 + 300 * sin(x / 9) * cos(y / 7)
			print int(((x - 60) ^ 2 + (y - 30) ^ 2 < 80 ? 2150 : v) + s % 56)
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
psnr() { "$XCODEC" compare --quiet --json "$@" | sed -n 's/^ *"psnr_rgb": \(.*\),$/\1/p'; }
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }

# --------------------------------------------------------- the maximum of PNM

for m in 4095:bits12 2205:odd; do
	name=${m#*:} most=${m%:*}
	back "100$name" "$name.pgm" -q 100 --transform dct
	check_equal "maxval $most comes back, without a warning" "$most" "$(maxval "100$name.pgm")$(cat "100$name.err")"
	check_status "its samples are compared" 0 "$XCODEC" compare --json "$name.pgm" "100$name.xc"
	check_json "in its numbers" stdout "j['peak'] == $most and j['max_abs_diff'] == 0"
done
{ printf 'P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 1000\nTUPLTYPE RGB_ALPHA\nENDHDR\n' &&
	printf '\0\1\0\2\0\3\3\350\3\350\0\0\1\0\0\7'; } >a.pam
"$XCODEC" encode -q 100 -s 444 a.pam a.xc && "$XCODEC" decode a.xc b.pam
check "a PAM of maxval 1000 comes back" cmp a.pam b.pam
back strip bits12.pgm --strip
check_equal "--strip keeps it" 4095 "$(maxval strip.pgm)"
"$XCODEC" decode 100bits12.xc bits12.png && "$XCODEC" encode bits12.png png.xc && "$XCODEC" decode png.xc again.png
check_equal "PNG says so in sBIT, which comes back" 2 "$(cat bits12.png again.png | grep -ac sBIT)"

# PNM, PAM and grey PNG of fewer than 8 bits, without loss: the same file again.
for m in 1 3 15 100 254; do
	{ printf 'P5\n29 17\n%s\n' $m && awk -v m=$m 'BEGIN { for (i = 0; i < 493; i++) printf "%c", 1 + i * 7 % m }'; } >small.pgm
	{ printf 'P7\nWIDTH 29\nHEIGHT 17\nDEPTH 1\nMAXVAL %s\nTUPLTYPE GRAYSCALE\nENDHDR\n' $m && tail -c 493 small.pgm; } >small.pam
	for s in pgm pam; do
		"$XCODEC" encode -f --lossless small.$s small.xc && "$XCODEC" decode -f small.xc again.$s
		check "$s of maxval $m comes back" cmp small.$s again.$s
	done
done
for bits in 1 2 4; do
	most=$(((1 << bits) - 1))
	{ echo "P2 29 17 $most" && awk -v m=$most 'BEGIN { for (i = 0; i < 493; i++) print i * 7 % (m + 1) }'; } >plain.pgm
	"$XCODEC" encode -f --lossless plain.pgm small.xc && "$XCODEC" decode -f small.xc small.png
	check_equal "a PNG of $bits bits" "$bits 0" "$(od -An -tu1 -j24 -N2 small.png | awk '{ print $1, $2 }')"
	"$XCODEC" encode -f --lossless small.png again.xc && "$XCODEC" decode -f again.xc again.png
	check "comes back" cmp small.png again.png
	check "without sBIT" test "$(grep -ac sBIT small.png)" = 0
	"$XCODEC" decode -f again.xc again.pgm && "$XCODEC" decode -f small.xc small.pgm
	check "with the samples of the PGM" cmp small.pgm again.pgm
	check_equal "which says so" "$most" "$(maxval again.pgm)"
done
"$XCODEC" decode -f --scale 1/2 again.xc half.pgm
check_equal "averages have all 8 bits" 255 "$(maxval half.pgm)"
back grey small.pam -q 90
check_equal "with loss: the maxval is kept" 254 "$(maxval grey.pgm)"
rm again.*

# ---------------------------------------------------------------- --range auto

back plain raw.pgm
check "few of 16 bits" grep -q 'warning: samples go up to 2205 of 65535: --range auto' plain.err
back auto raw.pgm --range auto
check_equal "--range auto: the depth is that which came, without a warning" 65535 "$(maxval auto.pgm)$(cat auto.err)"
check "errors are those of 12 bits" above "$(psnr --peak 2205 raw.pgm auto.pgm)" 30
check "which they were not" above 25 "$(psnr --peak 2205 raw.pgm plain.pgm)"
back n raw.pgm --range 4095
check "--range 4095 is the same" cmp auto.xc n.xc
"$XCODEC" encode auto.xc again.xc && "$XCODEC" info --json again.xc >told.json
check_json "the file knows, and hands it on" told.json 'j["metadata"]["range"] == 4095 and j["metadata"]["maxval"] == 0'
back full raw.pgm --range 65535
check "--range 65535 is none" cmp plain.xc full.xc
"$XCODEC" encode -q 50 --tables flat --range 4095 raw.pgm flat.xc && "$XCODEC" info --json flat.xc >told.json
check_json "steps are in 255ths of the range" told.json 'j["components"][0]["quantization"][0] == [257] * 8' # 16 * 4095 / 255
for r in 0 65536 -1 12bit; do
	check_status "--range $r" 2 "$XCODEC" encode --range $r raw.pgm no.xc
done
awk 'BEGIN { print "P2 64 64 65535"; for (i = 0; i < 4096; i++) print i % 7 > 3 ? 4095 : 0 }' >edge.pgm
back edge edge.pgm --range 4095 -q 20
check_equal "samples are held to the range" 0 \
	"$(od -An -v -tu1 -w2 -j15 edge.pgm | awk '256 * $1 + $2 > 4095' | wc -l)"

# ---------------------------------------------------------------------- --peak

peak() { "$XCODEC" compare "$@" 2>err | sed -n 's/^Peak *//p'; }
check_equal "the peak of 16 bits" 65535 "$(peak raw.pgm auto.pgm)"
check "has a warning" grep -q 'samples go up to 2205 of 65535: --peak auto' err
check_equal "--peak auto, a number, an XC file's range" "2205 1000 4095" \
	"$(peak --peak auto raw.pgm auto.pgm) $(peak --peak 1000 raw.pgm raw.pgm) $(peak raw.pgm auto.xc)"
check_status "sweep" 0 "$XCODEC" sweep -q 75 --json s.json --tables sloped --config 'a: --range auto' --config 'p: --range 65535' raw.pgm odd.pgm
check_json "has the peaks of files, and errors in their numbers" s.json '([p["peak"] for p in j["pictures"]] == [65535, 2205]
	and j["points"][0]["psnr_rgb"] > j["points"][1]["psnr_rgb"] + 9 and all(0 < p["max_abs_diff"] < 2205 for p in j["points"]))'
check "with a warning" grep -q "^xcodec: raw.pgm: warning: samples go up to 2205 of 65535" stderr
check "in the table, too" grep -q '^odd.pgm: .*, peak 2205$' stdout
check_status "sweep --peak auto" 0 "$XCODEC" sweep -q 75 --peak auto --range auto --csv - raw.pgm
check_equal "the largest sample" peak,2205 "$(awk -F, '{ printf "%s%s", s, $19; s = "," }' stdout)"

done_testing
