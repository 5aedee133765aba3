# SPDX-License-Identifier: BSD-2-Clause

# `xcodec bench`, the part of it that measures the codec.
bench_sources = \
	bench/bench.c \
	bench/clock.c bench/clock.h \
	bench/codec.c bench/codec.h \
	bench/codec_command.c \
	bench/codec_report.c \
	bench/codec_stages.c \
	bench/peer_jpeg.c bench/peer_jpeg.h \
	bench/scene.c bench/scene.h \
	bench/stages.c bench/stages.h \
	bench/tiled.c bench/tiled.h \
	bench/gpu/gpu.c bench/gpu/gpu.h \
	bench/gpu/decode.c \
	bench/gpu/encode.c \
	bench/gpu/files.c \
	bench/gpu/host.c \
	bench/gpu/nvjpeg.c bench/gpu/nvjpeg.h \
	bench/gpu/nvjpeg_engines.c \
	bench/gpu/nvjpeg_library.c bench/gpu/nvjpeg_library.h \
	bench/gpu/nvjpeg_threads.c \
	bench/gpu/rates.c \
	bench/gpu/report.c \
	bench/gpu/time.c

# Tools for measuring by hand; bench/README.md tells what each is for.
noinst_PROGRAMS += \
	bench/tools/bandwidth \
	bench/tools/lapped \
	bench/tools/lapped_speed \
	bench/tools/peak \
	bench/tools/steps \
	bench/tools/tile
bench_tools_bandwidth_SOURCES = bench/tools/bandwidth.c bench/clock.c bench/clock.h
bench_tools_bandwidth_LDADD =
bench_tools_lapped_SOURCES = bench/tools/lapped.c bench/tools/rate.c bench/tools/rate.h
bench_tools_lapped_speed_SOURCES = bench/tools/lapped_speed.c bench/tiled.c bench/tiled.h
bench_tools_steps_SOURCES = bench/tools/steps.c
bench_tools_steps_LDADD =
bench_tools_tile_SOURCES = bench/tools/tile.c bench/tiled.c bench/tiled.h

# For machines with several GPUs.
EXTRA_PROGRAMS += bench/tools/gpus
bench_tools_gpus_SOURCES = bench/tools/gpus.c $(test_pictures)

EXTRA_DIST += bench/README.md \
	bench/results/2026-11-21-codec-epyc-zen4.md \
	bench/results/2026-11-21-gpu-2-h200.md \
	bench/results/2026-11-21-gpu-3-h200.md \
	bench/results/2026-11-21-gpu-bands-h200.md \
	bench/results/2026-11-21-gpu-fft2d-h200.md \
	bench/results/2026-11-21-gpu-h200.md \
	bench/results/2026-11-21-gpu-transforms-2-h200.md \
	bench/results/2026-11-21-gpu-transforms-h200.md \
	bench/results/2026-11-21-lapped-epyc-zen4.md \
	bench/results/2026-11-21-size-libjpeg-turbo.md \
	bench/results/2026-11-21-stages-epyc-zen4.md \
	bench/results/2026-11-21-transforms-epyc-zen4.md \
	bench/results/2026-11-22-gpu-transforms-h200.md \
	bench/results/2026-11-22-gpu-tuning-h200.md
