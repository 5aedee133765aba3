/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What passes between the encoder's stages: arrays in scratch, each with the type of what is in it. Where one
 * array takes another's place, they are members of a union, and a comment says which stage changes it.
 */
#ifndef XC_GPU_ENCODE_JOB_BUFFERS_H
#define XC_GPU_ENCODE_JOB_BUFFERS_H

#include <stddef.h>

#include "entropy/tokens.h"
#include "gpu/module.h"
#include "gpu/runtime/device.h"

enum {
	XC_GPU_AC_SLOTS = 64, /* a block has at most 63 AC tokens and one end-of-block token */
	XC_GPU_TILE_BLOCKS = XC_MAX_TILE_BLOCKS,
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

/* Which symbols of a block gave words: bits of positions, and of its three flags. */
typedef struct xc_gpu_rans_marks {
	uint32_t given[2], flags;
	uint32_t first_word; /* in its slot */
} __attribute__((aligned(16))) xc_gpu_rans_marks;

/* A slot of XC_GPU_AC_SLOTS numbers a block, of 2 or 4 bytes each; see xc_gpu_slot(). */
typedef union xc_gpu_slots {
	/* Tokens; in the rANS mode coefficients in sixteenths of a step, of which symbols leave the values that
	 * have class bits; */
	xc_gpu_vec16 *numbers;
	uint16_t *words; /* of rows of blocks, after `rans encode` */
} xc_gpu_slots;

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
	const struct xc_gpu_encode_model *model; /* gpu/encode/rans/model.h */
	union {
		xc_gpu_vec16 *symbols;    /* two vec16s a block, see xc_gpu_vecs_at(); */
		xc_gpu_rans_marks *marks; /* one a block, after `rans encode` */
	};
	union {
		xc_gpu_vec16 *sizes;    /* of `rdo`: four vec16s a block, see xc_gpu_vecs_at(); */
		xc_gpu_vec16 *contexts; /* of symbols: four, block by block, after `contexts` */
	};
	union {
		uint32_t *size_words;    /* of `rdo`, [blocks], see xc_gpu_size_word(); */
		uint32_t *flag_contexts; /* of the flags and the record's parts, after `contexts` */
	};
	union {
		uint32_t *raw_counts; /* [blocks] raw bits; */
		uint32_t *states;     /* final ones, from a tile's first block on, after `rans encode` */
	};
	uint32_t *sums;           /* [blocks], see xc_gpu_rans_sums() */
	uint64_t *signs;          /* [blocks] */
	uint32_t *raw, *raw_bits; /* [blocks][32 or 64]; [tiles] */
	uint32_t cta_tiles;       /* of a thread block of `rans encode` */
	uint32_t together;        /* one kernel does `rans encode` and `interleave` */
	uint32_t times;           /* maximum of a tile's times in the launch */
	uint32_t decides;         /* by rate and distortion; otherwise: */
	uint32_t rounding;        /* added to a magnitude before truncation */
	uint32_t predicted;
	xc_ac_prediction ac_prediction[2];
	xc_activity activity;
	uint32_t ratios[64]; /* of the activity, in scan order; operands that need no load */
} xc_gpu_encode_rans;

#endif
