# SPDX-License-Identifier: BSD-2-Clause

noinst_PROGRAMS += bench/transforms_block

# Measuring the codec against libjpeg, and tools for measuring by hand.
noinst_PROGRAMS += bench/codec bench/peak bench/tile

bench_codec_SOURCES = \
	bench/codec.c bench/codec.h \
	bench/codec_main.c \
	bench/codec_report.c \
	bench/peer_jpeg.c bench/peer_jpeg.h \
	bench/tiled.c bench/tiled.h \
	cli/json.c cli/json.h
bench_tile_SOURCES = bench/tile.c bench/tiled.c bench/tiled.h

EXTRA_DIST += bench/README.md bench/results/2026-11-21-codec-epyc-zen4.md
