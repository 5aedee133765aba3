/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way through a chunk of an array: from its anchors, a coarse grid, by passes of which each
 * doubles the grid along one dimension. Encoder and decoder take the same way (doc/format.md,
 * section 11).
 *
 * A chunk's dimensions are a, b and c here, from the slowest to the one along which rows lie: a row
 * is predicted and coded as a whole, from earlier passes and earlier rows. Which dimension of the
 * array each of them is, the slab says.
 */
#ifndef XC_ARRAY_PLAN_H
#define XC_ARRAY_PLAN_H

#include <stdint.h>

enum {
	XC_CHUNK_SIDE = 1 << 16,   /* the most of a chunk's dimension */
	XC_CHUNK_VALUES = 1 << 21, /* the most of its values */
	XC_ARRAY_TOP = 64,         /* the largest distance of anchors */
	XC_PASSES = 18,            /* log2(XC_ARRAY_TOP) for each dimension */
	XC_TAPS = 24,              /* of a prediction, at most */
	XC_TAP_SCALE = 1 << 12,    /* coefficients are multiples of 1 / 4096 */
	XC_TAP_LIMIT = 1 << 15,    /* above the magnitude of one, in these, */
	XC_TAP_SUM = 1 << 17,      /* and the most of the magnitudes of all */
	XC_BLOCK_MIN = 5,          /* values of a dimension that has blocks of 8 */
	XC_FREQUENCIES = 512,      /* of a block, at most */
	XC_ARRAY_SETS = 6,         /* of frequencies: of the last pass, the one before, ... */
};

/* A tap: how many points away, in steps of the pass; see xc_pass. */
typedef struct xc_tap {
	int8_t offset[3];
	int32_t weight; /* in 1 / XC_TAP_SCALE */
} xc_tap;

/* A pass along dimension d makes the points whose coordinate along d is an odd multiple of step[d],
 * and along each other dimension any multiple of its step. Points with even multiples along d are
 * known before. */
typedef struct xc_pass {
	int d;
	uint32_t step[3];
	unsigned fine; /* its quantization step is the slab's, finer: see xc_finer() */
	int fitted;    /* 0: the taps are the cubic ones; 1: the first one makes their sum one */
	int taps;
	xc_tap tap[XC_TAPS];
} xc_pass;

/* What chunks of a slab have in common. */
typedef struct xc_array_plan {
	uint32_t size[3]; /* of a whole chunk; those at the end of the array are smaller */
	uint8_t order[3]; /* the pass along order[0] comes first where others are due as well */
	uint8_t lag[3];   /* by how many doublings passes along a dimension come later */
	uint32_t top[3];  /* distances of the anchors */
	int passes;
	xc_pass pass[XC_PASSES];
} xc_array_plan;

/* Sets top and the passes, with cubic taps, from size, order and lag. */
void xc_plan_make(xc_array_plan *plan);
/* Sets the taps of the cubic prediction along d. */
void xc_pass_cubic(xc_pass *pass);

/* A step that is divided by 2^(fine / 2), but 4 / 3 stands for the root of 2. */
static inline double xc_finer(double step, unsigned fine)
{
	return (fine & 1 ? step * 0.75 : step) / (1 << fine / 2);
}

/* Points along a dimension of n values, at least 1 and up to 2^32 - 1, at multiples of a step. */
static inline XC_DEVICE uint32_t xc_points(uint32_t n, uint32_t step)
{
	return (n - 1) / step + 1;
}

/* The set of frequencies of a pass. */
static inline int xc_set_of(const xc_array_plan *plan, int pass)
{
	const int from_end = plan->passes - 1 - pass;
	return from_end < XC_ARRAY_SETS - 1 ? from_end : XC_ARRAY_SETS - 1;
}

#endif
