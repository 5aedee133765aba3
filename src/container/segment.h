/* SPDX-License-Identifier: BSD-2-Clause */
/* One tile to its segment: coefficients to tokens, tokens to bits. */
#ifndef XC_SRC_CONTAINER_SEGMENT_H
#define XC_SRC_CONTAINER_SEGMENT_H

#include "entropy/level.h"
#include "entropy/rans/rans.h"
#include "geometry/geometry.h"
#include "src/core/arena.h"

xc_rans_shape xc_tile_rans_shape(const xc_geometry *geometry, const xc_tile *tile);

/* A tile's tokens. */
typedef struct xc_tile_tokens {
	xc_tokens of[XC_MAX_COMPONENTS];
	size_t bytes; /* in the arena; 0: they were not kept */
} xc_tile_tokens;

/* Makes tokens of a tile's coefficients, [tile->blocks][64] of level->width bytes each, in memory
 * reserved from the arena, which the caller may keep. 0: out of memory. */
int xc_tile_tokenize(xc_arena *arena, const xc_entropy_level *level, const xc_geometry *geometry,
                     const xc_tile *tile, const void *coefficients, xc_tile_tokens *tokens);

/* Adds to the counts of luma and of chroma, by context; contexts NULL: in the first alone. */
void xc_tile_count(const xc_entropy_level *level, const xc_tile_tokens *tokens, int components,
                   const xc_token_contexts *contexts, xc_token_counts (*counts)[XC_AC_CONTEXTS]);

/* The most bytes that a segment can take, XC_CODED_SLACK included. */
size_t xc_tile_code_bound(const xc_tile *tile);
/* Writes a segment to `out`, with the coders of luma and of chroma, and returns its end. */
uint8_t *xc_tile_code(const xc_entropy_level *level, const xc_tile_tokens *tokens, int components,
                      const xc_coder coders[2], uint8_t *out);

/* Segments of stored samples (XC_ENTROPY_SAMPLES). Samples lie where the coefficients of the tile
 * would: of 8 bits in int16_t, with `depth16` of 16 bits in int32_t. size: bytes of the segment.
 * count: samples of a component. read returns sixteenths of samples, as decoders do. */
size_t xc_tile_samples_size(const xc_geometry *geometry, const xc_tile *tile, int depth16);
size_t xc_tile_samples_count(const xc_geometry *geometry, const xc_tile *tile, int component);
void xc_tile_samples_write(const xc_geometry *geometry, const xc_tile *tile, int depth16,
                           const void *samples, uint8_t *out);
void xc_tile_samples_read(const xc_geometry *geometry, const xc_tile *tile, int depth16,
                          const uint8_t *data, void *coefficients);

#endif
