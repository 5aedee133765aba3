/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damage that gets past checksums and lengths: pieces of XC, PNG and JPEG files are changed,
 * taken out, repeated and exchanged, and lengths and checksums put right afterwards. Other bytes
 * are changed as such.
 */
#ifndef XC_FUZZ_ENGINE_MUTATE_FILE_H
#define XC_FUZZ_ENGINE_MUTATE_FILE_H

#include "tests/support/xc_files.h"

/* A fuzzer's own way to change bytes: room bytes are there, of which size are used; returns the new
 * size. */
typedef size_t (*xc_change_bytes)(uint8_t *data, size_t size, size_t room);

/* Changes data like that; always the same for a seed if change is NULL, which is xc_mutate(). */
size_t xc_mutate_file(uint8_t *data, size_t size, size_t room, uint64_t *seed,
                      xc_change_bytes change);

/* A file as its pieces: chunks of XC and PNG, segments of JPEG. */
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
