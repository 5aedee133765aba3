#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the pictures of doc/transforms.md again: `samples/transforms.sh [FOLDER]` after building in build/ (with `make lab`).
# Parts of pictures are enlarged twice by Netpbm, and all are written by cwebp.
set -e

top=$(cd "$(dirname "$0")/.." && pwd)
xcodec=${XCODEC:-${BUILDDIR:-$top/build}/xcodec}
folder=${1:-$top/doc/transforms}
meadow=$top/samples/meadow.png
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

"$xcodec" generate --basis cpu-definition-lines --size 8x1 --zoom 12 lines.png
"$xcodec" generate --basis cpu-aan dct.png
"$xcodec" generate --basis cpu-flot-symmetric --zoom 2 lot.png
"$xcodec" generate --basis cpu-genlot --zoom 2 genlot.png
for name in lines dct lot genlot; do
	cwebp -quiet -lossless -z 9 $name.png -o "$folder/$name.webp"
done

# part FILE.xc NAME: rock before the sky, at the upper right.
part() {
	"$xcodec" decode -f --region 112x96+520+136 "$1" part.ppm
	pamenlarge 2 part.ppm >large.ppm
	cwebp -quiet -q 85 large.ppm -o "$folder/$2.webp"
}
for name in dct lot tdlt; do
	"$xcodec" encode -q 6 --preset jpeg --transform $name "$meadow" $name.xc
	part $name.xc edges-$name
done
"$xcodec" transform threshold --keep 0.0625 "$meadow" keep.png >log
"$xcodec" transform threshold --corner 192x128 "$meadow" corner.png >log
cp "$meadow" original.png
for name in original keep corner; do
	"$xcodec" encode --lossless $name.png $name.xc
	part $name.xc $name
done
