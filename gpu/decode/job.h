/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder's kernels are told about pictures and segments, in device memory. */
#ifndef XC_GPU_DECODE_JOB_H
#define XC_GPU_DECODE_JOB_H

#include "gpu/decode/context_tables.h"
#include "gpu/decode/token.h"
#include "gpu/module.h"
#include "transform/colour_gains.h"

typedef struct xc_gpu_decode_job {
	/* What finding a block takes (xc_gpu_shape) comes first, 16 bytes a load. */
	uint32_t width, height, h, v;
	uint32_t mcus_wide, mcus_high, tile_mcus_wide, tile_mcus_high;
	uint32_t tiles_wide, mcu_blocks;
	uint32_t first_segment;       /* of all pictures' */
	uint32_t predicted;           /* 1: `ac_prediction` are to be added */
	xc_gpu_block_record *records; /* of blocks, tile by tile */
	uint32_t *tokens;             /* rANS: the symbols of blocks, likewise */
	/* For xc_gpu_divide() by the size of tiles, and by how many regions a row has. */
	uint32_t tile_wide_inverse, tile_high_inverse, regions_inverse;
	uint32_t channels, depth, components;
	uint32_t rounding; /* xc_decode_options.jpeg_rounding */
	uint32_t transform;
	uint32_t coding; /* xc_gpu_coding */
	uint32_t mixed;  /* 1: `colours` makes Y, Cb and Cr of the components */
	uint32_t segments;
	uint32_t longest; /* segment, in bytes */
	uint64_t bytes;   /* of all segments that are there */
	xc_colour_gains gains;
	const uint8_t *data; /* the first segment */
	const void *tables;  /* [luma, chroma], of the coding */
	uint32_t *raw;       /* rANS: raw bits, see xc_gpu_raw_room() */
	int32_t *dc;         /* a number for each block, for a while; NULL if tiles are small */
	uint8_t *pixels;
	size_t stride;
	const uint8_t *alpha; /* samples row by row; NULL: none */
	/* Of luma and of chroma. */
	xc_value_points points[2];
	xc_ac_prediction ac_prediction[2];
	float steps[2][64]; /* what sixteenths of a step are multiplied by, in the order of the scan;
	                     * rANS: in transposed order */
	float colours[9];
} __attribute__((aligned(16))) xc_gpu_decode_job;

typedef struct xc_gpu_segment {
	uint64_t start;  /* byte of the picture's data */
	uint64_t tokens; /* word of the picture's tokens */
	uint32_t size;
	uint16_t check;
	uint16_t available; /* 0: the file ends before it does */
} xc_gpu_segment;

/* Tiles of up to so many blocks have their DC in shared memory meanwhile; larger ones
 * where there is room. */
enum { XC_GPU_SMALL_TILE = 512, XC_GPU_SMALL_RANS_TILE = 2304 };

/* The tile in column tx and row ty of tiles. */
XC_GPU_INLINE xc_tile_mcus xc_gpu_job_tile(const xc_gpu_decode_job *p, uint32_t tx, uint32_t ty)
{
	return xc_tile_mcus_at(tx, ty, p->tile_mcus_wide, p->tile_mcus_high, p->mcus_wide,
	                       p->mcus_high);
}

#endif
