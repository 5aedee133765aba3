/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's job: what all its kernels need to know, the shape of the work and pointers into scratch.
 *
 * A launch has pictures of one kind: of equal channels, depth, subsampling, transform, coder and steps.
 * Their sizes may differ. Then a list of them is in device memory, and a thread block finds its picture by
 * the numbers of thread blocks before each; pictures of one size that follow each other at equal distances
 * need no list.
 */
#ifndef XC_GPU_ENCODE_JOB_JOB_H
#define XC_GPU_ENCODE_JOB_JOB_H

#include "gpu/encode/job/slots.h"
#include "gpu/runtime/crc.h"

/* Threads of a thread block of the forward kernel, in general and with a lapped transform of common
 * pictures; tiles of a thread block of `rans encode` where they are not few. */
enum { XC_GPU_FORWARD_CTA = 96, XC_GPU_LAPPED_CTA = 192, XC_GPU_RANS_CTA_TILES = 4 };

/* The grids of the encoder's kernels: what a picture's share of a grid is made of. */
typedef enum xc_gpu_encode_grid {
	XC_GPU_GRID_FORWARD, /* runs of MCUs */
	XC_GPU_GRID_TILES,
	XC_GPU_GRID_CODES,     /* Huffman codes to be made */
	XC_GPU_GRID_RUNS,      /* tiles that one thread block codes */
	XC_GPU_GRID_SLICES,    /* slices of all tiles */
	XC_GPU_GRID_DECISIONS, /* blocks of a kind, of all tiles */
	XC_GPU_GRID_CONTEXTS,  /* raw bits and parts of all tiles */
	XC_GPU_GRID_WARPS,     /* tiles of a thread block of `rans encode` */
	XC_GPU_GRID_PICTURES,  /* one */
	XC_GPU_GRID_SEGMENTS,  /* segments that one thread block assembles */
	XC_GPU_ENCODE_GRIDS
} xc_gpu_encode_grid;

/* A picture of a launch: its shape, its pixels, its file, and where its parts of the arrays in scratch
 * begin. A list of them is in device memory. */
typedef struct xc_gpu_encode_picture {
	const uint8_t *pixels;
	size_t stride;
	uint8_t *file;
	size_t capacity; /* of the file */
	uint64_t *file_size;
	const uint8_t *prefix; /* the file before HUFF or INDX */
	uint32_t prefix_size;
	uint32_t points_at; /* offset of the points in the prefix, at the end of chunk QNTZ */
	uint32_t quant_crc; /* CRC state of that chunk up to points_at */
	uint32_t pointed;   /* number of first tiles whose offsets are summed */
	uint32_t width, height;
	uint32_t mcus_wide, mcus_high, mcus;
	uint32_t tile_wide, tile_high, tiles_wide, tiles; /* in MCUs; tiles in all */
	uint32_t piece_count, piece_tiles;                /* tiles of each piece but the last */
	uint32_t blocks;
	/* In scratch: blocks (a multiple of XC_GPU_TOGETHER), tiles and pieces before it, and its number. */
	size_t first_block, first_tile, first_piece, number;
	size_t arena_at, arena_bytes;
	uint32_t first_cta[XC_GPU_ENCODE_GRIDS]; /* thread blocks before it; of a list alone */
} xc_gpu_encode_picture;

/* The job of a launch: what its pictures share, and the first of them. A thread block makes it the job
 * of its own picture (xc_gpu_job_enter()); all functions but that take such a job. */
typedef struct xc_gpu_encode_job {
	xc_gpu_encode_picture picture;
	const xc_gpu_encode_picture *list; /* in device memory, [count]; NULL: all are alike, */
	size_t distance;                   /* bytes from one's pixels to the next one's */
	uint32_t count;
	xc_gpu_encode_output out;
	xc_gpu_encode_huffman huffman;
	xc_gpu_encode_rans rans;
	xc_gpu_slots slots;
	int32_t *dc; /* [blocks] */
	const xc_crc_write_constants *crc;
	const uint32_t *tile_powers; /* [3][power_count], see xc_gpu_tile_power() */
	uint32_t power_count;
	uint32_t channels, depth, transform;
	uint32_t components, h, v, mcu_blocks;
	uint32_t cta;  /* threads, and blocks, of a thread block of the forward kernel */
	uint32_t span; /* MCUs of it, side by side */
	uint32_t tall; /* rows of MCUs of it; above 1 with a lapped transform */
	uint32_t multiprocessors;
	uint32_t ranses;     /* the coder is that of the rANS mode */
	uint32_t fast_loads; /* pixels are aligned for loads of 8 bytes, strides are below 2^32 */
	/* Operands that need no load: */
	float quant[2][64]; /* of luma and chroma */
	uint32_t mixes;     /* 1: `mix` converts Y, Cb and Cr to the components */
	float mix[9];
} xc_gpu_encode_job;

/* Pictures of one set of launches. */
typedef struct xc_gpu_encode_group {
	xc_gpu_encode_job job;
	uint32_t first, count; /* in the order of groups */
	uint64_t ctas[XC_GPU_ENCODE_GRIDS];
} xc_gpu_encode_group;

/* Words of raw bits for which a block has room: its slot's bytes. */
XC_GPU_INLINE uint32_t xc_gpu_raw_words(const xc_gpu_encode_job *j)
{
	return j->depth == 16 ? 64 : 32;
}

/* Makes a launch's job that of one picture: number n of pictures that are alike, or of the list. Its arrays
 * over tiles, pieces and pictures begin with that picture's part. Blocks are counted in all pictures: so their
 * arrays are operands that need no register. */
XC_GPU_INLINE void xc_gpu_job_enter(xc_gpu_encode_job *j, uint32_t n)
{
	if (j->list) {
		j->picture = j->list[n];
	} else {
		xc_gpu_encode_picture *const p = &j->picture;
		p->pixels += n * j->distance;
		p->file += n * p->capacity;
		p->file_size += n;
		p->first_block = n * xc_gpu_room_of_blocks(p->blocks);
		p->first_tile = (size_t)n * p->tiles;
		p->first_piece = (size_t)n * p->piece_count;
		p->number = n;
		p->arena_at = n * p->arena_bytes;
	}
	const size_t tile = j->picture.first_tile;
	j->out.state += j->picture.number;
	j->out.pieces += j->picture.first_piece;
	j->out.sizes += tile;
	j->out.units += tile;
	j->out.offsets += tile;
	j->out.arena += j->picture.arena_at;
	if (j->huffman.codes)
		j->huffman.codes += j->picture.number;
	if (j->ranses)
		j->rans.raw_bits += tile;
}

/* The slot of a block; its vec16s are XC_GPU_TOGETHER apart. */
XC_GPU_INLINE xc_gpu_vec16 *xc_gpu_slot(const xc_gpu_encode_job *j, size_t block, int depth16)
{
	return j->slots.numbers + xc_gpu_vecs_at(block, xc_gpu_slot_vecs(depth16));
}

/* The number of the picture in a list to which a thread block of a grid belongs. */
XC_GPU_INLINE uint32_t xc_gpu_list_find(const xc_gpu_encode_picture *list, uint32_t count,
                                        xc_gpu_encode_grid grid, uint32_t cta)
{
	uint32_t low = 0, high = count;

	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;
		if (list[middle].first_cta[grid] <= cta)
			low = middle;
		else
			high = middle;
	}
	return low;
}

#endif
