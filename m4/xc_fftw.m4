# SPDX-License-Identifier: BSD-2-Clause

# XC_FFTW_THREADS_LIBS(SUFFIX)
# Sets xc_fftw_parallel to the three libraries whose names end in _SUFFIX, or to
# nothing when one of them is missing.
AC_DEFUN([XC_FFTW_THREADS_LIBS], [
	xc_fftw_parallel="-lfftw3_$1 -lfftw3f_$1 -lfftw3l_$1"
	AC_MSG_CHECKING([for FFTW with threads ($1)])
	xc_saved_LIBS=$LIBS xc_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $FFTW_CFLAGS"
	LIBS="$xc_fftw_parallel $FFTW_LIBS $LIBM $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([@%:@include <fftw3.h>],
		[return fftw_init_threads() + fftwf_init_threads() + fftwl_init_threads();])],
		[AC_MSG_RESULT([yes])], [
			xc_fftw_parallel=
			AC_MSG_RESULT([no])
		])
	LIBS=$xc_saved_LIBS CFLAGS=$xc_saved_CFLAGS
])

# XC_FFTW
# All three precisions or nothing.  Only the laboratory and libxct link it: FFTW is under the
# GPL, libxcodec is not.  Needs LT_LIB_M before it.
AC_DEFUN([XC_FFTW], [
	AC_ARG_WITH([fftw], [AS_HELP_STRING([--without-fftw],
		[leave FFTW out of the command's transforms])],
		[], [with_fftw=auto])
	xc_have_fftw=no xc_have_fftw_threads=no
	AS_IF([test "$with_fftw" != no && test "$enable_lab" = yes], [
		PKG_CHECK_MODULES([FFTW], [fftw3 fftw3f fftw3l], [xc_have_fftw=yes], [
			AS_IF([test "$with_fftw" = yes],
				[AC_MSG_ERROR([FFTW was asked for, but not found: $FFTW_PKG_ERRORS])])
		])
	])
	AS_IF([test "$xc_have_fftw" = yes], [
		AC_DEFINE([XC_HAVE_FFTW], [1],
			[Define to 1 when FFTW is there in single, double and long double precision.])
		# Not its OpenMP variant, whose threads spin while they wait.
		XC_FFTW_THREADS_LIBS([threads])
		AS_IF([test -n "$xc_fftw_parallel"], [
			xc_have_fftw_threads=yes
			FFTW_LIBS="$xc_fftw_parallel $FFTW_LIBS"
			AC_DEFINE([XC_HAVE_FFTW_THREADS], [1],
				[Define to 1 when FFTW was built with threads.])
		])
	])
	AM_CONDITIONAL([XC_FFTW], [test "$xc_have_fftw" = yes])
])
