# SPDX-License-Identifier: BSD-2-Clause

# XC_HDF5
# Looks for HDF5's headers, by pkg-config or by what h5cc says.  The plugin is not linked with the
# library.  Headers of another machine than the one that is built for disagree about sizes.
AC_DEFUN([XC_HDF5], [
	AC_ARG_WITH([hdf5], [AS_HELP_STRING([--without-hdf5],
		[leave out the filter for HDF5, which needs its headers and shared libraries])],
		[], [with_hdf5=auto])
	AC_ARG_WITH([hdf5-plugin-dir], [AS_HELP_STRING([--with-hdf5-plugin-dir=DIR],
		[where the filter for HDF5 goes @<:@LIBDIR/hdf5/plugin@:>@])],
		[], [with_hdf5_plugin_dir='${libdir}/hdf5/plugin'])
	xc_have_hdf5=no
	AS_IF([test "$with_hdf5" != no && test "$enable_shared" = yes], [
		PKG_CHECK_MODULES([HDF5], [hdf5], [],
			[HDF5_CFLAGS=`h5cc -show 2>/dev/null | tr ' ' '\n' | grep '^-I' | tr '\n' ' '`])
		AC_MSG_CHECKING([for HDF5's headers])
		xc_saved_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS $HDF5_CFLAGS"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([@%:@include <H5PLextern.h>],
			[[typedef char here[sizeof(long) == H5_SIZEOF_LONG && sizeof(hid_t) == 8 ? 1 : -1];]])],
			[xc_have_hdf5=yes])
		CFLAGS=$xc_saved_CFLAGS
		AC_MSG_RESULT([$xc_have_hdf5])
	])
	AS_IF([test "$with_hdf5" = yes && test "$xc_have_hdf5" = no],
		[AC_MSG_ERROR([HDF5 was asked for, but its headers were not found, or no shared libraries are built])])
	AC_SUBST([hdf5plugindir], ["$with_hdf5_plugin_dir"])
	AM_CONDITIONAL([XC_HDF5], [test "$xc_have_hdf5" = yes])
])
