# SPDX-License-Identifier: BSD-2-Clause

# XC_CHECK_CFLAGS(FLAGS, [IF-ACCEPTED], [IF-NOT], [PROLOGUE], [BODY])
# Whether the compiler takes FLAGS without a word and compiles BODY with them.
# -Werror, because clang only warns about flags that it does not know.
AC_DEFUN([XC_CHECK_CFLAGS], [
	AC_LANG_ASSERT([C])
	AS_VAR_PUSHDEF([cache], [xc_cv_cflags_$1])
	AC_CACHE_CHECK([whether $CC accepts $1], [cache], [
		xc_saved_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS -Werror $1"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([$4], [$5])],
			[AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
		CFLAGS=$xc_saved_CFLAGS
	])
	AS_VAR_IF([cache], [yes], [m4_default([$2], [:])], [m4_default([$3], [:])])
	AS_VAR_POPDEF([cache])
])

# XC_APPEND_CFLAGS(VARIABLE, FLAG...)
# Adds each of the flags that the compiler accepts.
AC_DEFUN([XC_APPEND_CFLAGS], [
	m4_foreach_w([xc_flag], [$2],
		[XC_CHECK_CFLAGS(m4_defn([xc_flag]), [AS_VAR_APPEND([$1], [" ]m4_defn([xc_flag])["])])])
])

# XC_STRICT_FLOATS
# The same bytes must come out of every level and every compiler, so nothing may
# be contracted into fused multiply-adds or reordered.  Adds to XC_CFLAGS.
AC_DEFUN([XC_STRICT_FLOATS], [
	XC_CHECK_CFLAGS([-ffp-contract=off], [AS_VAR_APPEND([XC_CFLAGS], [" -ffp-contract=off"])],
		[AC_MSG_ERROR([$CC cannot keep floating-point operations apart (-ffp-contract=off)])])
	AC_MSG_CHECKING([that CFLAGS leave floating-point arithmetic alone])
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
		#ifdef __FAST_MATH__
		#error "fast-math"
		#endif
		]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		AC_MSG_ERROR([take -ffast-math or -Ofast out of CFLAGS: files would differ between machines])])
])

# XC_EXACT_FLOATS([IF-EXACT], [IF-NOT])
# Whether XC_CFLAGS and CFLAGS make each operation round to its own type.  The 80-bit
# arithmetic of the x87 keeps bits that other machines round off.
AC_DEFUN([XC_EXACT_FLOATS], [
	xc_saved_CFLAGS=$CFLAGS
	CFLAGS="$XC_CFLAGS $CFLAGS"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([@%:@include <float.h>],
		[_Static_assert(FLT_EVAL_METHOD == 0, "excess precision");])], [$1], [$2])
	CFLAGS=$xc_saved_CFLAGS
])

# XC_ROUNDED_FLOATS
# Adds to XC_CFLAGS what makes a 32-bit x86 round as all other machines do.
AC_DEFUN([XC_ROUNDED_FLOATS], [
	AC_MSG_CHECKING([for flags that round each floating-point operation])
	xc_rounding=no
	xc_plain_XC_CFLAGS=$XC_CFLAGS
	for xc_flags in "" "-msse2 -mfpmath=sse"; do
		AS_IF([test "$xc_rounding" = no], [
			XC_CFLAGS="$xc_plain_XC_CFLAGS${xc_flags:+ $xc_flags}"
			XC_EXACT_FLOATS([xc_rounding="${xc_flags:-none needed}"])
		])
	done
	AC_MSG_RESULT([$xc_rounding])
	AS_IF([test "$xc_rounding" = no],
		[AC_MSG_ERROR([$CC keeps more bits of a float than it has (FLT_EVAL_METHOD is not 0), so files
would differ between machines.  Pass CFLAGS that make it round each operation; for a 32-bit x86 these
are -msse2 -mfpmath=sse.])])
])

# XC_COMPILER_BUGS
# GCC 12.2 for AArch64 takes a function that writes two arrays of one structure for one
# without effects (its -fivopts leaves a store that starts from a null pointer) and drops
# calls to it: xc_huffman_assign() was lost so.
AC_DEFUN([XC_COMPILER_BUGS], [
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
		#if !defined __aarch64__ || !defined __GNUC__ || defined __clang__
		#error "not GCC for AArch64"
		#endif
		]])],
		[XC_APPEND_CFLAGS([XC_CFLAGS], [-fno-ivopts])])
])
