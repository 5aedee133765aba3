#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Prints the tables of the five works beside what this machine does: the paper's figure, ours, and the ratio.
#
#   samples/works.sh [-m SIDE] [-n RUNS] [-t SECONDS] [-p PICTURE] larsen|whitepaper|jiang|gpupp|yeshi [TABLE ...]
#
# -m: leaves out arrays of more than SIDE x SIDE samples; by default 512.
# -n: runs of each measurement, by default 5.   -t: seconds at most for each, by default 1.
# -p: a picture for the whitepaper's tables (its Barbara) and for Ye and Shi's figure 2 (any of 256x256).
#
# samples/works.txt has the papers' figures.  Times are in milliseconds, ours medians; the last column is how many times as fast
# ours is, or for other measures ours over the paper's.  "-" stands for what is missing in the paper or here; the lines
# in brackets say why.  XCODEC names the program (default: xcodec), which needs the laboratory.

set -u
LC_ALL=C
export LC_ALL
XCODEC=${XCODEC:-xcodec}
side=512
runs=5
seconds=1
picture=
here=$(cd "$(dirname "$0")" && pwd)
usage() {
	echo "usage: $0 [-m SIDE] [-n RUNS] [-t SECONDS] [-p PICTURE] larsen|whitepaper|jiang|gpupp|yeshi [TABLE ...]" >&2
	exit 2
}
while getopts m:n:t:p: option; do
	case $option in
	m) side=$OPTARG ;;
	n) runs=$OPTARG ;;
	t) seconds=$OPTARG ;;
	p) picture=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage
work=$1
shift
if [ "$work" = whitepaper ]; then
	[ -n "$picture" ] || { echo "$0: the whitepaper's tables need -p PICTURE" >&2; exit 2; }
	enlargements=1
	for by in 2 4 8; do
		[ $((512 * by)) -gt "$side" ] || enlargements=$enlargements,$by
	done
	XCODEC=$XCODEC exec sh "$here/whitepaper.sh" -e "$enlargements" -n "$runs" "$picture"
fi
known=$(awk -v w="$work" '$1 == "table" && $2 == w { print $3 }' "$here/works.txt")
[ -n "$known" ] || usage
tmp=$(mktemp -d "${TMPDIR:-/tmp}/works.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

"$XCODEC" transform --list >"$tmp/list" 2>/dev/null ||
	{ echo "$0: '$XCODEC transform' does not work: is the laboratory built?" >&2; exit 1; }
gpu=yes
grep -q '^-- unusable' "$tmp/list" && gpu=
: >"$tmp/values"
: >"$tmp/measured"

why() {
	grep -qxF "($1)" "$tmp/why" || echo "($1)" >>"$tmp/why"
}

# usable ALGORITHM: whether it can be measured; if not, why.
usable() {
	case $1 in
	-) why "-: another's program, or nothing that is measured here" && return 1 ;;
	gpu-* | cufft-* | *-GPU) [ -n "$gpu" ] || { why "GPU: $(sed -n 's/^-- unusable: //p' "$tmp/list")" && return 1; } ;;
	esac
	case $1 in
	poisson*) "$XCODEC" bench transforms --help | grep -q poisson ;;
	fftw-real-fft) grep -q '^cpu-fft2d ' "$tmp/list" ;;
	cufft-real-fft) ;;
	*) grep -q "^$1 " "$tmp/list" ;;
	esac || { why "$1: not in this build" && return 1; }
}

# Lines of `bench --json` to lines of algorithm, bits, threads, size, direction, then seconds: wall, kernel, processor;
# the share of a copy's rate; the stages'; the plan's.
cat >"$tmp/read.awk" <<'EOF'
function field(key,    at) {
	at = match($0, "\"" key "\": [^,}]*")
	return at ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) : "null"
}
function text(key,    s) { s = field(key); gsub(/"/, "", s); return s }
function number(key,    s) { s = field(key); return s == "null" ? "-" : s }
!/"algorithm"/ { next }
{
	size = text("columns") "x" text("rows")
	name = text("algorithm")
	sub(/, /, "-", name)
	if (text("table") != "gpu" && text("table") != "stages") {
		wall = kernel = number("wall_median"); cpu = number("cpu_mean"); share = "-"
	} else {
		kernel = number("kernel"); up = number("upload"); down = number("download")
		wall = up == "-" || down == "-" ? "-" : up + kernel + down
		cpu = number("cpu"); share = number("share_of_copy")
	}
	print name, bits, threads, size, text("direction"), wall, kernel, cpu, share, number("before_fft"), number("fft"), number("after_fft"), number("plan")
}
EOF

# bench TABLE BITS THREADS ALGORITHMS SIZES
bench() {
	if [ "$1" = poisson ]; then
		"$XCODEC" bench transforms --json --table poisson -p "$2" -t "$3" -n "$runs" --seconds "$seconds" \
			--sizes "$5" >"$tmp/json" 2>"$tmp/error"
	else
		"$XCODEC" bench transforms --json --table "$1" -p "$2" -t "$3" -n "$runs" --seconds "$seconds" \
			-a "$4" --sizes "$5" >"$tmp/json" 2>"$tmp/error"
	fi
	# shellcheck disable=SC2181 # of either
	if [ $? -eq 0 ]; then
		awk -v bits="$2" -v threads="$3" -f "$tmp/read.awk" "$tmp/json" >>"$tmp/values"
	else
		why "$4, $2 bits: $(sed -n 's/^xcodec[^:]*: //; 1p' "$tmp/error")"
	fi
}

# lines BITS ALGORITHMS SIZES: by `transform`, forward, the median but for the first run.  `bench` finds errors as well, which
# takes the square of a line's length.
lines() {
	for size in $(echo "$3" | tr , ' '); do
		"$XCODEC" generate -f --size "$size" -p "$1" --sets $((runs + 1)) "$tmp/in"
		for name in $(echo "$2" | tr , ' '); do
			"$XCODEC" transform -j -f "$name" "$tmp/in" /dev/null forward |
				sed -n 's/.*"wall_s": \([^,]*\),.*/\1/p' | sed 1d | sort -g |
				awk -v key="$name $1 1 $size forward" '{ v[NR] = $1 }
					END { m = v[int((NR + 1) / 2)]; print key, m, m, "-", "-", "-", "-", "-", "-" }' >>"$tmp/values"
		done
	done
}

# measure: what the rows of the table need and an earlier table did not, by one call for each precision and number of threads.
measure() {
	awk '$1 == "row" || $1 == "base" { n = split($3, a, ","); for (i = 1; i <= n; i++) print a[i], $4, $5 }' "$tmp/table" |
		sort -u | while read -r algorithm bits threads; do
		name=${algorithm%:*}
		usable "$name" || continue
		case $algorithm in
		*:*) kind=stages ;;
		poisson*) kind=poisson ;;
		cpu-* | fftw-*) kind=$processor ;;
		*) kind=gpu ;;
		esac
		grep -qxF "$kind $bits $threads $name $sizes" "$tmp/measured" || echo "$kind $bits $threads $name"
	done | sort -u | awk '{ key = $1 " " $2 " " $3; list[key] = list[key] "," $4 }
		END { for (key in list) print key, substr(list[key], 2) }' | sort >"$tmp/missing"
	while read -r kind bits threads names; do
		if [ "$kind" = lines ]; then
			lines "$bits" "$names" "$sizes"
		else
			bench "$kind" "$bits" "$threads" "$names" "$sizes"
		fi
		for name in $(echo "$names" | tr , ' '); do
			echo "$kind $bits $threads $name $sizes" >>"$tmp/measured"
		done
	done <"$tmp/missing"
}

# Operations, from the list.
operations() {
	"$XCODEC" transform --list --verbose | awk '
		/^[a-z]/ { name = $1 }
		/operations, 8x8/ {
			for (i = 2; i <= NF; i++) {
				if ($i ~ /^additions/) a = $(i - 1)
				if ($i ~ /^multiplications/) m = $(i - 1)
				if ($i ~ /^multiply-adds/) f = $(i - 1)
				if ($i == "to") m += $(i - 1)
				if ($i == "sum") s = $(i + 1)
			}
			print name, m + 0, a + 0, f + 0, s + 0
		}' >"$tmp/operations"
	printf '%-20s %-18s %28s %28s %6s\n' "paper's" ours "paper's: x, +, x+, sum" "ours: x, +, x+, sum" ratio
	awk '$1 == "row"' "$tmp/table" | while read -r _ label name _ _ _ figures; do
		usable "$name" || continue
		ours=$(sed -n "s/^$name //p" "$tmp/operations")
		printf '%-20s %-18s %28s %28s %6s\n' "$(echo "$label" | tr _ ' ')" "$name" "$figures" "$ours" \
			"$(echo "$figures $ours" | awk '{ printf "%.2f", $8 / $4 }')"
	done
}

# Ye and Shi's figure 2: pictures, of which the paper tells the rate alone.
corner() {
	[ -n "$picture" ] || { picture=$tmp/scene.png && "$XCODEC" generate --pattern cosine --size 256 "$picture"; }
	"$XCODEC" transform threshold -f --corner 64x64 "$picture" "$tmp/corner.png" >"$tmp/kept" || exit 1
	echo "paper's: 64x64 of 256x256, $(awk 'BEGIN { print 64 * 64 / 256 / 256 }') of the coefficients; no PSNR"
	echo "ours:    $(tr '\n' ' ' <"$tmp/kept")"
}

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2086 # words
	set -- $known
fi
for wanted; do
	awk -v w="$work" -v t="$wanted" '$1 == "table" { on = $2 == w && $3 "" == t "" } on' "$here/works.txt" >"$tmp/table"
	[ -s "$tmp/table" ] || { echo "$0: $work has no table '$wanted', only: $(echo "$known" | tr '\n' ' ')" >&2; exit 2; }
	read -r _ _ _ measure unit title <"$tmp/table"
	: >"$tmp/why"
	echo "$work, table $wanted: $title"
	case $measure in
	operations) operations ;;
	corner) corner ;;
	*)
		sizes=$(sed -n 's/^sizes //p' "$tmp/table" | tr ' ' '\n' |
			awk -F x -v most="$side" '$1 !~ /^[0-9]/ || $1 * ($2 ? $2 : $1) <= most * most' | tr '\n' ',')
		sizes=${sizes%,}
		if [ -z "$sizes" ]; then
			echo "(no size of up to $side x $side: -m gives more)"
		else
			case $sizes in
			*x1*) processor=lines ;;
			*) processor=arrays ;;
			esac
			measure
			awk -v values="$tmp/values" -v measure="$measure" -v unit="$unit" -v sizes="$sizes" -f "$here/works.awk" \
				"$tmp/values" "$tmp/table"
		fi
		;;
	esac
	sed -n 's/^note \(.*\)/(\1)/p' "$tmp/table"
	cat "$tmp/why"
	echo
done
