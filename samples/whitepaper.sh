#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The two tables of A. Obukhov and A. Kharlamov, "Discrete Cosine Transform for 8x8 Blocks with CUDA"
# (NVIDIA, 2008), with the implementations of this laboratory: a grey picture is transformed, quantized with
# the table of that paper and transformed back; and a third table, of the times that the paper's program prints.
#
#   samples/whitepaper.sh [-e LIST] [-n RUNS] [-o FOLDER] barbara.bmp
#
# -e: enlargements, by default 1,2,4,8: 512, 1K, 2K and 4K for the paper's Barbara.  The paper does not tell how
#     it enlarged.  Here it is by the cosine series: the coefficients of the whole picture, with zeros beyond.
# -n: runs of each time, by default 5; 0 leaves the times out.
# -o: keeps the pictures there.
#
# The picture is the paper's, from the data of the CUDA samples (dct8x8); any other works, and the paper's
# numbers are then of no meaning.  XCODEC names the program (default: xcodec); it needs the laboratory.
# Implementations on a GPU are left out where there is none.

set -u
LC_ALL=C
export LC_ALL
XCODEC=${XCODEC:-xcodec}
enlargements=1,2,4,8
runs=5
kept=
usage() {
	echo "usage: $0 [-e LIST] [-n RUNS] [-o FOLDER] PICTURE" >&2
	exit 2
}
while getopts e:n:o: option; do
	case $option in
	e) enlargements=$OPTARG ;;
	n) runs=$OPTARG ;;
	o) kept=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || usage
picture=$1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/whitepaper.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
made=${kept:-$tmp}

fail() {
	echo "$0: $*" >&2
	exit 1
}

lab() {
	"$XCODEC" transform -f "$@" >/dev/null || fail "transform $* failed"
}

mkdir -p "$made" || exit 1
"$XCODEC" transform --list >"$tmp/list" 2>/dev/null || fail "'$XCODEC transform' does not work: is the laboratory built?"
gpu=yes
grep -q '^-- unusable' "$tmp/list" && gpu=
has() {
	grep -q "^$1 " "$tmp/list" && { [ -n "$gpu" ] || [ "${1#gpu-}" = "$1" ]; }
}

# The grey picture, or the first channel.
lab cpu-definition "$picture" "$tmp/there" forward
awk '/^!/ && n++ { exit } { print }' "$tmp/there" >"$tmp/first"
lab --clip cpu-definition "$tmp/first" "$tmp/grey.pgm" inverse
width=$(sed -n '1s/^!dct:[0-9]*:\([0-9]*\):.*/\1/p' "$tmp/first")
height=$(sed -n '1s/^!dct:\([0-9]*\):.*/\1/p' "$tmp/first")

# enlarge FACTOR OUT: an orthonormal transform's coefficients, times the factor, in an array of zeros.
enlarge() {
	whole=cpu-fft2d
	has $whole || whole=cpu-dmm
	[ "$1" -eq 1 ] && cp "$tmp/grey.pgm" "$2" && return
	[ -f "$tmp/whole" ] || lab $whole "$tmp/grey.pgm" "$tmp/whole" forward
	awk -v by="$1" -v CONVFMT=%.9g -v OFMT=%.9g '
		function zeros(n) { while (n-- > 0) printf "0 " }
		/^!/ { split($0, head, ":"); rows = head[2]; columns = head[3]
			print "!dct:" rows * by ":" columns * by ":32"; next }
		{ for (i = 1; i <= NF; i++) {
			printf "%s ", by * $i
			if (++at % columns == 0) { zeros(columns * (by - 1)); print "" }
		} }
		END { for (; at < columns * rows * by; at += columns) { zeros(columns * by); print "" } }
		' "$tmp/whole" >"$tmp/large"
	lab --clip $whole "$tmp/large" "$2" inverse
}

# Quantizes a text file: for those implementations on a GPU that do not do it themselves.
cat >"$tmp/quantize.awk" <<'END'
BEGIN {
	split("32 33 51 81 66 39 34 17 33 36 48 47 28 23 12 12 51 48 47 28 23 12 12 12 81 47 28 23 12 12 12 12 " \
	      "66 28 23 12 12 12 12 12 39 23 12 12 12 12 12 12 34 12 12 12 12 12 12 12 17 12 12 12 12 12 12 12", table, " ")
}
/^!/ { split($0, head, ":"); columns = head[3]; print; next }
{
	for (i = 1; i <= NF; i++) {
		step = table[int(at / columns) % 8 * 8 + at % columns % 8 + 1]
		value = $i / step + 0.5
		printf "%s%s", step * (int(value) - (value < int(value))), i < NF ? " " : "\n"
		at++
	}
}
END

# process NAME IN OUT: there, quantized, and back; nothing if there is no such implementation.
process() {
	precision=32
	[ "${1#*-}" != short ] || precision=16
	if has "$1-quantized"; then
		lab -p $precision "$1-quantized" "$2" "$tmp/there" forward
		lab -p $precision --clip "$1-quantized" "$tmp/there" "$3" inverse
	elif [ "${1#gpu}" != "$1" ] && has "$1"; then
		lab "$1" "$2" "$tmp/there" forward
		awk -v CONVFMT=%.9g -v OFMT=%.9g -f "$tmp/quantize.awk" "$tmp/there" >"$tmp/changed"
		lab --clip "$1" "$tmp/changed" "$3" inverse
	fi
}

# psnr A B: in dB; "equal", or "-" if one of them is not there.
psnr() {
	if cmp -s "$1" "$2"; then
		echo equal
	elif [ -f "$1" ] && [ -f "$2" ]; then
		"$XCODEC" compare --json "$1" "$2" |
			sed -n 's/^ *"psnr_rgb": *\([0-9.]*\),*$/\1/p' | awk '{ printf "%.6f\n", $1 }'
	else
		echo -
	fi
}

# The paper's figures: table, implementation, enlargement, dB.
cat >"$tmp/paper" <<'END'
1 cpu-definition 1 32.777092 2 34.612900 4 36.814545 8 39.721603
1 gpu-definition 1 32.777027 2 34.612907 4 36.814545 8 39.721588
1 cpu-separable  1 32.777050 2 34.612888 4 36.814545 8 39.721588
1 gpu-separable  1 32.777039 2 34.612885 4 36.814545 8 39.721592
2 definition     1 58.613663 2 62.188042 4 62.834183 8 63.089985
2 separable      1 63.903233 2 66.192337 4 66.547394 8 68.100159
END
paper() {
	awk -v t="$1" -v n="$2" -v e="$3" '$1 == t && $2 == n { for (i = 3; i < NF; i += 2) if ($i == e) v = $(i + 1) }
		END { print v ? v : "-" }' "$tmp/paper"
}

names='definition separable short aan flmad'
sizes=
for by in $(echo "$enlargements" | tr , ' '); do
	size=$((by * width))x$((by * height))
	sizes=$sizes${sizes:+,}$size
	enlarge "$by" "$made/original-$size.pgm" || exit 1
	for name in $names; do
		for place in cpu gpu; do
			process "$place-$name" "$made/original-$size.pgm" "$made/$place-$name-$size.pgm" || exit 1
			echo "1 $place-$name $by $size $(psnr "$made/original-$size.pgm" "$made/$place-$name-$size.pgm")"
		done
		echo "2 $name $by $size $(psnr "$made/cpu-$name-$size.pgm" "$made/gpu-$name-$size.pgm")"
		echo "3 $name $by $size $(psnr "$made/cpu-$name-$size.pgm" "$made/cpu-definition-$size.pgm")"
	done
	rm -f "$tmp"/*pu-*-"$size.pgm"
done >"$tmp/results"

# table NUMBER TITLE: a line for each implementation, a pair of columns for each size.
table() {
	echo "$2"
	printf '%-15s' implementation
	for size in $(echo "$sizes" | tr , ' '); do
		printf ' %12s %10s' "$size" "paper's"
	done
	echo
	awk -v n="$1" '$1 == n && !seen[$2]++ { print $2 }' "$tmp/results" | while read -r name; do
		printf '%-15s' "$name"
		awk -v t="$1" -v n="$name" '$1 == t && $2 == n { print $3, $5 }' "$tmp/results" | while read -r by value; do
			printf ' %12s %10s' "$value" "$(paper "$1" "$name" "$by")"
		done
		echo
	done
	echo
}

table 1 "Table 1. PSNR in dB between the original and the processed picture"
table 2 "Table 2. PSNR in dB between the pictures of GPU and CPU"
table 3 "The same between an implementation's picture and cpu-definition's, on the CPU"

# read_times KEY: from JSON, lines of algorithm, size and seconds, forward.
read_times() {
	sed -n 's/.*"algorithm": "\([^"]*\)", "direction": "forward".*"rows": \([0-9]*\), "columns": \([0-9]*\).*"'"$1"'": \([0-9.e+-]*\).*/\1 \3x\2 \4/p'
}
if [ "$runs" -gt 0 ]; then
	list=cpu-short
	for name in definition separable aan flmad; do list=$list,cpu-$name; done
	"$XCODEC" bench transforms --json -n "$runs" --sizes "$sizes" -a "$list" | read_times wall_median >"$tmp/times"
	if [ -n "$gpu" ]; then
		"$XCODEC" bench transforms --json -n "$runs" --sizes "$sizes" --table gpu \
			-a "$(echo "$list" | sed 's/cpu/gpu/g')" | read_times kernel >>"$tmp/times"
	fi
	echo "Milliseconds of the forward transform: one thread of the CPU, the GPU's kernel, and how many times as long"
	printf '%-15s %12s %10s %10s %8s\n' implementation size CPU GPU CPU/GPU
	awk -v names="$names" -v sizes="$sizes" '
		{ time[$1, $2] = 1e3 * $3 }
		function shown(t) { return t ? sprintf("%.4f", t) : "-" }
		END {
			n = split(names, name, " "); m = split(sizes, size, ",")
			for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) {
				c = time["cpu-" name[i], size[j]]; g = time["gpu-" name[i], size[j]]
				printf "%-15s %12s %10s %10s %8s\n", name[i], size[j], shown(c), shown(g), c && g ? sprintf("%.1f", c / g) : "-"
			}
		}' "$tmp/times"
	echo
fi
[ "$enlargements" = 1 ] || echo "(enlarged by the cosine series; the paper does not tell how it enlarged)"
[ -z "$kept" ] || echo "(pictures in $kept)"
[ -n "$gpu" ] || echo "(no GPU: $(sed -n 's/^-- unusable: //p' "$tmp/list"))"
