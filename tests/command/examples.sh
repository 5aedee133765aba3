#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The programs of examples/ do what the command does, and compile without what this build sets.

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
examples=$BUILDDIR/examples
awk 'BEGIN { printf "P6 300 200 255\n"; for (i = 0; i < 180000; i++) printf "%c", 33 + (i * i % 997 + i / 900) % 90 }' >in.ppm
"$XCODEC" encode in.ppm a.xc || skip_all "cannot encode at all"
"$XCODEC" decode a.xc a.ppm
"$XCODEC" decode a.xc a.pam

check "encode" "$examples/encode" in.ppm b.xc
check "encode: the same file" cmp a.xc b.xc
"$XCODEC" encode -q 40 in.ppm q40.xc
check "encode at another quality" "$examples/encode" in.ppm b.xc 40
check "encode at another quality: the same file" cmp q40.xc b.xc
check "decode" "$examples/decode" a.xc b.pam
check "decode: the same picture" cmp a.pam b.pam
"$examples/stream" encode <in.ppm >b.xc
check "stream encode: the same file" cmp a.xc b.xc
"$examples/stream" decode <a.xc >b.ppm
check "stream decode: the same picture" cmp a.ppm b.ppm
"$XCODEC" decode --region 50x40+100+30 a.xc part.ppm
"$examples/region" a.xc 100 30 50 40 1 >b.ppm
check "region: the same part" cmp part.ppm b.ppm
"$XCODEC" decode --scale 1/4 a.xc small.ppm
"$examples/region" a.xc 0 0 0 0 4 >b.ppm
check "region: the same small picture" cmp small.ppm b.ppm

head -c 300 a.xc >cut.xc
check_status "decode what is cut off" 1 "$examples/decode" cut.xc cut.pam
check "it says why" grep -q '^cut.xc: .' stderr
# shellcheck disable=SC2016 # that is the inner shell's
check_status "stream decode of no XC file" 1 sh -c '"$1" decode <in.ppm >b.ppm' sh "$examples/stream"
check_status "encode no PPM" 1 "$examples/encode" a.xc b.xc
for program in encode decode region; do
	check_status "$program without files" 2 "$examples/$program"
done

for source in "$SRCDIR"/examples/*.c; do
	name=${source##*/}
	# CC may hold options.
	# shellcheck disable=SC2086
	check "$name compiles as C11" ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
		-I"$SRCDIR/include" "$source"
	check "$name is short" test "$(wc -l <"$source")" -lt 80
done

done_testing
