# SPDX-License-Identifier: BSD-2-Clause
#
# The laboratory: every transform of the works side by side, for study and measurement.
# The codec uses nothing of it; configure --disable-lab leaves all of it out.

EXTRA_DIST += $(lab_gpu_sources) $(lab_gpu_precise) $(lab_gpu_headers) tests/device/transforms.sh \
	lab/README.md

lab_sources = \
	lab/scaling.h lab/scaling.c \
	lab/registry.h lab/registry.c lab/real.h lab/half.h lab/samples.h lab/cpu/shares.h \
	lab/kernels/kernel.h lab/kernels/dct8.h lab/kernels/lapped8.h \
	lab/algorithms.h lab/gpu.c lab/cpu/algorithms.c \
	lab/cpu/band/band.h lab/cpu/band/plan.c \
	lab/cpu/frame/frame.h

# Engines: compiled once for each precision.
lab_engine_sources = \
	lab/cpu/band/frame.c lab/cpu/band/wide.c \
	lab/cpu/frame/dmm.c lab/cpu/frame/kernels.h \
	lab/cpu/frame/line.h lab/cpu/frame/line.c lab/cpu/frame/rowcol.c
lab_fftw_sources = \
	lab/cpu/band/block_fftw.c \
	lab/cpu/frame/fft.h lab/cpu/frame/fftw.c lab/cpu/frame/multi.c

# Kernels: compiled once for each SIMD level and precision.
lab_level_sources = \
	lab/cpu/lanes.h \
	lab/cpu/band/kernels.c lab/cpu/band/stages.h lab/cpu/band/tiles.h \
	lab/cpu/frame/kernels_level.c lab/cpu/frame/multi_kernels.h

# Those in integers: once for each level.
lab_short_sources = lab/cpu/band/short_level.c lab/cpu/band/short8x8.h

# The program.
lab_command_sources = \
	lab/datafile.h lab/datafile.c \
	lab/command/array_files.c lab/command/array_samples.c lab/command/arrays.h \
	lab/command/bench.h lab/command/bench_cases.c \
	lab/command/bench_device.c \
	lab/command/bench_report.c \
	lab/command/bench_transforms.c \
	lab/command/common.h \
	lab/command/generate.c \
	lab/command/main.c \
	lab/command/transform.c lab/command/transform_threshold.c

if XC_LAB
# Nothing else is parallel by OpenMP.
lab_cflags = $(AM_CFLAGS) $(OPENMP_CFLAGS)

# -------------------------------------------------------------- processor
# The parts, which programs of the tree link together with libxc_core, and libxct, for others.
EXTRA_LTLIBRARIES += libxc_lab.la
libxc_lab_la_SOURCES = $(lab_sources) $(xct_sources)
libxc_lab_la_CFLAGS = $(lab_cflags)
libxc_lab_la_LIBADD =


if XC_FFTW
lab_engine_sources += $(lab_fftw_sources)
endif

EXTRA_LTLIBRARIES += libxc_lab_scalar32.la libxc_lab_scalar64.la libxc_lab_scalar80.la \
	libxc_lab_base32.la libxc_lab_base64.la
libxc_lab_la_LIBADD += libxc_lab_scalar32.la libxc_lab_scalar64.la libxc_lab_scalar80.la \
	libxc_lab_base32.la libxc_lab_base64.la

libxc_lab_scalar32_la_SOURCES = $(lab_engine_sources) $(lab_level_sources)
libxc_lab_scalar32_la_CFLAGS = $(lab_cflags)
libxc_lab_scalar32_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=32 -DXC_VECTOR_BYTES=0 \
	-DXC_BAND_TABLE=xc_band_scalar_f32 -DXC_FRAME_TABLE=xc_frame_kernels_scalar_f32
libxc_lab_scalar64_la_SOURCES = $(lab_engine_sources) $(lab_level_sources)
libxc_lab_scalar64_la_CFLAGS = $(lab_cflags)
libxc_lab_scalar64_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=64 -DXC_VECTOR_BYTES=0 \
	-DXC_BAND_TABLE=xc_band_scalar_f64 -DXC_FRAME_TABLE=xc_frame_kernels_scalar_f64
libxc_lab_scalar80_la_SOURCES = $(lab_engine_sources) $(lab_level_sources)
libxc_lab_scalar80_la_CFLAGS = $(lab_cflags)
libxc_lab_scalar80_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=80 -DXC_VECTOR_BYTES=0 \
	-DXC_BAND_TABLE=xc_band_scalar_f80 -DXC_FRAME_TABLE=xc_frame_kernels_scalar_f80
libxc_lab_base32_la_SOURCES = $(lab_level_sources) $(lab_short_sources)
libxc_lab_base32_la_CFLAGS = $(lab_cflags)
libxc_lab_base32_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=32 -DXC_VECTOR_BYTES=16 \
	-DXC_BAND_TABLE=xc_band_base_f32 -DXC_FRAME_TABLE=xc_frame_kernels_base_f32 \
	-DXC_SHORT_RUN=xc_short_base
libxc_lab_base64_la_SOURCES = $(lab_level_sources)
libxc_lab_base64_la_CFLAGS = $(lab_cflags)
libxc_lab_base64_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=64 -DXC_VECTOR_BYTES=16 \
	-DXC_BAND_TABLE=xc_band_base_f64 -DXC_FRAME_TABLE=xc_frame_kernels_base_f64

if XC_AVX2
EXTRA_LTLIBRARIES += libxc_lab_avx2_32.la libxc_lab_avx2_64.la
libxc_lab_la_LIBADD += libxc_lab_avx2_32.la libxc_lab_avx2_64.la
libxc_lab_avx2_32_la_SOURCES = $(lab_level_sources) $(lab_short_sources)
libxc_lab_avx2_32_la_CFLAGS = $(lab_cflags) $(XC_AVX2_CFLAGS) -mfma
libxc_lab_avx2_32_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=32 -DXC_VECTOR_BYTES=32 \
	-DXC_BAND_TABLE=xc_band_avx2_f32 -DXC_FRAME_TABLE=xc_frame_kernels_avx2_f32 \
	-DXC_SHORT_RUN=xc_short_avx2
libxc_lab_avx2_64_la_SOURCES = $(lab_level_sources)
libxc_lab_avx2_64_la_CFLAGS = $(lab_cflags) $(XC_AVX2_CFLAGS) -mfma
libxc_lab_avx2_64_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=64 -DXC_VECTOR_BYTES=32 \
	-DXC_BAND_TABLE=xc_band_avx2_f64 -DXC_FRAME_TABLE=xc_frame_kernels_avx2_f64
endif

if XC_AVX512
EXTRA_LTLIBRARIES += libxc_lab_avx512_32.la libxc_lab_avx512_64.la
libxc_lab_la_LIBADD += libxc_lab_avx512_32.la libxc_lab_avx512_64.la
libxc_lab_avx512_32_la_SOURCES = $(lab_level_sources) $(lab_short_sources)
libxc_lab_avx512_32_la_CFLAGS = $(lab_cflags) $(XC_AVX512_CFLAGS) -mfma
libxc_lab_avx512_32_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=32 -DXC_VECTOR_BYTES=64 \
	-DXC_BAND_TABLE=xc_band_avx512_f32 -DXC_FRAME_TABLE=xc_frame_kernels_avx512_f32 \
	-DXC_SHORT_RUN=xc_short_avx512
libxc_lab_avx512_64_la_SOURCES = $(lab_level_sources)
libxc_lab_avx512_64_la_CFLAGS = $(lab_cflags) $(XC_AVX512_CFLAGS) -mfma
libxc_lab_avx512_64_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=64 -DXC_VECTOR_BYTES=64 \
	-DXC_BAND_TABLE=xc_band_avx512_f64 -DXC_FRAME_TABLE=xc_frame_kernels_avx512_f64
endif

libxc_lab_la_LIBADD += $(FFTW_LIBS) $(LIBM)

# `make lab` builds the program and, where nvcc was found, its CUDA module; `make install-lab`
# installs them.  `make` does neither.
EXTRA_PROGRAMS += xcodec-lab
check_DATA += xcodec-lab
lab_modules =
lab: xcodec-lab $(lab_shared) $(lab_modules)
install-lab: lab
	@$(MKDIR_P) "$(DESTDIR)$(pkglibexecdir)" "$(DESTDIR)$(pkglibdir)" "$(DESTDIR)$(includedir)" "$(DESTDIR)$(pkgconfigdir)"
	test -z "$(lab_shared)" || $(LIBTOOL) --mode=install $(INSTALL) libxct.la "$(DESTDIR)$(libdir)"
	test -z "$(lab_shared)" || $(INSTALL_DATA) $(srcdir)/include/xct.h "$(DESTDIR)$(includedir)"
	test -z "$(lab_shared)" || $(INSTALL_DATA) xct/xct.pc "$(DESTDIR)$(pkgconfigdir)"
	$(LIBTOOL) --mode=install $(INSTALL_PROGRAM) xcodec-lab "$(DESTDIR)$(pkglibexecdir)"
	test -z "$(lab_modules)" || $(INSTALL_DATA) $(lab_modules) "$(DESTDIR)$(pkglibdir)"
xcodec_lab_SOURCES = $(lab_command_sources)
xcodec_lab_LDFLAGS = $(AM_LDFLAGS) $(XC_PIE_LDFLAGS)
xcodec_lab_LDADD = libxc_cli.la $(lab_libraries)
lab_libraries = libxc_lab.la $(LDADD) $(OPENMP_CFLAGS)
xcodec_SOURCES += cli/laboratory.c

dist_man_MANS += man/xcodec-generate.1 man/xcodec-transform.1
dist_doc_DATA += doc/gpu-transforms.md doc/transforms.md doc/works.md

# ------------------------------------------------------------------ tests
band_reference = tests/support/band_reference.c tests/support/band_reference.h
check_PROGRAMS += \
	lab/tests/check_datafile \
	lab/tests/check_gpu_bands \
	lab/tests/check_gpu_frames \
	lab/tests/check_gpu_transforms \
	lab/tests/check_transforms_count
lab_tests_check_datafile_SOURCES = lab/tests/check_datafile.c lab/datafile.c
lab_tests_check_datafile_LDADD = $(lab_libraries)
lab_tests_check_transforms_count_LDADD = $(lab_libraries)
lab_tests_check_gpu_transforms_SOURCES = \
	lab/tests/check_gpu_transforms.c lab/tests/transform_arrays.h
lab_tests_check_gpu_transforms_LDADD = $(lab_libraries)

# The GPU's code, thread by thread on the processor.
check_LTLIBRARIES += libxc_lab_gpu16.la libxc_lab_gpu32.la libxc_lab_gpu64.la
lab_emulated_sources = lab/tests/gpu_emulated.c lab/tests/gpu_emulated.h
libxc_lab_gpu16_la_SOURCES = $(lab_emulated_sources)
libxc_lab_gpu16_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=16
libxc_lab_gpu32_la_SOURCES = $(lab_emulated_sources)
libxc_lab_gpu32_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=32
libxc_lab_gpu64_la_SOURCES = $(lab_emulated_sources)
libxc_lab_gpu64_la_CPPFLAGS = $(AM_CPPFLAGS) -DXC_REAL_BITS=64
lab_emulated = libxc_lab_gpu16.la libxc_lab_gpu32.la libxc_lab_gpu64.la
lab_tests_check_gpu_bands_SOURCES = \
	lab/tests/check_gpu_bands.c lab/tests/transform_arrays.h
lab_tests_check_gpu_bands_LDADD = $(lab_emulated) $(lab_libraries)
lab_tests_check_gpu_frames_SOURCES = \
	lab/tests/check_gpu_frames.c lab/tests/transform_arrays.h
lab_tests_check_gpu_frames_LDADD = $(lab_emulated) $(lab_libraries)

if XC_PNG
dist_check_SCRIPTS += tests/command/transform.sh tests/command/tutorial.sh tests/command/works.sh
endif
else !XC_LAB
lab install-lab:
	@echo "configure was given --disable-lab" >&2; exit 1
endif !XC_LAB

# -------------------------------------------------------------------- GPU
lab_gpu_sources = \
	lab/gpu/plan.cu \
	lab/gpu/band/short.cu

# Compiled for float and for double.
lab_gpu_precise = lab/gpu/band/launch.cu

lab_gpu_headers = \
	lab/gpu/ops.h lab/gpu/threads.h lab/gpu/work.h \
	lab/gpu/band/kernels.h \
	lab/gpu/band/short.h lab/gpu/band/region.h \
	lab/gpu/band/warp.h \
	lab/gpu/frame/complex.h lab/gpu/frame/frame.h \
	lab/gpu/frame/lines.h lab/gpu/frame/stages.h \
	lab/gpu/fused/line.h lab/gpu/fused/mixed.h \
	lab/gpu/fused/plan.h lab/gpu/fused/power.h

# Transforms of whole frames need cuFFT.
lab_cufft_sources = \
	lab/gpu/frame/cufft.cu lab/gpu/frame/dmm.cu

lab_cufft_precise = \
	lab/gpu/frame/lines.cu lab/gpu/frame/product.cu \
	lab/gpu/frame/stages.cu \
	lab/gpu/fused/launch.cu
EXTRA_DIST += $(lab_cufft_sources) $(lab_cufft_precise)

if XC_CUDA
if XC_LAB
if XC_CUFFT
lab_gpu_sources += $(lab_cufft_sources)
lab_gpu_precise += $(lab_cufft_precise)
lab_gpu_libs = -lcufft
lab_gpu_defines = -DXC_HAVE_CUFFT
endif
lab_gpu_objects = $(lab_gpu_sources:.cu=.o) $(lab_gpu_precise:.cu=_f32.o) \
	$(lab_gpu_precise:.cu=_f64.o) lab/gpu/band/launch_f16.o

lab_modules += xcodec-lab-cuda.so
CLEANFILES += xcodec-lab-cuda.so $(lab_gpu_objects) $(lab_gpu_objects:.o=.d)

nvcc_lab = $(nvcc_compile) $(lab_gpu_defines)
lab/gpu/plan.o: lab/gpu/plan.cu
	$(nvcc_lab)
%_f16.o: %.cu
	$(nvcc_lab) -DXC_REAL_BITS=16
%_f32.o: %.cu
	$(nvcc_lab) -DXC_REAL_BITS=32
%_f64.o: %.cu
	$(nvcc_lab) -DXC_REAL_BITS=64

xcodec-lab-cuda.so: $(lab_gpu_objects) gpu/runtime/module.map
	$(AM_V_GEN)$(link_module) -o $@ $(lab_gpu_objects) $(lab_gpu_libs)

-include $(lab_gpu_objects:.o=.d)
endif
endif
