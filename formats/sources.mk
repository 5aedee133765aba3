# SPDX-License-Identifier: BSD-2-Clause
formats_sources = \
	formats/bmp_read.c \
	formats/bmp_write.c \
	formats/file.c \
	formats/formats.h \
	formats/netpbm.h formats/netpbm_read.c \
	formats/orient.c \
	formats/palette.c \
	formats/rows.c \
	formats/rows_kind.h \
	formats/table.c

if XC_LIBJPEG
formats_sources += \
	formats/jpeg/jpeg.h \
	formats/jpeg/markers.c \
	formats/jpeg/read.c \
	formats/jpeg/write.c
endif

if XC_PNG
formats_sources += \
	formats/png/chunks.c \
	formats/png/fast.c \
	formats/png/filter.c \
	formats/png/libpng.c \
	formats/png/metadata.c \
	formats/png/png.h \
	formats/png/read.c \
	formats/png/write.c \
	formats/png/zip.c
endif
