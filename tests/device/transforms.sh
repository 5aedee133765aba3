#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The laboratory's transforms on a GPU: builds what it needs, checks every algorithm against
# the processor's, then measures and prints the tables.  -c: the checks alone; -s: the two-pass
# whole frames under compute-sanitizer, and nothing else; -p: everything is built.  Run it at the top of a configured
# build, or name that in BUILDDIR:
#
#	.../tests/device/transforms.sh [-p] [-c | -s] [SECONDS-FOR-CHECKS]
#
# Exit status: 77 without a GPU or without nvcc, 1 when a check fails or nothing could
# be measured.

set -u
built=
if [ "${1:-}" = -p ]; then
	built=1
	shift
fi
checks=
case ${1:-} in
-c) checks=only ;;
-s) checks=sanitizers ;;
esac
[ -z "$checks" ] || shift
build=${BUILDDIR:-$(pwd)}
cd "$build" && build=$(pwd) || exit 99
if [ -z "$built" ] && [ ! -f Makefile ]; then
	echo "transforms.sh: no Makefile in $build; run configure there first" >&2
	exit 99
fi
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
if [ -z "$built" ] && ! make -j"$jobs" xcodec xcodec-lab xcodec-lab-cuda.so lab/tests/check_gpu_transforms >/dev/null; then
	echo "# skipped: no module for a GPU can be built here"
	exit 77
fi
XC_CUDA_MODULE=$build/xcodec-cuda.so
export XC_CUDA_MODULE

# Sizes that go through every kernel of the two-pass frames.
if [ "$checks" = sanitizers ]; then
	tmp=$(mktemp -d) || exit 99
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 1' HUP INT TERM
	for size in 256 512 1024x256 2048x256 4096x256 8192x256 256x1024 256x2048 256x4096 \
		256x8192 100x120 105x210 98x686 1080x48 48x1920 4000x20 20x4000 256x360 \
		360x256 4096x96; do
		./xcodec generate --size "$size" - || exit 1
	done >"$tmp/in.txt"
	for tool in memcheck racecheck; do
		for way in forward inverse; do
			for bits in 32 64; do
				(compute-sanitizer --tool $tool --error-exitcode 9 ./xcodec-lab \
					transform -f -p $bits gpu-fft2d "$tmp/in.txt" \
					"$tmp/$tool$way$bits.txt" $way >"$tmp/log$tool$way$bits" 2>&1 &&
					echo "ok - $tool $way $bits" >"$tmp/log$tool$way$bits") &
			done
		done
	done
	wait
	status=0
	for log in "$tmp"/log*; do
		tail -n 15 "$log"
		grep -q '^ok' "$log" || status=1
	done
	exit "$status"
fi

timeout "${1:-300}" ./lab/tests/check_gpu_transforms
status=$?
[ "$status" -ne 77 ] || exit 77
[ "$status" -eq 0 ] || exit 1
[ -z "$checks" ] || exit 0

# table ALGORITHMS SIZES PRECISION
table() {
	./xcodec bench transforms --table gpu --algorithms "$1" --sizes "$2" --precision "$3" ||
		status=1
}

blocks=gpu-definition,gpu-separable,gpu-aan,gpu-aan-quantized,gpu-flmad
lapped=gpu-flot,gpu-flot-symmetric,gpu-tdlt,gpu-genlot
table "$blocks,$lapped,gpu-short,gpu-short-quantized" 1024,8192 32
table "$blocks,$lapped" 8192 64
table gpu-aan,gpu-flmad,gpu-flot 1024,8192 half
if grep -q '^XC_CUFFT_TRUE = *$' Makefile; then
	frames=gpu-fft-n,gpu-fft2d,gpu-fft2d-stages,gpu-idct-idxst,gpu-idxst-idct
	for bits in 32 64; do
		table "$frames" 512,1024,2048,4096,8192 "$bits"
		table gpu-fft-n,gpu-fft2d,gpu-fft2d-stages,gpu-idct-idxst \
			576x720,1000,1080x1920,2160x3840,3000,4000,6000,100x10000,10000x100 "$bits"
		table gpu-fft3d 64x64x64,128x128x128,256x256x256,100x200x300 "$bits"
		table gpu-dmm,gpu-dmm-cublas 1024,4096 "$bits"
		table gpu-fft-4n,gpu-fft-2n-mirrored,gpu-fft-2n-padded,gpu-fft-lines,gpu-fft-n \
			16384x1,32768x1,65536x1,131072x1,262144x1 "$bits"
	done
	./xcodec bench transforms --table stages --sizes 512,1024,2048,4096 || status=1
	./xcodec bench transforms --table flops --sizes 512,1024,2048 || status=1
fi
exit "$status"
