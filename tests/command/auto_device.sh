#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# GPUs for a batch whose device is "auto", by the bytes of its inputs, with the kernels of tests/emulated in a GPU's place.

# shellcheck source=tests/support/tap.sh
. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
stub=$BUILDDIR/tests/emulated/.libs/stub_plugin.so
[ -f "$stub" ] || skip_all "no shared libraries are built"
export XC_CUDA_MODULE="$stub"
export XC_AUTO_BYTES=0

check "the stub is a GPU" sh -c "'$XCODEC' info --devices | grep -q '^cuda:0 *stub'"
"$XCODEC" encode --preset jpeg "$SRCDIR/samples/rgba.png" one.xc
mkdir in by_cpu
"$XCODEC" decode one.xc in/0.pam
for i in $(seq 1 40); do
	ln in/0.pam "in/$i.pam"
done
"$XCODEC" encode -d cpu -o by_cpu in/*.pam

# how_many WHO: of the last summary
how_many() {
	sed -n "s/^  by the processor \([0-9]*\), by GPUs \([0-9]*\)\$/\\$1/p" stderr
}
# batch NAME OPTION...: encodes all, with the files of the processor
batch() {
	name=$1
	shift
	rm -rf out
	mkdir out
	check_status "$name" 0 "$XCODEC" encode -v -t 2 -o out "$@" in/*.pam
	check "$name: the processor's files" diff -r by_cpu out
	check "$name: 41 pictures" grep -q '^41 pictures[:,] ' stderr
	check "$name: what bounded it" grep -q '^  time of 2 threads: ' stderr
}

batch "a large batch" -d auto
check "a GPU did it" test "$(how_many 2)" -eq 41
check "all are counted" test "$(($(how_many 1) + $(how_many 2)))" -eq 41
XC_STUB_GPUS=3 batch "three GPUs" -d auto
check "they did it" test "$(how_many 2)" -eq 41
XC_STUB_GPUS=0 batch "no GPU" -d auto
check "the processor did it" test -z "$(how_many 2)"
XC_CUDA_MODULE=$tmp/missing batch "no module" -d auto
XC_STUB_START=300 batch "one that starts late" -d auto
bytes=$(($(wc -c <in/0.pam) * 41))
XC_AUTO_BYTES=$bytes batch "as many bytes as the bound" -d auto
check "a GPU did it" test "$(how_many 2)" -eq 41
XC_AUTO_BYTES=$((bytes + 1)) batch "a byte less" -d auto
check "the processor did it" test -z "$(how_many 2)"
XC_AUTO_BYTES='' batch "a small batch" -d auto
check "the processor did it" test -z "$(how_many 2)"
for bound in $bytes $((bytes + 1)); do
	rm -rf out
	mkdir out
	check_status "a folder, bound $bound" 0 env XC_AUTO_BYTES="$bound" "$XCODEC" encode --replace-suffix -v -t 2 -d auto -r -o out in
	check "a GPU only where the bytes suffice" test "$(how_many 2)" = "$([ "$bound" -gt "$bytes" ] || echo 41)"
done
find in -name '*.pam' >list
check_status "a list with more files than threads" 0 env XC_AUTO_BYTES=1G "$XCODEC" encode -f -v -t 2 -d auto \
	--list list -o out
check "a GPU did it" test "$(how_many 2)" -eq 41
batch "a GPU that was named" -d cuda
check "it did all" test "$(how_many 2)" -eq 41

# What a GPU cannot do stays with the processor.
rm -rf out by_cpu
mkdir out by_cpu
"$XCODEC" encode -d cpu -e 3 -o by_cpu in/?.pam
check_status "effort 3" 0 "$XCODEC" encode -v -t 2 -e 3 -o out in/?.pam
check "the processor's files" diff -r by_cpu out
check "it did them" test -z "$(how_many 2)"

# A GPU wants the whole picture; where memory has no room for it, it streams.
mkdir large
{ printf 'P6 3000 2000 255\n' && head -c 18000000 /dev/zero; } >large/0.ppm
for i in 1 2 3 4 5 6; do
	ln large/0.ppm "large/$i.ppm"
done
rm -rf out
mkdir out
check_status "pictures that memory has no room for" 0 "$XCODEC" encode -v -t 2 -d auto --preset jpeg \
	--max-memory 16M -o out large/*.ppm
check "the processor did them" test -z "$(how_many 2)"
check_status "in a named GPU's memory" 1 "$XCODEC" encode -t 2 -d cuda --preset jpeg --max-memory 16M \
	-o out -f large/*.ppm

# Decoding, and a folder, of which nobody knows how much is in it.
rm -rf out
mkdir out
check_status "pictures from a folder" 0 "$XCODEC" encode --replace-suffix -t 2 -d auto -r -o out in
check "as many results" test "$(find out -name '*.xc' | wc -l)" -eq 41
mkdir pam_cpu pam_gpu
check_status "decode by the processor" 0 "$XCODEC" decode -d cpu --format pam -o pam_cpu out/*.xc
check_status "decode where it pays" 0 "$XCODEC" decode -v -t 2 -d auto --format pam -o pam_gpu out/*.xc
check "equal pictures" diff -r pam_cpu pam_gpu
check "the processor did them" test -z "$(how_many 2)"
check_status "decode with a GPU" 0 "$XCODEC" decode -f -v -t 2 -d cuda --format pam -o pam_gpu out/*.xc
check "equal pictures" diff -r pam_cpu pam_gpu
check "it did them" test "$(how_many 2)" -eq 41
check_status "1/4 by the processor" 0 "$XCODEC" decode -f -d cpu --scale 1/4 --format pam -o pam_cpu out/*.xc
check_status "1/4 with a GPU" 0 "$XCODEC" decode -f -v -t 2 -d cuda --scale 1/4 --format pam -o pam_gpu out/*.xc
check "equal pictures" diff -r pam_cpu pam_gpu
check "it did them" test "$(how_many 2)" -eq 41
first=$(find out -name '*.xc' | head -n 1)
check_status "a region with a GPU" 0 "$XCODEC" decode -f -d cuda --region 4x4+3+2 "$first" region.pam
check_status "by the processor" 0 "$XCODEC" decode --region 4x4+3+2 "$first" same.pam
check "equal pictures" cmp region.pam same.pam

done_testing
