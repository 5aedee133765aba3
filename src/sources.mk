src_sources = \
	src/alpha.c src/alpha.h \
	src/arena.c src/arena.h \
	src/coded.c src/coded.h src/coded_decode.c \
	src/coefficients.c \
	src/colour.h src/colour_gains.h \
	src/container.h src/container_read.c src/container_write.c \
	src/context.c src/context.h \
	src/crc32c.c src/crc32c.h \
	src/cuda.c src/cuda_module.c src/cuda_module.h \
	src/cuda_encode.c src/cuda_encode.h src/cuda_queue.c \
	src/cuda_decode.c src/cuda_decode.h \
	src/cuda_decode_files.c src/cuda_decode_job.h src/cuda_decode_layout.c \
	src/cuda_decode_host.c src/cuda_decode_try.c \
	src/cuda_decode_plan.c src/cuda_decode_plan.h \
	src/decode.c \
	src/device.c src/device.h \
	src/encode.c src/encode_plan.c src/encode_plan.h \
	src/entropy_level.c src/entropy_level.h \
	src/forward.c src/forward.h src/forward_lapped.c \
	src/geometry.c src/geometry.h \
	src/info.c \
	src/inverse.c src/inverse.h src/inverse_pixels.c \
	src/kernels.c src/kernels.h src/kernels_template.h \
	src/lapped.c src/lapped.h src/lapped_template.h \
	src/metrics.c src/metrics.h src/ssim.c \
	src/options.c \
	src/parallel.c src/parallel.h \
	src/picture.c src/picture.h \
	src/pool.c src/pool.h \
	src/segment_encode.c src/segment_encode.h \
	src/simd/pixels.h src/simd/vec.h \
	src/status.c
src_scalar_sources = src/kernels_scalar.c
src_sse2_sources = src/kernels_sse2.c entropy/tokenize_sse2.c entropy/tokenize_mask_template.h
src_neon_sources = src/kernels_neon.c
src_avx2_sources = src/kernels_avx2.c entropy/tokenize_avx2.c \
	entropy/tokens16_bmi2.c entropy/stream16_bmi2.c
src_avx512_sources = src/kernels_avx512.c entropy/tokenize_avx512.c
