#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The npm package in headless Chromium: makes files of every kind, packs web/package of the build,
# installs the tarball into an empty folder, and lets check.mjs compare what the browser makes of
# the files with what the command makes of them.  `make check-web` runs it; the folder
# $XC_NODE_MODULES (default: node_modules in the build) has playwright-core.

. "${srcdir:-$(dirname "$0")/../..}/tests/support/tap.sh"

modules=${XC_NODE_MODULES:-$BUILDDIR/node_modules}
for program in "${EMCC:-emcc}" node npm; do
	command -v "$program" >/dev/null || skip_all "there is no $program"
done
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome)} || skip_all "there is no chromium"
[ -d "$modules/playwright-core" ] || skip_all "$modules has no playwright-core (npm install playwright-core)"
export CHROMIUM

files=$tmp/files
mkdir "$files"
cd "$files" || exit 99

# encode NAME PICTURE [OPTION...]
encode() {
	name=$1 picture=$2
	shift 2
	"$XCODEC" encode --quiet "$@" "$picture" "$name.xc" || exit 99
}
# damage NAME OFFSET: a copy with one byte changed
damage() {
	{
		head -c "$2" "$1.xc"
		printf '\125\252\125'
		tail -c +"$(($2 + 4))" "$1.xc"
	} >"damaged-$1.xc"
}

meadow=$SRCDIR/samples/meadow.png
encode default "$meadow"
encode dct420 "$meadow" --transform dct -s 420
encode dct444 "$meadow" --transform dct -s 444 -q 92
encode lot422 "$meadow" --transform lot -s 422
encode tdlt444 "$meadow" --transform tdlt -s 444 -q 30
encode huffman "$meadow" --entropy huffman
encode preset "$meadow" --preset jpeg
encode picture "$meadow" --colour picture
encode noise "$meadow" -q 100 --transform dct
encode lossless "$meadow" --lossless
encode near "$meadow" --max-error 2
for name in grey grey16 rgb16 rgba; do
	encode "$name" "$SRCDIR/samples/$name.png"
	encode "$name-lossy" "$SRCDIR/samples/$name.png" --lossy
done
"$XCODEC" encode --quiet --lossless "$SRCDIR/samples/rgb16.png" rgb16-exact.xc || exit 99
"$XCODEC" decode default.xc kept.jpg 2>/dev/null && encode kept kept.jpg || exit 99
# More than one piece of a file, which are 2^23 pixels or more.
node "$SRCDIR/tests/web/check.mjs" --large "$files/large.ppm" && encode large "$files/large.ppm" || exit 99
for name in default lossless huffman kept rgba; do
	damage "$name" "$(($(wc -c <"$name.xc") / 2))"
done
damage preset 30
head -c 40000 default.xc >cut.xc
head -c 20 default.xc >head.xc
echo "no picture" >none.xc

mkdir "$tmp/app"
cd "$tmp/app" || exit 99
npm pack --silent --offline --pack-destination "$tmp" "$BUILDDIR/web/package" >"$tmp/tarball" || exit 99
check "npm installs the tarball into an empty folder" \
	npm install --silent --offline --no-audit --no-fund "$tmp/$(cat "$tmp/tarball")"
cp "$SRCDIR/tests/web/page.html" "$tmp/app"
echo 'import "./node_modules/xcodec/xcodec-sw.js";' >"$tmp/app/sw.js"
mv "$files" "$tmp/app/files"
cp -R "$SRCDIR/tests/vectors" "$tmp/app/vectors"

# Its lines are those of the cases in the browser.
XC_NODE_MODULES=$modules node "$SRCDIR/tests/web/check.mjs" "$tmp/app" >"$tmp/lines"
check_equal "all cases in the browser were tried" 0 $?
cat "$tmp/lines"
tap_passed=$((tap_passed + $(grep -c '^ok' "$tmp/lines")))
tap_failed=$((tap_failed + $(grep -c '^not ok' "$tmp/lines")))
echo "$tap_passed passed, $tap_failed failed"
done_testing
