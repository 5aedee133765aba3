#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The GPU codec on a machine that has one: builds, checks it against the CPU, looks for
# bad memory accesses and races, works through many small and damaged files, and
# measures.  One command, from a distribution or a tree with its configure:
#
#	tests/gpu.sh [-b BUILD-FOLDER] [-n ROUNDS] [PICTURE...]
#
# It needs nvcc, a C compiler, make, and the headers of zlib and libpng.  Without
# pictures those of samples/ serve; the measurements want natural ones.  Exit status: 0
# all is well, 1 something is not, 77 no GPU.

set -u
LC_ALL=C
export LC_ALL

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
build=$top/build-gpu
rounds=100000
while getopts b:n: option; do
	case $option in
	b) build=$OPTARG ;;
	n) rounds=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

failed=0
section() {
	printf '\n== %s\n' "$*"
}
complain() {
	echo "FAILED: $*"
	failed=$((failed + 1))
}

# ----------------------------------------------------------------- build
section "build in $build"
if [ ! -x "$top/configure" ]; then
	echo "no configure here: take a distribution, or run ./bootstrap first"
	exit 1
fi
mkdir -p "$build" || exit 1
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 4)
# Machine code for the GPU that is here, unless asked for more.
if [ -z "${CUDA_ARCHS:-}" ]; then
	CUDA_ARCHS=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
		head -n 1 | tr -d '. ')
fi
programs="xcodec xcodec-cuda.so tests/check_cuda tests/check_cuda_encode tests/gpu_soak bench/gpus"
[ ! -f "$top/tests/gpu_decode.c" ] || programs="$programs tests/gpu_decode"
# shellcheck disable=SC2086 # words
if ! (cd "$build" && "$top/configure" -C --enable-cuda --disable-shared --enable-werror \
	${CUDA_ARCHS:+CUDA_ARCHS="$CUDA_ARCHS"} && make -j "$jobs" $programs) \
	>"$build/build.log" 2>&1; then
	tail -n 20 "$build/build.log"
	echo "FAILED: build (all of it: $build/build.log)"
	exit 1
fi
XC_CUDA_MODULE=$build/xcodec-cuda.so
BUILDDIR=$build
srcdir=$top
export XC_CUDA_MODULE BUILDDIR srcdir
xcodec=$build/xcodec
"$xcodec" info --devices
"$xcodec" info --devices | grep -q '^cuda:0' || exit 77

# ------------------------------------------------------------ correctness
section "against the CPU"
for program in $programs; do
	case $program in
	tests/check_* | tests/gpu_decode)
		"$build/$program" >"$build/test.log" 2>&1
		status=$?
		grep -v '^# ' "$build/test.log"
		if [ "$status" -ne 0 ]; then
			tail -n 20 "$build/test.log"
			complain "$program, status $status"
		fi
		;;
	esac
done

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ $# -gt 0 ] || set -- "$top/samples/meadow.png"
compared=0
# same WHAT PICTURE OPTION...: the files of CPU and GPU, and what both decode
same() {
	picture=$1
	shift
	if ! "$xcodec" encode -f -d cpu "$@" "$picture" "$tmp/cpu.xc" ||
		! "$xcodec" encode -f -d cuda "$@" "$picture" "$tmp/gpu.xc" ||
		! cmp "$tmp/cpu.xc" "$tmp/gpu.xc" ||
		! "$xcodec" decode -f -d cpu "$tmp/cpu.xc" "$tmp/cpu.pam" ||
		! "$xcodec" decode -f -d cuda "$tmp/cpu.xc" "$tmp/gpu.pam" ||
		! cmp "$tmp/cpu.pam" "$tmp/gpu.pam"; then
		complain "$picture $*"
	fi
	compared=$((compared + 1))
}
for picture in "$1" "$top"/samples/*.png; do
	for subsampling in 444 422 420 grey; do
		same "$picture" -s "$subsampling"
	done
	same "$picture" --huffman default -q 90
	same "$picture" --tables flat -q 20
done
for quality in 1 50 95 100; do
	same "$1" -q "$quality" -s 444
done
echo "$compared pairs of files and pictures compared"

# -------------------------------------------------------------- sanitizers
section "compute-sanitizer"
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
# sanitize TOOL COMMAND...
sanitize() {
	tool=$1
	shift
	if "$sanitizer" --tool "$tool" --error-exitcode 9 "$@" >"$build/sanitizer.log" 2>&1; then
		echo "$tool: ok"
	else
		tail -n 15 "$build/sanitizer.log"
		complain "$tool: $*"
	fi
}
if [ -n "$sanitizer" ]; then
	for tool in memcheck racecheck; do
		for picture in "$top/samples/meadow.png" "$top/samples/rgb16.png"; do
			for how in "-s 420" "-s 444 --huffman default -q 100"; do
				# shellcheck disable=SC2086 # words
				sanitize "$tool" "$xcodec" encode -f -d cuda $how "$picture" "$tmp/a.xc"
				sanitize "$tool" "$xcodec" decode -f -d cuda "$tmp/a.xc" "$tmp/a.pam"
			done
		done
	done
else
	echo "not there"
fi

# -------------------------------------------------------------------- soak
section "$rounds small pictures, and damaged files"
"$build/tests/gpu_soak" "$rounds" || complain "soak"

# -------------------------------------------------------------------- time
section "times"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
"$xcodec" bench gpu "$@" || complain "bench gpu"
"$build/bench/gpus" || complain "several GPUs"

section "done"
[ "$failed" -eq 0 ] && echo "all is well" || echo "$failed failures"
[ "$failed" -eq 0 ]
