# SPDX-License-Identifier: BSD-2-Clause
#
# transform_sources is what libxcodec itself needs; registry_sources and its
# relatives are the named algorithms, which only the command and tests link.
# The files of one SIMD level are compiled with that level's flags.

transform_sources = transform/dct8.h transform/lapped8.h

registry_sources = \
	transform/registry.h transform/registry.c \
	transform/gpu.h transform/gpu.c transform/gpu_module.h transform/gpu_module.c

registry_avx2_sources =

registry_avx512_sources =

registry_fftw_sources =

# ------------------------------------- blockwise and lapped: 8 bands
registry_sources += \
	transform/kernel.h transform/dct8_direct.h transform/dct8_evenodd.h \
	transform/dct8_aan.h transform/dct8_flmad.h transform/dct8x8_feig.h \
	transform/lot8.h transform/tdlt8.h transform/genlot8.h \
	transform/block.h transform/block.c transform/lapped.h transform/lapped.c \
	transform/band/plan.h transform/band/plan.c transform/band/axis.h \
	transform/band/frame.h transform/band/frame.c transform/band/frame_template.h \
	transform/band/run.h transform/band/run_template.h transform/band/feig_template.h \
	transform/lanes.h transform/band/lanes.h transform/band/write.h transform/band/kernels_template.h \
	transform/frame/real.h transform/frame/team.h \
	transform/band/kernels_f32_scalar.c transform/band/kernels_f32_base.c \
	transform/band/kernels_f64_scalar.c transform/band/kernels_f64_base.c \
	transform/band/kernels_f80_scalar.c \
	transform/band/short.h transform/band/short.c transform/band/short8x8.h \
	transform/band/short_template.h \
	transform/band/short_base.c

registry_avx2_sources += \
	transform/band/kernels_f32_avx2.c transform/band/kernels_f64_avx2.c \
	transform/band/short_avx2.c

registry_avx512_sources += \
	transform/band/kernels_f32_avx512.c transform/band/kernels_f64_avx512.c \
	transform/band/short_avx512.c

registry_fftw_sources += \
	transform/block_fftw.c transform/block_fftw_template.h

check_PROGRAMS += \
	tests/check_transforms_block \
	tests/check_transforms_count \
	tests/check_transforms_theory
tests_check_transforms_block_SOURCES = \
	tests/check_transforms_block.c tests/transform_arrays.h \
	tests/band_reference.c tests/band_reference.h
tests_check_transforms_theory_SOURCES = \
	tests/check_transforms_theory.c tests/transform_arrays.h \
	tests/band_reference.c tests/band_reference.h

# ------------------------------------- whole frames
registry_sources += \
	transform/frame.h \
	transform/datafile.h transform/datafile.c \
	transform/frame/dispatch.h transform/frame/each_real.h \
	transform/frame/dmm.c transform/frame/dmm_template.h \
	transform/frame/kernel_table.h transform/frame/kernels.h transform/frame/kernels.c \
	transform/frame/kernels_template.h transform/frame/lanes.h \
	transform/frame/line_kernels.h transform/frame/turn_kernels.h \
	transform/frame/pair_kernels.h transform/frame/panel_kernels.h \
	transform/frame/product_kernel.h \
	transform/frame/kernels_f32_scalar.c transform/frame/kernels_f32_base.c \
	transform/frame/kernels_f64_scalar.c transform/frame/kernels_f64_base.c \
	transform/frame/kernels_f80_scalar.c \
	transform/frame/memory.h transform/frame/memory.c \
	transform/frame/shape.h transform/frame/shape.c

registry_avx2_sources += \
	transform/frame/kernels_f32_avx2.c transform/frame/kernels_f64_avx2.c

registry_avx512_sources += \
	transform/frame/kernels_f32_avx512.c transform/frame/kernels_f64_avx512.c

registry_fftw_sources += \
	transform/frame/fft.h transform/frame/twiddles.h \
	transform/frame/line.h transform/frame/line_template.h \
	transform/frame/rowcol.c transform/frame/rowcol_template.h \
	transform/frame/multi.c transform/frame/multi_template.h \
	transform/frame/fftw.c transform/frame/fftw_template.h \
	transform/frame/peer.c transform/frame/peer_template.h

check_PROGRAMS += tests/check_transforms_frame tests/check_datafile
