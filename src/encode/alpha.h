/* SPDX-License-Identifier: BSD-2-Clause */
/* The alpha of a tile to its segment, for any encoder. */
#ifndef XC_SRC_ENCODE_ALPHA_H
#define XC_SRC_ENCODE_ALPHA_H

#include "src/core/arena.h"
#include "src/container/segment.h"
#include "src/core/layout.h"
#include "geometry/geometry.h"

/* A tile's pixels that lie in the picture; returns how many these are. */
size_t xc_alpha_tile(const xc_geometry *geometry, uint64_t index, xc_tile *tile);

/* Bytes of scratch for the samples of `depth` bits of any tile and their coder. */
size_t xc_alpha_tile_scratch(const xc_geometry *geometry, uint32_t depth);

/* Codes a tile to memory of the arena, which keeps it; returns the segment and sets *size. NULL:
 * out of memory. pixels: its planes begin with row `first`. */
uint8_t *xc_alpha_tile_encode(const xc_entropy_level *level, const xc_geometry *geometry,
                              uint64_t index, const xc_pixels *pixels, uint32_t first,
                              void *scratch, xc_arena *arena, size_t *size);

#endif
