/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of numbers on a GPU: what src/cuda/arrays.c hands over. A warp takes a chunk the way that
 * array/plan.h describes, with values in place: at their position in the chunk, whose dimensions
 * are in the model's order. Values are float: float32 and integers of 8 and 16 bits.
 */
#ifndef XC_GPU_ARRAY_ARRAY_H
#define XC_GPU_ARRAY_ARRAY_H

#include "array/plan.h"

enum {
	XC_GPU_ARRAY_LEVELS = 64, /* XC_LEVELS and XC_SYMBOLS of lossless/tables.h */
	XC_GPU_ARRAY_SYMBOLS = 16,
	XC_GPU_ARRAY_SHAPES = XC_ARRAY_SETS * XC_GPU_ARRAY_LEVELS,
	XC_GPU_ARRAY_SAMPLES = 1024,  /* XC_ARRAY_SAMPLES */
	XC_GPU_ARRAY_RANKS = 1 << 14, /* XC_RANKS */
	XC_GPU_ARRAY_SLACK =
		8192 /* bytes beyond the raw ones that a chunk's code may take on its way */
};

/* Types by how they are read and written. */
typedef enum xc_gpu_array_type {
	XC_GPU_FLOAT32,
	XC_GPU_INT8,
	XC_GPU_INT16,
	XC_GPU_UINT8,
	XC_GPU_UINT16
} xc_gpu_array_type;

static inline XC_DEVICE uint32_t xc_gpu_array_size(xc_gpu_array_type type)
{
	return type == XC_GPU_FLOAT32 ? 4 : type == XC_GPU_INT16 || type == XC_GPU_UINT16 ? 2 : 1;
}

/* Modes are those of xc_array_mode; steps those of a pass, and their inverses. */
typedef struct xc_gpu_array_pass {
	xc_pass pass;
	float step, inverse; /* inverse 0: keys */
	float bend;          /* inverse, or 0: levels without slope and bend */
	int set;
} xc_gpu_array_pass;

typedef struct xc_gpu_array_slab {
	uint32_t top[3];
	int passes, mode;
	float low, high;
	float anchor_step, anchor_inverse;
	uint32_t anchor_level;
	uint8_t axis[4];
	float load[2], unload[2]; /* factors; 1: none */
	uint32_t ranks;           /* ranks are coded, */
	uint64_t rank;            /* and their bits begin here in xc_gpu_array_work.ranks */
	xc_gpu_array_pass pass[XC_PASSES];
} xc_gpu_array_slab;

/* How a chunk came or goes. */
typedef struct xc_gpu_array_chunk {
	uint64_t first;                 /* of its values in the array */
	uint64_t at;                    /* of its values among those of the work */
	uint64_t code;                  /* where its coded bytes begin, or their room */
	uint32_t size[3];               /* in the array's order */
	uint32_t slab, bytes;           /* coded ones; to encode: room for them */
	uint32_t lanes;                 /* 0: no residues */
	uint32_t raw;                   /* 1: its bytes are its values */
	uint32_t exceptions, exception; /* how many, and where they begin in xc_gpu_array_work */
} xc_gpu_array_chunk;

/* Exceptions of decoding: where in its chunk, in the array's order, and bits. */
typedef struct xc_gpu_array_exception {
	uint32_t at, bits;
} xc_gpu_array_exception;

/* What became of a chunk. To encode: its bytes end at its room's end. */
typedef struct xc_gpu_array_outcome {
	uint32_t bytes, lanes; /* bytes UINT32_MAX: more than the room; lanes 0: all residues are 0 */
	uint32_t breaks;       /* values that break the bound */
	uint32_t damaged;
} xc_gpu_array_outcome;

/* What values of a slab are like, as xc_array_look. Keys are bits of floats in the order of the
 * numbers, without sign. */
typedef struct xc_gpu_array_look {
	uint32_t low, high; /* keys; low above high: no value is finite */
	uint32_t unusual,
		broken; /* not finite; broken: one is no whole number as xc_array_look has it */
	uint32_t sample[XC_GPU_ARRAY_SAMPLES]; /* bits of values, */
	uint32_t next[XC_GPU_ARRAY_SAMPLES];   /* and of those after them */
} xc_gpu_array_look;

/* Slabs for looking: where they begin and how many values they have. */
typedef struct xc_gpu_array_part {
	uint64_t first, count;
} xc_gpu_array_part;

typedef struct xc_gpu_array_tables {
	uint32_t bucket[XC_GPU_ARRAY_SHAPES][XC_GPU_ARRAY_SYMBOLS][2]; /* xc_bucket */
} xc_gpu_array_tables;

/* All is in device memory. Values in the work: each chunk's without gaps. */
typedef struct xc_gpu_array_work {
	xc_gpu_array_type type;
	uint32_t slabs, chunks;
	uint64_t values;               /* in the work */
	uint32_t max_values, max_rows; /* of a chunk, in the order of the array */
	uint64_t stride[2];            /* of the array's two slower dimensions, in values */
	void *array;                   /* read or written */
	const xc_gpu_array_slab *slab;
	const xc_gpu_array_chunk *chunk;
	xc_gpu_array_outcome *outcome;
	float *value, *magnitude; /* of the work */
	uint8_t *code;
	/* To decode: */
	const xc_gpu_array_tables *tables; /* by slab */
	const uint32_t *ranks;
	const xc_gpu_array_exception *exceptions;
	/* To encode: */
	uint32_t *residue;   /* folded ones in the order of coding, */
	uint8_t *level;      /* and levels */
	uint32_t *counts;    /* [slabs][XC_GPU_ARRAY_SHAPES][XC_GPU_ARRAY_SYMBOLS] */
	uint32_t *symbols;   /* [slabs][XC_GPU_ARRAY_SHAPES][XC_GPU_ARRAY_SYMBOLS] */
	uint16_t *slots;     /* [slabs][XC_GPU_ARRAY_SHAPES][4096] */
	double error, share; /* of the bound; both 0: bits must be equal */
} xc_gpu_array_work;

/* Copies coded bytes of a chunk to where they stand in the file. */
typedef struct xc_gpu_array_move {
	uint64_t from, to;
	uint32_t bytes, reserved;
} xc_gpu_array_move;

#endif
