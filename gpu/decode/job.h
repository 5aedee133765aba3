/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's jobs: what its kernels need to know of pictures and segments, in device memory. */
#ifndef XC_GPU_DECODE_JOB_H
#define XC_GPU_DECODE_JOB_H

#include "gpu/decode/buffers.h"
#include "gpu/module.h"
#include "gpu/runtime/device.h"
#include "transform/colour_gains.h"
#include "transform/mean8.h"

typedef struct xc_gpu_decode_job {
	/* Where blocks lie. The members of xc_gpu_shape come first, so that 16 bytes are loaded at once. */
	uint32_t width, height, h, v;
	uint32_t mcus_wide, mcus_high, tile_mcus_wide, tile_mcus_high;
	uint32_t tiles_wide, mcu_blocks;
	uint32_t first_segment;       /* index among those of all pictures */
	uint32_t predicted;           /* 1: `ac_prediction` is added */
	xc_gpu_block_record *records; /* of blocks, tile by tile */
	uint32_t *tokens;             /* Huffman codes; xc_gpu_segment says where a segment's begin */
	/* For xc_gpu_divide() by the size of tiles and by the regions of a row. */
	uint32_t tile_wide_inverse, tile_high_inverse, regions_inverse;

	/* What entropy stages read, by coding, */
	uint32_t coding; /* xc_gpu_coding */
	uint32_t segments;
	uint32_t longest;                          /* segment, in bytes */
	uint64_t bytes;                            /* of all segments present */
	const uint8_t *data;                       /* the first segment */
	const struct xc_gpu_class_tables *huffman; /* [luma, chroma] */
	const struct xc_gpu_rans_tables *rans;
	const struct xc_gpu_jpeg_job *jpeg;
	int32_t *dc; /* [blocks] scratch for DC differences; NULL if tiles are small */
	/* and what they leave beside records and tokens. */
	uint32_t *raw;                  /* rANS: raw bits, see xc_gpu_raw_room() */
	xc_gpu_block_symbols *symbols;  /* rANS: of blocks, tile by tile */
	xc_gpu_jpeg_planes jpeg_planes; /* where coefficients of a kept JPEG go */

	/* From coefficients to colours; [luma, chroma]. */
	uint32_t transform, components;
	uint32_t rounding; /* xc_decode_options.jpeg_rounding */
	uint32_t mixed;    /* 1: `colours` converts the components to Y, Cb and Cr */
	xc_colour_gains gains;
	xc_value_points points[2];
	xc_ac_prediction ac_prediction[2];
	float steps[2][64]; /* factors, in scan order; rANS: transposed */
	float colours[9];

	/* The pixels. */
	uint32_t channels; /* 1 or 2 also of colour, whose Y they are */
	uint32_t depth;
	uint8_t *pixels;
	size_t stride;
	const uint8_t *alpha; /* samples row by row, as many as pixels; NULL: none */
	/* The reduced size; width and height above are those of the whole picture. */
	uint32_t scale; /* 1: it is not reduced */
	uint32_t reduced_width, reduced_height;
	const xc_mean_side *sides[2][2]; /* [luma, chroma][across, down] */
} __attribute__((aligned(16))) xc_gpu_decode_job;

typedef struct xc_gpu_segment {
	uint64_t start;  /* byte of the picture's data */
	uint64_t tokens; /* word of the picture's tokens */
	uint32_t size;
	uint16_t check;
	uint16_t available; /* 0: the file ends before it does */
} xc_gpu_segment;

/* Tiles of at most this number of blocks restore their DC in shared memory; larger ones if it has
 * room. */
enum { XC_GPU_SMALL_TILE = 512, XC_GPU_SMALL_RANS_TILE = 2304 };

/* The tile in column tx and row ty of tiles. */
XC_GPU_INLINE xc_tile_mcus xc_gpu_job_tile(const xc_gpu_decode_job *p, uint32_t tx, uint32_t ty)
{
	return xc_tile_mcus_at(tx, ty, p->tile_mcus_wide, p->tile_mcus_high, p->mcus_wide,
	                       p->mcus_high);
}

/* The word of the picture's raw bits with the segment's number of bytes; the stream follows it. */
XC_GPU_INLINE uint64_t xc_gpu_raw_offset(const xc_gpu_segment *s, uint32_t tile)
{
	return s->start / 4 + (uint64_t)tile * (XC_GPU_RAW_MARGIN / 4);
}

XC_GPU_INLINE uint32_t *xc_gpu_raw_room(const xc_gpu_decode_job *p, const xc_gpu_segment *s,
                                        uint32_t tile)
{
	return p->raw + xc_gpu_raw_offset(s, tile);
}

/* Where things lie in the memory of a call (gpu/decode/host/layout.h). */
/* Numbers of bytes, and offsets in bytes. */
typedef struct xc_gpu_decode_layout {
	uint32_t segments; /* of all pictures */
	uint32_t warps;    /* maximum of a warp group (gpu/decode/warp_group.h) */
	size_t jobs_at, segments_at, codes_at, frequencies_at, jpegs_at, shapes_at, sides_at, piece;
	size_t results_at, pinned;
	size_t tables_at, rans_tables_at, jpeg_tables_at, pictures_at, scratch;
	uint32_t reduced; /* 1: some picture is */
	uint32_t jpegs;   /* pictures */
	uint64_t shapes;  /* of all of them, piece by piece */
} xc_gpu_decode_layout;

#endif
