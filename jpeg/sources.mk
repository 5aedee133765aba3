# SPDX-License-Identifier: BSD-2-Clause
jpeg_sources = jpeg/describe.c jpeg/huffman.c jpeg/huffman.h jpeg/jpeg.h jpeg/markers.c jpeg/read.c \
	jpeg/write.c
