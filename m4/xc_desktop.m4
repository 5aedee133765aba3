# SPDX-License-Identifier: BSD-2-Clause

# XC_DESKTOP
# Looks for the hosts of modules: gdk-pixbuf and libvips. A module is linked with the shared library.
# It is installed where the host looks for it below our own LIBDIR; the host's folder may be elsewhere.
AC_DEFUN([XC_DESKTOP], [
	XC_HOST([gdk-pixbuf], [GDK_PIXBUF], [gdk-pixbuf-2.0 >= 2.36], [the loader for gdk-pixbuf])
	XC_HOST([vips], [VIPS], [vips >= 8.13 gmodule-no-export-2.0], [the module for libvips])
	xc_version=`$PKG_CONFIG --variable=gdk_pixbuf_binary_version gdk-pixbuf-2.0 2>/dev/null`
	AC_SUBST([gdkpixbufdir], ['${libdir}'/gdk-pixbuf-2.0/${xc_version:-2.10.0}/loaders])
	xc_version=`$PKG_CONFIG --modversion vips 2>/dev/null | sed 's/\(@<:@0-9@:>@*\.@<:@0-9@:>@*\).*/\1/'`
	AC_SUBST([vipsdir], ['${libdir}'/vips-modules-$xc_version])
])

# XC_HOST(OPTION, VARIABLE, PKG-CONFIG-MODULES, WHAT)
# Sets xc_have_VARIABLE. Headers of others may break rules of ours, so they are the system's.
AC_DEFUN([XC_HOST], [
	AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1],
		[leave out $4, which needs shared libraries])], [], [AS_TR_SH([with_$1])=auto])
	xc_have_$2=no
	AS_IF([test "$AS_TR_SH([with_$1])" != no && test "$enable_shared" = yes], [
		PKG_CHECK_MODULES([$2], [$3], [xc_have_$2=yes], [:])
		$2_CFLAGS=`echo " $$2_CFLAGS" | sed 's/ -I/ -isystem /g'`
	])
	AS_IF([test "$AS_TR_SH([with_$1])" = yes && test "$xc_have_$2" = no],
		[AC_MSG_ERROR([$1 was asked for, but not found, or no shared libraries are built])])
	AM_CONDITIONAL([XC_$2], [test "$xc_have_$2" = yes])
])
