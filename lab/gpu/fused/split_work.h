/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of which a multiprocessor's shared memory has no room for several: their FFT in two
 * passes, of N / 64 points (64 or 128) and of 64, for as many columns at a time as make a
 * line of the cache.  With q = 64 q1 + q2 the place of a sample in Makhoul's order and
 * k = k1 + N / 64 k2 that of a value,
 *
 *	exp(-2 pi i q k / N) = w(N / 64)^(q1 k1) w(N)^(q2 k1) w(64)^(q2 k2).
 *
 * The first pass of the forward transform takes the samples of one q2, the second one the
 * values of k1 and of N / 64 - k1, so that it has values k and N - k together (and those of
 * 0 and N / 128, each of which is its own mirror image).  In between, value k1 of q2 lies in
 * row k1 + N / 64 q2, so the second pass is in place.  The inverse goes the other way, and
 * has them in the row of sample 64 k1 + q2.
 *
 * A thread has 16 points: in the pass of N / 64 points of one line, in that of 64 points of the
 * lines that are each other's mirror images.  Radices are N / 1024 and 16, or 8 and 8; factors
 * are on their way while the samples are.
 *
 * Both passes are one launch.  A strip is as many columns as a block of threads takes; some
 * strips' first pass, that of the next ones, then the second pass of the former: it finds
 * them in the second-level cache.
 */
#ifndef XC_LAB_GPU_FUSED_SPLIT_WORK_H
#define XC_LAB_GPU_FUSED_SPLIT_WORK_H

#include "lab/gpu/fused/power.h"

enum { XC_SPLIT_SHORT = 6, XC_SPLIT_LEAST = 12, XC_SPLIT_MOST = 13 }; /* log2 */
/* log2 of the complex columns of a block: a line of the cache. */
enum { XC_SPLIT_ACROSS = XC_REAL_BITS == 32 ? 4 : 3 };
enum { XC_SPLIT_THREADS = 8 << XC_SPLIT_ACROSS };

typedef struct xc_fused_split {
	xc_fused_axis all;
	int strips, group;             /* strips whose first pass is done before another's second */
	unsigned *done;                /* of each strip: blocks whose first pass is done; and, behind
	                               * these, how many blocks have begun */
	const xc_complex *long_table;  /* powers of w(N / 64)^j, j < N / 1024 */
	const xc_complex *short_table; /* powers of w(64)^j, j < 8 */
	const xc_complex *between;     /* see xc_split_between() */
} xc_fused_split;

typedef struct xc_split_points {
	xc_complex v[16];
	xc_complex w[XC_LINE_STORED], more[7];
} xc_split_points;

/* The row of place q in Makhoul's order. */
XC_GPU_INLINE int xc_fused_sample(int n, int q)
{
	return q < n / 2 ? 2 * q : 2 * (n - 1 - q) + 1;
}

XC_GPU_INLINE xc_complex xc_split_turn(xc_complex z, xc_complex w, const int back)
{
	return xc_c_mul(z, back ? xc_c_conj(w) : w);
}

/* log2 of the blocks that a pass over a strip takes. */
XC_GPU_CONSTANT int xc_split_blocks(int log)
{
	return log - XC_SPLIT_SHORT - 1;
}

/* The work of a block of threads. */
typedef struct xc_split_work {
	int second, strip, index; /* pass; columns; which of the pass's blocks over them */
} xc_split_work;

/* By groups: first pass of 0 and 1, second of 0, first of 2, second of 1, ... */
XC_GPU_INLINE xc_split_work xc_split_work_of(const xc_fused_split *f, int block, const int log)
{
	const int strip = block >> xc_split_blocks(log), slot = strip / f->group;
	const int last = 2 * (f->strips / f->group) - 1;
	const int second = slot == last || (slot && slot % 2 == 0);
	const int group = slot == last ? slot / 2 : second ? slot / 2 - 1 : (slot + 1) / 2;
	xc_split_work w;
	w.second = second;
	w.strip = group * f->group + strip % f->group;
	w.index = block & ((1 << xc_split_blocks(log)) - 1);
	return w;
}

/* What the pass reads. */
XC_GPU_INLINE xc_complex xc_split_fetch(const xc_fused_split *f, const xc_split_work *w, int index)
{
	return w->second ? xc_c_load_fresh(xc_fused_at(f->all.out, index))
	                 : xc_c_load_once(xc_fused_at(f->all.in, index));
}

#endif
