#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The two tables of A. Obukhov and A. Kharlamov, "Discrete Cosine Transform for 8x8 Blocks with CUDA"
# (NVIDIA, 2008), with the implementations of this laboratory: a grey picture is transformed,
# quantized with the table of that paper and transformed back.
#
#   samples/whitepaper.sh barbara.bmp
#
# The picture is the paper's, from the data of the CUDA samples (dct8x8); any other works, and the paper's
# numbers are then of no meaning.  The paper's larger pictures are enlargements of it, made in a way that it
# does not tell, so its other columns are left out.  XCODEC names the program (default: xcodec); it needs the
# laboratory.  Implementations on a GPU are left out where there is none.

set -u
LC_ALL=C
export LC_ALL
XCODEC=${XCODEC:-xcodec}
[ $# -eq 1 ] || { echo "usage: $0 PICTURE" >&2; exit 2; }
picture=$1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/whitepaper.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "$0: $*" >&2
	exit 1
}

# Quantizes the first array of a text file in blocks of 8 by 8, or leaves it as it is.
cat >"$tmp/quantize.awk" <<'END'
BEGIN {
	n = split("32 33 51 81 66 39 34 17 33 36 48 47 28 23 12 12 " \
	          "51 48 47 28 23 12 12 12 81 47 28 23 12 12 12 12 " \
	          "66 28 23 12 12 12 12 12 39 23 12 12 12 12 12 12 " \
	          "34 12 12 12 12 12 12 12 17 12 12 12 12 12 12 12", table, " ")
}
/^!/ { if (sets++) exit; split($0, head, ":"); columns = head[3]; print; next }
{
	for (i = 1; i <= NF; i++) {
		step = quantize ? table[int(at / columns) % 8 * 8 + at % columns % 8 + 1] : 0
		value = $i
		if (step) {
			value = value / step + 0.5
			value = step * (int(value) - (value < int(value)))
		}
		printf "%s%s", value, i < NF ? " " : "\n"
		at++
	}
}
END

# process ALGORITHM PRECISION QUANTIZE OUT: the picture there and back.
process() {
	"$XCODEC" transform -f -p "$2" "$1" "$picture" "$tmp/there" forward >/dev/null &&
		awk -v quantize="$3" -v CONVFMT=%.9g -v OFMT=%.9g -f "$tmp/quantize.awk" "$tmp/there" >"$tmp/changed" &&
		"$XCODEC" transform -f -p "$2" --clip "$1" "$tmp/changed" "$4" inverse >/dev/null
}

# psnr A B: in dB; "inf" for equal pictures.
psnr() {
	"$XCODEC" compare --json "$1" "$2" |
		sed -n 's/^ *"psnr_rgb": *\([0-9.]*\)null,*$/inf/p; s/^ *"psnr_rgb": *\([0-9.]*\),*$/\1/p'
}

gpu=yes
"$XCODEC" transform --list >"$tmp/list" 2>/dev/null || fail "'$XCODEC transform' does not work: is the laboratory built?"
grep -q '^-- unusable' "$tmp/list" && gpu=

# Without quantization rounding gives the picture back.
process cpu-definition 32 0 "$tmp/original.pgm" || fail "cannot transform '$picture'"

# NAME, whether it is in the paper's tables: the numbers of CPU and GPU in the first one, and of both in the
# second one.
cat >"$tmp/rows" <<'END'
definition 32.777092 32.777027 58.613663
separable 32.777050 32.777039 63.903233
short - - -
aan - - -
flmad - - -
naive - - -
feig2d - - -
fftw-advanced - - -
END

# made PLACE NAME: the picture of an implementation, whose file is printed; none if there is no such.
made() {
	precision=32
	[ "$2" != short ] || precision=16
	[ "$1" = cpu ] || [ -n "$gpu" ] || return 0
	grep -q "^$1-$2 " "$tmp/list" || return 0
	process "$1-$2" $precision 1 "$tmp/$1-$2.pgm" || fail "$1-$2 failed"
}

# number A B: their PSNR, if both are there.
number() {
	if [ -f "$1" ] && [ -f "$2" ]; then
		psnr "$1" "$2" | awk '{ printf $1 == "inf" ? "equal\n" : "%.6f\n", $1 }'
	else
		echo -
	fi
}

while read -r name _; do
	made cpu "$name"
	made gpu "$name"
done <"$tmp/rows"

echo "Table 1. PSNR in dB between the original and the processed picture"
printf '%-15s %12s %12s %12s %12s\n' implementation CPU "paper's CPU" GPU "paper's GPU"
while read -r name gold cuda _; do
	printf '%-15s %12s %12s %12s %12s\n' "$name" "$(number "$tmp/original.pgm" "$tmp/cpu-$name.pgm")" \
		"$gold" "$(number "$tmp/original.pgm" "$tmp/gpu-$name.pgm")" "$cuda"
done <"$tmp/rows"

echo
echo "Table 2. PSNR in dB between the processed pictures"
printf '%-15s %12s %12s %25s\n' implementation "GPU and CPU" "the paper's" "CPU and cpu-definition"
while read -r name _ _ both; do
	printf '%-15s %12s %12s %25s\n' "$name" "$(number "$tmp/cpu-$name.pgm" "$tmp/gpu-$name.pgm")" \
		"$both" "$(number "$tmp/cpu-definition.pgm" "$tmp/cpu-$name.pgm")"
done <"$tmp/rows"
[ -n "$gpu" ] || echo "(no GPU: $(sed -n 's/^-- unusable: //p' "$tmp/list"))"
