#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The report of a sweep: well-formed, whatever the names are, and without complaint in a browser.
. "${srcdir:-.}/tests/support/tap.sh"

check "a report of a sample" "$BUILDDIR/tests/support/report" "$tmp/page.html" "$tmp/curves.svg" \
	"$SRCDIR/samples/grey.png"
done_testing
