#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# --device and what the command says about GPUs, where there may be none.

# shellcheck source=tests/support/tap.sh
. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
picture=$SRCDIR/samples/rgba.png
missing=$tmp/missing.so

# one_line FILE: exactly one line that begins with the program's name
one_line() {
	[ "$(wc -l <"$1")" -eq 1 ] && grep -q '^xcodec: ' "$1"
}

check_status "info --devices" 0 "$XCODEC" info --devices
check "it names the processor's level" grep -q '^cpu ' stdout
check "it says something about CUDA" grep -q '^cuda' stdout
check_status "info --devices --json" 0 "$XCODEC" info --devices --json
check "it has a list of GPUs" grep -q '"cuda": \[' stdout
check_status "info --devices takes no file" 2 "$XCODEC" info --devices x.xc
check_status "info without anything" 2 "$XCODEC" info
check_status "info --devices without a module" 0 \
	env XC_CUDA_MODULE="$missing" "$XCODEC" info --devices
check "it says why" grep -q "^cuda.*$missing" stdout

check_status "encode on the processor" 0 "$XCODEC" encode -d cpu --preset jpeg "$picture" cpu.xc
check_status "encode where it pays" 0 "$XCODEC" encode -d auto --preset jpeg "$picture" auto.xc
check "the files are equal" cmp cpu.xc auto.xc
check_status "auto without a module" 0 \
	env XC_CUDA_MODULE="$missing" "$XCODEC" encode -f -d auto --preset jpeg "$picture" auto.xc
check "the files are equal again" cmp cpu.xc auto.xc
check_status "decode on the processor" 0 "$XCODEC" decode -d cpu cpu.xc cpu.pam
check_status "decode where it pays" 0 "$XCODEC" decode -d auto cpu.xc auto.pam
check "the pictures are equal" cmp cpu.pam auto.pam

for command in "encode $picture" "decode cpu.xc"; do
	# shellcheck disable=SC2086 # two words
	check_status "${command%% *} on a GPU without a module" 1 \
		env XC_CUDA_MODULE="$missing" "$XCODEC" $command -d cuda out.pam --format xc
	check "one line says so" one_line stderr
	check "nothing is written" test ! -e out.pam
done
: >not-a-module.so
check_status "a module that is none" 1 \
	env XC_CUDA_MODULE="$tmp/not-a-module.so" "$XCODEC" encode -d cuda "$picture" out.xc
check "one line says so" one_line stderr
check_status "a GPU that is not there" 1 "$XCODEC" encode -d cuda:9999 "$picture" out.xc
check "one line says so" one_line stderr
check_status "a device of no kind" 2 "$XCODEC" encode -d tpu "$picture" out.xc
check_status "a number that is none" 2 "$XCODEC" encode -d cuda:x "$picture" out.xc
check "nothing is written" test ! -e out.xc
check_status "bench gpu without a module" 1 \
	env XC_CUDA_MODULE="$missing" "$XCODEC" bench gpu "$picture"
check "one line says so" one_line stderr
check_status "bench gpu without a picture either" 1 \
	env XC_CUDA_MODULE="$missing" "$XCODEC" bench gpu
check "one line says so" one_line stderr

if "$XCODEC" info --devices | grep -q '^cuda:0'; then
	for option in "--effort 3" "--entropy rans --effort 3"; do
		# shellcheck disable=SC2086 # words
		check_status "$option, a GPU asked for" 1 \
			"$XCODEC" encode -d cuda --preset jpeg $option "$picture" out.xc
		check "one line says what to pass" grep -q '^xcodec: .*; --[a-z]* [a-z0-9]*[ ,]' stderr
		# shellcheck disable=SC2086 # words
		"$XCODEC" encode -fv -d auto --preset jpeg $option "$picture" other.xc 2>stderr
		check "$option where it pays: the processor did it" grep -q '^  by cpu$' stderr
	done
	for option in "--effort 0" "--entropy rans" "-s 444 --colour picture" "--entropy rans --effort 2"; do
		# shellcheck disable=SC2086 # words
		"$XCODEC" encode -f -d cpu --preset jpeg $option "$picture" other.xc
		# shellcheck disable=SC2086 # words
		check_status "$option, a GPU asked for" 0 \
			"$XCODEC" encode -f -d cuda --preset jpeg $option "$picture" own.xc
		check "the file is the processor's" cmp other.xc own.xc
		# shellcheck disable=SC2086 # words
		"$XCODEC" encode -fv -d auto --preset jpeg $option "$picture" own.xc 2>stderr
		check "$option where it pays: the processor did it" grep -q '^  by cpu$' stderr
		"$XCODEC" decode -fv -d auto other.xc other.pam 2>stderr
		check "$option: decoded by the processor" grep -q '^  by cpu$' stderr
		check_status "$option: decode on the GPU" 0 "$XCODEC" decode -fv -d cuda other.xc gpu.pam
		check "it did it" grep -q '^  by cuda:0$' stderr
		check "the pictures are equal" cmp gpu.pam other.pam
		for scale in 2 4 8; do
			"$XCODEC" decode -f -d cpu --scale 1/$scale other.xc other.pam
			check_status "$option: decode 1/$scale on the GPU" 0 \
				"$XCODEC" decode -fv -d cuda --scale 1/$scale other.xc gpu.pam
			check "it did it" grep -q '^  by cuda:0$' stderr
			check "the pictures are equal" cmp gpu.pam other.pam
		done
	done
	check_status "encode on the GPU" 0 "$XCODEC" encode -d cuda --preset jpeg "$picture" gpu.xc
	check "the file is the processor's" cmp cpu.xc gpu.xc
else
	skip "encode on the GPU" "no GPU"
fi

done_testing
