# SPDX-License-Identifier: BSD-2-Clause

# The landscape, and large pictures made of small ones or of that.
scene = bench/scene.c bench/scene.h
tiled = bench/tiled.c bench/tiled.h $(scene)

# `xcodec bench`, the part of it that measures the codec.
bench_sources = \
	bench/bench.c \
	bench/codec.c bench/codec.h \
	bench/codec_command.c \
	bench/codec_report.c \
	bench/peer_jpeg.c bench/peer_jpeg.h \
	bench/stages.c bench/stages.h \
	$(tiled) \
	bench/timing.c bench/timing.h \
	bench/gpu/gpu.c bench/gpu/gpu.h \
	bench/gpu/decode.c \
	bench/gpu/encode.c \
	bench/gpu/files.c \
	bench/gpu/host.c \
	bench/gpu/nvjpeg.c bench/gpu/nvjpeg.h \
	bench/gpu/nvjpeg_measure.c \
	bench/gpu/rates.c \
	bench/gpu/report.c \
	bench/gpu/time.c

# Tools for measuring by hand; bench/README.md tells what each is for.
noinst_PROGRAMS += \
	bench/tools/lapped \
	bench/tools/peak \
	bench/tools/tile \
	bench/tools/train_rans
bench_tools_lapped_SOURCES = bench/tools/lapped.c $(tiled)
bench_tools_tile_SOURCES = bench/tools/tile.c $(tiled)
bench_tools_train_rans_SOURCES = \
	bench/tools/train_rans.c bench/tools/train_rans.h bench/tools/train_rans_fit.c $(tiled)
bench_tools_train_rans_LDADD = $(LDADD) $(LIBM)

# For machines with several GPUs.
EXTRA_PROGRAMS += bench/tools/gpus
bench_tools_gpus_SOURCES = bench/tools/gpus.c $(tiled)

EXTRA_DIST += bench/README.md bench/results
