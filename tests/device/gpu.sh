#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The GPU codec and transforms on a machine that has one: builds, checks them against the
# CPU, looks for bad memory accesses and races, works through many small and damaged
# files, and measures.  One command, from a distribution or a tree with its configure:
#
#	tests/device/gpu.sh [-p] [-b BUILD-FOLDER] [-n ROUNDS] [PICTURE...]
#
# It needs nvcc, a C compiler, make, and the headers of zlib; libpng is left out where it is
# not there.  -p: it builds nothing and needs none of them, since BUILD-FOLDER came with its programs.  Without pictures those of samples/ serve for the checks, or made ones where
# PNG cannot be read, and generated ones for the measurements, which want natural ones.
# Exit status: 0 all is well, 1 something is not, 77 no GPU.

set -u
LC_ALL=C
export LC_ALL

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
build=$top/build-gpu
rounds=100000
built=
while getopts pb:n: option; do
	case $option in
	p) built=1 ;;
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
if [ -z "$built" ] && [ ! -x "$top/configure" ]; then
	echo "no configure here: take a distribution, or run ./bootstrap first"
	exit 1
fi
mkdir -p "$build" && build=$(cd "$build" && pwd) || exit 1
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 4)
# Machine code for the GPUs that are here, unless asked for more.
if [ -z "${CUDA_ARCHS:-}" ]; then
	CUDA_ARCHS=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
		tr -d '. ' | sort -u | tr '\n' ' ')
fi
programs="xcodec xcodec-cuda.so xcodec-lab xcodec-lab-cuda.so samples/make_scene tests/unit/check_contexts tests/device/check_gpu tests/emulated/check_batch tests/emulated/check_decode_batch \
tests/device/check_arrays tests/device/check_encode tests/device/check_decode tests/device/check_decode_modes tests/device/soak fuzz/gpu lab/tests/check_gpu_transforms \
bench/tools/arrays bench/tools/pictures"
without=
if ! command -v pkg-config >/dev/null; then
	without=--without-libpng
	ZLIB_CFLAGS=${ZLIB_CFLAGS:--I/usr/include} ZLIB_LIBS=${ZLIB_LIBS:--lz}
	export ZLIB_CFLAGS ZLIB_LIBS
elif ! pkg-config --exists 'libpng >= 1.6'; then
	without=--without-libpng
fi
[ -z "$without" ] || echo "libpng is not there: without PNG"
# shellcheck disable=SC2086 # words
if [ -z "$built" ] && ! (cd "$build" && "$top/configure" -C --enable-cuda --disable-shared --enable-werror $without \
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
# check PROGRAM [ASSIGNMENT]
check() {
	# shellcheck disable=SC2086 # perhaps none
	env $2 "$build/$1" >"$build/test.log" 2>&1
	status=$?
	grep -v '^# ' "$build/test.log"
	if [ "$status" -ne 0 ]; then
		tail -n 20 "$build/test.log"
		complain "$*, status $status"
	fi
}
for program in $programs; do
	case $program in
	tests/*/check_*) check "$program" "" ;;
	esac
done
# As the smallest GPU that is supported does it.
check tests/device/check_encode XC_CUDA_SHARED=65536
check tests/device/check_decode XC_CUDA_SHARED=65536
check tests/device/check_decode_modes XC_CUDA_SHARED=65536

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# The pictures given that can be read.
for picture in "$@"; do
	shift
	if "$xcodec" compare "$picture" "$picture" >/dev/null 2>"$tmp/why"; then
		set -- "$@" "$picture"
	else
		echo "left out: $(cat "$tmp/why")"
	fi
done
# Those of samples/, or as many of them as can be made here.
samples=$tmp/samples
mkdir "$samples" || exit 1
if "$xcodec" --version | grep -q 'no PNG'; then
	for name in grey rgba rgb16 grey16; do
		"$build/samples/make_scene" $name "$samples/$name.pam" || complain "make_scene $name"
	done
	"$build/samples/make_scene" meadow "$samples/meadow.pam" 384 256 || complain "meadow"
else
	cp "$top"/samples/*.png "$samples"
fi
first=${1:-$(ls "$samples"/meadow.*)}

# Pairs of files and of pictures: of "$first" and of all samples, with one process for a set of options,
# since a process takes longer to start CUDA than to code a picture.
mkdir "$tmp/all"
cp "$first" "$tmp/all/first.${first##*.}"
cp "$samples"/* "$tmp/all"
# alike FOLDER: what both decode of the files there
alike() {
	rm -rf "$tmp/cpu" "$tmp/gpu"
	mkdir "$tmp/cpu" "$tmp/gpu"
	"$xcodec" decode -d cpu --format pam -o "$tmp/cpu" "$1"/* &&
		"$xcodec" decode -d cuda --format pam -o "$tmp/gpu" "$1"/* && diff -r "$tmp/cpu" "$tmp/gpu"
}
compared=0
# same OPTION...: the files of CPU and GPU, and what both decode
same() {
	rm -rf "$tmp/by_cpu" "$tmp/by_gpu"
	mkdir "$tmp/by_cpu" "$tmp/by_gpu"
	if ! "$xcodec" encode -d cpu "$@" -o "$tmp/by_cpu" "$tmp/all"/* ||
		! "$xcodec" encode -d cuda "$@" -o "$tmp/by_gpu" "$tmp/all"/* ||
		! diff -r "$tmp/by_cpu" "$tmp/by_gpu" || ! alike "$tmp/by_cpu"; then
		complain "not as the CPU's: $*"
	fi
	compared=$((compared + $(find "$tmp/cpu" -type f | wc -l)))
}
# All kinds of samples: grey and colour, 8 and 16 bits, with alpha.
for subsampling in 444 422 420 grey; do
	same --preset jpeg -s "$subsampling"
done
same --preset jpeg -s 444 --transform lot
same --preset jpeg -s 420 --transform tdlt
same --preset jpeg --huffman default -q 90
same --preset jpeg --tables flat -q 20
for quality in 1 50 90 95; do
	same --preset jpeg -q "$quality" -s 444
	same --preset jpeg -q "$quality" -s 422 --transform lot
done
# The other modes, with the default's settings where no option says else.
for mode in "rans -e 0" "rans -e 1" "rans -e 2" "huffman -e 0"; do
	# shellcheck disable=SC2086 # words
	for subsampling in 444 422 420 grey; do
		same --entropy $mode -s "$subsampling"
	done
	# shellcheck disable=SC2086
	same --entropy $mode -s 420 --transform dct
	# shellcheck disable=SC2086
	same --entropy $mode -s 444 --transform lot --colour picture
done
same --tune psnr
same --entropy huffman -e 0 --huffman default
same --tables annex-k -q 90
for quality in 1 20 50 96; do
	same -q "$quality" -s 420
done
# Finer steps are for the processor: it compares rANS with Huffman codes.
"$xcodec" encode -f -d cuda -q 97 "$first" "$tmp/fine.xc" 2>"$tmp/said"
grep -q 'does not compare rANS' "$tmp/said" || complain "quality 97 with rANS"
# So are codes by context.
"$xcodec" encode -f -d cuda --entropy huffman -e 1 "$first" "$tmp/codes.xc" 2>"$tmp/said"
grep -q 'Huffman codes with effort 0 alone' "$tmp/said" || complain "Huffman codes by context"
for quality in 1 20 50 95 100; do
	same -q "$quality" -s 444 --entropy huffman -e 0
done
# Effort 3, which the CPU alone encodes.
for options in "--effort 3" "--effort 3 -s 444 -q 95"; do
	rm -rf "$tmp/by_cpu"
	mkdir "$tmp/by_cpu"
	# shellcheck disable=SC2086 # words
	"$xcodec" encode -d cpu $options -o "$tmp/by_cpu" "$tmp/all"/* && alike "$tmp/by_cpu" ||
		complain "decoding $options"
done
echo "$compared pairs of files and pictures compared"

# Damaged files: the same exit status, the same lines, with --keep-going the same pictures.
damaged=0
# agree OPTION...: on $tmp/bad/*
agree() {
	for device in cpu cuda; do
		rm -rf "$tmp/out"
		mkdir "$tmp/out"
		"$xcodec" decode -d "$device" "$@" --format pam -o "$tmp/out" "$tmp"/bad/* 2>"$tmp/$device.err"
		echo "status $?" >>"$tmp/$device.err"
		grep -v ' bytes out, ' "$tmp/$device.err" | sort >"$tmp/$device.said"
		rm -rf "$tmp/$device.out"
		mv "$tmp/out" "$tmp/$device.out"
	done
	if ! cmp "$tmp/cpu.said" "$tmp/cuda.said" || ! diff -r "$tmp/cpu.out" "$tmp/cuda.out"; then
		diff "$tmp/cpu.said" "$tmp/cuda.said"
		complain "damaged files: $*"
	fi
	damaged=$((damaged + $(find "$tmp/bad" -type f | wc -l)))
}
rm -rf "$tmp/bad"
mkdir "$tmp/bad"
number=0
for options in "--preset jpeg -s 420" "--preset jpeg -s 444 --transform lot" \
	"--preset jpeg --transform tdlt --huffman default" "--effort 1" "-s 444 --effort 3" \
	"--entropy huffman --effort 0"; do
	# shellcheck disable=SC2086 # words
	"$xcodec" encode -f -d cpu $options "$first" "$tmp/good.xc" || complain "encode $options"
	size=$(wc -c <"$tmp/good.xc")
	for percent in 0 2 40 80 99; do
		number=$((number + 1))
		cp "$tmp/good.xc" "$tmp/bad/changed$number.xc"
		printf '\252\125' | dd of="$tmp/bad/changed$number.xc" bs=1 seek=$((size * percent / 100)) \
			conv=notrunc 2>/dev/null
		head -c $((size * percent / 100)) "$tmp/good.xc" >"$tmp/bad/cut$number.xc"
	done
done
agree
agree --keep-going
echo "$damaged damaged files: CPU and GPU agree"

section "transforms"
"$top/tests/device/transforms.sh" ${built:+-p} -c
status=$?
[ "$status" -eq 0 ] || complain "transforms, status $status"

# -------------------------------------------------------------- sanitizers
section "compute-sanitizer"
at_once=$((jobs < 8 ? jobs : 8))
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
# sanitize TOOL NUMBER COMMAND...: its report ends in the file $tmp/found.TOOL.NUMBER unless it is clean.
sanitize() {
	tool=$1
	log=$tmp/found.$1.$2
	shift 2
	if "$sanitizer" --tool "$tool" --error-exitcode 9 "$@" >"$log" 2>&1; then
		rm "$log"
	else
		echo "$tool: $*" >>"$log"
	fi
}
if [ -n "$sanitizer" ]; then
	for tool in memcheck racecheck; do
		number=0
		for how in "meadow --preset jpeg -s 420" "meadow --preset jpeg -s 444 --transform lot" \
			"meadow --preset jpeg -s 420 --transform tdlt --huffman default" \
			"rgb16 --preset jpeg -s 444 --huffman default -q 100" \
			"rgb16 --preset jpeg -s 422 --transform lot" "meadow -s 420" "rgb16 -s 422" \
			"meadow -s 444 -e 0 --colour picture" "meadow -s 420 --entropy huffman -e 0" \
			"rgb16 -s 444 --entropy huffman -e 0 -q 95" "rgba -e 1 -s 422"; do
			number=$((number + 1))
			# shellcheck disable=SC2086 # words
			(
				file=$tmp/$tool$number
				sanitize "$tool" "${number}e" "$xcodec" encode -f -d cuda ${how#* } \
					"$samples/${how%% *}".* "$file.xc"
				sanitize "$tool" "${number}d" "$xcodec" decode -f -d cuda "$file.xc" "$file.pam"
			) &
			[ $((number % at_once)) -ne 0 ] || wait
		done
		wait
		for log in "$tmp"/found."$tool".*; do
			[ -f "$log" ] || continue
			tail -n 15 "$log"
			complain "compute-sanitizer"
		done
		echo "$tool: $((2 * number)) runs"
	done
else
	echo "not there"
fi

# -------------------------------------------------------------------- soak
section "$rounds small pictures, and damaged files"
"$build/tests/device/soak" "$rounds" || complain "soak"
"$build/fuzz/gpu" 60 || complain "damaged batches"
[ -z "$sanitizer" ] || "$sanitizer" --tool memcheck --error-exitcode 9 "$build/fuzz/gpu" -s 2 -n 20 ||
	complain "damaged batches under memcheck"

# -------------------------------------------------------------------- time
section "times"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null
"$xcodec" bench gpu "$@" || complain "bench gpu"
"$build/bench/tools/pictures" || complain "many pictures in memory"
for effort in 0 1 2; do
	"$build/bench/tools/arrays" -g -n 5 -e $effort -s 512x512x512 1e-3 layers || complain "arrays"
done

section "done"
[ "$failed" -eq 0 ] && echo "all is well" || echo "$failed failures"
[ "$failed" -eq 0 ]
