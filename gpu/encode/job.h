/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's job: what all its kernels need to know, the shape of the work and pointers into
 * scratch. */
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
	XC_GPU_LENGTHS = XC_DC_SYMBOLS + XC_AC_SYMBOLS
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

/* The lower part of a job is the same for all calls of an encoder. */
typedef struct xc_gpu_encode_job {
	/* The pictures, and the files to be made. */
	const uint8_t *pixels;
	size_t stride, distance;
	uint8_t *files;
	size_t capacity; /* of each file, also the distance between them */
	uint64_t *file_sizes;
	/* Scratch: arrays over [picture][...]. */
	void *tokens;            /* slots: XC_GPU_AC_SLOTS a block, 2 or 4 bytes each */
	uint8_t *counts;         /* [blocks] AC tokens */
	int32_t *dc;             /* [blocks] */
	uint32_t *sizes, *units; /* [tiles]; units: offsets in the arena, in 16 bytes */
	uint64_t *offsets;       /* [tiles] of segments in their piece */
	uint8_t *arena;          /* [arena_bytes] */
	size_t arena_bytes;
	xc_gpu_picture_state *states;
	xc_gpu_file_piece *pieces; /* [piece_count] */
	xc_gpu_codes *codes;       /* NULL: built-in ones, `coder` */
	/* The rANS mode, see gpu/encode/rans/contexts.h. */
	xc_gpu_vec16 *symbols;       /* two vec16s a block, see xc_gpu_vecs_at() */
	xc_gpu_vec16 *records;       /* four: sizes likewise; later contexts of symbols, */
	uint32_t *flags;             /* block by block, and contexts of flags, [blocks] */
	uint32_t *sums, *block_bits; /* [blocks], see xc_gpu_rans_sums() */
	uint64_t *signs;             /* [blocks] */
	uint32_t *raw, *raw_bits;    /* [blocks][32 or 64]; [tiles] */

	/* Fixed: */
	const xc_coder_tables *coder;    /* [luma, chroma], for all pictures */
	const xc_gpu_encode_model *rans; /* NULL: Huffman codes */
	const xc_crc_write_constants *crc;
	const uint32_t *tile_powers; /* see xc_gpu_tile_power() */
	const uint8_t *prefix;       /* the file before HUFF or INDX */
	uint32_t prefix_size;
	uint32_t channels, depth, transform;
	uint32_t width, height, components, h, v;
	uint32_t mcus_wide, mcus_high, mcu_blocks, mcus;
	uint32_t tile_wide, tile_high, tiles_wide, tiles; /* in MCUs; tiles in all */
	uint32_t piece_count, piece_tiles;                /* tiles of each piece but the last */
	uint32_t blocks;                                  /* of a picture */
	uint32_t cta;  /* threads, and blocks, of a thread block of the forward kernel */
	uint32_t span; /* MCUs of it, side by side */
	uint32_t tall; /* rows of MCUs of it; above 1 with a lapped transform */
	uint32_t multiprocessors;
	uint32_t code_bytes; /* shared memory of a thread block that codes */
	uint32_t ranses;     /* the coder is that of the rANS mode */
	uint32_t optimized;  /* Huffman codes are made for each picture */
	uint32_t fast_loads; /* pixels are aligned for loads of 8 bytes */
	/* rANS: the choice of values from coefficients in sixteenths of a step. */
	uint32_t decides;  /* by rate and distortion; otherwise: */
	uint32_t rounding; /* added to a magnitude before truncation */
	uint32_t predicted;
	xc_ac_prediction ac_prediction[2];
	uint32_t pointed;   /* number of first tiles whose offsets are summed */
	uint32_t points_at; /* offset of the points in the prefix, at the end of chunk QNTZ */
	uint32_t quant_crc; /* CRC state of that chunk up to points_at */
	xc_activity activity;
	/* Operands that need no load: */
	uint32_t ratios[64]; /* of the activity, in scan order */
	float quant[2][64];  /* of luma and chroma */
	uint32_t mixes;      /* 1: `mix` converts Y, Cb and Cr to the components */
	float mix[9];
} xc_gpu_encode_job;

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

/* The slot of a block, counted in all pictures; its vec16s are XC_GPU_TOGETHER apart. */
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
	const uint32_t left = j->tiles - piece * j->piece_tiles;
	return left < j->piece_tiles ? left : j->piece_tiles;
}

/* x^(8 bytes count), for the CRCs of entries of `count` tiles, fewer than a piece has: 4 bytes each
 * in DATA, 4 to 6 in INDX. */
XC_GPU_INLINE const uint32_t *xc_gpu_tile_power(const xc_gpu_encode_job *j, uint32_t bytes,
                                                uint32_t count)
{
	return &j->tile_powers[(size_t)(bytes - 4) * j->piece_tiles + count];
}

static inline size_t xc_gpu_tile_powers_size(const xc_gpu_encode_job *j)
{
	return 3 * (size_t)j->piece_tiles * sizeof(uint32_t);
}

static inline void xc_gpu_tile_powers_init(const xc_gpu_encode_job *j,
                                           const xc_crc_write_constants *crc, uint32_t *powers)
{
	for (uint32_t bytes = 4; bytes < 7; bytes++) {
		const uint32_t once = xc_crc_shift(crc->bytes, XC_CRC_ONE, bytes);
		uint32_t power = XC_CRC_ONE;
		for (uint32_t i = 0; i < j->piece_tiles; i++, power = xc_crc_multiply(power, once))
			*powers++ = power;
	}
}

/* The tile in column tx and row ty of tiles. */
XC_GPU_INLINE xc_tile_mcus xc_gpu_tile_at(const xc_gpu_encode_job *j, uint32_t tx, uint32_t ty)
{
	return xc_tile_mcus_at(tx, ty, j->tile_wide, j->tile_high, j->mcus_wide, j->mcus_high);
}

#endif
