# SPDX-License-Identifier: BSD-2-Clause
#
# The registry's transforms for a GPU.

gpu_sources += \
	gpu/transform/band_f32.cu \
	gpu/transform/band_f64.cu \
	gpu/transform/bands.cu \
	gpu/transform/copy.cu \
	gpu/transform/plan.cu \
	gpu/transform/short.cu

gpu_headers += \
	gpu/transform/band_bulk.h gpu/transform/band_bulk_template.h gpu/transform/band_cuda.h \
	gpu/transform/band_job.h gpu/transform/band_kernels.h \
	gpu/transform/band_template.h gpu/transform/band_tile.h \
	gpu/transform/band_tile_template.h gpu/transform/band_warp.h \
	gpu/transform/ops.h gpu/transform/plan.h gpu/transform/short_block.h \
	gpu/transform/short_fast.h \
	gpu/transform/warp.h gpu/transform/words.h gpu/transform/works.h

# The transforms of whole frames are a module of their own, so that the codec needs no
# cuFFT.
cufft_sources = \
	gpu/transform/cufft_plan.cu \
	gpu/transform/dmm.cu \
	gpu/transform/dmm_cublas.cu \
	gpu/transform/dmm_f32.cu \
	gpu/transform/dmm_f64.cu \
	gpu/transform/frames.cu \
	gpu/transform/fused_f32.cu \
	gpu/transform/fused_f64.cu \
	gpu/transform/real_fft.cu \
	gpu/transform/stages_f32.cu \
	gpu/transform/stages_f64.cu

EXTRA_DIST += $(cufft_sources) \
	gpu/transform/complex.h gpu/transform/cufft_plan.h gpu/transform/dmm.h \
	gpu/transform/dmm_cuda.h gpu/transform/fused.h gpu/transform/fused_cuda.h \
	gpu/transform/fused_pairs.h gpu/transform/fused_plan.h gpu/transform/fused_split.h \
	gpu/transform/line_fft.h gpu/transform/line_shape.h gpu/transform/line_thread.h \
	gpu/transform/mixed.h gpu/transform/mixed_dft.h gpu/transform/mixed_line.h \
	gpu/transform/mixed_plan.h gpu/transform/plan_parts.h gpu/transform/product.h \
	gpu/transform/split_long.h gpu/transform/split_short.h gpu/transform/split_work.h \
	gpu/transform/stage_kernels.h gpu/transform/stage_plan.h gpu/transform/stages.h \
	gpu/transform/stages_cuda.h

if XC_CUDA
if XC_CUFFT
cufft_objects = $(cufft_sources:.cu=.o)
cudamoduleexec_DATA += xcodec-cufft.so
CLEANFILES += xcodec-cufft.so $(cufft_objects) $(cufft_objects:.o=.d)

xcodec-cufft.so: $(cufft_objects) gpu/transform/plan.o gpu/module.map
	$(AM_V_GEN)$(NVCC) $(XC_CUDA_CODE) -shared -cudart static -o $@ $(cufft_objects) \
		gpu/transform/plan.o -lcufft \
		-Xlinker --version-script=$(top_srcdir)/gpu/module.map

-include $(cufft_objects:.o=.d)
endif
endif

# Their code, thread by thread on the processor.
check_PROGRAMS += tests/check_gpu_bands
tests_check_gpu_bands_SOURCES = \
	tests/check_gpu_bands.c tests/transform_arrays.h \
	tests/gpu_bands.h tests/gpu_bands_template.h tests/gpu_bands_f32.c tests/gpu_bands_f64.c \
	tests/gpu_bands_short.c

check_PROGRAMS += tests/check_gpu_transforms
tests_check_gpu_transforms_SOURCES = tests/check_gpu_transforms.c tests/transform_arrays.h

check_PROGRAMS += tests/check_gpu_fused
tests_check_gpu_fused_SOURCES = \
	tests/check_gpu_fused.c tests/gpu_frames.h tests/transform_arrays.h \
	tests/gpu_fused.h tests/gpu_fused_template.h tests/gpu_fused_f32.c tests/gpu_fused_f64.c

check_PROGRAMS += tests/check_gpu_stages
tests_check_gpu_stages_SOURCES = \
	tests/check_gpu_stages.c tests/gpu_frames.h tests/transform_arrays.h \
	tests/gpu_stages.h tests/gpu_stages_template.h tests/gpu_stages_f32.c tests/gpu_stages_f64.c

# Builds, checks and measures; for a machine with a GPU, by hand.
EXTRA_DIST += tests/gpu_transforms.sh
