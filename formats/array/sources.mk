# SPDX-License-Identifier: BSD-2-Clause
formats_sources += \
	formats/array/array.h \
	formats/array/bytes.c \
	formats/array/ibm.c \
	formats/array/kind.h \
	formats/array/nifti.c \
	formats/array/npy.c \
	formats/array/pfm.c \
	formats/array/raw.c \
	formats/array/read.c \
	formats/array/segy.c \
	formats/array/segy.h \
	formats/array/segy_write.c \
	formats/array/shapes.c \
	formats/array/table.c \
	formats/array/tiff_write.c \
	formats/array/write.c

if XC_LIBTIFF
formats_sources += formats/array/tiff_read.c
endif
