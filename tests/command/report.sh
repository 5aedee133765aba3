#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The report of a sweep: well-formed, whatever the names are, and at work in a browser, which is Chromium if it
# is installed.  XC_AXE names the file axe.min.js of axe-core, which then looks for what bars readers.
# shellcheck disable=SC2317 # the functions are run through `check`
. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
report=$BUILDDIR/tests/support/report
samples=$SRCDIR/samples

"$BUILDDIR/samples/make_scene" meadow meadow.png 192 128
check "a report" "$report" good.html "$samples/grey.png" meadow.png
check "a report of hostile names" "$report" --hostile hostile.html \
	"$samples/grey.png" "$samples/rgba.png" "$samples/rgb16.png" "$samples/grey16.png"

# Without any tool: no name opens an element or ends one.
no_elements_of_names() {
	! grep -q -e '<b onclick' -e '<!--<script' -e '</script><b' hostile.html
}
check "names are escaped" no_elements_of_names
as_many_ends() {
	[ "$(grep -o '<script[ >]' hostile.html | wc -l)" -eq "$(grep -o '</script>' hostile.html | wc -l)" ]
}
check "each script ends" as_many_ends
utf8() {
	! command -v iconv >/dev/null || iconv -f UTF-8 -t UTF-8 "$1" >/dev/null
}
check "the page is UTF-8" utf8 hostile.html

# shellcheck disable=SC2154 # tap_python is tap.sh's
if [ -n "$tap_python" ]; then
	check "well-formed" "$tap_python" "$SRCDIR/tests/support/page.py" good.html \
		'j["pictures"] == ["grey.png", "meadow.png"] and len(j["rows"]) == 3'
	check "well-formed with hostile names" "$tap_python" "$SRCDIR/tests/support/page.py" hostile.html \
		'j["configs"][0] == "</script><b>\"x\" & \x27y\x27" and
			j["configs"][1].startswith("\ufffd\ufffd\ufffd @@data@@") and
			j["pictures"][0].startswith("</script><b onclick=\"alert(1)\">\ufffd(")'
else
	skip "well-formed" "no python3"
fi

# ------------------------------------------------------------------ in a browser
for program in chromium chromium-browser google-chrome; do
	browser=$(command -v "$program") && break
done

# in_browser PAGE WIDTH: the page's own script does its work, and says nothing on the console.
in_browser() {
	sed '/^<\/body>$/,$d' "$1" >probed.html
	{
		[ -z "${XC_AXE-}" ] || { echo '<script>' && cat "$XC_AXE" && echo '</script>'; }
		echo '<script type="module">'
		cat "$SRCDIR/sweep/report/page/curves.js" "$SRCDIR/tests/support/page_probe.js"
		printf '</script>\n</body>\n</html>\n'
	} >>probed.html
	timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" \
		--no-first-run --disable-background-networking --enable-logging=stderr --window-size="$2,900" \
		--virtual-time-budget=20000 --dump-dom "file://$tmp/probed.html" >dom.html 2>browser.log
	grep 'CONSOLE' browser.log
	sed -n 's/.* data-probe="\([^"]*\)".*/\1/p' dom.html | head -n 1
	! grep -q 'CONSOLE' browser.log && grep -q ' data-probe="ok"' dom.html
}
if [ -n "$browser" ]; then
	check "in a browser" in_browser good.html 1280
	check "in a narrow browser" in_browser good.html 390
	check "in a browser, with hostile names" in_browser hostile.html 1280
else
	skip "in a browser" "no chromium"
fi

done_testing
