# SPDX-License-Identifier: BSD-2-Clause
lossless_sources = lossless/alpha.c lossless/classify.c \
	lossless/bits.h lossless/builtin.c lossless/code.h \
	lossless/draw.c lossless/draw.h lossless/draw_builtin.c lossless/draw_model.h \
	lossless/lanes.h lossless/lossless.c lossless/lossless.h lossless/model.h lossless/part.h \
	lossless/buckets.h lossless/side.c lossless/steps.h lossless/tables.c lossless/tables.h lossless/transpose.h

# Compiled once per level.
lossless_level_sources = lossless/decode.c lossless/draw_decode.c lossless/draw_encode.c \
	lossless/encode.c lossless/fit.c lossless/tile.c
