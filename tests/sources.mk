# SPDX-License-Identifier: BSD-2-Clause
#
# A C test is one line here (tests/check_foo is built from tests/check_foo.c); a
# shell test another.  Other folders add theirs with +=.

check_PROGRAMS = \
	tests/check_api \
	tests/check_crc32c \
	tests/check_huffman \
	tests/check_jpeg \
	tests/check_kernels \
	tests/check_kernels_definition \
	tests/check_limits \
	tests/check_quant \
	tests/check_roundtrip \
	tests/check_same_bytes \
	tests/check_segments \
	tests/check_tokens

tests_check_jpeg_SOURCES = \
	tests/check_jpeg.c \
	tests/jpeg_peer.c tests/jpeg_peer.h \
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
tests_check_limits_SOURCES = \
	tests/check_limits.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_segments_SOURCES = \
	tests/check_segments.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_tokens_SOURCES = tests/check_tokens.c tests/token_model.c tests/token_model.h

dist_check_SCRIPTS = \
	tests/samples.sh \
	tests/symbols.sh

EXTRA_DIST += \
	tests/check.h \
	tests/run \
	tests/tap.sh
