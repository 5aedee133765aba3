/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of pieces with a type each, taken apart and put together: chunks of XC and PNG, segments of
 * JPEG.  What is put together has right lengths and checksums.
 */
#ifndef XC_FUZZ_ENGINE_PIECES_H
#define XC_FUZZ_ENGINE_PIECES_H

#include "tests/support/xc_files.h"

typedef struct xc_fuzz_piece {
	char type[5]; /* of JPEG one byte, after the 0xff */
	const uint8_t *payload;
	size_t length;
	const uint8_t *tail; /* what follows up to the next piece: of JPEG the coded samples */
	size_t tail_length;
} xc_fuzz_piece;

typedef enum xc_pieces_kind { XC_PIECES_XC, XC_PIECES_PNG, XC_PIECES_JPEG } xc_pieces_kind;

typedef struct xc_pieces {
	xc_pieces_kind kind;
	size_t start; /* bytes before the first one */
	xc_fuzz_piece piece[XC_FILE_CHUNKS_MAX];
	int count;
	size_t end; /* of the last one; what follows is none */
} xc_pieces;

/* 0: data begins as no such file does, or has no pieces.  They point into data. */
int xc_pieces_split(const uint8_t *data, size_t size, xc_pieces *pieces);
/* Replaces *out by the file of these pieces, with the bytes of data around them. */
void xc_pieces_join(const xc_pieces *pieces, const uint8_t *data, size_t size, xc_bytes *out);
/* Corrects the checksums of a file of any kind. */
void xc_pieces_fix(uint8_t *data, size_t size);

#endif
