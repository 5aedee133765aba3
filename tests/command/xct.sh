#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# libxct as others get it: what it exports, its header alone, the programs of doc/xct.md, an installation.
# shellcheck disable=SC2016 # dollars are those of sed, pkg-config and the page

. "${srcdir:-.}/tests/support/tap.sh"

cd "$tmp" || exit 99
shared=$BUILDDIR/.libs/libxct.so
[ -f "$shared" ] || skip_all "libxct.so is not built"

awk '/^XCT_API/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name); print name }' \
	"$SRCDIR/include/xct.h" | sort -u >declared
${NM:-nm} -D -g --defined-only "$shared" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep -vE '^(__odr_asan|__asan_|__ubsan_)' | sort -u >exported
check_equal "it exports what the header declares" "$(cat declared)" "$(cat exported)"

printf '#include <xct.h>\nint main(void) { return xct_algorithm_at(0) == 0; }\n' >alone.c
cp alone.c alone.cc
strict="-Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only -I$SRCDIR/include"
# CC may hold options; the words of $strict are meant to be split.
# shellcheck disable=SC2086
check "the header compiles alone as C11" ${CC:-cc} -std=c11 -Wstrict-prototypes $strict alone.c
for cxx in "${CXX:-}" c++ g++ clang++ ''; do
	[ -n "$cxx" ] && command -v "$cxx" >/dev/null 2>&1 && break
done
if [ -n "$cxx" ]; then
	# shellcheck disable=SC2086
	check "the header compiles alone as C++11" "$cxx" -std=c++11 $strict alone.cc
else
	skip "the header compiles alone as C++11" "no C++ compiler"
fi

# The programs of the page, number 1, 2 and so on, and the outputs that it tells.
awk '/^```c$/ { file = "example" ++n ".c"; next } /^```$/ { file = ""; next } file { print >file }' \
	"$SRCDIR/doc/xct.md"
check "the page has programs" test -f example3.c
sanitizers=
grep -q __asan_init "$shared" && sanitizers=-fsanitize=address,undefined
for source in example*.c; do
	name=${source%.c}
	# shellcheck disable=SC2086
	check "$name compiles" ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror $sanitizers -I"$SRCDIR/include" -o "$name" \
		"$source" -L"$BUILDDIR/.libs" -lxct
	check "$name runs" sh -c 'LD_LIBRARY_PATH=$1/.libs ./"$2" >"$2.out"' sh "$BUILDDIR" "$name"
done
check_equal "example1 says what the page says" "$(sed -n 's/^It prints `\([0-9.]*\)`\. In place.*/\1/p' "$SRCDIR/doc/xct.md")" \
	"$(cat example1.out)"
check_equal "example2 says what the page says" "$(sed -n 's/^It prints `\(1\.99[0-9]*\)`.*/\1/p' "$SRCDIR/doc/xct.md")" \
	"$(cat example2.out)"
check_equal "example4 says what the page says" "$(sed -n 's/^It prints `\(-0[-0-9. ]*\)`.*/\1/p' "$SRCDIR/doc/xct.md")" \
	"$(cat example4.out)"
check "example3 has the page's line" grep -qxF "$(sed -n 's/^One of its lines is `\(.*\)`:.*/\1/p' "$SRCDIR/doc/xct.md")" example3.out

check "pkg-config's file" grep -q '^Libs: -L${libdir} -lxct$' "$BUILDDIR/xct/xct.pc"

done_testing
