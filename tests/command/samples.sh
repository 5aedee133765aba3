#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The pictures in samples/ are what their generator makes.

. "${srcdir:-.}/tests/support/tap.sh"

make_scene=$BUILDDIR/samples/make_scene

for name in grey rgba rgb16 grey16 meadow; do
	"$make_scene" "$name" "$tmp/$name.png"
	check_equal "$name.png is what make_scene makes" identical \
		"$("$XCODEC" compare --json "$tmp/$name.png" "$SRCDIR/samples/$name.png" |
			sed -n 's/.*"identical": *true.*/identical/p')"
done

check "a small meadow can be drawn" "$make_scene" meadow "$tmp/meadow.png" 48 32
check_status "make_scene refuses an unknown name" 2 "$make_scene" nothing "$tmp/nothing.png"

done_testing
