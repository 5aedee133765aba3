# SPDX-License-Identifier: BSD-2-Clause

# What xcodec and xcodec-mpi have in common.
cli_work_sources = \
	cli/array.h \
	cli/array_decode.c \
	cli/array_encode.c \
	cli/decode.c \
	cli/encode.c \
	cli/jpeg.c cli/jpeg.h \
	cli/original.c cli/original.h \
	cli/base/array.c cli/base/array.h \
	cli/base/cleanup.c \
	cli/base/clock.h \
	cli/base/command.h \
	cli/base/workers.c cli/base/workers.h \
	cli/base/io.c cli/base/io.h \
	cli/base/json.c cli/base/json.h \
	cli/base/options.c cli/base/options.h \
	cli/base/output.c \
	cli/base/picture.c cli/base/picture.h \
	cli/base/progress.c cli/base/progress.h \
	cli/base/report.c cli/base/report.h \
	cli/base/sandbox.c cli/base/sandbox.h \
	cli/base/settings.c cli/base/settings.h \
	cli/base/stages.c cli/base/stages.h \
	cli/stream/batch.c cli/stream/batch.h \
	cli/stream/items.c cli/stream/items.h \
	cli/stream/manifest.c cli/stream/manifest.h \
	cli/stream/results.c cli/stream/results.h \
	cli/stream/shard.c cli/stream/shard.h \
	cli/stream/spread.c cli/stream/spread.h \
	cli/stream/stream.c cli/stream/stream.h \
	cli/stream/unpack.c cli/stream/unpack.h

# xcodec's alone.
cli_sources = \
	cli/array_compare.c \
	cli/array_info.c \
	cli/compare.c \
	cli/devices.c cli/devices.h cli/info.c \
	cli/main.c \
	cli/sweep.c \
	cli/verify.c
