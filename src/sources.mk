# SPDX-License-Identifier: BSD-2-Clause
#
# The library, room by room.

src_sources = \
	src/core/arena.c src/core/arena.h src/core/clock.h \
	src/core/context.c src/core/context.h \
	src/core/cpu.c src/core/cpu.h \
	src/core/crc32c.c src/core/crc32c.h src/core/floats.h src/core/blob.h \
	src/core/layout.c src/core/layout.h \
	src/core/module.c src/core/module.h \
	src/core/parallel.c src/core/parallel.h \
	src/core/picture.h \
	src/core/pool.c src/core/pool.h \
	src/core/sha256.c src/core/sha256.h \
	src/jpeg/decode.c src/jpeg/decode.h src/jpeg/encode.c src/jpeg/file.h src/jpeg/kept.c src/jpeg/kept.h src/jpeg/metadata.c src/jpeg/metadata.h src/jpeg/plan.c \
	src/array/array.h src/array/chunk.c src/array/compare.c src/array/encode.c \
	src/array/header.c src/array/info.c src/array/kinds.c src/array/map.c src/array/ranks.c src/array/reader.c src/array/reader.h src/array/values.c src/array/writer.c \
	src/container/container.h src/container/write.c \
	src/container/parser.h src/container/read.c \
	src/container/segment.c src/container/segment.h \
	src/pixels/alpha.c src/pixels/alpha.h \
	src/pixels/forward.c src/pixels/forward.h \
	src/pixels/inverse.c src/pixels/inverse.h \
	src/pixels/kernels.c src/pixels/kernels.h \
	src/pixels/arrays_template.h src/pixels/block_template.h src/pixels/colour_template.h \
	src/pixels/reduced.c src/pixels/reduced.h src/pixels/reduced_template.h \
	src/pixels/samples.c src/pixels/samples.h \
	src/pixels/vec.h src/pixels/vec_pixels.h \
	src/encode/codes.c src/encode/encoder.h src/encode/tiles.c \
	src/encode/decide.c src/encode/decide.h \
	src/encode/encode.c src/encode/mode.c \
	src/encode/palette.c src/encode/palette.h \
	src/encode/plan.c src/encode/plan.h src/encode/set_up.c src/encode/stream.c \
	src/decode/coded.c src/decode/coded.h src/decode/coded_decode.c \
	src/decode/crop.c src/decode/crop.h \
	src/decode/decoder.c src/decode/decoder.h \
	src/decode/feed.c src/decode/feed.h src/decode/info.c src/decode/lossless.c \
	src/decode/batch.c src/decode/schedule.c src/decode/schedule.h src/decode/to_jpeg.c src/decode/usage.c \
	src/metrics/butteraugli.c src/metrics/butteraugli.h \
	src/metrics/filter.h src/metrics/luma.c src/metrics/metrics.c src/metrics/metrics.h \
	src/batch/batch.c src/batch/batch.h src/batch/cuda.c src/batch/cuda_encode.c src/batch/decode.c \
	src/target/target.c \
	src/metrics/ssim.c src/metrics/ssimulacra2.c src/metrics/ssimulacra2.h \
	src/cuda/alpha.c src/cuda/arrays.c src/cuda/arrays.h src/cuda/arrays_decode.c \
	src/cuda/arrays_encode.c src/cuda/backend.c \
	src/cuda/module.c src/cuda/module.h \
	src/cuda/crop.c src/cuda/decoder.c src/cuda/jpeg.c src/cuda/decoder.h src/cuda/cache.c src/cuda/cache.h \
	src/cuda/encoder.c src/cuda/encoder.h src/cuda/queue.c
