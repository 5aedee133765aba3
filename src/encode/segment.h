/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's right side: coefficients of one tile to tokens, tokens to bits. */
#ifndef XC_SRC_ENCODE_SEGMENT_H
#define XC_SRC_ENCODE_SEGMENT_H

#include "src/core/arena.h"
#include "src/container/entropy_level.h"
#include "geometry/geometry.h"

/* A tile's tokens; which member is used depends on the picture's depth. */
typedef struct xc_tile_tokens {
	union {
		xc_tokens16 t16[XC_MAX_COMPONENTS];
		xc_tokens32 t32[XC_MAX_COMPONENTS];
	} u;
	size_t bytes; /* of the arena; 0: not kept */
} xc_tile_tokens;

/* Tokenizes into memory reserved from the arena (the caller keeps it or not).
 * 0: out of memory. */
int xc_tile_tokenize(xc_arena *arena, const xc_entropy_level *level, int deep,
                     const xc_geometry *geometry, const xc_tile *tile, const void *coefficients,
                     xc_tile_tokens *tokens);

/* counts: of luma and of chroma. */
void xc_tile_count(const xc_entropy_level *level, const xc_tile_tokens *tokens, int deep,
                   int components, xc_token_counts counts[2]);

/* Bytes that a segment can take at most, slack included. */
size_t xc_tile_code_bound(const xc_tile *tile);
/* Returns the end of what was written to out. */
uint8_t *xc_tile_code(const xc_entropy_level *level, const xc_tile_tokens *tokens, int deep,
                      int components, const xc_coder_tables tables[2], uint8_t *out);

void xc_tile_cost(const xc_tile_tokens *tokens, int deep, int components,
                  const xc_coder_tables tables[2], uint64_t dc[3], uint64_t ac[3]);

#endif
