#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
#
# README's figures, all of them in one run: sizes beside other codecs, times of whole commands.

set -euo pipefail
export LC_ALL=C

usage() {
	cat <<'END'
usage: bench/readme.sh [-b BUILD] [-n RUNS] [-o FOLDER] [PICTURE...]

Prints the tables of README.md as Markdown.  The pictures are by default those of data/kodak/
in the folder XC_SHARED (../shared).  Needed are cjpeg, djpeg, cwebp, dwebp and `make tools`;
bench/README.md says where the encoders of today come from (XC_NODE_MODULES).  Times are medians
of RUNS runs (15) of whole processes, which take turns; nothing else should run.

  -b BUILD    build folder; default build
  -o FOLDER   keeps measured sizes for the next run; default BUILD/rd
END
}

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build runs=15 cache=
while getopts b:n:o:h option; do
	case $option in
	b) build=$OPTARG ;;
	n) runs=$OPTARG ;;
	o) cache=$OPTARG ;;
	h)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- "${XC_SHARED:-$top/../shared}"/data/kodak/*.png
build=$(cd "$build" && pwd)
: "${cache:=$build/rd}"
for program in "$build"/{xcodec,bench/tools/tile,bench/tools/lossless,bench/rd/bd} cjpeg djpeg cwebp dwebp; do
	command -v "$program" >/dev/null || {
		echo "readme.sh: $program is missing" >&2
		exit 1
	}
done
xcodec=$build/xcodec
# In memory where it can be, so that no disk is measured.
[ ! -d /dev/shm ] || : "${TMPDIR:=/dev/shm}"
tmp=$(mktemp -d -p "${TMPDIR:-/tmp}")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# in_turn LABEL COMMAND LABEL COMMAND...: a line "LABEL median-in-ms" for each; the first round does not count.
in_turn() {
	local run i begin end words
	for ((run = 0; run <= runs; run++)); do
		for ((i = 1; i < $#; i += 2)); do
			read -ra words <<<"${*:i+1:1}"
			begin=${EPOCHREALTIME/./}
			"${words[@]}" >/dev/null 2>"$tmp/errors" || {
				cat "$tmp/errors" >&2
				exit 1
			}
			end=${EPOCHREALTIME/./}
			[ "$run" = 0 ] || echo "${!i} $((end - begin))"
		done
	done >"$tmp/times"
	for ((i = 1; i < $#; i += 2)); do
		awk -v l="${!i}" '$1 == l { print $2 }' "$tmp/times" | sort -n |
			awk -v l="${!i}" '{ t[NR] = $1 } END { printf "| %s | %.1f |\n", l, t[int((NR + 1) / 2)] / 1000 }'
	done
}

echo "$(date -u +%F), $("$xcodec" --version | head -n 1), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "$(cwebp -version | head -n 1) (cwebp), $(cjpeg -version 2>&1 </dev/null | head -n 1)"

printf '\n# Times of whole commands, one thread, ms\n\n'
cd "$tmp"
"$build/bench/tools/tile" -s 4608x4096 large.ppm "$@"
"$build/bench/tools/tile" small.ppm "$1"
cp "$1" small.png
for size in large small; do
	"$xcodec" encode -q 75 --quiet -t 1 $size.ppm $size.xc
	cwebp -quiet -m 4 -q 75 $size.ppm -o $size.webp
	cjpeg -optimize -quality 75 $size.ppm >$size.jpg
done
"$xcodec" encode --quiet --lossless small.png exact.xc
cwebp -quiet -lossless -m 4 small.png -o exact.webp
"$xcodec" encode --quiet small.jpg kept.xc
echo '| command | ms |'
echo '| --- | --- |'
in_turn nothing /bin/true \
	large-xcodec-encode "$xcodec encode -f --quiet -t 1 large.ppm out.xc" \
	large-cjpeg "cjpeg -optimize -quality 75 -outfile out.jpg large.ppm" \
	large-cwebp "cwebp -quiet -m 4 -q 75 large.ppm -o out.webp" \
	large-xcodec-decode "$xcodec decode -f --quiet -t 1 large.xc out.ppm" \
	large-djpeg "djpeg -outfile out.ppm large.jpg" \
	large-dwebp "dwebp -quiet -ppm large.webp -o out.ppm"
in_turn small-png-xcodec-encode "$xcodec encode -f --quiet -t 1 small.png out.xc" \
	small-png-cwebp "cwebp -quiet -m 4 -q 75 small.png -o out.webp" \
	small-ppm-xcodec-encode "$xcodec encode -f --quiet -t 1 small.ppm out.xc" \
	small-ppm-cjpeg "cjpeg -optimize -quality 75 -outfile out.jpg small.ppm" \
	small-ppm-xcodec-decode "$xcodec decode -f --quiet -t 1 small.xc out.ppm" \
	small-ppm-djpeg "djpeg -outfile out.ppm small.jpg" \
	small-ppm-dwebp "dwebp -quiet -ppm small.webp -o out.ppm" \
	small-png-lossless-xcodec-encode "$xcodec encode -f --quiet -t 1 --lossless small.png out.xc" \
	small-png-lossless-cwebp "cwebp -quiet -lossless -m 4 small.png -o out.webp" \
	small-ppm-lossless-xcodec-decode "$xcodec decode -f --quiet -t 1 exact.xc out.ppm" \
	small-ppm-lossless-dwebp "dwebp -quiet -ppm exact.webp -o out.ppm" \
	small-jpeg-kept-encode "$xcodec encode -f --quiet -t 1 small.jpg out.xc" \
	small-jpeg-kept-decode "$xcodec decode -f --quiet -t 1 kept.xc out.jpg"

printf '\n# Sizes\n\n'
wc -c large.xc large.webp large.jpg small.jpg kept.xc | sed 's/^/    /'
printf '\n# Without loss, in memory, one thread\n\n'
"$build/bench/tools/lossless" -n 3 "$@" | sed 's/^/    /'
printf '\n# BD-rates\n'
"$top/bench/rd/rd" -c -b "$build" -o "$cache" -C 'xcodec: ' -P 'webp-m6: cwebp -m 6
jpegxl-e7: npm jxl 7 4:4:4
avif-iq-444: npm avif-iq 6 4:4:4' "$@"
