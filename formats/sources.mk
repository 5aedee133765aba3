# SPDX-License-Identifier: BSD-2-Clause
formats_sources = \
	formats/bmp.h \
	formats/bmp_header.c \
	formats/bmp_read.c \
	formats/bmp_rle.c \
	formats/detect.c \
	formats/file.c formats/file.h \
	formats/formats.h \
	formats/netpbm.c formats/netpbm.h \
	formats/pam_read.c \
	formats/picture.c \
	formats/pnm_read.c \
	formats/pnm_write.c \
	formats/rows.h

if XC_PNG
formats_sources += \
	formats/png.h \
	formats/png_metadata.c \
	formats/png_read.c \
	formats/png_scan.c \
	formats/png_write.c
else
formats_sources += formats/png_none.c
endif
