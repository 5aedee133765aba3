#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The manual pages of the library: every function, struct and enum is in one, as the header declares it.

. "${srcdir:-.}/tests/support/tap.sh"

# Each declaration of the headers as a line without blanks: int f(int a, int b) is "intf(inta,intb)".
cat "$SRCDIR"/include/*.h | awk '
	/^XCT?_API/ { open = 1; sub(/^XCT?_API */, "") }
	open { line = line " " $0; if (/;/) { sub(/;.*/, "", line); gsub(/[ \t]/, "", line); print line; line = ""; open = 0 } }
	' | sort >"$tmp/declared"
check "the headers declare functions" test -s "$tmp/declared"

# The same from the synopses.
cat "$SRCDIR"/man/*.3 | awk '
	/^\.Sh / { inside = $2 == "SYNOPSIS" }
	!inside { next }
	function done_with() { gsub(/" "/, ",", line); gsub(/[" \t]/, "", line); print line ")" }
	/^\.Ft / { sub(/^\.Ft /, ""); type = $0 }
	/^\.Fn / { name = $2; sub(/^\.Fn [a-z0-9_]* /, ""); line = type name "(" $0; done_with() }
	/^\.Fo / { sub(/^\.Fo /, ""); line = type $0 "("; comma = "" }
	/^\.Fa / { sub(/^\.Fa /, ""); line = line comma $0; comma = "," }
	/^\.Fc/ { done_with() }
	' | sort >"$tmp/described"
check_equal "every function of the headers is in a page" "" "$(comm -23 "$tmp/declared" "$tmp/described")"
check_equal "every function of the pages is in a header" "" "$(comm -13 "$tmp/declared" "$tmp/described")"

# Each type that is more than a name, and each enum of constants, as a line without blanks and comments.
types() {
	tr '\n\t' '  ' | sed -E 's,/[*]([^*]|[*]+[^*/])*[*]+/,,g' | grep -oE '(typedef|enum) [^;{]*([{][^}]*[}][^;{]*)?;' |
		tr -d ' ' | grep -v '^typedefstruct[a-z_]*;' | sort
}
cat "$SRCDIR"/include/*.h | types >"$tmp/declared_types"
check "the headers declare types" grep -q '^typedefstructxc_picture{uint32_twidth,height;' "$tmp/declared_types"
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$SRCDIR"/man/*.3 | types >"$tmp/shown_types"
check_equal "every type of the headers is in a page" "" "$(comm -23 "$tmp/declared_types" "$tmp/shown_types")"
check_equal "every type of the pages is in a header" "" "$(comm -13 "$tmp/declared_types" "$tmp/shown_types")"

for page in "$SRCDIR"/man/*.3; do
	name=${page##*/}
	named=$(sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([a-z0-9_]*\).*/\1/p' "$page" | grep '^xct*_' | sort)
	shown=$(sed -n '/^\.Sh DESCRIPTION/q; s/^\.F[on] \([a-z0-9_]*\).*/\1/p' "$page" | sort)
	check_equal "$name names what it shows" "$shown" "$named"
	check_equal "$name refers to pages that there are" "" \
		"$(sed -n 's/^\.Xr \(xc[a-z_-]*\) \([1-9]\).*/\1.\2/p' "$page" | sort -u | while read -r other; do
			[ -f "$SRCDIR/man/$other" ] || echo "$other"
		done)"
	if command -v mandoc >/dev/null; then
		check_equal "mandoc likes $name" "" \
			"$(mandoc -Tlint "$page" 2>&1 | grep -v 'referenced manual not found')"
	elif man --version >/dev/null 2>&1 && command -v groff >/dev/null; then
		check_equal "man formats $name without warnings" "" "$(man --warnings -l "$page" 2>&1 >/dev/null)"
	else
		skip "$name is formatted" "no mandoc, man-db or groff"
	fi
done

check_equal "the tests call every function of xct.h" "" \
	"$(awk '/^XCT_API/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name); print name }' \
		"$SRCDIR/include/xct.h" | while read -r name; do
			grep -q "\<$name(" "$SRCDIR"/xct/tests/*.c || echo "$name"
		done)"

# Each function is called with NULL in check_null.c.
for header in xcodec.h xcodec_array.h xcodec_batch.h xcodec_cuda.h xcodec_jpeg.h xcodec_pixels.h xcodec_target.h; do
	check_equal "check_null.c calls every function of $header" "" \
		"$(awk '/^XC_API/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name); print name }' \
			"$SRCDIR/include/$header" | while read -r name; do
				grep -q "\<$name(" "$SRCDIR/tests/unit/check_null.c" || echo "$name"
			done)"
done

done_testing
