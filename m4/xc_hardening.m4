# SPDX-License-Identifier: BSD-2-Clause

# XC_HARDENING
# What makes an error in the code worth less to an attacker, added to XC_CFLAGS and XC_LDFLAGS, and to
# XC_PIE_LDFLAGS for programs that are installed.  What CFLAGS and LDFLAGS say comes later and wins.
AC_DEFUN([XC_HARDENING], [
	AC_ARG_ENABLE([hardening], [AS_HELP_STRING([--disable-hardening],
		[leave out what the compiler and the linker do against attackers: guards of the stack, checks of
		the C library, tables that are read only, marks where jumps may end])],
		[], [enable_hardening=yes])
	XC_LDFLAGS=
	XC_PIE_LDFLAGS=
	AS_IF([test "$enable_hardening" != no], [
		dnl the last one is AArch64's, and those before it x86's
		XC_APPEND_CFLAGS([XC_CFLAGS], [-fstack-protector-strong -fstack-clash-protection -fcf-protection
			-mbranch-protection=standard])
		XC_FORTIFY
		XC_PIE
		XC_APPEND_LDFLAG([-Wl,-z,relro])
		XC_APPEND_LDFLAG([-Wl,-z,now])
		XC_APPEND_LDFLAG([-Wl,-z,noexecstack])
	])
	AC_SUBST([XC_LDFLAGS])
	AC_SUBST([XC_PIE_LDFLAGS])
])

# The C library's checks of sizes.  They need an optimizing compiler, which may have chosen a level itself, and
# a sanitizer sees more where they are not.  Level 3 makes a call of each short memcpy() in the encoder's kernels,
# which then takes 6 % longer.
AC_DEFUN([XC_FORTIFY], [
	xc_fortify="left to the compiler"
	AS_CASE(["$XC_SANITIZERS $CFLAGS"], [*-fsanitize=*], [], [
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
			#if defined _FORTIFY_SOURCE || !defined __OPTIMIZE__
			#error "not to be set"
			#endif
			]])],
			[xc_fortify=2
			AS_VAR_APPEND([XC_CFLAGS], [" -D_FORTIFY_SOURCE=2"])])
	])
])

# Programs that the loader puts anywhere, which most compilers make by themselves.
AC_DEFUN([XC_PIE], [
	AS_CASE(["$CFLAGS $LDFLAGS"], [*-no-pie*|*-fno-pi*|*-static*], [], [
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
			#ifdef __PIE__
			#error "made already"
			#endif
			]])], [
			xc_saved_CFLAGS=$CFLAGS
			CFLAGS="$CFLAGS -fPIE -pie"
			AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
				[AS_VAR_APPEND([XC_CFLAGS], [" -fPIE"])
				XC_PIE_LDFLAGS=-pie])
			CFLAGS=$xc_saved_CFLAGS
		])
	])
])

# XC_APPEND_LDFLAG(FLAG)
# Adds the flag to XC_LDFLAGS if the linker accepts it.
AC_DEFUN([XC_APPEND_LDFLAG], [
	AC_MSG_CHECKING([whether the linker accepts $1])
	xc_saved_LDFLAGS=$LDFLAGS
	LDFLAGS="$LDFLAGS $1"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes])
		AS_VAR_APPEND([XC_LDFLAGS], [" $1"])],
		[AC_MSG_RESULT([no])])
	LDFLAGS=$xc_saved_LDFLAGS
])
