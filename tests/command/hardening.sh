#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What configure promised to do against attackers (m4/xc_hardening.m4) is in the command and in the shared library.

# shellcheck source=tests/support/tap.sh
. "${srcdir:-.}/tests/support/tap.sh"

library=$BUILDDIR/.libs/libxcodec.so
[ -z "${XC_EMULATOR-}" ] || skip_all "the programs of this build are scripts"
[ -f "$BUILDDIR/Makefile" ] || skip_all "no Makefile tells what configure found"
command -v readelf >/dev/null || skip_all "no readelf"
flags=$(sed -n 's/^XC_CFLAGS = //p; s/^XC_LDFLAGS = //p; s/^CFLAGS = //p' "$BUILDDIR/Makefile" | tr '\n' ' ')
case $flags in
*-z,relro*) ;;
*) skip_all "built with --disable-hardening" ;;
esac

# has FLAG
has() {
	case " $flags " in *" $1 "* | *" $1="*) ;; *) return 1 ;; esac
}

for file in "$XCODEC" "$library"; do
	name=${file##*/}
	if ! readelf -dW "$file" 2>/dev/null | grep -q NEEDED; then
		skip "$name" "not built, or linked statically"
		continue
	fi
	readelf -lW "$file" >"$tmp/segments"
	readelf -dW "$file" >"$tmp/dynamic"
	${NM:-nm} -D --undefined-only "$file" >"$tmp/needed"
	check "$name: tables are read only once they are filled" grep -q GNU_RELRO "$tmp/segments"
	check "$name: they are filled at the start" grep -q 'BIND_NOW\|FLAGS_1.*NOW' "$tmp/dynamic"
	check_equal "$name: nothing runs on the stack" RW "$(awk '$1 == "GNU_STACK" { print $7 }' "$tmp/segments")"
	check_equal "$name: nothing is written and run" "" "$(grep -w RWE "$tmp/segments")"
	check "$name: the loader puts it anywhere" sh -c "readelf -hW '$file' | grep -q 'Type: *DYN'"
	if has -fstack-protector-strong; then
		check "$name: the stack is guarded" grep -q __stack_chk_fail "$tmp/needed"
	fi
	if has -D_FORTIFY_SOURCE && grep -q GLIBC "$tmp/needed"; then
		check "$name: the C library checks sizes" grep -q '_chk@' "$tmp/needed"
	fi
	if has -fcf-protection; then
		# The C library's own objects need not have that, so the file as a whole may not say so.
		check "$name: it says where jumps may end" sh -c \
			"objdump -d --disassemble=xc_version_string '$file' | grep -q 'endbr'"
	fi
done

done_testing
