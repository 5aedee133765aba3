#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Peak memory of encoding and decoding a picture of 4608x4096 pixels: at most 2.5 times
# its raw size plus 64 MiB.

. "${srcdir:-.}/tests/support/tap.sh"

peak=$BUILDDIR/bench/tools/peak
tile=$BUILDDIR/bench/tools/tile
for program in "$peak" "$tile"; do
	[ -x "$program" ] || skip_all "no $program"
done
[ -z "${XC_EMULATOR-}" ] || skip_all "an emulator takes memory of its own"
if grep -q __asan_init "$XCODEC" || grep -q __ubsan_handle "$XCODEC"; then
	skip_all "sanitizers take memory of their own"
fi

cd "$tmp" || exit 99
if [ -n "$SHARED" ] && [ -d "$SHARED/data/kodak" ]; then
	set -- "$SHARED"/data/kodak/*.png
else
	set -- "$SRCDIR/samples/meadow.png"
fi
"$tile" -s 4608x4096 in.ppm "$@" || exit 99
limit=$(((4608 * 4096 * 3 * 5 / 2 + 64 * 1048576) / 1024))

# small NAME COMMAND...: the command succeeds within the limit.
small() {
	name=$1
	shift
	if "$peak" "$@" >out 2>err; then
		kib=$(sed -n 's/^peak \([0-9]*\) KiB.*/\1/p' err)
		echo "# $name: $(tail -n 1 err)"
		check "$name: ${kib:-unknown} KiB of $limit" test "${kib:-$limit}" -lt "$limit"
	else
		not_ok "$name" "$(cat err)"
	fi
}

for threads in 1 2; do
	small "encode, $threads threads" "$XCODEC" encode -f -t $threads in.ppm a.xc
	small "decode, $threads threads" "$XCODEC" decode -f -t $threads a.xc a.ppm
done
small "encode 4:4:4, quality 95" "$XCODEC" encode -f -q 95 -s 444 in.ppm a.xc
small "decode 4:4:4, quality 95" "$XCODEC" decode -f a.xc a.ppm
if [ -n "${XC_LONG:-}" ]; then
	small "decode to PNG" "$XCODEC" decode -f --png-level 1 a.xc a.png
	small "encode from PNG" "$XCODEC" encode -f a.png b.xc
	small "compare" "$XCODEC" compare in.ppm a.ppm
fi

done_testing
