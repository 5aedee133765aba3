/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a picture is cut into MCUs, tiles (one segment each) and blocks.
 *
 * A tile is a rectangle of MCUs.  Its blocks are stored one component after the
 * other, row by row inside a component.
 */
#ifndef XC_GEOMETRY_GEOMETRY_H
#define XC_GEOMETRY_GEOMETRY_H

#include <xcodec.h>

enum {
	XC_MAX_TILE_BLOCKS = 4096, /* bounds what one segment can make a decoder hold */
	XC_MAX_COMPONENTS = 3
};

typedef struct xc_geometry {
	uint32_t width, height; /* of the picture */
	int components;         /* 1 or 3 */
	int h, v;               /* luma blocks across and down an MCU */
	uint32_t mcus_wide, mcus_high;
	uint32_t tile_mcus_wide, tile_mcus_high;
	uint32_t tiles_wide, tiles_high;
} xc_geometry;

/* One tile: its pixels and its blocks. */
typedef struct xc_tile {
	uint32_t x, y;          /* of its first pixel */
	uint32_t width, height; /* in pixels of whole MCUs, so it may pass the edges */
	uint32_t blocks_wide[XC_MAX_COMPONENTS], blocks_high[XC_MAX_COMPONENTS];
	uint32_t first_block[XC_MAX_COMPONENTS]; /* within the tile */
	uint32_t blocks;
} xc_tile;

/* Sets everything but the tiles. */
void xc_geometry_init(xc_geometry *g, uint32_t width, uint32_t height, xc_subsampling s);
/* Sets the tiles that the encoder chooses, of about `blocks` blocks each. */
void xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks);
/* Sets tiles of so many MCUs, as a file says.  0: impossible. */
int xc_geometry_set_tiles(xc_geometry *g, uint32_t mcus_wide, uint32_t mcus_high);

uint64_t xc_geometry_tiles(const xc_geometry *g);
uint64_t xc_geometry_blocks(const xc_geometry *g);      /* of the whole picture */
uint32_t xc_geometry_tile_blocks(const xc_geometry *g); /* of the largest tile */
void xc_geometry_tile(const xc_geometry *g, uint64_t index, xc_tile *tile);

/* Samples of chroma across and down the picture. */
static inline uint32_t xc_geometry_chroma_width(const xc_geometry *g)
{
	return (g->width + (uint32_t)g->h - 1) / (uint32_t)g->h;
}

static inline uint32_t xc_geometry_chroma_height(const xc_geometry *g)
{
	return (g->height + (uint32_t)g->v - 1) / (uint32_t)g->v;
}

#endif
