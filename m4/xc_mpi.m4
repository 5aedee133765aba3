# SPDX-License-Identifier: BSD-2-Clause

# XC_MPI
# Asks mpicc for its flags (Open MPI and MPICH both know -show) and uses them with the compiler of
# everything else.  mpicc alone may be of another machine than the one that is built for, so a
# program is linked as a test.
AC_DEFUN([XC_MPI], [
	AC_ARG_WITH([mpi], [AS_HELP_STRING([--without-mpi],
		[leave out xcodec-mpi, the command for many machines])],
		[], [with_mpi=auto])
	AC_ARG_VAR([MPICC], [the compiler wrapper of MPI, which is asked for flags])
	xc_have_mpi=no
	MPI_CFLAGS= MPI_LIBS=
	AS_IF([test "$with_mpi" != no], [
		AC_CHECK_PROGS([MPICC], [mpicc])
		AS_IF([test -n "$MPICC"], [
			for xc_flag in `$MPICC -show 2>/dev/null | sed 's/^@<:@^ @:>@* *//'`; do
				AS_CASE([$xc_flag],
					[-I*|-D*], [AS_VAR_APPEND([MPI_CFLAGS], [" $xc_flag"])],
					[-L*|-l*|-Wl,*|-pthread], [AS_VAR_APPEND([MPI_LIBS], [" $xc_flag"])])
			done
			AC_MSG_CHECKING([for MPI])
			xc_saved_LIBS=$LIBS xc_saved_CFLAGS=$CFLAGS
			CFLAGS="$CFLAGS $MPI_CFLAGS"
			LIBS="$MPI_LIBS $LIBS"
			AC_LINK_IFELSE([AC_LANG_PROGRAM([@%:@include <mpi.h>], [[
				int level;
				return MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &level);]])],
				[xc_have_mpi=yes])
			LIBS=$xc_saved_LIBS CFLAGS=$xc_saved_CFLAGS
			AC_MSG_RESULT([$xc_have_mpi])
		])
		AS_IF([test "$with_mpi" = yes && test "$xc_have_mpi" = no],
			[AC_MSG_ERROR([MPI was asked for, but mpicc was not found or does not work])])
	])
	AC_SUBST([MPI_CFLAGS])
	AC_SUBST([MPI_LIBS])
	AM_CONDITIONAL([XC_MPI], [test "$xc_have_mpi" = yes])
])
