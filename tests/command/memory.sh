#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Peak memory of encoding and decoding a picture of 4608x4096 pixels.  Decoding takes at most 2.5
# times its raw size plus 64 MiB.  Encoding takes 24 MiB, and 0.7 bytes a pixel more with codes
# for the picture, or the pixels of a piece more where something is learnt from it.

. "${srcdir:-.}/tests/support/tap.sh"

can_measure_memory

cd "$tmp" || exit 99
if [ -n "$SHARED" ] && [ -d "$SHARED/data/kodak" ]; then
	set -- "$SHARED"/data/kodak/*.png
else
	set -- "$SRCDIR/samples/meadow.png"
fi
"$tile" -s 4608x4096 in.ppm "$@" || exit 99
most=$(((4608 * 4096 * 3 * 5 / 2 + 64 * 1048576) / 1024))
rows=$((24 * 1024))
tokens=$((4608 * 4096 * 7 / 10 / 1024))
piece=$((9000000 * 3 / 1024))

# small LIMIT NAME COMMAND...: the command succeeds within so many KiB.
small() {
	limit=$1
	name=$2
	shift 2
	if "$peak" "$@" >out 2>err; then
		kib=$(sed -n 's/^peak \([0-9]*\) KiB.*/\1/p' err)
		echo "# $name: $(tail -n 1 err)"
		check "$name: ${kib:-unknown} KiB of $limit" test "${kib:-$limit}" -lt "$limit"
	else
		not_ok "$name" "$(cat err)"
	fi
}

for threads in 1 2; do
	small $rows "encode, $threads threads" "$XCODEC" encode -f -t $threads in.ppm a.xc
	small $((rows + tokens)) "codes for the picture, $threads threads" \
		"$XCODEC" encode -f -t $threads --preset jpeg in.ppm b.xc
	small $rows "built-in codes, $threads threads" \
		"$XCODEC" encode -f -t $threads --preset jpeg --huffman default in.ppm b.xc
	small $((rows + piece)) "effort 3, $threads threads" \
		"$XCODEC" encode -f -t $threads -e 3 in.ppm b.xc
	small $most "decode, $threads threads" "$XCODEC" decode -f -t $threads a.xc a.ppm
done
small $((rows + piece)) "encode 4:4:4, quality 95" "$XCODEC" encode -f -q 95 -s 444 in.ppm a.xc
small $most "decode 4:4:4, quality 95" "$XCODEC" decode -f a.xc a.ppm
if [ -n "${XC_LONG:-}" ]; then
	small $most "decode to PNG" "$XCODEC" decode -f --png-level 1 a.xc a.png
	small $most "encode from PNG" "$XCODEC" encode -f a.png b.xc
	small $most "compare" "$XCODEC" compare in.ppm a.ppm
fi

done_testing
