#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Coding without loss: what its options exclude, and what the command says of it.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
printf 'P6 4 2 255\n123456789abcdefghijklmno' >a.ppm

# excludes NAME OPTION...: the options exclude each other, which one line says.
excludes() {
	what=$1
	shift
	rm -f o.xc
	check_status "$*" 2 "$XCODEC" encode "$@" a.ppm o.xc
	check "one line says that of $*" grep -q -e "^xcodec: encode: $what exclude each other" stderr
	check "no file: $*" test ! -e o.xc
}

excludes "--lossless and --quality" --lossless -q 90
excludes "--lossless and --target-size" --mode lossless --target-size 1K
excludes "--lossless and --preset" --lossless --preset jpeg
excludes "--lossless and --subsampling" -s 420 --lossless
excludes "--lossless and --tables" --lossless --tables flat
excludes "--max-error and --target-psnr" --max-error 1 --target-psnr 40
excludes "--max-error and --mode lossy" --max-error 1 --lossy
excludes "--max-error and --mode lossless" --lossless --max-error 1
excludes "--max-error and --mode lossless" --max-error 1 --lossless
check_status "no number of samples" 1 "$XCODEC" encode --max-error 4096 a.ppm o.xc
for options in --lossless "--max-error 0" "--lossless -e 0 --clear-transparent" "--lossless --lossy -q 90" \
	"--mode auto -q 90 -s 444" "--mode auto --target-psnr 30"; do
	# shellcheck disable=SC2086 # words
	check_status "$options" 0 "$XCODEC" encode -f $options a.ppm o.xc
done
check_status "a GPU for what is lossless" 0 "$XCODEC" encode -f --lossless -d cuda a.ppm o.xc
check_equal "a line says who codes it" \
	"xcodec: encode: warning: coding without loss is done by the processor, not by a GPU" "$(cat stderr)"

done_testing
