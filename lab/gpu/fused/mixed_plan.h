/* SPDX-License-Identifier: BSD-2-Clause */
/* Shapes and tables of mixed.h, made by the processor.  Included after it; needs <math.h>
 * and <stdlib.h>. */
#ifndef XC_LAB_GPU_FUSED_MIXED_PLAN_H
#define XC_LAB_GPU_FUSED_MIXED_PLAN_H

#include "lab/gpu/frame/plan_parts.h"

enum { XC_MIXED_LEAST = 16, XC_MIXED_MOST = 1 << 15 }; /* of a side, and of a line's points */
/* Points that a thread is to have if blocks do not get too large; half as many where all of
 * the frame's threads would not fill a large device. */
enum { XC_MIXED_POINTS = 16, XC_MIXED_BLOCK = 128, XC_MIXED_SMALL = 3 << 19 };
enum { XC_MIXED_LONG = 4096 };

/* An axis of a frame: what its kernel is launched with, and how large its table is. */
typedef struct xc_mixed_launch {
	int blocks, threads;
	size_t shared;          /* bytes */
	size_t factors, places; /* complex values: of the passes; and what places take */
} xc_mixed_launch;

/* ---------------------------------------------------------------- radices */

static inline int xc_mixed_is_radix(int r)
{
	return r <= XC_MIXED_RADIX && (r <= 10 || r == 12 || r == 15 || r == 16);
}

/* The least passes, and of these the least sum of radices: the largest first.  Writes
 * them and returns how many there are, or XC_MIXED_PASSES + 1. */
static inline int xc_mixed_radices(int n, int largest, int depth, int radices[XC_MIXED_PASSES])
{
	int best = XC_MIXED_PASSES + 1, best_sum = 0;
	if (n == 1 || depth == XC_MIXED_PASSES)
		return n == 1 ? 0 : best;
	for (int r = largest; r >= 2; r--) {
		int rest[XC_MIXED_PASSES], sum = r;
		if (n % r || !xc_mixed_is_radix(r))
			continue;
		const int passes = 1 + xc_mixed_radices(n / r, r, depth + 1, rest);
		for (int i = 1; i < passes && passes <= XC_MIXED_PASSES; i++)
			sum += rest[i - 1];
		if (passes > best || (passes == best && sum >= best_sum) || passes > XC_MIXED_PASSES)
			continue;
		best = passes;
		best_sum = sum;
		radices[0] = r;
		memcpy(radices + 1, rest, sizeof *rest * (size_t)(passes - 1));
	}
	return best;
}

static inline int xc_mixed_even_part(int n)
{
	return n & -n;
}

/* Odd radices last: there elements are closest, and in odd steps they are in different
 * banks of shared memory. */
static inline void xc_mixed_order_radices(int *radices, int passes)
{
	for (int i = 1; i < passes; i++)
		for (int j = i; j > 0; j--)
			if (xc_mixed_even_part(radices[j]) > xc_mixed_even_part(radices[j - 1])) {
				const int r = radices[j];
				radices[j] = radices[j - 1];
				radices[j - 1] = r;
			}
}

/* 0, or -1: not of these points. */
static inline int xc_mixed_make_shape(xc_mixed_shape *s, int points, xc_mixed_launch *launch)
{
	int radices[XC_MIXED_PASSES], apart = points;
	memset(s, 0, sizeof *s);
	s->points = points;
	s->passes = xc_mixed_radices(points, XC_MIXED_RADIX, 0, radices);
	if (s->passes > XC_MIXED_PASSES)
		return -1;
	xc_mixed_order_radices(radices, s->passes);
	launch->factors = 0;
	for (int i = 0; i < s->passes; i++) {
		apart /= radices[i];
		s->pass[i].radix = radices[i];
		s->pass[i].apart = apart;
		s->pass[i].reciprocal = ((1u << 31) + (unsigned)apart - 1) / (unsigned)apart;
		s->pass[i].factors = (int)launch->factors;
		launch->factors += (size_t)(xc_mixed_stored(radices[i]) * apart);
	}
	launch->places = ((size_t)points * sizeof *s->places + sizeof(xc_complex) - 1) /
	                 sizeof(xc_complex);
	return 0;
}

static inline xc_complex *xc_mixed_factors(xc_complex *out, const xc_mixed_shape *s)
{
	for (int i = 0; i < s->passes; i++) {
		const xc_mixed_pass *const p = &s->pass[i];
		for (int e = 0; e < xc_mixed_stored(p->radix); e++)
			out = xc_fused_circle(out, (size_t)p->apart, xc_line_exponent(e),
			                      (long double)p->radix * p->apart, 1);
	}
	return out;
}

static inline xc_complex *xc_mixed_places(xc_complex *out, const xc_mixed_shape *s,
                                          const xc_mixed_launch *launch)
{
	unsigned short *const places = (unsigned short *)(void *)out;
	for (int k = 0; k < s->points; k++) {
		int q = 0;
		for (int i = 0, rest = k; i < s->passes; i++) {
			q += rest % s->pass[i].radix * s->pass[i].apart;
			rest /= s->pass[i].radix;
		}
		places[k] = (unsigned short)q;
	}
	return out + launch->places;
}

/* ------------------------------------------------------------------- axes */

/* For so many points of a frame. */
static inline int xc_mixed_threads(int points, int rows, int cols)
{
	const int small = (size_t)rows * (size_t)cols < XC_MIXED_SMALL;
	const int threads = points / (small ? XC_MIXED_POINTS / 2 : XC_MIXED_POINTS);
	return threads > XC_MIXED_THREADS ? XC_MIXED_THREADS : threads;
}

static inline int xc_mixed_blocks(int lines, int log)
{
	return (lines + (1 << log) - 1) >> log;
}

/* 64 bytes of a row a block, more where that is too little work, less in small frames and
 * where there is no shared memory for as much.  0, or -1: not this size, or not for this much
 * shared memory. */
static inline int xc_mixed_make_columns(xc_mixed_columns *f, xc_mixed_launch *launch, int rows,
                                        int cols, size_t shared_most)
{
	const int usual = XC_REAL_BITS == 32 ? 3 : 2, least = usual - 2;
	int across = 4;
	if (xc_mixed_make_shape(&f->shape, rows, launch))
		return -1;
	const size_t line = (size_t)f->shape.points * sizeof(xc_complex);
	while (across > usual && rows << across > XC_MIXED_POINTS * XC_MIXED_BLOCK)
		across--;
	while (across > 0 && xc_mixed_blocks(cols / 2, across) < XC_FUSED_BLOCKS)
		across--;
	while (across > least && line << across > shared_most)
		across--;
	f->shape.across = across;
	f->all.cols = cols;
	f->all.first = (XC_REAL)sqrtl(1 / (long double)rows);
	launch->blocks = xc_mixed_blocks(cols / 2, across);
	launch->threads = (xc_mixed_threads(rows << across, rows, cols) + 31) / 32 * 32;
	launch->shared = line << across;
	return launch->shared > shared_most ? -1 : 0;
}

/* Long columns that are few leave most of a large device idle: then the FFT of cuFFT, which
 * takes a column in several blocks, is faster even with the stages around it. */
static inline int xc_mixed_few(const xc_mixed_columns *f, const xc_mixed_launch *launch)
{
	return f->shape.points > XC_MIXED_LONG && 2 * launch->blocks < XC_FUSED_BLOCKS;
}

/* Powers of two for the threads of a row: neighbours take several. */
static inline int xc_mixed_make_rows(xc_mixed_rows *f, xc_mixed_launch *launch, int rows, int cols,
                                     size_t shared_most)
{
	int log = 2, lines = 1;
	if (xc_mixed_make_shape(&f->shape, cols / 2, launch))
		return -1;
	const size_t line = (size_t)f->shape.points * sizeof(xc_complex);
	const int threads = xc_mixed_threads(f->shape.points, rows, cols);
	while (1 << log < threads && 2 << log <= XC_MIXED_THREADS)
		log++;
	while (lines << log < 32 ||
	       (2 * lines << log <= XC_MIXED_BLOCK && rows / (2 * lines) >= XC_FUSED_BLOCKS))
		lines *= 2;
	f->shape.across = -1;
	f->shape.log_threads = log;
	f->rows = rows;
	f->all.first = (XC_REAL)sqrtl(1 / (long double)cols);
	launch->blocks = (rows + lines - 1) / lines;
	launch->threads = lines << log;
	launch->shared = line * (size_t)lines;
	return launch->shared > shared_most ? -1 : 0;
}

static inline size_t xc_mixed_columns_table(const xc_mixed_columns *f, const xc_mixed_launch *l)
{
	return l->factors + l->places + (size_t)f->shape.points / 2 + 1;
}

static inline size_t xc_mixed_rows_table(const xc_mixed_rows *f, const xc_mixed_launch *l)
{
	return l->factors + l->places + 2 * ((size_t)f->shape.points / 2 + 1);
}

/* Fill their parts of a table, and return what comes after them. */
static inline xc_complex *xc_mixed_fill_columns(xc_complex *out, const xc_mixed_columns *f,
                                                const xc_mixed_launch *launch)
{
	const long double n = f->shape.points;
	out = xc_mixed_places(xc_mixed_factors(out, &f->shape), &f->shape, launch);
	return xc_fused_circle(out, (size_t)f->shape.points / 2 + 1, 0.25L, n, sqrtl(0.5L / n));
}

static inline xc_complex *xc_mixed_fill_rows(xc_complex *out, const xc_mixed_rows *f,
                                             const xc_mixed_launch *launch)
{
	const long double m = 2.0L * f->shape.points, scale = sqrtl(0.5L / m);
	out = xc_mixed_places(xc_mixed_factors(out, &f->shape), &f->shape, launch);
	for (int j = 0; j <= f->shape.points / 2; j++) {
		*out++ = xc_fused_root(0.25L * j / m, scale);
		*out++ = xc_fused_root(1.25L * j / m, scale);
	}
	return out;
}

/* `table` is where the kernels find it; returns where the pairs' factors are. */
static inline const xc_complex *xc_mixed_attach(xc_mixed_shape *s, const xc_mixed_launch *launch,
                                                const xc_complex *table)
{
	s->table = table;
	s->places = (const unsigned short *)(const void *)(table + launch->factors);
	return table + launch->factors + launch->places;
}

#endif
