/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the reference decoder of arrays share. Numbers in brackets are sections. */
#ifndef XC_TESTS_FORMAT_REFDEC_ARRAY_INTERNAL_H
#define XC_TESTS_FORMAT_REFDEC_ARRAY_INTERNAL_H

#include "tests/format/refdec_array.h"

#include "tests/format/refdec_internal.h"

enum { A, B, C, AXES, MOST_PASSES = 18, MOST_TAPS = 24, MOST_SPECIALS = 32, MOST_LANES = 32 };
enum { MOST_RANKS = 1 << 14 };
enum { REAL, WHOLE, KEYS };

/* [11.4] */
typedef struct pass {
	int d, taps;
	int64_t step[AXES];
	double size; /* what the text calls its step */
	int offset[MOST_TAPS][AXES];
	double weight[MOST_TAPS]; /* over 4096 */
} pass;

typedef struct cell {
	double value; /* of `real`, always finite */
	float magnitude;
	uint8_t kind, done; /* done: it is an exception */
} cell;

typedef struct array {
	refdec *d;
	uint32_t type, dimensions;
	int wide; /* [11.3] real is binary64 */
	uint64_t stored[4];
	int64_t size[3], chunk[3]; /* z, y, x */
	uint8_t *values;
	/* [11.3] of the slab */
	int exponent, specials, mode, anchor_level, axis[3], order[3], lag[3], passes;
	int smooth;           /* [11.7] no slope, no bend */
	int map;              /* of integers to values, or 0 */
	int way, asked, flat; /* way: [11.12] 0 or the transform; asked: the one of ARRY */
	double coefficient_size;
	uint64_t special[MOST_SPECIALS];
	int ranks;
	uint64_t rank[MOST_RANKS];
	int64_t top[AXES];
	double anchor_size;
	pass pass[MOST_PASSES];
	refdec_set sets[6][64];
	/* of the chunk */
	int64_t first[3], extent[3]; /* z, y, x */
	int64_t n[AXES], stride[AXES];
	cell *cells;      /* in the array's order */
	struct array *dc; /* [11.12] the chunk of DC coefficients */
	double *coefficients;
	float *magnitudes;
	int one_set;       /* 1: all passes have set 5 */
	uint16_t *samples; /* of kinds */
	int lanes;         /* 0: no residues */
	uint32_t state[MOST_LANES];
	const pass *p;   /* under way, and */
	int64_t i[AXES]; /* [11.5] indices of its point */
} array;

/* A point that is being decoded. */
typedef struct point {
	cell *to;
	double predicted;
	int level, left; /* left: raw bits to come */
	uint64_t base, raw;
} point;

/* Rounds to `real` what one operation on numbers of it gave. Sums and products of two numbers of
 * binary32 are rounded twice to the same number as once. */
static inline double real(const array *a, double v)
{
	return a->wide ? v : (double)(float)v;
}

static inline int64_t limit(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static inline int64_t residue_of(const point *o)
{
	const uint64_t z = o->base + o->raw, half = z / 2;
	return z % 2 ? -1 - (int64_t)half : (int64_t)half;
}

/* [11.6] A prediction that is clamped and rounded as the mode wants it. */
double refdec_limit(const array *a, double v);
/* [11.7] The level of a sum. */
int refdec_level(const array *a, float sum);
/* [11.9] Numbers of at most as many points as there are lanes, by a set; and the value of a point. */
void refdec_take_numbers(array *a, point *group, int n, int set);
void refdec_put_point(const array *a, const point *o, double size);
/* [11.4] Plans the passes, and takes the points of a chunk by them. */
void refdec_plan_passes(array *a);
void refdec_take_passes(array *a);
/* [11.12] The values of a chunk by blocks. */
void refdec_take_blocks(array *a);

#endif
