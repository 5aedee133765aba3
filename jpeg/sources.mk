# SPDX-License-Identifier: BSD-2-Clause
jpeg_sources = jpeg/builtin.c jpeg/code.h jpeg/count.c jpeg/describe.c jpeg/huffman.c jpeg/huffman.h jpeg/jpeg.h \
	jpeg/markers.c jpeg/model.c jpeg/model.h jpeg/pack.c jpeg/read.c \
	jpeg/scan.h jpeg/write.c

# Compiled once per level.
jpeg_level_sources = jpeg/coder.c
