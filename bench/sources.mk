# SPDX-License-Identifier: BSD-2-Clause

noinst_PROGRAMS += bench/transforms_block

# Behind `xcodec bench codec`.
bench_codec_sources = \
	bench/clock.c bench/clock.h \
	bench/codec.c bench/codec.h \
	bench/codec_report.c \
	bench/codec_stages.c \
	bench/peer_jpeg.c bench/peer_jpeg.h \
	bench/stages.c bench/stages.h \
	bench/tiled.c bench/tiled.h

# Tools for measuring by hand.
noinst_PROGRAMS += bench/peak bench/tile

# What the lapped transforms are worth.
noinst_PROGRAMS += bench/lapped bench/lapped_speed
bench_lapped_SOURCES = bench/lapped.c bench/rate.c bench/rate.h
bench_lapped_speed_SOURCES = bench/lapped_speed.c bench/tiled.c bench/tiled.h

bench_tile_SOURCES = bench/tile.c bench/tiled.c bench/tiled.h

EXTRA_DIST += bench/README.md \
	bench/results/2026-11-21-codec-epyc-zen4.md \
	bench/results/2026-11-21-gpu-fft2d-h200.md \
	bench/results/2026-11-21-gpu-2-h200.md \
	bench/results/2026-11-21-gpu-3-h200.md \
	bench/results/2026-11-21-gpu-h200.md \
	bench/results/2026-11-21-lapped-epyc-zen4.md \
	bench/results/2026-11-21-size-libjpeg-turbo.md \
	bench/results/2026-11-21-stages-epyc-zen4.md \
	bench/results/2026-11-21-transforms-epyc-zen4.md \
	bench/results/2026-11-22-gpu-transforms-h200.md \
	bench/results/2026-11-21-gpu-transforms-h200.md \
	bench/results/2026-11-21-gpu-bands-h200.md \
	bench/results/2026-11-21-gpu-transforms-2-h200.md

# For doc/performance.md: what a core can move, and how many instructions functions take.
noinst_PROGRAMS += bench/bandwidth bench/steps
bench_bandwidth_SOURCES = bench/bandwidth.c bench/clock.c bench/clock.h
bench_bandwidth_LDADD =
bench_steps_SOURCES = bench/steps.c
bench_steps_LDADD =
