/* SPDX-License-Identifier: BSD-2-Clause */
/* The common part of the plans of a frame's axes; for the processor. */
#ifndef XC_LAB_GPU_FUSED_AXIS_H
#define XC_LAB_GPU_FUSED_AXIS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/gpu/fused/mixed.h"
#include "lab/gpu/fused/split.h"

/* Latency limits the speed of a frame that fits into the caches several times over.  Where there is
 * a choice, it therefore has at least as many blocks as large devices have multiprocessors. */
enum { XC_FUSED_BLOCKS = 128 };

/* The three ways to transform the lines of an axis. */
typedef enum xc_axis_engine {
	XC_AXIS_POWER, /* power.h: powers of two */
	XC_AXIS_SPLIT, /* split.h: columns of long powers of two */
	XC_AXIS_MIXED  /* mixed.h: any product of 2, 3, 5 and 7 */
} xc_axis_engine;

typedef struct xc_axis_plan {
	xc_axis_engine engine;
	int down; /* 1: the columns, 0: the rows */
	int log;  /* log2 of a line's points, if it is a power of two */
	int blocks, threads;
	size_t shared; /* bytes of a block */
	/* The table, in complex values: the factors of the passes, what the places of values take
	 * (mixed lines), the pairs' factors, `pairs` for each line, and the rest of split lines. */
	size_t factors, places, pairs, table;
	union {
		xc_fused_axis axis; /* what the others begin with */
		xc_mixed_axis mixed;
		xc_fused_split split;
	} job; /* what the kernel is told */
} xc_axis_plan;

/* scale * exp(-2 pi i part) */
static inline xc_complex xc_fused_root(long double part, long double scale)
{
	const long double circle = 6.283185307179586476925286766559005768L;
	xc_complex z;
	z.re = (XC_REAL)(scale * cosl(circle * part));
	z.im = (XC_REAL)(-scale * sinl(circle * part));
	return z;
}

/* count values of scale * exp(-2 pi i step k / n); returns what comes after them. */
static inline xc_complex *xc_fused_circle(xc_complex *out, size_t count, long double step,
                                          long double n, long double scale)
{
	for (size_t k = 0; k < count; k++)
		out[k] = xc_fused_root(step * (long double)k / n, scale);
	return out + count;
}

#endif
