/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of the rANS mode: symbols, lanes, and the order of blocks; for coder and decoder on CPU
 * and GPU.
 *
 * A symbol stands for a magnitude: 0 to 8 for itself, the larger ones for a class, whose members
 * raw bits tell apart. Signs are raw bits as well. Raw bits follow the coded symbols, so the lanes
 * never wait for them.
 */
#ifndef XC_ENTROPY_RANS_MODEL_H
#define XC_ENTROPY_RANS_MODEL_H

#include "entropy/rans/tables.h"

enum {
	XC_RANS_LANES = 16,
	XC_RANS_FIRST_CLASS = 9, /* the first symbol that has raw bits */
	XC_RANS_ESCAPE = 15,     /* the class with an explicit number of raw bits */
	XC_RANS_ESCAPE_BITS = 5, /* of that number, less XC_RANS_ESCAPE_MIN */
	XC_RANS_ESCAPE_MIN = 7,
	XC_RANS_EXPECT_SHIFT = 3, /* from a sum of weights to a bin */
	XC_RANS_NOWHERE = 64,     /* the index of a neighbour outside of the block: always 0 */
	XC_RANS_STATE_BITS = 16   /* states stay in [2^16, 2^32) */
};

/* Parameters of rdo (src/encode/decide_rans.c). */
enum {
	/* The guess for a magnitude in sixteenths of a step: (magnitude + rounding) / 16. */
	XC_RANS_GUESS_ROUNDING = 4,
	XC_RANS_MAX_GUESS = 15,
	XC_RANS_LAST_CHOICE = 7,     /* larger magnitudes are rounded to the nearest */
	XC_RANS_NEAREST = 8,         /* stands for such a magnitude */
	XC_RANS_LARGE_GAIN = 14200,  /* the gain of such a magnitude, more than any other */
	XC_RANS_MAX_NONE_COST = 120, /* the maximum cost of a zero of AC */
	/* The net cost of a zone is clamped here. From here it stays below 0 whatever follows: 35
	 * positions cost at most 480 each, with the largest factor. With the largest gain it still fits
	 * 16 bits. */
	XC_RANS_MIN_NET = -18000
};

/* The first position in the scan of each zone, and of each range. */
#define XC_RANS_ZONE_TABLE \
	{ \
		1, 10, 28, 64 \
	}
#define XC_RANS_RANGE_TABLE \
	{ \
		1, 10, 64 \
	}

/* The number of bits after the leading one of magnitude - 7. */
static inline XC_DEVICE unsigned xc_rans_class_bits(uint32_t magnitude)
{
	return 31 - (unsigned)__builtin_clz(magnitude - 7);
}

static inline XC_DEVICE unsigned xc_rans_symbol(uint32_t magnitude)
{
	if (magnitude < 8)
		return magnitude;
	const unsigned bits = xc_rans_class_bits(magnitude);
	return bits < XC_RANS_ESCAPE_MIN ? 8 + bits : (unsigned)XC_RANS_ESCAPE;
}

/* Rows of blocks share lanes: a list of rows, those of luma or those of Cb and then of Cr, is cut
 * into zones of sixteen, and row i of a zone is lane i. Within a component each lane is one column
 * behind the one above it, so that the left and upper neighbours of a block are complete. */
typedef struct xc_rans_zone {
	uint32_t first[XC_RANS_LANES];  /* the first block of each lane */
	uint32_t offset[XC_RANS_LANES]; /* columns behind the first row of its component */
	uint32_t lanes, wide;
	uint32_t steps; /* from the first block to the last one */
	uint32_t top;   /* lanes whose blocks have none above, as a mask */
} xc_rans_zone;

/* Sets the zone that begins with row `row` of the list; returns the row after it. */
static inline XC_DEVICE uint32_t xc_rans_zone_at(xc_rans_zone *g, uint32_t row, uint32_t wide,
                                                 uint32_t high, uint32_t components,
                                                 const uint32_t *first)
{
	uint32_t lane = 0, offset = 0, max = 0;

	g->top = 0;
	for (; lane < XC_RANS_LANES && row < high * components; lane++, row++) {
		const uint32_t y = row % high;
		offset = lane && y ? offset + 1 : 0;
		max = offset > max ? offset : max;
		g->top |= (uint32_t)!offset << lane;
		g->offset[lane] = offset;
		g->first[lane] = first[row / high] + y * wide;
	}
	g->lanes = lane;
	g->wide = wide;
	g->steps = wide + max;
	return row;
}

/* The lanes that have a block at this step. */
static inline XC_DEVICE uint32_t xc_rans_active(const xc_rans_zone *g, uint32_t step)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < g->lanes; i++)
		mask |= (uint32_t)(step - g->offset[i] < g->wide) << i;
	return mask;
}

#endif
