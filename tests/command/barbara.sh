#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The 8x8 DCT experiment of A. Obukhov and A. Kharlamov, "Discrete Cosine Transform for
# 8x8 Blocks with CUDA" (NVIDIA, 2008): the Barbara picture in grey, quantized with the
# table printed there, has a PSNR of 32.777 dB after the way back.

. "${srcdir:-.}/tests/support/tap.sh"

barbara=$SHARED/data/barbara.bmp
[ -n "$SHARED" ] && [ -f "$barbara" ] || skip_all "no Barbara"

cat >"$tmp/table.txt" <<'END'
32 33 51 81 66 39 34 17
33 36 48 47 28 23 12 12
51 48 47 28 23 12 12 12
81 47 28 23 12 12 12 12
66 28 23 12 12 12 12 12
39 23 12 12 12 12 12 12
34 12 12 12 12 12 12 12
17 12 12 12 12 12 12 12
END

check "encode" "$XCODEC" encode -q 50 -s grey --preset jpeg --tables "$tmp/table.txt" "$barbara" \
	"$tmp/barbara.xc"
check "decode" "$XCODEC" decode "$tmp/barbara.xc" "$tmp/barbara.pgm"
"$XCODEC" compare --json "$barbara" "$tmp/barbara.pgm" >"$tmp/compared"
psnr=$(sed -n 's/^ *"psnr_y": *\([0-9.]*\),*$/\1/p' "$tmp/compared")
check "PSNR of luma: ${psnr:-none} dB" \
	awk -v p="${psnr:-0}" 'BEGIN { exit !(p >= 32.776 && p <= 32.778) }'

# The same with every transform of the laboratory; the paper calls pictures of 50 dB and more equal.
if "$XCODEC" transform --list >/dev/null 2>&1; then
	check_status "the tables of the paper" 0 sh "$SRCDIR/samples/whitepaper.sh" -e 1,2 -n 1 -o "$tmp/kept" "$barbara"
	for name in definition separable aan flmad; do
		# shellcheck disable=SC2016 # those are awk's
		check "$name: PSNR to the original" awk -v n=cpu-$name \
			'$1 == n && !seen++ { exit !($2 > 32.776 && $2 < 32.778 && $4 > 34.2 && $4 < 34.7) }' "$tmp/stdout"
		# shellcheck disable=SC2016 # those are awk's
		check "$name: PSNR to another's picture" awk -v n=$name \
			'/^The same between/ { on = 1 } on && $1 == n && !seen++ { exit !($2 == "equal" || $2 > 50) }' "$tmp/stdout"
		check "$name: a time" grep -Eq "^$name +512x512 +[0-9.]+ " "$tmp/stdout"
	done
	check_equal "the pictures are kept" 12 "$(find "$tmp/kept" -name '*-*.pgm' | grep -vc /gpu-)"
else
	skip "the tables of the paper" "no laboratory"
fi

done_testing
