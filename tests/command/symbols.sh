#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What the library shows to others: every name starts with xc_, the shared
# library exports what the public headers declare and nothing else, and they
# compile alone in C11 and in C++11.

. "${srcdir:-.}/tests/support/tap.sh"

# The headers ask for the compiler's plain mode, whatever this build uses.
shared=$BUILDDIR/.libs/libxcodec.so
static=$BUILDDIR/.libs/libxcodec.a
NM=${NM:-nm}

# names_of FILE [NM-OPTION]: the global names that FILE defines.  Sanitizers add
# some of their own (such as __odr_asan.xc_foo), which no release build has.  For
# a 32-bit x86 the compiler adds hidden functions that tell where code is.  What
# follows @ is a symbol's version, which is an absolute symbol itself.
names_of() {
	file=$1
	shift
	$NM -g --defined-only "$@" "$file" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' |
		grep -vE '^(__odr_asan|__asan_|__ubsan_|__sanitizer_|__x86\.get_pc_thunk\.)' | sort -u
}

# The bytes of a file must not depend on another library, and a program that links this one needs no other.
for library in "$static" "$shared"; do
	dynamic=${library#"$static"}
	if [ -f "$library" ]; then
		$NM -u ${dynamic:+-D} "$library" |
			awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | sort -u >"$tmp/needed"
		check_equal "${library##*.} neither deflates nor inflates" "" \
			"$(grep -E '(deflate|inflate|compress|crc32|adler32)' "$tmp/needed" | grep -v '^xc_')"
		check "${library##*.}: nm sees what it needs" grep -qx free "$tmp/needed"
	else
		skip "${library##*.} neither deflates nor inflates" "not built"
	fi
done
linked=$([ ! -f "$shared" ] || objdump -p "$shared" 2>/dev/null | sed -n 's/^ *NEEDED *//p')
if [ -n "$linked" ]; then
	check_equal "the shared library loads no libz" "" "$(echo "$linked" | grep '^libz')"
else
	skip "the libraries of the shared library" "not built, or objdump does not tell"
fi

# What few files need is not loaded for all.  A program that is linked statically loads nothing.
needed=$(objdump -p "$XCODEC" 2>/dev/null | sed -n 's/^ *NEEDED *//p')
if [ -n "$needed" ]; then
	for other in fftw gomp; do
		check_equal "a start loads no lib$other" "" "$(echo "$needed" | grep "lib$other")"
	done
else
	skip "the libraries of a start" "objdump does not tell"
fi

# What the headers declare with XC_API: the word before the first "(".
awk '/^XC_API/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name); print name }' \
	"$SRCDIR"/include/*.h | sort -u >"$tmp/declared"
check "the headers declare functions" test -s "$tmp/declared"

if [ -f "$shared" ]; then
	names_of "$shared" -D >"$tmp/exported"
	check_equal "the shared library exports only xc_ names" "" "$(grep -v '^xc_' "$tmp/exported")"
	check_equal "the shared library exports what the headers declare" \
		"$(cat "$tmp/declared")" "$(cat "$tmp/exported")"
	if grep -q '^XC_VERSION_SCRIPT = .' "$BUILDDIR/Makefile" 2>/dev/null; then
		check_equal "every symbol has a version" "" \
			"$($NM -D --defined-only "$shared" | awk '$2 != "A" && $3 !~ /@@XCODEC_[0-9.]+$/')"
	fi
else
	skip "names in the shared library" "not built"
fi

# What programs depend on that are there: .ci/abi and its list.  What it says of other changes is tried with lists that
# have something else.
interface() {
	XC_ABI_LIST=$1 "$SRCDIR/.ci/abi" "$BUILDDIR" >"$tmp/told"
}
# broken NAME SED-SCRIPT WHAT-IT-SAYS
broken() {
	sed "$2" "$tmp/list" >"$tmp/other"
	interface "$tmp/other"
	check_equal "interface: $1" 1 $?
	check "interface: $1: is said" grep -q "$3" "$tmp/told"
}
if [ -f "$shared" ] && [ "$(od -An -tu1 -j4 -N1 "$shared")" -eq 2 ] &&
	grep -q '^XC_VERSION_SCRIPT = .' "$BUILDDIR/Makefile" 2>/dev/null; then
	check "interface: it is that of the last release, or more" interface "$SRCDIR/.ci/abi.txt"
	check "interface: a list of what is there" env XC_ABI_LIST="$tmp/now" "$SRCDIR/.ci/abi" "$BUILDDIR" --write
	sed '1s/.*/# The interface of 9.9: .ci\/abi/' "$tmp/now" >"$tmp/list"
	check "interface: it is what is there" interface "$tmp/list"
	check "interface: no word about it" test ! -s "$tmp/told"
	broken "a structure has another size" 's/^\(struct xc_limits: \)[0-9]* bytes/\18 bytes/' '^gone: struct xc_limits: 8 bytes'
	broken "a member is elsewhere" 's/max_memory at 8,/max_memory at 16,/' '^gone: struct xc_limits: max_memory at 16, 8 bytes'
	broken "an enumerator has another value" 's/XC_ERR_LIMIT = 3/XC_ERR_LIMIT = 4/' '^gone: enum xc_status XC_ERR_LIMIT = 4'
	broken "a parameter has another type" 's/(xc_context \*context, int threads)/(xc_context *context, long threads)/' \
		'^gone: xc_status xc_context_set_threads(.*long'
	broken "a function is gone" 's/^libxcodec.so xc_encode@/libxcodec.so xc_gone@/' '^gone: libxcodec.so xc_gone@'
	broken "a function is new, with a version of before" '/^libxcodec.so xc_encode@/d' \
		'^new, with a version of before: libxcodec.so xc_encode@'
else
	skip "interface" "symbols have no versions in this build, or pointers not 64 bits"
fi

if [ -f "$static" ]; then
	names_of "$static" >"$tmp/defined"
	check_equal "the static library defines only xc_ names" "" "$(grep -v '^xc_' "$tmp/defined")"
	check_equal "the static library has what the headers declare" "" \
		"$(comm -23 "$tmp/declared" "$tmp/defined")"
else
	skip "names in the static library" "not built"
fi

printf '#include <xcodec_pixels.h>\n#include <xcodec_target.h>\n#include <xcodec_cuda.h>\n#include <xcodec_batch.h>\nint main(void) { return xc_version_string() == 0; }\n' >"$tmp/alone.c"
cp "$tmp/alone.c" "$tmp/alone.cc"
strict="-Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only -I$SRCDIR/include"

# CC may hold options; the words of $strict are meant to be split.
# shellcheck disable=SC2086
check "the headers compile alone as C11" ${CC:-cc} -std=c11 -Wstrict-prototypes $strict "$tmp/alone.c"
cxx=
for candidate in "${CXX:-}" c++ g++ clang++; do
	if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
		cxx=$candidate
		break
	fi
done
if [ -n "$cxx" ]; then
	# shellcheck disable=SC2086
	check "the headers compile alone as C++11" "$cxx" -std=c++11 $strict "$tmp/alone.cc"
else
	skip "the headers compile alone as C++11" "no C++ compiler"
fi

done_testing
