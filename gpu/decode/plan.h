/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder's kernels are told about pictures and segments, in device memory. */
#ifndef XC_GPU_DECODE_PLAN_H
#define XC_GPU_DECODE_PLAN_H

#include "gpu/decode/tables.h"
#include "gpu/decode/token.h"
#include "transform/colour_gains.h"
#include "geometry/geometry.h"

typedef struct xc_gpu_decode_plan {
	uint32_t width, height, channels, depth;
	uint32_t components, h, v;
	uint32_t mcus_wide, mcus_high, tile_mcus_wide, tile_mcus_high, tiles_wide;
	uint32_t mcu_blocks;
	uint32_t rounding; /* xc_decode_options.jpeg_rounding */
	uint32_t transform;
	uint32_t segments, first_segment; /* of all pictures' */
	uint32_t longest;                 /* segment, in bytes */
	uint64_t bytes;                   /* of all segments that are there */
	xc_colour_gains gains;
	const uint8_t *data;               /* the first segment */
	const xc_gpu_class_tables *tables; /* [luma, chroma] */
	xc_gpu_block_record *records;      /* of blocks, tile by tile */
	uint32_t *tokens;
	int32_t *dc; /* the same number, for a while; NULL if tiles are small */
	uint8_t *pixels;
	size_t stride;
	const uint8_t *alpha; /* samples row by row; NULL: none */
	float steps[2][64];   /* luma, chroma; what coefficients are multiplied by, in the
	                        * order of the scan */
} xc_gpu_decode_plan;

typedef struct xc_gpu_segment {
	uint64_t start;  /* byte of the picture's data */
	uint64_t tokens; /* word of the picture's tokens */
	uint32_t size;
	uint16_t check;
	uint16_t there; /* 0: the file ends before it does */
} xc_gpu_segment;

/* What became of a segment. */
typedef struct xc_gpu_segment_result {
	uint32_t crc;
	uint32_t intact;
} xc_gpu_segment_result;

/* Tiles of up to so many blocks have their DC in shared memory meanwhile. */
enum { XC_GPU_SMALL_TILE = 512 };

/* A tile, as xc_geometry_tile() has it. */
typedef struct xc_gpu_tile {
	uint32_t mcus_wide, mcus_high;
	uint32_t first_block;                /* of the picture */
	uint32_t wide[3], high[3], first[3]; /* blocks; the first one within the tile */
	uint32_t blocks;
} xc_gpu_tile;

XC_GPU_INLINE uint32_t xc_gpu_smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

XC_GPU_INLINE xc_gpu_tile xc_gpu_tile_of(const xc_gpu_decode_plan *p, uint32_t index)
{
	const uint32_t x = index % p->tiles_wide * p->tile_mcus_wide;
	const uint32_t y = index / p->tiles_wide * p->tile_mcus_high;
	xc_gpu_tile t;
	t.mcus_wide = xc_gpu_smaller(p->tile_mcus_wide, p->mcus_wide - x);
	t.mcus_high = xc_gpu_smaller(p->tile_mcus_high, p->mcus_high - y);
	const uint32_t mcus = t.mcus_wide * t.mcus_high;
	t.first_block = (y * p->mcus_wide + x * t.mcus_high) * p->mcu_blocks;
	t.blocks = mcus * p->mcu_blocks;
	t.wide[0] = t.mcus_wide * p->h;
	t.high[0] = t.mcus_high * p->v;
	t.first[0] = 0;
	for (int c = 1; c < 3; c++) {
		const int there = p->components > 1;
		t.wide[c] = there ? t.mcus_wide : 0;
		t.high[c] = there ? t.mcus_high : 0;
		t.first[c] = mcus * p->h * p->v + (uint32_t)(c - 1) * mcus;
	}
	return t;
}

#endif
