# SPDX-License-Identifier: BSD-2-Clause
#
# A C test is one line here (tests/check_foo is built from tests/check_foo.c); a
# shell test another.  Other folders add theirs with +=.

check_PROGRAMS = \
	tests/check_api \
	tests/check_contexts \
	tests/check_crc32c \
	tests/check_gpu_decode \
	tests/check_huffman \
	tests/check_jpeg \
	tests/check_kernels \
	tests/check_kernels_definition \
	tests/check_lapped \
	tests/check_limits \
	tests/check_pool \
	tests/check_quant \
	tests/check_roundtrip \
	tests/check_same_bytes \
	tests/check_segments \
	tests/check_tokens \
	tests/gpu_decode

tests_check_jpeg_SOURCES = \
	tests/check_jpeg.c \
	tests/jpeg_peer.c tests/jpeg_peer.h \
	tests/test_pictures.c tests/test_pictures.h
tests_check_lapped_SOURCES = \
	tests/check_lapped.c \
	tests/band_reference.c tests/band_reference.h \
	tests/test_pictures.c tests/test_pictures.h
tests_check_roundtrip_SOURCES = \
	tests/check_roundtrip.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_same_bytes_SOURCES = \
	tests/check_same_bytes.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_api_SOURCES = \
	tests/check_api.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_contexts_SOURCES = \
	tests/check_contexts.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_gpu_decode_SOURCES = \
	tests/check_gpu_decode.c \
	tests/test_pictures.c tests/test_pictures.h
tests_gpu_decode_SOURCES = \
	tests/gpu_decode.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_limits_SOURCES = \
	tests/check_limits.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_pool_SOURCES = \
	tests/check_pool.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_segments_SOURCES = \
	tests/check_segments.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_tokens_SOURCES = tests/check_tokens.c tests/token_model.c tests/token_model.h

# The format: doc/format.md and a second decoder.
refdec_sources = \
	tests/refdec.c tests/refdec.h \
	tests/refdec_file.c tests/refdec_internal.h
xc_files_sources = \
	tests/xc_files.c tests/xc_files.h \
	tests/xc_random_file.c \
	tests/format_samples.c tests/format_samples.h

noinst_PROGRAMS += tests/refdec
tests_refdec_SOURCES = tests/refdec_main.c $(refdec_sources)
tests_refdec_LDADD = $(ZLIB_LIBS)

check_PROGRAMS += \
	tests/check_corrupt \
	tests/check_damage \
	tests/check_file_limits \
	tests/check_format \
	tests/check_refdec
tests_check_corrupt_SOURCES = \
	tests/check_corrupt.c \
	tests/counting.c tests/counting.h \
	fuzz/mutate.c fuzz/mutate.h \
	$(refdec_sources) $(xc_files_sources)
tests_check_corrupt_LDADD = libxc_core.la
tests_check_damage_SOURCES = tests/check_damage.c $(xc_files_sources)
tests_check_damage_LDADD = libxc_core.la
tests_check_file_limits_SOURCES = \
	tests/check_file_limits.c \
	tests/counting.c tests/counting.h \
	tests/test_pictures.c tests/test_pictures.h \
	$(xc_files_sources)
tests_check_format_SOURCES = tests/check_format.c $(xc_files_sources)
tests_check_format_LDADD = libxc_core.la
tests_check_refdec_SOURCES = tests/check_refdec.c $(refdec_sources) $(xc_files_sources)
tests_check_refdec_LDADD = libxc_core.la

dist_check_SCRIPTS = \
	tests/barbara.sh \
	tests/bootstrap.sh \
	tests/symbols.sh

# What uses PNG files, of samples/ for instance, is left out where they cannot be read; other
# folders do the same.
if XC_PNG
dist_check_SCRIPTS += \
	tests/bench_codec.sh \
	tests/kodak.sh \
	tests/memory.sh \
	tests/pngsuite.sh \
	tests/refdec.sh \
	tests/samples.sh \
	tests/threads.sh
endif

EXTRA_DIST += \
	tests/check.h \
	tests/run \
	tests/tap.sh
