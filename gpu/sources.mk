# SPDX-License-Identifier: BSD-2-Clause
#
# The CUDA module, compiled by nvcc and linked without libtool: it is opened at run
# time and nothing links with it.  Each .cu file is one line below.

gpu_sources = \
	gpu/encode.cu gpu/encode_code.cu gpu/encode_forward.cu gpu/encode_place.cu \
	gpu/decode.cu \
	gpu/gpu.cu \
	gpu/module.cu \
	gpu/pool.cu

gpu_headers = \
	gpu/code.h gpu/code_template.h \
	gpu/crc.h \
	gpu/crc_read.h \
	gpu/crc_write.h \
	gpu/decode.h \
	gpu/decode_bits.h \
	gpu/decode_block.h \
	gpu/decode_kernels.cuh \
	gpu/decode_lane.h \
	gpu/decode_lapped.h \
	gpu/decode_pixels.h \
	gpu/decode_plan.h \
	gpu/decode_ranges.h \
	gpu/decode_region.h \
	gpu/decode_rows.h \
	gpu/decode_segment.h \
	gpu/decode_tables.h \
	gpu/decode_token.h \
	gpu/device.h \
	gpu/driver.h \
	gpu/encode.h gpu/encode_job.h gpu/encode_kernels.h gpu/encode_layout.h \
	gpu/forward.h gpu/forward_template.h \
	gpu/gpu.h \
	gpu/huffman.h \
	gpu/lapped.h gpu/lapped_rgb.h gpu/layout.h \
	gpu/pixels.h gpu/place.h gpu/planes.h gpu/team.h \
	gpu/module.h \
	gpu/pool.h \
	gpu/warp.h

EXTRA_DIST += $(gpu_sources) $(gpu_headers)

if XC_CUDA
gpu_objects = $(gpu_sources:.cu=.o)

cudamoduleexecdir = $(pkglibdir)
cudamoduleexec_DATA = xcodec-cuda.so
CLEANFILES += xcodec-cuda.so $(gpu_objects) $(gpu_objects:.o=.d)

# One rounding an operation, in the order written, as everywhere in the codec.  For a profiler,
# make NVCCFLAGS=-lineinfo; with it CUDA 11.8's ptxas crashes for sm_90.
gpu_flags = -std=c++17 -O3 -fmad=false $(XC_CUDA_CODE) \
	-I$(top_srcdir)/include -I$(top_srcdir) -include $(top_srcdir)/gpu/device.h \
	-Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off,-Wall,-Wextra $(NVCCFLAGS)

SUFFIXES = .cu
.cu.o:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(NVCC) $(gpu_flags) -MD -MF $(@:.o=.d) -c -o $@ $<

# nvcc's registration code would be exported without the version script.
xcodec-cuda.so: $(gpu_objects) gpu/module.map
	$(AM_V_GEN)$(NVCC) $(XC_CUDA_CODE) -shared -cudart static -o $@ $(gpu_objects) \
		-Xlinker --version-script=$(top_srcdir)/gpu/module.map

-include $(gpu_objects:.o=.d)
endif

EXTRA_DIST += gpu/module.map

if XC_PNG
dist_check_SCRIPTS += tests/device.sh
endif

# For machines with a GPU; see there.
EXTRA_DIST += tests/gpu.sh
EXTRA_PROGRAMS += tests/gpu_soak bench/gpus
bench_gpus_SOURCES = \
	bench/gpus.c \
	tests/test_pictures.c tests/test_pictures.h
tests_gpu_soak_SOURCES = \
	tests/gpu_soak.c \
	tests/test_pictures.c tests/test_pictures.h

check_PROGRAMS += \
	tests/check_cuda \
	tests/check_cuda_decode \
	tests/check_cuda_encode \
	tests/check_gpu_encode
tests_check_cuda_decode_SOURCES = \
	tests/check_cuda_decode.c \
	tests/stub_module.c tests/stub_module.h \
	tests/test_pictures.c tests/test_pictures.h
tests_check_cuda_encode_SOURCES = \
	tests/check_cuda_encode.c \
	tests/test_pictures.c tests/test_pictures.h
tests_check_gpu_encode_SOURCES = \
	tests/check_gpu_encode.c \
	tests/test_pictures.c tests/test_pictures.h
