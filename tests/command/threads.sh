#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The command writes the same bytes and the same pixels for every number of threads
# and every SIMD level (chosen by the environment variable XC_CPU).

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
samples=$SRCDIR/samples

# The levels that this processor and build have.
ways='1:auto 2:auto 7:auto'
threads=1
for level in sse2 avx2 avx512 neon; do
	printf 'P2 1 1 255 7\n' | XC_CPU=$level "$XCODEC" encode - - >/dev/null 2>err || {
		check "level $level is refused for what it is" grep -q "lacks $level" err
		continue
	}
	ways="$ways $threads:$level"
	threads=$((threads + 1))
done
echo "# threads and levels: $ways"

# everywhere NAME PICTURE OPTION...: by plain C with one thread, then by the others.
everywhere() {
	name=$1
	picture=$2
	shift 2
	XC_CPU=scalar "$XCODEC" encode -t 1 "$@" "$picture" plain.xc &&
		XC_CPU=scalar "$XCODEC" decode -t 1 --format pam plain.xc plain.pam || {
		not_ok "$name: plain C with one thread"
		return
	}
	for way in $ways; do
		threads=${way%:*}
		XC_CPU=${way#*:}
		export XC_CPU
		rm -f other.xc other.pam
		"$XCODEC" encode -t "$threads" "$@" "$picture" other.xc
		check "$name: bytes, $threads threads, $XC_CPU" cmp plain.xc other.xc
		"$XCODEC" decode -t "$threads" --format pam plain.xc other.pam
		check "$name: pixels, $threads threads, $XC_CPU" cmp plain.pam other.pam
	done
	unset XC_CPU
	rm -f plain.xc plain.pam
}

for picture in meadow rgba rgb16 grey grey16; do
	everywhere "$picture" "$samples/$picture.png"
done
everywhere "meadow 4:4:4" "$samples/meadow.png" -q 92 -s 444 --huffman default
everywhere "meadow LOT" "$samples/meadow.png" --transform lot
everywhere "meadow TDLT 4:4:4" "$samples/meadow.png" -q 50 -s 444 --transform tdlt
everywhere "meadow 4:2:2" "$samples/meadow.png" -q 20 -s 422 --tables flat
for picture in meadow rgba rgb16 grey grey16; do
	everywhere "$picture rANS" "$samples/$picture.png" --entropy rans
done
everywhere "meadow rANS TDLT, own components" "$samples/meadow.png" -q 85 -s 444 --transform tdlt \
	--entropy rans --colour picture
everywhere "rgb16 rANS, effort 0, 4:2:2" "$samples/rgb16.png" -s 422 --entropy rans -e 0
everywhere "meadow, own components" "$samples/meadow.png" -s 444 --colour picture

done_testing
