# SPDX-License-Identifier: BSD-2-Clause
#
# A C test is built from the file of its name and what its _SOURCES adds; a shell test is a
# line in dist_check_SCRIPTS.  Other folders add theirs with +=.

made_pictures = \
	tests/support/bytes.c tests/support/bytes.h \
	tests/support/samples.c tests/support/samples.h
test_pictures = \
	tests/support/test_pictures.c tests/support/test_pictures.h \
	$(made_pictures)
codec = tests/support/codec.c tests/support/codec.h
jpeg_files = tests/support/jpeg_files.c tests/support/jpeg_files.h
made_arrays = tests/support/arrays.c tests/support/arrays.h
memory_checks = \
	tests/support/memory_checks.c tests/support/memory_checks.h \
	$(codec)

# ------------------------------------------------------ unit: the library by its API and parts
check_PROGRAMS = \
	tests/unit/check_api \
	tests/unit/check_array \
	tests/unit/check_butteraugli \
	tests/unit/check_choose \
	tests/unit/check_contexts \
	tests/unit/check_crc32c \
	tests/unit/check_decide \
	tests/unit/check_decode_threads \
	tests/unit/check_decoder \
	tests/unit/check_huffman \
	tests/unit/check_jpeg \
	tests/unit/check_kernels \
	tests/unit/check_kernels_definition \
	tests/unit/check_lapped \
	tests/unit/check_layouts \
	tests/unit/check_limits \
	tests/unit/check_lossless \
	tests/unit/check_metrics \
	tests/unit/check_null \
	tests/unit/check_pool \
	tests/unit/check_quant \
	tests/unit/check_rans \
	tests/formats/check_kept \
	tests/unit/check_repack \
	tests/unit/check_roundtrip \
	tests/unit/check_same_bytes \
	tests/unit/check_stream \
	tests/unit/check_sweep \
	tests/unit/check_target \
	tests/unit/check_tokens
tests_unit_check_api_SOURCES = tests/unit/check_api.c $(codec) $(test_pictures)
tests_unit_check_array_SOURCES = \
	tests/unit/check_array.c $(codec) $(made_arrays) $(xc_files)
tests_unit_check_butteraugli_SOURCES = \
	tests/unit/check_butteraugli.c $(memory_checks) $(made_pictures)
tests_unit_check_choose_SOURCES = \
	tests/unit/check_choose.c $(memory_checks) $(made_pictures)
tests_unit_check_lossless_SOURCES = \
	tests/unit/check_lossless.c $(memory_checks) $(made_pictures)
tests_unit_check_contexts_SOURCES = tests/unit/check_contexts.c $(codec) $(made_pictures)
tests_unit_check_decide_SOURCES = tests/unit/check_decide.c $(codec) $(made_pictures)
tests_unit_check_decode_threads_SOURCES = \
	tests/unit/check_decode_threads.c $(codec) $(made_pictures)
tests_unit_check_decoder_SOURCES = \
	tests/unit/check_decoder.c $(memory_checks) $(made_pictures)
tests_unit_check_huffman_SOURCES = tests/unit/check_huffman.c $(made_pictures)
tests_unit_check_jpeg_SOURCES = tests/unit/check_jpeg.c $(codec) $(test_pictures)
tests_unit_check_kernels_SOURCES = \
	tests/unit/check_kernels.c tests/support/kernel_calls.h $(made_pictures)
tests_unit_check_kernels_definition_SOURCES = \
	tests/unit/check_kernels_definition.c tests/support/kernel_calls.h $(codec) $(made_pictures)
tests_unit_check_lapped_SOURCES = \
	tests/unit/check_lapped.c $(codec) $(made_pictures) \
	tests/support/band_reference.c tests/support/band_reference.h
tests_unit_check_layouts_SOURCES = \
	tests/unit/check_layouts.c $(codec) $(made_pictures)
tests_unit_check_limits_SOURCES = tests/unit/check_limits.c $(memory_checks) $(made_pictures)
tests_unit_check_metrics_SOURCES = \
	tests/unit/check_metrics.c $(memory_checks) $(made_pictures)
tests_unit_check_null_SOURCES = tests/unit/check_null.c $(codec) $(made_pictures)
tests_unit_check_pool_SOURCES = tests/unit/check_pool.c $(codec) $(made_pictures)
tests_unit_check_quant_SOURCES = tests/unit/check_quant.c $(codec) $(made_pictures)
tests_unit_check_rans_SOURCES = \
	tests/unit/check_rans.c $(made_pictures) $(refdec_compare)
tests_formats_check_kept_SOURCES = \
	tests/formats/check_kept.c $(jpeg_files) tests/support/xc_files.c tests/support/xc_files.h \
	tests/support/memory_checks.c tests/support/memory_checks.h $(format_samples)
tests_unit_check_repack_SOURCES = \
	tests/unit/check_repack.c $(jpeg_files) fuzz/engine/mutate.c fuzz/engine/mutate.h \
	$(format_samples)
tests_unit_check_roundtrip_SOURCES = tests/unit/check_roundtrip.c $(codec) $(made_pictures)
tests_unit_check_same_bytes_SOURCES = \
	tests/unit/check_same_bytes.c $(codec) $(made_pictures)
tests_unit_check_stream_SOURCES = \
	tests/unit/check_stream.c $(memory_checks) $(made_pictures)
tests_unit_check_target_SOURCES = \
	tests/unit/check_target.c $(memory_checks) $(made_pictures)
tests_unit_check_tokens_SOURCES = tests/unit/check_tokens.c $(made_pictures)

if XC_MPI
check_PROGRAMS += tests/unit/check_mpi
endif
tests_unit_check_mpi_SOURCES = tests/unit/check_mpi.c mpi/summary.c $(mpi_share) $(mpi_share_cli)
tests_unit_check_mpi_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_unit_check_mpi_LDADD = $(LDADD) $(MPI_LIBS)

# Picture files.
format_samples = \
	tests/support/format_samples.c tests/support/format_samples.h \
	tests/support/format_checks.c \
	$(codec) $(made_pictures)
check_PROGRAMS += \
	tests/formats/check_array_files \
	tests/formats/check_formats_bmp \
	tests/formats/check_mutations \
	tests/formats/check_rows
if XC_LIBJPEG
check_PROGRAMS += tests/formats/check_formats_jpeg
endif
if XC_PNG
check_PROGRAMS += \
	tests/formats/check_formats \
	tests/formats/check_formats_damage \
	tests/formats/check_formats_png \
	tests/formats/check_metadata \
	tests/formats/check_png_filters
endif
EXTRA_DIST += tests/formats/array_files.py
array_files = tests/support/array_files.c tests/support/array_files.h
tests_formats_check_array_files_SOURCES = \
	tests/formats/check_array_files.c $(array_files) tests/support/bytes.c tests/support/bytes.h
tests_formats_check_array_files_LDADD = $(LDADD) $(LIBM)
tests_formats_check_formats_SOURCES = \
	tests/formats/check_formats.c \
	tests/support/test_pictures.c tests/support/test_pictures.h $(format_samples)
tests_formats_check_formats_bmp_SOURCES = tests/formats/check_formats_bmp.c $(format_samples)
tests_formats_check_formats_jpeg_SOURCES = tests/formats/check_formats_jpeg.c $(format_samples)
tests_formats_check_mutations_SOURCES = \
	tests/formats/check_mutations.c \
	fuzz/engine/mutate.c fuzz/engine/mutate.h \
	fuzz/engine/mutate_file.c fuzz/engine/mutate_file.h \
	tests/support/xc_files.c tests/support/xc_files.h tests/support/xc_random_file.c \
	$(format_samples)
tests_formats_check_rows_SOURCES = tests/formats/check_rows.c $(format_samples)
tests_formats_check_formats_damage_SOURCES = \
	tests/formats/check_formats_damage.c fuzz/engine/mutate.c fuzz/engine/mutate.h $(format_samples)
tests_formats_check_png_filters_SOURCES = tests/formats/check_png_filters.c $(format_samples)
tests_formats_check_formats_png_SOURCES = tests/formats/check_formats_png.c $(format_samples)
tests_formats_check_metadata_SOURCES = tests/formats/check_metadata.c $(format_samples)

# ------------------------------- format: XC files, right and wrong, and the second decoder
refdec_sources = \
	tests/format/refdec.c tests/format/refdec.h tests/format/refdec_alpha.c \
	tests/format/refdec_codes.c tests/format/refdec_file.c tests/format/refdec_internal.h \
	tests/format/refdec_drawing.c tests/format/refdec_lossless.c tests/format/refdec_lossless.h \
	tests/format/refdec_model.c tests/format/refdec_rans.c tests/format/refdec_states.c
refdec_compare = \
	tests/format/refdec_compare.c tests/format/refdec_compare.h \
	$(refdec_sources)
xc_files = \
	tests/support/xc_files.c tests/support/xc_files.h \
	tests/support/xc_random_file.c \
	$(made_pictures)

tool_programs += tests/format/refdec
tests_format_refdec_SOURCES = \
	tests/format/refdec_main.c $(refdec_sources) lossless/builtin.c lossless/draw_builtin.c \
	tests/support/bytes.c tests/support/bytes.h
# Flags of its own: the built-in numbers are objects of the library, too.
tests_format_refdec_CFLAGS = $(AM_CFLAGS)
tests_format_refdec_LDADD =

check_PROGRAMS += \
	tests/format/check_codes \
	tests/format/check_colours \
	tests/format/check_corrupt \
	tests/format/check_file_limits \
	tests/format/check_fine \
	tests/format/check_format \
	tests/format/check_lossless_chunks \
	tests/format/check_rans_files \
	tests/format/check_refdec \
	tests/format/check_refdec_array \
	tests/formats/check_refdec_jpeg \
	tests/format/check_segments
tests_format_check_codes_SOURCES = \
	tests/format/check_codes.c $(codec) $(refdec_compare) $(xc_files)
tests_format_check_codes_LDADD = libxc_core.la
tests_format_check_corrupt_SOURCES = \
	tests/format/check_corrupt.c \
	fuzz/engine/mutate.c fuzz/engine/mutate.h \
	$(memory_checks) $(refdec_compare) $(xc_files)
tests_format_check_corrupt_LDADD = libxc_core.la
tests_format_check_file_limits_SOURCES = \
	tests/format/check_file_limits.c \
	tests/support/test_pictures.c tests/support/test_pictures.h \
	$(memory_checks) $(xc_files)
tests_format_check_format_SOURCES = tests/format/check_format.c $(codec) $(xc_files)
tests_format_check_format_LDADD = libxc_core.la
tests_format_check_fine_SOURCES = \
	tests/format/check_fine.c $(memory_checks) $(made_pictures) \
	tests/support/band_reference.c tests/support/band_reference.h $(refdec_compare)
tests_format_check_fine_LDADD = libxc_core.la
tests_format_check_rans_files_SOURCES = \
	tests/format/check_rans_files.c $(codec) $(refdec_compare) $(xc_files)
tests_format_check_rans_files_LDADD = libxc_core.la
tests_format_check_refdec_SOURCES = \
	tests/format/check_refdec.c $(codec) $(refdec_compare) $(xc_files)
tests_format_check_refdec_LDADD = libxc_core.la
tests_format_check_refdec_array_SOURCES = \
	tests/format/check_refdec_array.c tests/format/refdec_array.c tests/format/refdec_array.h \
	tests/format/refdec_array_internal.h tests/format/refdec_blocks.c \
	$(refdec_sources) $(xc_files)
tests_format_check_refdec_array_LDADD = libxc_core.la
tests_formats_check_refdec_jpeg_SOURCES = \
	tests/formats/check_refdec_jpeg.c tests/formats/refdec_jpeg.c tests/formats/refdec_jpeg.h \
	tests/formats/refdec_jpeg_blocks.c tests/formats/refdec_jpeg_pack.c $(jpeg_files) $(refdec_sources) \
	tests/support/xc_files.c tests/support/xc_files.h $(format_samples)
# The test vectors, and by hand the program that made them.
vectors = tests/decoders/vectors.c tests/decoders/vectors.h
refdec_vector = \
	tests/decoders/refdec_vector.c tests/decoders/refdec_vector.h $(vectors) \
	tests/format/refdec_array.c tests/format/refdec_array.h \
	tests/format/refdec_array_internal.h tests/format/refdec_blocks.c \
	tests/formats/refdec_jpeg.c tests/formats/refdec_jpeg.h tests/formats/refdec_jpeg_blocks.c tests/formats/refdec_jpeg_pack.c \
	$(refdec_sources)
check_PROGRAMS += tests/decoders/check_tables tests/decoders/check_vectors
tests_decoders_check_tables_SOURCES = \
	tests/decoders/check_tables.c tests/support/bytes.c tests/support/bytes.h
tests_decoders_check_tables_LDADD = libxc_core.la
tests_decoders_check_vectors_SOURCES = \
	tests/decoders/check_vectors.c $(refdec_vector) tests/support/bytes.c tests/support/bytes.h
tests_decoders_check_vectors_LDADD = libxc_core.la
if XC_LIBJPEG
EXTRA_PROGRAMS += tests/decoders/make_vectors
endif
tests_decoders_make_vectors_SOURCES = \
	tests/decoders/make_vectors.c tests/decoders/make.h tests/decoders/make_files.c \
	tests/decoders/make_lossless.c tests/decoders/make_lossy.c tests/decoders/make_others.c \
	tests/decoders/make_refused.c $(refdec_vector) $(jpeg_files) $(made_arrays) \
	$(format_samples) \
	tests/support/xc_files.c tests/support/xc_files.h tests/support/xc_random_file.c
EXTRA_DIST += tests/vectors
tests_format_check_lossless_chunks_SOURCES = \
	tests/format/check_lossless_chunks.c $(codec) $(xc_files)
tests_format_check_lossless_chunks_LDADD = libxc_core.la
tests_format_check_colours_SOURCES = tests/format/check_colours.c $(codec) $(xc_files)
tests_format_check_colours_LDADD = libxc_core.la
tests_format_check_segments_SOURCES = tests/format/check_segments.c $(codec) $(xc_files)
tests_format_check_segments_LDADD = libxc_core.la

# ------------------- emulated: the GPU's code on the processor, and a stub in a GPU's place
check_PROGRAMS += \
	tests/emulated/check_batch \
	tests/emulated/check_decode_batch \
	tests/emulated/check_decode_kernels \
	tests/emulated/check_decode_modes \
	tests/emulated/check_encode_kernels \
	tests/emulated/check_parts
# Compiled once for all programs, since that takes half a minute, and as a shared library is, for the plugin.
check_LTLIBRARIES += tests/emulated/libxc_stub.la
tests_emulated_libxc_stub_la_SOURCES = \
	tests/emulated/stub_decode.c tests/emulated/stub_encode.c \
	tests/emulated/stub_module.c tests/emulated/stub_module.h
tests_emulated_libxc_stub_la_LIBTOOLFLAGS = --tag=disable-static
stub_module = tests/emulated/libxc_stub.la
# A module for the command, where shared libraries are built.
if XC_SHARED
check_LTLIBRARIES += tests/emulated/stub_plugin.la
endif
tests_emulated_stub_plugin_la_SOURCES = tests/emulated/stub_plugin.c
tests_emulated_stub_plugin_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_emulated_stub_plugin_la_LIBADD = $(stub_module) libxc_core.la
# A decoder that does what none should, put into the command by LD_PRELOAD.
if XC_SHARED
check_LTLIBRARIES += tests/support/gone_wrong.la
endif
tests_support_gone_wrong_la_SOURCES = tests/support/gone_wrong.c
tests_support_gone_wrong_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
tests_emulated_check_parts_SOURCES = \
	tests/emulated/check_parts.c tests/support/gpu.h $(memory_checks) $(made_pictures)
tests_emulated_check_parts_CPPFLAGS = $(AM_CPPFLAGS) -DXC_TEST_STUB
tests_emulated_check_parts_LDADD = $(stub_module) $(LDADD)
tests_emulated_check_batch_SOURCES = tests/emulated/check_batch.c $(codec) $(made_pictures)
tests_emulated_check_decode_batch_SOURCES = \
	tests/emulated/check_decode_batch.c $(codec) $(made_pictures)
tests_emulated_check_decode_batch_LDADD = $(stub_module) $(LDADD)
tests_emulated_check_decode_kernels_SOURCES = \
	tests/device/check_decode.c tests/support/gpu.h $(test_pictures) $(vectors)
tests_emulated_check_decode_kernels_CPPFLAGS = $(AM_CPPFLAGS) -DXC_TEST_STUB
tests_emulated_check_decode_kernels_LDADD = $(stub_module) $(LDADD)
tests_emulated_check_decode_modes_SOURCES = $(tests_emulated_check_decode_kernels_SOURCES)
tests_emulated_check_decode_modes_CPPFLAGS = $(AM_CPPFLAGS) -DXC_TEST_STUB -DXC_TEST_MODES
tests_emulated_check_decode_modes_LDADD = $(stub_module) $(LDADD)
tests_emulated_check_encode_kernels_SOURCES = \
	tests/device/check_encode.c tests/support/gpu.h $(test_pictures)
tests_emulated_check_encode_kernels_CPPFLAGS = $(AM_CPPFLAGS) -DXC_TEST_STUB
tests_emulated_check_encode_kernels_LDADD = $(stub_module) $(LDADD)

# ---------------------------------------- device: with a GPU; skipped where there is none
check_PROGRAMS += \
	tests/device/check_arrays \
	tests/device/check_decode \
	tests/device/check_decode_modes \
	tests/device/check_encode \
	tests/device/check_gpu
tests_device_check_arrays_SOURCES = \
	tests/device/check_arrays.c tests/support/gpu.h $(codec) $(made_arrays) \
	tests/support/bytes.c tests/support/bytes.h
tests_device_check_decode_SOURCES = \
	tests/device/check_decode.c tests/support/gpu.h $(test_pictures) $(vectors)
tests_device_check_decode_modes_SOURCES = $(tests_device_check_decode_SOURCES)
tests_device_check_decode_modes_CPPFLAGS = $(AM_CPPFLAGS) -DXC_TEST_MODES
tests_device_check_encode_SOURCES = \
	tests/device/check_encode.c tests/support/gpu.h $(test_pictures)

# By hand; see there.
EXTRA_DIST += tests/device/gpu.sh tests/device/mpi.sh tests/command/metrics.py
EXTRA_PROGRAMS += tests/device/soak
tests_device_soak_SOURCES = tests/device/soak.c $(test_pictures)

# --------------------------------------------------- command: what a user types
dist_check_SCRIPTS = \
	tests/formats/array_files.sh \
	tests/command/array.sh \
	tests/command/auto_device.sh \
	tests/command/barbara.sh \
	tests/command/batch.sh \
	tests/command/bootstrap.sh \
	tests/command/cli_help.sh \
	tests/command/completion.sh \
	tests/command/examples.sh \
	tests/command/habits.sh \
	tests/command/hardening.sh \
	tests/command/hdf5.sh \
	tests/command/jpeg.sh \
	tests/command/memory_list.sh \
	tests/command/mpi.sh \
	tests/command/mpi_kill.sh \
	tests/command/pages.sh \
	tests/command/progress.sh \
	tests/command/python.sh \
	tests/command/resume.sh \
	tests/command/sandbox.sh \
	tests/command/shards.sh \
	tests/command/symbols.sh \
	tests/command/tree.sh \
	tests/command/verify.sh \
	tests/desktop/cmake.sh \
	tests/desktop/types.sh

# What uses PNG files, of samples/ for instance, is left out where they cannot be read; other
# folders do the same.
if XC_PNG
dist_check_SCRIPTS += \
	tests/command/bench_codec.sh \
	tests/command/cli.sh \
	tests/command/cli_errors.sh \
	tests/command/compare.sh \
	tests/command/range.sh \
	tests/command/formats.sh \
	tests/command/kodak.sh \
	tests/command/memory.sh \
	tests/command/memory_limit.sh \
	tests/command/output.sh \
	tests/command/metrics.sh \
	tests/command/mode.sh \
	tests/command/names.sh \
	tests/command/stream.sh \
	tests/command/sweep.sh \
	tests/command/pngsuite.sh \
	tests/command/rd.sh \
	tests/command/report.sh \
	tests/command/samples.sh \
	tests/command/target.sh \
	tests/command/threads.sh \
	tests/desktop/gdk_pixbuf.sh \
	tests/desktop/magick.sh \
	tests/desktop/vips.sh \
	tests/device/device.sh \
	tests/format/refdec.sh
endif

# A program that shows pictures by gdk-pixbuf.
if XC_GDK_PIXBUF
tool_programs += tests/desktop/pixbuf
endif
tests_desktop_pixbuf_SOURCES = tests/desktop/pixbuf.c
tests_desktop_pixbuf_CPPFLAGS = $(AM_CPPFLAGS) $(GDK_PIXBUF_CFLAGS)
tests_desktop_pixbuf_LDADD = $(GDK_PIXBUF_LIBS)

# The report of a sweep, without the command.
sweep_report = cli/base/json.c cli/base/json.h $(sweep_sources)
tests_unit_check_sweep_SOURCES = tests/unit/check_sweep.c $(sweep_report)
tests_unit_check_sweep_LDADD = libxc_report.la $(LDADD) $(LIBM)
tool_programs += tests/support/report
tests_support_report_SOURCES = tests/support/report.c $(sweep_report)
tests_support_report_LDADD = libxc_report.la $(LDADD) $(LIBM)

EXTRA_DIST += \
	tests/README.md \
	tests/support/check.h \
	tests/support/desktop.sh \
	tests/support/mpi.sh \
	tests/support/page.py \
	tests/support/page_probe.js \
	tests/support/pytest.sh \
	tests/support/run \
	tests/support/tap.sh
