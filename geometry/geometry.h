/* SPDX-License-Identifier: BSD-2-Clause */
/* How a picture is cut into MCUs, tiles (one segment each) and blocks. A tile is a rectangle of
 * MCUs. Its blocks are stored one component after the other, row by row inside a component. */
#ifndef XC_GEOMETRY_GEOMETRY_H
#define XC_GEOMETRY_GEOMETRY_H

#include <xcodec.h>

enum {
	XC_MAX_TILE_BLOCKS = 4096,   /* bounds what one segment can make a decoder hold */
	XC_LOSSLESS_TILE_MCUS = 128, /* 1024 pixels: the most of a lossless tile's width and height */
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

static inline uint32_t xc_divide_up(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

static inline uint32_t xc_min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t xc_max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A tile as a rectangle of MCUs, and the number of MCUs in all tiles before it. */
typedef struct xc_tile_mcus {
	uint32_t x, y, wide, high, before;
} xc_tile_mcus;

/* The tile in column tx and row ty of tiles. */
static inline XC_DEVICE xc_tile_mcus xc_tile_mcus_at(uint32_t tx, uint32_t ty,
                                                     uint32_t tile_mcus_wide,
                                                     uint32_t tile_mcus_high, uint32_t mcus_wide,
                                                     uint32_t mcus_high)
{
	xc_tile_mcus t;

	t.x = tx * tile_mcus_wide;
	t.y = ty * tile_mcus_high;
	t.wide = mcus_wide - t.x < tile_mcus_wide ? mcus_wide - t.x : tile_mcus_wide;
	t.high = mcus_high - t.y < tile_mcus_high ? mcus_high - t.y : tile_mcus_high;
	/* The tiles to the left are as high as this one. */
	t.before = t.y * mcus_wide + t.x * t.high;
	return t;
}

/* Its pixels and blocks; h, v: luma blocks across and down an MCU. Without chroma the components of
 * chroma are empty and begin after luma. */
static inline XC_DEVICE xc_tile xc_tile_of(const xc_tile_mcus *m, uint32_t components, uint32_t h,
                                           uint32_t v)
{
	const uint32_t chroma = components > 1, mcus = m->wide * m->high;
	xc_tile t;

	t.x = m->x * 8 * h;
	t.y = m->y * 8 * v;
	t.width = m->wide * 8 * h;
	t.height = m->high * 8 * v;
	t.blocks_wide[0] = m->wide * h;
	t.blocks_high[0] = m->high * v;
	t.first_block[0] = 0;
	for (uint32_t c = 1; c < XC_MAX_COMPONENTS; c++) {
		t.blocks_wide[c] = chroma ? m->wide : 0;
		t.blocks_high[c] = chroma ? m->high : 0;
		t.first_block[c] = mcus * (h * v + (chroma ? c - 1 : 0));
	}
	t.blocks = mcus * (h * v + (chroma ? 2 : 0));
	return t;
}

/* Sets everything but the tiles. */
void xc_geometry_init(xc_geometry *g, uint32_t width, uint32_t height, xc_subsampling s);
/* Sets the tiles that an encoder chooses: of about `blocks` blocks, and `rows` rows of pixels where
 * the picture is wide. alpha: it has alpha, whose tiles lossless/ codes. */
void xc_geometry_choose_tiles(xc_geometry *g, uint32_t blocks, uint32_t rows, int alpha);
/* Sets tiles of mcus_wide x mcus_high MCUs, as in a file. 0: impossible. */
int xc_geometry_set_tiles(xc_geometry *g, uint32_t mcus_wide, uint32_t mcus_high);
/* 1: the tiles are small enough for alpha. */
int xc_geometry_fits_alpha(const xc_geometry *geometry);
/* The same for lossless files, whose tiles are made of pixels, not of blocks. */
int xc_geometry_set_lossless_tiles(xc_geometry *geometry, uint32_t wide, uint32_t high);

/* An encoder's lossless tiles: squares of about `mcus` MCUs where the picture is large. */
void xc_geometry_choose_lossless_tiles(xc_geometry *g, uint32_t mcus);

void xc_geometry_tile(const xc_geometry *g, uint64_t index, xc_tile *tile);

/* Clips a tile to the picture. */
static inline void xc_geometry_clip(const xc_geometry *g, xc_tile *tile)
{
	tile->width = tile->width < g->width - tile->x ? tile->width : g->width - tile->x;
	tile->height = tile->height < g->height - tile->y ? tile->height : g->height - tile->y;
}

static inline uint32_t xc_geometry_mcu_blocks(const xc_geometry *g)
{
	return (uint32_t)(g->h * g->v + (g->components == 3 ? 2 : 0));
}

static inline uint64_t xc_geometry_tiles(const xc_geometry *g)
{
	return (uint64_t)g->tiles_wide * g->tiles_high;
}

/* Blocks of the whole picture. */
static inline uint64_t xc_geometry_blocks(const xc_geometry *g)
{
	return (uint64_t)g->mcus_wide * g->mcus_high * xc_geometry_mcu_blocks(g);
}

/* Blocks of the largest tile. */
static inline uint32_t xc_geometry_tile_blocks(const xc_geometry *g)
{
	return g->tile_mcus_wide * g->tile_mcus_high * xc_geometry_mcu_blocks(g);
}

/* The tile rows of a piece of the file: the fewest that have 2^23 pixels. So a picture up to that
 * size is one piece, and the memory of an encoder before it can write is bounded. */
static inline uint32_t xc_geometry_piece_rows(const xc_geometry *g)
{
	const uint64_t row = (uint64_t)g->width * g->tile_mcus_high * 8 * (uint32_t)g->v;
	const uint64_t rows = ((1 << 23) + row - 1) / row;
	return rows < g->tiles_high ? (uint32_t)rows : g->tiles_high;
}

static inline uint32_t xc_geometry_pieces(const xc_geometry *g)
{
	return xc_divide_up(g->tiles_high, xc_geometry_piece_rows(g));
}

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
