# SPDX-License-Identifier: BSD-2-Clause
#
# The CUDA module, compiled by nvcc and linked without libtool: it is opened at run
# time and nothing links with it.  Each .cu file is one line below.

gpu_sources = \
	gpu/runtime/module.cu \
	gpu/array/array.cu gpu/array/chunk.cu gpu/array/code.cu \
	gpu/encode/container/assemble.cu gpu/encode/decide/decide.cu gpu/encode/encode.cu gpu/encode/forward.cu \
	gpu/encode/huffman/code.cu gpu/encode/rans/rans.cu \
	gpu/decode/host/decode.cu gpu/decode/huffman/segments.cu gpu/decode/jpeg/jpeg.cu \
	gpu/decode/rans/rans.cu \
	gpu/decode/pixels/arrays.cu gpu/decode/pixels/of_blocks.cu gpu/decode/pixels/of_symbols.cu \
	gpu/decode/pixels/of_tokens.cu gpu/decode/pixels/reduced.cu

gpu_headers = \
	gpu/array/array.h gpu/array/kernels.h gpu/array/pass.h gpu/array/values.h \
	gpu/decode/bits.h gpu/decode/buffers.h gpu/decode/dc.h gpu/decode/job.h gpu/decode/launch.h \
	gpu/decode/ranges.h gpu/decode/host/layout.h gpu/decode/huffman/segment.h \
	gpu/decode/huffman/tables.h gpu/decode/jpeg/coefficients.h gpu/decode/jpeg/job.h \
	gpu/decode/jpeg/symbols.h gpu/decode/pixels/arrays.h gpu/decode/pixels/block.h \
	gpu/decode/pixels/make_pixels.h gpu/decode/pixels/reduced.h gpu/decode/pixels/region.h \
	gpu/decode/pixels/rows.h gpu/decode/pixels/samples.h \
	gpu/decode/rans/symbols.h gpu/decode/rans/tables.h gpu/decode/rans/values.h \
	gpu/decode/warp_group.h gpu/encode/container/assemble.h gpu/encode/decide/coefficients.h \
	gpu/encode/decide/decide.h gpu/encode/huffman/bits.h gpu/encode/huffman/code.h \
	gpu/encode/huffman/codes.h gpu/encode/huffman/tokens.h gpu/encode/job/buffers.h \
	gpu/encode/job/job.h gpu/encode/job/launch.h gpu/encode/job/segments.h gpu/encode/job/slots.h \
	gpu/encode/job/tiles.h gpu/encode/layout.h gpu/encode/pixels/forward.h \
	gpu/encode/pixels/lapped.h gpu/encode/pixels/planes.h gpu/encode/rans/contexts.h \
	gpu/encode/rans/interleave.h gpu/encode/rans/model.h gpu/encode/rans/rans_encode.h \
	gpu/module.h gpu/runtime/crc.h gpu/runtime/device.h \
	gpu/runtime/driver.h gpu/runtime/gpu.h gpu/runtime/warp.h

EXTRA_DIST += $(gpu_sources) $(gpu_headers) gpu/runtime/module.map

if XC_CUDA
gpu_objects = $(gpu_sources:.cu=.o)

cudamoduleexecdir = $(pkglibdir)
cudamoduleexec_DATA = xcodec-cuda.so
CLEANFILES += xcodec-cuda.so $(gpu_objects) $(gpu_objects:.o=.d)

# One rounding an operation, in the order written, as everywhere in the codec.  For a profiler,
# make NVCCFLAGS=-lineinfo; with it CUDA 11.8's ptxas crashes for sm_90.
gpu_flags = -std=c++17 -O3 -fmad=false $(XC_CUDA_CODE) \
	-I$(top_srcdir)/include -I$(top_srcdir) -include $(top_srcdir)/gpu/runtime/device.h \
	$(abi_flags) \
	-Xcompiler=-fPIC,-fvisibility=hidden,-ffp-contract=off,-Wall,-Wextra $(NVCCFLAGS)

SUFFIXES = .cu
.cu.o:
	$(nvcc_compile)
nvcc_compile = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(NVCC) $(gpu_flags) \
	-MD -MP -MF $(@:.o=.d) -c -o $@ $<

# nvcc's registration code would be exported without the version script.  Local symbols have names of nvcc's
# temporary files, which would make each build another one.
link_module = $(NVCC) $(XC_CUDA_CODE) -shared -cudart static -Xlinker -x \
	-Xlinker --version-script=$(top_srcdir)/gpu/runtime/module.map

xcodec-cuda.so: $(gpu_objects) gpu/runtime/module.map
	$(AM_V_GEN)$(link_module) -o $@ $(gpu_objects)

-include $(gpu_objects:.o=.d)
endif
