# SPDX-License-Identifier: BSD-2-Clause
#
# Each target as a plain program that runs a few thousand inputs in `make check`;
# fuzz/README.md tells how to fuzz for real.

fuzz_common = \
	fuzz/fuzz.c fuzz/fuzz.h \
	fuzz/mutate.c fuzz/mutate.h \
	fuzz/standalone.c \
	$(refdec_compare) $(xc_files)

check_PROGRAMS += \
	fuzz/alpha \
	fuzz/codes \
	fuzz/container \
	fuzz/decode \
	fuzz/decoder \
	fuzz/info \
	fuzz/picture \
	fuzz/roundtrip \
	fuzz/tables

fuzz_alpha_SOURCES = fuzz/alpha.c $(fuzz_common)
fuzz_alpha_LDADD = libxc_core.la
fuzz_codes_SOURCES = fuzz/codes.c $(fuzz_common)
fuzz_codes_LDADD = libxc_core.la
fuzz_container_SOURCES = fuzz/container.c $(fuzz_common)
fuzz_container_LDADD = libxc_core.la
fuzz_decode_SOURCES = fuzz/decode.c $(fuzz_common)
fuzz_decode_LDADD = libxc_core.la
fuzz_decoder_SOURCES = fuzz/decoder.c $(fuzz_common)
fuzz_decoder_LDADD = libxc_core.la
fuzz_info_SOURCES = fuzz/info.c $(fuzz_common)
fuzz_info_LDADD = libxc_core.la
fuzz_picture_SOURCES = \
	fuzz/picture.c \
	tests/support/codec.c tests/support/codec.h \
	tests/support/format_sample_bmp.c \
	tests/support/format_sample_files.c \
	tests/support/format_sample_jpeg.c \
	tests/support/format_sample_png.c \
	tests/support/format_samples.h \
	$(fuzz_common)
fuzz_roundtrip_SOURCES = fuzz/roundtrip.c $(fuzz_common)
fuzz_roundtrip_LDADD = libxc_core.la
fuzz_tables_SOURCES = fuzz/tables.c $(fuzz_common)
fuzz_tables_LDADD = libxc_core.la

if XC_PNG
check_PROGRAMS += fuzz/png
endif
fuzz_png_SOURCES = \
	fuzz/png.c $(fuzz_common) \
	tests/support/format_sample_png.c tests/support/format_samples.h
fuzz_png_LDADD = libxc_formats.la libxc_core.la

EXTRA_DIST += \
	fuzz/README.md \
	fuzz/run
