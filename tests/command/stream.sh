#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `xcodec encode` reads and writes piece by piece: the same file from a pipe, with any number of
# threads, and never a part of one where the input ends too early or the output is full.

. "${srcdir:-.}/tests/support/tap.sh"

tile=$BUILDDIR/bench/tools/tile
[ -x "$tile" ] || skip_all "no $tile"
cd "$tmp" || exit 99
if [ -n "$SHARED" ] && [ -d "$SHARED/data/kodak" ]; then
	set -- "$SHARED"/data/kodak/*.png
else
	set -- "$SRCDIR/samples/meadow.png"
fi
"$tile" -s 3000x3100 in.ppm "$@" || exit 99

# one MODE OPTION...: the same bytes in three ways, which can be decoded.
one() {
	name=$1
	shift
	check "$name" "$XCODEC" encode "$@" -t 1 in.ppm a.xc
	"$XCODEC" encode "$@" -t 2 - - <in.ppm >b.xc
	check "$name, from and to pipes" cmp a.xc b.xc
	"$XCODEC" encode "$@" -t 3 in.ppm - | cat >b.xc
	check "$name, three threads" cmp a.xc b.xc
	check "$name, decoded" "$XCODEC" decode -f a.xc out.ppm
	rm -f a.xc
}
one "defaults"
one "as JPEG" --preset jpeg
one "built-in codes" --preset jpeg --huffman default
one "learnt from the first piece" --entropy huffman --tune psnr

# XC files pass through memory as a whole.
"$XCODEC" encode -q 30 - c.xc <b.xc && "$XCODEC" encode -q 30 b.xc d.xc
check "XC from a pipe" cmp c.xc d.xc
rm -f ./*.xc

head -c 20000000 in.ppm >short.ppm
if "$XCODEC" encode short.ppm a.xc 2>err; then
	not_ok "a picture that ends too early"
else
	check "a picture that ends too early is one line" test "$(wc -l <err)" -eq 1
fi
check "no file is left of it" test -z "$(find . -name '*.xc' -o -name '*.tmp' -o -name '.xcodec*')"
if [ -c /dev/full ]; then
	"$XCODEC" encode -f in.ppm /dev/full 2>err
	check "a full device: status 1" test $? -eq 1
	check "a full device is one line" test "$(grep -c 'cannot write' err) $(wc -l <err)" = "1 1"
fi

done_testing
