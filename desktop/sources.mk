# SPDX-License-Identifier: BSD-2-Clause
#
# What makes other programs know XC files: modules for gdk-pixbuf and libvips, and files that describe the
# type. Modules are linked with the shared library.

EXTRA_DIST += desktop/xcodecConfig.cmake.in desktop/xcodecConfigVersion.cmake.in

module_ldflags = -module -avoid-version -shared
module_orient = formats/orient.c formats/formats.h formats/rows_kind.h

if XC_GDK_PIXBUF
gdkpixbuf_LTLIBRARIES = desktop/libpixbufloader-xcodec.la
endif
desktop_libpixbufloader_xcodec_la_SOURCES = desktop/gdk_pixbuf.c $(module_orient)
desktop_libpixbufloader_xcodec_la_CPPFLAGS = $(AM_CPPFLAGS) $(GDK_PIXBUF_CFLAGS)
desktop_libpixbufloader_xcodec_la_LIBTOOLFLAGS = --tag=disable-static
desktop_libpixbufloader_xcodec_la_LDFLAGS = $(AM_LDFLAGS) $(module_ldflags) -export-symbols-regex '^fill_'
desktop_libpixbufloader_xcodec_la_LIBADD = libxcodec.la $(GDK_PIXBUF_LIBS)

if XC_VIPS
vips_LTLIBRARIES = desktop/vips-xcodec.la
endif
desktop_vips_xcodec_la_SOURCES = desktop/vips.h desktop/vips_load.c desktop/vips_save.c $(module_orient)
desktop_vips_xcodec_la_CPPFLAGS = $(AM_CPPFLAGS) $(VIPS_CFLAGS)
desktop_vips_xcodec_la_LIBTOOLFLAGS = --tag=disable-static
desktop_vips_xcodec_la_LDFLAGS = $(AM_LDFLAGS) $(module_ldflags) -export-symbols-regex '^g_module_check_init$$'
desktop_vips_xcodec_la_LIBADD = libxcodec.la $(VIPS_LIBS)

# The type image/x-xcodec, its thumbnails, file(1), ImageMagick, CMake.
mimedir = $(datadir)/mime/packages
dist_mime_DATA = desktop/xcodec.xml
thumbnailerdir = $(datadir)/thumbnailers
dist_thumbnailer_DATA = desktop/xcodec.thumbnailer
desktopdatadir = $(pkgdatadir)
dist_desktopdata_DATA = desktop/xcodec.magic
magickdir = $(pkgdatadir)/ImageMagick
dist_magick_DATA = desktop/ImageMagick/delegates.xml desktop/ImageMagick/magic.xml
cmakedir = $(libdir)/cmake/xcodec
cmake_DATA = desktop/xcodecConfig.cmake desktop/xcodecConfigVersion.cmake
