# SPDX-License-Identifier: BSD-2-Clause
#
# Each target as a plain program that runs a few thousand inputs in `make check`, or, where
# configure was given LIB_FUZZING_ENGINE, as that fuzzer's; fuzz/README.md tells how to fuzz.

# What a target needs, and what calls it.
fuzz_target_support = \
	fuzz/fuzz.c fuzz/fuzz.h \
	fuzz/engine/mutate.c fuzz/engine/mutate.h \
	fuzz/engine/mutate_file.c fuzz/engine/mutate_file.h \
	tests/support/format_samples.c tests/support/format_samples.h \
	$(refdec_compare) $(xc_files)
fuzz_common = \
	tests/support/codec.c tests/support/codec.h \
	$(fuzz_target_support)
fuzz_reader = fuzz/reader.c fuzz/reader.h

fuzz_programs = \
	fuzz/api \
	fuzz/array \
	fuzz/array_file \
	fuzz/bmp \
	fuzz/codes \
	fuzz/container \
	fuzz/decode \
	fuzz/decoder \
	fuzz/info \
	fuzz/kept \
	fuzz/lossless \
	fuzz/netpbm \
	fuzz/picture \
	fuzz/rans \
	fuzz/repack \
	fuzz/roundtrip \
	fuzz/stream \
	fuzz/tables \
	fuzz/target \
	fuzz/text
if XC_PNG
fuzz_programs += fuzz/png
endif
if XC_LIBJPEG
fuzz_programs += fuzz/jpeg
endif
if XC_LAB
fuzz_programs += fuzz/arrays
endif

# Without the kernels of the laboratory, which take sanitizers minutes to build.
fuzz_libraries = libxc_formats.la libxc_core.la $(JPEG_LIBS)
if XC_FUZZING_ENGINE
EXTRA_PROGRAMS += $(fuzz_programs)
fuzz_common += fuzz/engine/libfuzzer.c
fuzz_libraries += $(LIB_FUZZING_ENGINE)
else
check_PROGRAMS += $(fuzz_programs)
fuzz_common += fuzz/engine/standalone.c
endif

fuzz-targets: $(fuzz_programs)
.PHONY: fuzz-targets

fuzz_api_SOURCES = fuzz/api.c $(fuzz_common)
fuzz_api_LDADD = $(fuzz_libraries)
fuzz_array_SOURCES = fuzz/array.c $(made_arrays) $(fuzz_common)
fuzz_array_LDADD = $(fuzz_libraries)
fuzz_array_file_SOURCES = fuzz/array_file.c $(array_files) $(fuzz_common)
fuzz_array_file_LDADD = $(fuzz_libraries)
fuzz_arrays_SOURCES = \
	fuzz/arrays.c cli/base/json.c cli/base/report.c lab/command/array_samples.c \
	lab/datafile.c $(fuzz_common)
fuzz_arrays_LDADD = $(fuzz_libraries)
fuzz_bmp_SOURCES = fuzz/bmp.c $(fuzz_reader) $(fuzz_common)
fuzz_bmp_LDADD = $(fuzz_libraries)
fuzz_codes_SOURCES = fuzz/codes.c $(fuzz_common)
fuzz_codes_LDADD = $(fuzz_libraries)
fuzz_container_SOURCES = fuzz/container.c $(fuzz_common)
fuzz_container_LDADD = $(fuzz_libraries)
fuzz_decode_SOURCES = fuzz/decode.c $(fuzz_common)
fuzz_decode_LDADD = $(fuzz_libraries)
fuzz_decoder_SOURCES = fuzz/decoder.c $(fuzz_common)
fuzz_decoder_LDADD = $(fuzz_libraries)
fuzz_info_SOURCES = fuzz/info.c $(fuzz_common)
fuzz_info_LDADD = $(fuzz_libraries)
fuzz_jpeg_SOURCES = fuzz/jpeg.c $(fuzz_reader) $(fuzz_common)
fuzz_jpeg_LDADD = $(fuzz_libraries)
fuzz_kept_SOURCES = fuzz/kept.c $(jpeg_files) $(fuzz_common)
fuzz_kept_LDADD = $(fuzz_libraries)
fuzz_lossless_SOURCES = fuzz/lossless.c $(fuzz_common)
fuzz_lossless_LDADD = $(fuzz_libraries)
fuzz_netpbm_SOURCES = fuzz/netpbm.c $(fuzz_reader) $(fuzz_common)
fuzz_netpbm_LDADD = $(fuzz_libraries)
fuzz_picture_SOURCES = fuzz/picture.c $(fuzz_reader) $(fuzz_common)
fuzz_picture_LDADD = $(fuzz_libraries)
fuzz_png_SOURCES = fuzz/png.c $(fuzz_common)
fuzz_png_LDADD = $(fuzz_libraries)
fuzz_rans_SOURCES = fuzz/rans.c $(fuzz_common)
fuzz_rans_LDADD = $(fuzz_libraries)
fuzz_repack_SOURCES = fuzz/repack.c $(jpeg_files) $(fuzz_common)
fuzz_repack_LDADD = $(fuzz_libraries)
fuzz_roundtrip_SOURCES = fuzz/roundtrip.c $(fuzz_common)
fuzz_roundtrip_LDADD = $(fuzz_libraries)
fuzz_stream_SOURCES = fuzz/stream.c $(fuzz_common)
fuzz_stream_LDADD = $(fuzz_libraries)
fuzz_tables_SOURCES = fuzz/tables.c $(fuzz_common)
fuzz_tables_LDADD = $(fuzz_libraries)
fuzz_target_SOURCES = fuzz/target.c $(fuzz_common)
fuzz_target_LDADD = $(fuzz_libraries)
fuzz_text_SOURCES = \
	fuzz/text.c cli/base/json.c cli/base/report.c sweep/run/words.c \
	$(fuzz_common)
fuzz_text_LDADD = $(fuzz_libraries)

# The decoder on a GPU: a real one, by hand, or the one of tests/emulated.
fuzz_gpu_common = \
	fuzz/gpu.c tests/support/gpu.h \
	$(fuzz_target_support)
EXTRA_PROGRAMS += fuzz/gpu
fuzz_gpu_SOURCES = $(fuzz_gpu_common)
fuzz_gpu_LDADD = $(fuzz_gpu_libraries)
fuzz_gpu_libraries = libxc_formats.la libxc_core.la $(JPEG_LIBS)
check_PROGRAMS += fuzz/gpu_emulated
fuzz_gpu_emulated_SOURCES = $(fuzz_gpu_common)
fuzz_gpu_emulated_CPPFLAGS = $(AM_CPPFLAGS) -DXC_TEST_STUB
fuzz_gpu_emulated_LDADD = $(stub_module) $(fuzz_gpu_libraries)

# AFL++'s custom mutator, by hand; fuzz/run does.
EXTRA_LTLIBRARIES += fuzz/libafl_mutator.la
fuzz_libafl_mutator_la_SOURCES = \
	fuzz/engine/afl_mutator.c \
	fuzz/engine/mutate.c fuzz/engine/mutate_file.c \
	src/core/crc32c.c \
	tests/support/bytes.c tests/support/format_samples.c \
	tests/support/samples.c tests/support/xc_files.c
fuzz_libafl_mutator_la_CFLAGS = $(AM_CFLAGS)
fuzz_libafl_mutator_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
fuzz_libafl_mutator_la_LIBADD = $(JPEG_LIBS) $(ZLIB_LIBS)

EXTRA_DIST += \
	fuzz/README.md \
	fuzz/coverage \
	fuzz/engine/libfuzzer.c \
	fuzz/oss-fuzz/Dockerfile fuzz/oss-fuzz/build.sh fuzz/oss-fuzz/project.yaml \
	fuzz/run \
	fuzz/seeds \
	fuzz/engine/standalone.c
