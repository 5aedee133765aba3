#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# `xcodec decode` against the reference decoder, byte by byte; and the example in
# doc/format.md is a file.

. "${srcdir:-.}/tests/support/tap.sh"

refdec=$BUILDDIR/tests/format/refdec

# same NAME FILE.xc
same() {
	if "$XCODEC" decode --quiet --force "$2" "$tmp/xcodec.pam" >"$tmp/out" 2>&1 &&
		"$refdec" "$2" "$tmp/refdec.pam" >>"$tmp/out" 2>&1 &&
		cmp "$tmp/xcodec.pam" "$tmp/refdec.pam" >>"$tmp/out" 2>&1; then
		ok "$1"
	else
		not_ok "$1" "$(cat "$tmp/out")"
	fi
}

# A quarter of meadow.png, for what neither threads nor many tiles matter to: the second decoder is slow.
"$XCODEC" encode --quiet -q 95 "$SRCDIR/samples/meadow.png" "$tmp/file.xc" &&
	"$XCODEC" decode --quiet --region 384x256+200+150 "$tmp/file.xc" "$tmp/small.png" || exit 99

# encoded PICTURE OPTION...
encoded() {
	name=$1
	shift
	picture_file=$SRCDIR/samples/$name
	[ "$name" != small.png ] || picture_file=$tmp/$name
	check "encode $name $*" "$XCODEC" encode --quiet --force "$@" "$picture_file" "$tmp/file.xc"
	same "decode $name $*" "$tmp/file.xc"
}

for picture in grey grey16 rgb16 rgba; do
	encoded "$picture.png" -q 90
	encoded "$picture.png" -q 30 --tables flat --huffman default -s 444
done
for effort in 0 1 2 3; do
	encoded small.png --effort $effort
	encoded rgb16.png --effort $effort -q 60 -s 422
	encoded grey.png --effort $effort --huffman default
done
encoded meadow.png -q 100 -s 422 --threads 3
encoded meadow.png -s grey --tables flat
for transform in lot tdlt; do
	for effort in 0 1 2 3; do
		encoded small.png --transform "$transform" --effort $effort
	done
	encoded rgb16.png --transform "$transform" -q 95 -s 422 --threads 3
	encoded grey.png --transform "$transform" -q 10
done

for subsampling in 420 422 444 grey; do
	encoded rgb16.png -s $subsampling -q 85 --effort 3
	encoded rgba.png -s $subsampling -q 50 --effort 2
done

for effort in 0 2; do
	for transform in dct lot tdlt; do
		encoded small.png -s 444 --colour picture --transform $transform --effort $effort
		encoded rgb16.png -s 444 --colour picture --transform $transform --effort $effort
	done
	encoded small.png -s 444 --colour picture --entropy rans --effort $effort
	encoded rgba.png -s 444 --colour picture -q 95 --effort $effort --huffman default
done

# rANS; at effort 3 with frequencies of the file's own, where they pay.
for picture in grey grey16 rgb16 rgba; do
	for effort in 0 1 2 3; do
		encoded $picture.png --entropy rans --effort $effort -q 90
	done
	encoded $picture.png --entropy rans --tables sloped -s 444 -q 30
done
for effort in 0 1 2 3; do
	encoded meadow.png --entropy rans --effort $effort --threads 3
	encoded small.png --entropy rans --effort $effort --transform lot -s 422 -q 100
	encoded small.png --entropy rans --effort $effort --transform tdlt --tables sloped -q 10
done
for quality in 1 25 49 50 95 100; do
	encoded rgb16.png --entropy rans --tables sloped --transform tdlt -q $quality
	encoded small.png --tables sloped -q $quality
	for subsampling in 420 422 444 grey; do
		encoded small.png --entropy rans --effort 3 -s $subsampling -q $quality
	done
done
check "small.png has frequencies of its own" grep -q RANS "$tmp/file.xc"

# The rows of numbers of 5.12.7 and 5.12.8 are those of the second decoder.
rows() {
	tr '{' '\n' | tr -s ' \t,}' ' ' | sed -n 's/^ *\([0-9][0-9 ]*[0-9]\) *$/\1/p' | sort
}
sed -n '/^#### 5.12.7/,/^#### 5.12.9/s/^    //p' "$SRCDIR/doc/format.md" |
	sed -E 's/^(AC, row [0-9]|flag [0-9]|[A-Z]+[0-9]?) //' | rows >"$tmp/document"
sed -n '/^const/,/^}/p' "$SRCDIR/tests/format/refdec_model.c" | rows >"$tmp/source"
check "numbers of doc/format.md" cmp "$tmp/document" "$tmp/source"
check_equal "rows of numbers" 136 "$(($(wc -l <"$tmp/document")))"

# Without loss, and nearly.
for picture in small grey grey16 rgb16 rgba; do
	for effort in 0 1 2 3; do
		encoded $picture.png --lossless --effort $effort
	done
	encoded $picture.png --max-error 3
done

# Random files of both versions, and some that are encoded.
mkdir "$tmp/seeds"
check "write random files" "$BUILDDIR/fuzz/decode" -w "$tmp/seeds"
for file in "$tmp"/seeds/*; do
	same "decode ${file##*/}" "$file"
done

# Appendix A: the lines of its diagram, hexadecimal numbers and then words.
sed -n '/^## Appendix A/,/^## Appendix B/p' "$SRCDIR/doc/format.md" |
	sed -n 's/^    \(\([0-9a-f][0-9a-f] \{0,1\}\)*\).*/\1/p' | tr ' ' '\n' |
	sed '/^$/d' >"$tmp/bytes"
while read -r byte; do
	# shellcheck disable=SC2059 # the escape is meant for printf
	printf "\\$(printf %03o "0x$byte")"
done <"$tmp/bytes" >"$tmp/example.xc"
check_equal "the example in doc/format.md has 110 bytes" 110 "$(($(wc -c <"$tmp/example.xc")))"
same "the example in doc/format.md is a file" "$tmp/example.xc"
check_equal "its pixel is 200" 200 "$(tail -c 1 "$tmp/refdec.pam" | od -An -tu1 | tr -d ' ')"

check_status "refdec without arguments" 2 "$refdec"
check_status "refdec of something else" 1 "$refdec" "$SRCDIR/samples/grey.png" "$tmp/none.pam"
check_equal "leaves no file" "" "$(ls "$tmp/none.pam" 2>/dev/null)"

done_testing
