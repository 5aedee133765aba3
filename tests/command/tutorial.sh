#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# doc/transforms.md: all of its commands run, and print what it says.  Numbers may differ by a thousandth, since the
# last digits depend on the machine; the lines with times are not compared.

. "${srcdir:-.}/tests/support/tap.sh"

"$XCODEC" transform --list >"$tmp/list" 2>/dev/null || skip_all "no laboratory"
grep -q '^cpu-fft2d ' "$tmp/list" || skip_all "no FFTW"
cd "$tmp" || exit 99
cp "$SRCDIR/samples/meadow.png" .

# The blocks of the page: "sh" is run, "console" has commands behind "$ " and "> ", each followed by what it prints.
awk '
	/^```/ { kind = kind ? "" : substr($0, 4); if (kind == "sh") n++; next }
	kind == "sh" { print >("run" n); next }
	kind != "console" { next }
	/^\$ / { n++; print substr($0, 3) >("run" n); printf "" >("wanted" n); next }
	/^> / { print substr($0, 3) >("run" n); next }
	{ print >("wanted" n) }
	END { print n }' "$SRCDIR/doc/transforms.md" >count

xcodec() {
	"$XCODEC" "$@"
}

# same WANTED GOT: line by line and word by word.
same() {
	[ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] && paste "$1" "$2" | awk -F '\t' '
		function number(s) { return s ~ /^[-+]?[0-9][0-9.e+-]*$/ }
		$1 ~ /wall/ && $2 ~ /wall/ { next }
		{
			n = split($1, a, /[ ,%()]+/)
			sub(/ +$/, "", $2)
			if (n != split($2, b, /[ ,%()]+/))
				exit bad = 1
			for (i = 1; i <= n; i++) {
				d = a[i] - b[i]
				m = a[i] < 0 ? -a[i] : a[i]
				if (a[i] != b[i] && !(number(a[i]) && number(b[i]) && (d < 0 ? -d : d) <= 0.0011 * (m > 1 ? m : 1)))
					exit bad = 1
			}
		}
		END { exit bad }'
}

number=1
while [ "$number" -le "$(cat count)" ]; do
	if [ -f "wanted$number" ]; then
		# shellcheck disable=SC1090 # those of the page
		. "./run$number" >"got$number" 2>&1
		name=$(head -n 1 "run$number" | tr '\134' ' ')
		if same "wanted$number" "got$number"; then
			ok "$name"
		else
			not_ok "$name" "wanted:" "$(cat "wanted$number")" "found:" "$(cat "got$number")"
		fi
	else
		# shellcheck disable=SC1090 # those of the page
		. "./run$number"
	fi
	number=$((number + 1))
done
check "the page has commands" test "$number" -gt 30

# Its pictures are there, each is on the page, and they are small.
check_equal "pictures" "$(cd "$SRCDIR/doc/transforms" && ls)" \
	"$(grep -o 'transforms/[a-z-]*\.webp' "$SRCDIR/doc/transforms.md" | sed 's,.*/,,' | sort -u)"
check "less than 300 KB" test "$(cat "$SRCDIR"/doc/transforms/* | wc -c)" -lt 300000

done_testing
