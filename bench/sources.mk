# SPDX-License-Identifier: BSD-2-Clause

# The landscape, and large pictures made of small ones or of that.
scene = bench/scene.c
tiled = bench/tiled.c bench/tiled.h $(scene)

# `xcodec bench`, the part of it that measures the codec.
bench_sources = \
	bench/codec.c bench/codec.h \
	bench/codec_command.c \
	bench/stages.c \
	$(tiled) \
	bench/gpu/gpu.c bench/gpu/gpu.h \
	bench/gpu/resident.c \
	bench/gpu/files.c \
	bench/gpu/host.c \
	bench/gpu/nvjpeg.c \
	bench/gpu/time.c

# Tools for measuring by hand; bench/README.md tells what each is for.
tool_programs += \
	bench/rd/bd \
	bench/rd/search \
	bench/tools/arrays \
	bench/tools/choice \
	bench/tools/lossless \
	bench/tools/peak \
	bench/tools/tile \
	bench/tools/train_jpeg \
	bench/tools/train_rans
bench_rd_bd_SOURCES = bench/rd/bd.c $(sweep_bd)
bench_rd_search_SOURCES = bench/rd/search.c $(tiled)
bench_rd_search_LDADD = $(LDADD) $(LIBM)
bench_tools_arrays_SOURCES = bench/tools/arrays.c
bench_tools_choice_SOURCES = bench/tools/choice.c $(tiled)
bench_tools_lossless_SOURCES = bench/tools/lossless.c $(tiled)
bench_tools_tile_SOURCES = bench/tools/tile.c $(tiled)
bench_tools_train_jpeg_SOURCES = bench/tools/train_jpeg.c
bench_tools_train_jpeg_LDADD = $(LDADD) $(LIBM)
bench_tools_train_rans_SOURCES = \
	bench/tools/train_rans.c $(tiled)
bench_tools_train_rans_LDADD = $(LDADD) $(LIBM)

# For machines with GPUs.
EXTRA_PROGRAMS += bench/tools/pictures bench/tools/crops bench/tools/mixed
bench_tools_crops_SOURCES = bench/tools/crops.c $(tiled)
bench_tools_mixed_SOURCES = bench/tools/mixed.c $(tiled)
bench_tools_pictures_SOURCES = bench/tools/pictures.c $(tiled)

# Compiled by hand, with CUDA's headers.
EXTRA_DIST += bench/tools/xct_stream.c

EXTRA_DIST += bench/readme.sh bench/rd/auto bench/rd/rd bench/rd/point bench/rd/peer.mjs
EXTRA_DIST += bench/mpi/bars.sh bench/mpi/memory.sh bench/python/batch.py bench/web/decode.mjs
EXTRA_DIST += bench/README.md bench/results
