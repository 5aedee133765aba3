#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# xcodec verify: files of every kind are good, and no flipped bit of theirs stays unseen.
# shellcheck disable=SC2016 # for the inner shell
. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
{
	printf 'P6\n61 47\n255\n'
	awk 'BEGIN { for (i = 0; i < 61 * 47; i++) { x = i % 61; y = int(i / 61)
		printf "%c%c%c", 33 + x * y % 67, 33 + (x + 2 * y) % 90, (x > y ? 40 : 120) } }'
} >in.ppm
{
	printf 'P7\nWIDTH 24\nHEIGHT 20\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n'
	awk 'BEGIN { for (i = 0; i < 24 * 20; i++) printf "%c%c", 33 + i % 90, 40 + i % 7 }'
} >in.pam
awk 'BEGIN { for (i = 0; i < 40 * 30; i++) printf "%c%c", 33 + i % 40 % 57, 64 }' >values
mkdir good flipped
"$XCODEC" encode in.ppm good/rans.xc
"$XCODEC" encode --entropy huffman in.ppm good/huffman.xc
"$XCODEC" encode --lossless in.ppm good/lossless.xc
"$XCODEC" encode in.pam good/alpha.xc
"$XCODEC" encode --raw u16,40x30 --max-error 2 values good/array.xc
if command -v cjpeg >/dev/null; then
	cjpeg -quality 90 -outfile in.jpg in.ppm
	"$XCODEC" encode --quiet in.jpg good/jpeg.xc
fi
"$XCODEC" verify -r good 2>stderr
check "good" grep -q " 0 damaged, 0 failed\$" stderr
check_equal "good: counted" "$(find good -type f | wc -l) files" "$(grep -o '^[0-9]* files' stderr)"
check "good: told" sh -c '"$0" verify -v good/rans.xc | grep -qx "good/rans.xc: picture, good"' "$XCODEC"
check "standard input" sh -c '"$0" verify --quiet - <good/array.xc' "$XCODEC"
check "a list" sh -c 'find good -type f -print0 | "$0" verify --list - -0' "$XCODEC"
check_equal "info: a folder" "$(find good -type f | wc -l)" "$("$XCODEC" info -r good | grep -c '^File ')"
check "info: a list" sh -c 'find good -type f -print0 | "$0" info --json --list - -0 | grep -qx "\["' "$XCODEC"
mkfifo pipe
check_status "a list: a pipe is not waited for" 1 sh -c 'echo pipe | "$0" verify --list -' "$XCODEC"
check_status "a pipe with a name is not waited for" 1 timeout 10 "$XCODEC" verify good/rans.xc pipe
check_status "info: nor is it" 1 timeout 10 "$XCODEC" info pipe
rm pipe
mkdir resumed && "$XCODEC" encode --quiet --resume -o resumed in.ppm
check_equal "what --resume notes is no input" "" "$("$XCODEC" verify -r resumed 2>&1 | grep 'passed over')"
mkdir none
check_equal "an empty folder: that is said" "0 pictures" "$("$XCODEC" encode -r -o good none 2>&1 | sed 's/,.*//')"
check_status "no file" 2 "$XCODEC" verify
check_status "no such file" 1 "$XCODEC" verify good/rans.xc none.xc
check_status "no XC file" 1 "$XCODEC" verify in.ppm
check_status "left out" 0 "$XCODEC" verify --exclude 'in*' in.ppm good/rans.xc

# Some forty bits of each file.
for file in good/*; do
	size=$(wc -c <"$file")
	name=${file#good/}
	at=8
	flips=0
	while [ "$at" -lt "$size" ]; do
		byte=$(od -An -tu1 -j "$at" -N 1 "$file")
		{
			head -c "$at" "$file"
			# shellcheck disable=SC2059 # the byte
			printf "\\$(printf %o $((byte ^ 1 << at % 8)))"
			tail -c +$((at + 2)) "$file"
		} >"flipped/$at-$name"
		flips=$((flips + 1))
		at=$((at + 1 + size / 40))
	done
	"$XCODEC" verify -v flipped/*-"$name" >stdout 2>stderr
	check_equal "flipped bits are found: $name" "$flips files: 0" \
		"$(sed -n 's/^\([0-9]* files\), .*: \([0-9]*\) good.*/\1: \2/p' stderr)"
	rm flipped/*
done
head -c -30 good/rans.xc >short.xc
check_status "damaged, and another that cannot be read" 3 "$XCODEC" verify none.xc short.xc
: >empty.xc
check_status "an empty file that is named as one" 3 "$XCODEC" verify empty.xc good/rans.xc
check_status "damaged" 3 "$XCODEC" verify short.xc good/rans.xc
check "damaged: segments are counted" grep -q '^xcodec: short.xc: .* segments\{0,1\} .*damaged' stderr
if "$XCODEC" verify --help | grep -q 'of a tar file'; then
	cp short.xc good && tar -cf all.tar good
	check_status "a tar file" 3 "$XCODEC" verify all.tar
	check "a tar file: its entry" grep -q '^xcodec: all.tar/good/short.xc: ' stderr
	check "a tar file: the sum" grep -q ' good, 1 damaged, 0 failed$' stderr
	check_equal "a tar file: nothing else is said" 2 "$(wc -l <stderr)"
fi
done_testing
