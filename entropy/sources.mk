# SPDX-License-Identifier: BSD-2-Clause
entropy_sources = \
	entropy/bitread.h entropy/byte_order.h \
	entropy/code_cost.h entropy/code_set.c entropy/contexts.h \
	entropy/coder_tables.c \
	entropy/decode_table.c entropy/decode_table.h \
	entropy/huffman.c entropy/huffman.h \
	entropy/level.c entropy/level.h \
	entropy/points.h \
	entropy/rans/rans.h \
	entropy/rans/builtin.c \
	entropy/rans/lanes.h entropy/rans/model.h \
	entropy/rans/raw.h entropy/rans/step.h \
	entropy/rans/tables.c entropy/rans/tables.h \
	entropy/scan.h \
	entropy/dc_only.h entropy/dc_only_tables.c \
	entropy/ac_prediction.h \
	entropy/stream.h \
	entropy/token.h entropy/tokens.h \
	entropy/value.h entropy/width.h

# Compiled once for coefficients of 16 bits and once for those of 32.
entropy_width_sources = entropy/dc_only.c entropy/ac_prediction.c entropy/stream.c entropy/tokens.c
