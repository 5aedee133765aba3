#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the project's own report of a sweep, on pictures that anybody may pass on: `samples/report.sh [FOLDER]` from
# the top of the tree after building in build/.  FOLDER, by default build/report, gets report.html, numbers.csv,
# the pictures, the curves as SVG, and, where Chromium is installed, shot.png, a view of the page like doc/report.webp.
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
	--csv numbers.csv --html report.html --svg curves meadow.png tall.png

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
"$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1180,1440 \
	--virtual-time-budget=10000 --screenshot="$PWD/shot.png" "file://$PWD/report.html" 2>/dev/null
