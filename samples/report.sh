#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the project's own report of a sweep, on pictures that anybody may pass on: `samples/report.sh [FOLDER]` after
# building in build/.  FOLDER, by default build/report, gets report.html, numbers.csv, table.txt, the pictures,
# and, with Chromium and cwebp, report.webp, which is doc/report.webp.
set -e

top=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILDDIR:-$top/build}
folder=${1:-$build/report}
mkdir -p "$folder"
cd "$folder"

cp "$top/samples/meadow.png" .
"$build/samples/make_scene" meadow tall.png 640 960

"$build/xcodec" sweep --force --quiet --curves none --qualities 5:95:5 \
	--config 'jpeg-like: --preset jpeg' \
	--config 'DCT: --transform dct' \
	--config 'TDLT: --transform tdlt' \
	--csv numbers.csv --html report.html meadow.png tall.png >table.txt

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
command -v cwebp >/dev/null || exit 0
"$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,1800 \
	--virtual-time-budget=10000 --screenshot="$PWD/shot.png" "file://$PWD/report.html" 2>/dev/null
cwebp -quiet -q 80 shot.png -o report.webp
rm shot.png
