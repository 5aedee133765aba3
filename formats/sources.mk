# SPDX-License-Identifier: BSD-2-Clause
formats_sources = \
	formats/bmp.h \
	formats/bmp_header.c \
	formats/bmp_read.c \
	formats/bmp_rle.c \
	formats/detect.c \
	formats/formats.h \
	formats/internal.h \
	formats/pam_read.c \
	formats/pfm.c \
	formats/picture.c \
	formats/pnm_read.c \
	formats/pnm_write.c \
	formats/raster.c \
	formats/raster.h \
	formats/text.c \
	formats/text.h

if XC_PNG
formats_sources += \
	formats/png.h \
	formats/png_metadata.c \
	formats/png_payload.c \
	formats/png_read.c \
	formats/png_scan.c \
	formats/png_write.c
else
formats_sources += formats/png_none.c
endif

formats_samples = \
	tests/format_sample_bmp.c \
	tests/format_sample_files.c \
	tests/format_sample_png.c \
	tests/format_samples.c \
	tests/format_samples.h

check_PROGRAMS += \
	tests/check_formats_bmp \
	tests/check_formats_pfm
if XC_PNG
check_PROGRAMS += \
	tests/check_formats \
	tests/check_formats_damage \
	tests/check_formats_metadata \
	tests/check_formats_png
endif
tests_check_formats_SOURCES = tests/check_formats.c $(formats_samples)
tests_check_formats_bmp_SOURCES = tests/check_formats_bmp.c $(formats_samples)
tests_check_formats_damage_SOURCES = tests/check_formats_damage.c $(formats_samples)
tests_check_formats_metadata_SOURCES = tests/check_formats_metadata.c $(formats_samples)
tests_check_formats_png_SOURCES = tests/check_formats_png.c $(formats_samples)

if XC_PNG
dist_check_SCRIPTS += tests/formats.sh
endif

# xc_compare(), which measures what the formats carry.
check_PROGRAMS += tests/check_metrics
