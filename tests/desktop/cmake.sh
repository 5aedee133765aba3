#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# find_package(xcodec) in a project of CMake that links the shared and the static library, from a prefix that
# was moved, and that asks for a version.

. "${srcdir:-.}/tests/support/tap.sh"

command -v cmake >/dev/null || skip_all "no cmake"
[ -z "${XC_EMULATOR-}" ] || skip_all "cmake builds for this machine"
! grep -q -e __asan_init -e __ubsan_handle "$XCODEC" || skip_all "sanitizers have to be in the program"
cd "$tmp" || exit 99
mkdir -p prefix/lib/cmake/xcodec prefix/include project
cp "$SRCDIR"/include/xcodec*.h prefix/include
cp "$BUILDDIR"/desktop/xcodecConfig*.cmake prefix/lib/cmake/xcodec
libraries=
for kind in a so; do
	[ ! -f "$BUILDDIR/.libs/libxcodec.$kind" ] || libraries="$libraries $kind"
	cp "$BUILDDIR/.libs/libxcodec.$kind"* prefix/lib 2>/dev/null
done
cat >project/CMakeLists.txt <<'END_OF_PROJECT'
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(xcodec ${WANTED} CONFIG REQUIRED)
add_executable(user user.c)
target_link_libraries(user xcodec::xcodec)
END_OF_PROJECT
cat >project/user.c <<'END_OF_PROGRAM'
#include <stdio.h>
#include <xcodec.h>
int main(void)
{
	xc_context *context = xc_context_new(NULL);
	puts(xc_version_string());
	xc_context_free(context);
	return !context;
}
END_OF_PROGRAM

version=$("$XCODEC" --version | sed -n '1s/^xcodec //p')
series=$(echo "$version" | sed 's/^\(0\.[0-9]*\|[1-9][0-9]*\).*/\1/')

# with NAME OPTION...: configures in the folder NAME.
with() {
	folder=$1
	shift
	CC="$CC" cmake -S project -B "$folder" -DCMAKE_PREFIX_PATH="$tmp/prefix" "$@"
}

for kind in $libraries; do
	static=OFF
	[ "$kind" = so ] || static=ON
	check "$kind: configures" with "$kind" -Dxcodec_STATIC=$static -DWANTED="$series"
	check "$kind: links" cmake --build "$kind"
	check_equal "$kind: runs" "$version" "$("$kind/user")"
	check "$kind: is what was linked" grep -q "libxcodec\.$kind" "$kind/CMakeCache.txt"
done
for wanted in 0.1 "$series.999" 99; do
	! with other -DWANTED="$wanted" >messages 2>&1
	check_equal "version $wanted is refused" 0 $?
done

done_testing
