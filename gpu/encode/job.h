/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's job: what all its kernels need to know, the shape of the work and pointers into scratch.
 *
 * A launch has pictures of one kind: of equal channels, depth, subsampling, transform, coder and steps.
 * Their sizes may differ. Then a list of them is in device memory, and a thread block finds its picture by
 * the numbers of thread blocks before each; pictures of one size that follow each other at equal distances
 * need no list.
 */
#ifndef XC_GPU_ENCODE_JOB_H
#define XC_GPU_ENCODE_JOB_H

#include <stddef.h>

#include "entropy/points.h"
#include "entropy/tokens.h"
#include "gpu/encode/rans/model.h"
#include "gpu/module.h"
#include "gpu/runtime/crc.h"

enum {
	XC_GPU_AC_SLOTS = 64, /* a block has at most 63 AC tokens and one end-of-block token */
	XC_GPU_TILE_BLOCKS = XC_MAX_TILE_BLOCKS,
	XC_GPU_FORWARD_CTA = 96, /* threads of a thread block of the forward kernel */
	XC_GPU_LAPPED_CTA = 192, /* likewise, with a lapped transform of common pictures */
	XC_GPU_LENGTHS = XC_DC_SYMBOLS + XC_AC_SYMBOLS,
	XC_GPU_RANS_CTA_TILES = 4 /* of a thread block of `rans encode` where tiles are not few */
};

/* The running results of a picture, in scratch. */
typedef struct xc_gpu_picture_state {
	unsigned long long used; /* of the arena of segments, in units of 16 bytes */
	uint32_t ticket;         /* thread blocks that have finished */
	uint32_t fits;
	/* [class][values of 1, larger values]: sums of offsets, and their number; see xc_offsets. */
	unsigned long long offset[2][2], offsets[2][2];
} xc_gpu_picture_state;

/* A piece of a picture's file, in scratch. */
typedef struct xc_gpu_file_piece {
	unsigned long long total;             /* bytes of its segments */
	unsigned long long index_at, data_at; /* offsets in the file: entries, segments */
	uint32_t index_crc, data_crc;         /* running remainders of its chunks */
	uint32_t width;                       /* of an index entry's size, 2 to 4 */
} xc_gpu_file_piece;

/* Counts and codes of one picture.  [luma, chroma]; DC symbols first. */
typedef struct xc_gpu_codes {
	unsigned long long counts[2][XC_GPU_LENGTHS];
	uint8_t lengths[2][XC_GPU_LENGTHS];
	xc_coder_tables coder[2];
} xc_gpu_codes;

/* 16 bytes of tokens as they are loaded and stored: depth16, of pictures of 16 bits a sample, or
 * plain. */
typedef union xc_gpu_vec16 {
	uint32_t depth16[4];
	uint16_t plain[8];
} __attribute__((aligned(16))) xc_gpu_vec16;

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

/* Segments on their way to the file, of any coder: arrays in scratch. */
typedef struct xc_gpu_encode_output {
	xc_gpu_picture_state *state; /* [pictures] */
	xc_gpu_file_piece *pieces;   /* [pieces] */
	uint32_t *sizes, *units;     /* [tiles]; units: offsets in the arena, in 16 bytes */
	uint64_t *offsets;           /* [tiles] of segments in their piece */
	uint8_t *arena;
} xc_gpu_encode_output;

/* Huffman codes. */
typedef struct xc_gpu_encode_huffman {
	const xc_coder_tables *coder; /* [luma, chroma], for all pictures */
	xc_gpu_codes *codes;          /* [pictures] in scratch; NULL: `coder` */
	uint8_t *counts;              /* [blocks] AC tokens, in scratch */
	uint32_t optimized;           /* codes are made for each picture */
	uint32_t tile_blocks;         /* maximum of a tile's blocks in the launch */
	uint32_t code_bytes;          /* shared memory of a thread block that codes */
	uint32_t run;                 /* maximum of tiles of such a thread block */
} xc_gpu_encode_huffman;

/* The rANS mode, see gpu/encode/rans/contexts.h: arrays in scratch, and the choice of values from
 * coefficients in sixteenths of a step. */
typedef struct xc_gpu_encode_rans {
	const xc_gpu_encode_model *model;
	xc_gpu_vec16 *symbols;       /* two vec16s a block, see xc_gpu_vecs_at() */
	xc_gpu_vec16 *records;       /* four: sizes likewise; later contexts of symbols, */
	uint32_t *flags;             /* block by block, and contexts of flags, [blocks] */
	uint32_t *sums, *block_bits; /* [blocks], see xc_gpu_rans_sums() */
	uint64_t *signs;             /* [blocks] */
	uint32_t *raw, *raw_bits;    /* [blocks][32 or 64]; [tiles] */
	uint32_t cta_tiles;          /* of a thread block of `rans encode` */
	uint32_t together;           /* one kernel does `rans encode` and `interleave` */
	uint32_t times;              /* maximum of a tile's times in the launch */
	uint32_t decides;            /* by rate and distortion; otherwise: */
	uint32_t rounding;           /* added to a magnitude before truncation */
	uint32_t predicted;
	xc_ac_prediction ac_prediction[2];
	xc_activity activity;
	uint32_t ratios[64]; /* of the activity, in scan order; operands that need no load */
} xc_gpu_encode_rans;

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
	void *tokens; /* slots: XC_GPU_AC_SLOTS a block, 2 or 4 bytes each */
	int32_t *dc;  /* [blocks] */
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

/*
 * Arrays of several vec16s for each block, in which equal vec16s of neighbouring blocks are
 * adjacent: threads that take a block each then access whole lines of memory. Among 32 blocks the
 * even ones come first, because decisions take every other block.
 */
enum { XC_GPU_TOGETHER = 32 }; /* also the stride between the vec16s of a block */

/* The number of blocks for which such an array has room. */
XC_GPU_INLINE size_t xc_gpu_room_of_blocks(size_t blocks)
{
	return (blocks + XC_GPU_TOGETHER - 1) / XC_GPU_TOGETHER * XC_GPU_TOGETHER;
}

/* The index of the first of a block's `vecs` vec16s, for a 32-bit and for any block number. */
XC_GPU_INLINE uint32_t xc_gpu_vecs_within(uint32_t block, uint32_t vecs)
{
	const uint32_t i = block % XC_GPU_TOGETHER;
	return (block - i) * vecs + (i % 2 * (XC_GPU_TOGETHER / 2) + i / 2);
}

XC_GPU_INLINE size_t xc_gpu_vecs_at(size_t block, uint32_t vecs)
{
	const uint32_t i = (uint32_t)block % XC_GPU_TOGETHER;
	return (block - i) * vecs + xc_gpu_vecs_within(i, vecs);
}

/* Words of raw bits for which a block has room: its slot's bytes. */
XC_GPU_INLINE uint32_t xc_gpu_raw_words(const xc_gpu_encode_job *j)
{
	return j->depth == 16 ? 64 : 32;
}

/* Makes a launch's job that of one picture: number n of pictures that are alike, or of the list. Its
 * arrays begin with that picture's part. */
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
	const size_t block = j->picture.first_block, tile = j->picture.first_tile;
	j->out.state += j->picture.number;
	j->out.pieces += j->picture.first_piece;
	j->out.sizes += tile;
	j->out.units += tile;
	j->out.offsets += tile;
	j->out.arena += j->picture.arena_at;
	if (j->huffman.codes)
		j->huffman.codes += j->picture.number;
	j->huffman.counts += block;
	j->dc += block;
	j->tokens = (char *)j->tokens + block * XC_GPU_AC_SLOTS * (j->depth == 16 ? 4 : 2);
	if (!j->ranses)
		return;
	j->rans.symbols += 2 * block;
	j->rans.records += 4 * block;
	j->rans.flags += block;
	j->rans.sums += block;
	j->rans.block_bits += block;
	j->rans.signs += block;
	j->rans.raw += block * xc_gpu_raw_words(j);
	j->rans.raw_bits += tile;
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

/* The slot of a block; its vec16s are XC_GPU_TOGETHER apart. */
XC_GPU_INLINE xc_gpu_vec16 *xc_gpu_slot(const xc_gpu_encode_job *j, size_t block, int depth16)
{
	return (xc_gpu_vec16 *)j->tokens + xc_gpu_vecs_at(block, XC_GPU_AC_SLOTS / (depth16 ? 4 : 8));
}

/* Coefficient or token number k of a slot. */
XC_GPU_INLINE int32_t xc_gpu_slot_get(const xc_gpu_vec16 *slot, uint32_t k, int depth16)
{
	return depth16 ? (int32_t)slot[k / 4 * XC_GPU_TOGETHER].depth16[k % 4]
	               : (int16_t)slot[k / 8 * XC_GPU_TOGETHER].plain[k % 8];
}

XC_GPU_INLINE void xc_gpu_slot_set(xc_gpu_vec16 *slot, uint32_t k, int32_t value, int depth16)
{
	if (depth16)
		slot[k / 4 * XC_GPU_TOGETHER].depth16[k % 4] = (uint32_t)value;
	else
		slot[k / 8 * XC_GPU_TOGETHER].plain[k % 8] = (uint16_t)value;
}

/* Tiles of a piece. */
XC_GPU_INLINE uint32_t xc_gpu_tiles_of(const xc_gpu_encode_job *j, uint32_t piece)
{
	const uint32_t left = j->picture.tiles - piece * j->picture.piece_tiles;
	return left < j->picture.piece_tiles ? left : j->picture.piece_tiles;
}

/* x^(8 bytes count), for the CRCs of entries of `count` tiles, fewer than a piece has: 4 bytes each
 * in DATA, 4 to 6 in INDX. */
XC_GPU_INLINE const uint32_t *xc_gpu_tile_power(const xc_gpu_encode_job *j, uint32_t bytes,
                                                uint32_t count)
{
	return &j->tile_powers[(size_t)(bytes - 4) * j->power_count + count];
}

/* Makes the table for pieces of up to n tiles: 3 n numbers. */
static inline void xc_gpu_tile_powers_init(uint32_t n, const xc_crc_write_constants *crc,
                                           uint32_t *powers)
{
	for (uint32_t bytes = 4; bytes < 7; bytes++) {
		const uint32_t once = xc_crc_shift(crc->bytes, XC_CRC_ONE, bytes);
		uint32_t power = XC_CRC_ONE;
		for (uint32_t i = 0; i < n; i++, power = xc_crc_multiply(power, once))
			*powers++ = power;
	}
}

/* The tile in column tx and row ty of tiles. */
XC_GPU_INLINE xc_tile_mcus xc_gpu_tile_at(const xc_gpu_encode_job *j, uint32_t tx, uint32_t ty)
{
	return xc_tile_mcus_at(tx, ty, j->picture.tile_wide, j->picture.tile_high, j->picture.mcus_wide,
	                       j->picture.mcus_high);
}

#endif
