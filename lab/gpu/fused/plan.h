/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two axes of a frame, planned by the processor: an axis has a kernel of its size, or else
 * the one for all sizes.
 */
#ifndef XC_LAB_GPU_FUSED_PLAN_H
#define XC_LAB_GPU_FUSED_PLAN_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/gpu/fused/mixed.h"
#include "lab/gpu/fused/power.h"

/* The common part of the plans of a frame's axes; for the processor. */

/* Latency limits the speed of a frame that fits into the caches several times over.  Where there is
 * a choice, it therefore has at least as many blocks as large devices have multiprocessors. */
enum { XC_FUSED_BLOCKS = 128 };

/* The two ways to transform the lines of an axis. */
typedef enum xc_axis_engine {
	XC_AXIS_POWER, /* power.h: powers of two */
	XC_AXIS_MIXED  /* mixed.h: any product of 2, 3, 5 and 7 */
} xc_axis_engine;

typedef struct xc_axis_plan {
	xc_axis_engine engine;
	int down; /* 1: the columns, 0: the rows */
	int log;  /* log2 of a line's points, if it is a power of two */
	int blocks, threads;
	size_t shared; /* bytes of a block */
	/* The table, in complex values: the factors of the passes, what the places of values take
	 * (mixed lines), and the pairs' factors, `pairs` for each line. */
	size_t factors, positions, pairs, table;
	union {
		xc_fused_axis axis; /* what the others begin with */
		xc_mixed_axis mixed;
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

/* The axes of mixed.h, planned by the processor. */

enum { XC_MIXED_MIN = 16, XC_MIXED_MAX = 1 << 15 }; /* of a side, and of a line's points */
/* The points of a thread, unless blocks would get too large; half as many where the frame's threads
 * would not fill a large device. */
enum { XC_MIXED_POINTS = 16, XC_MIXED_BLOCK = 128, XC_MIXED_SMALL = 3 << 19 };
enum { XC_MIXED_LONG = 4096 };

static inline int xc_mixed_is_radix(int r)
{
	return r <= XC_MIXED_RADIX && (r <= 10 || r == 12 || r == 15 || r == 16);
}

/* Finds the fewest passes, and of these the least sum of radices.  Writes the radices, the
 * largest first, and returns their number, or XC_MIXED_PASSES + 1 if there are none. */
static inline int xc_mixed_radices(int n, int largest, int depth, int radices[XC_MIXED_PASSES])
{
	int best = XC_MIXED_PASSES + 1, best_sum = 0;

	if (n == 1 || depth == XC_MIXED_PASSES)
		return n == 1 ? 0 : best;
	for (int r = largest; r >= 2; r--) {
		int rest[XC_MIXED_PASSES] = {0}, sum = r;
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

/* Odd radices come last.  Elements are closest there, and odd steps reach different banks of
 * shared memory. */
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
static inline int xc_mixed_make_shape(xc_axis_plan *a, int points)
{
	xc_mixed_shape *const s = &a->job.mixed.shape;
	int radices[XC_MIXED_PASSES], apart = points;

	memset(a, 0, sizeof *a);
	a->engine = XC_AXIS_MIXED;
	s->points = points;
	s->passes = xc_mixed_radices(points, XC_MIXED_RADIX, 0, radices);
	if (s->passes > XC_MIXED_PASSES)
		return -1;
	xc_mixed_order_radices(radices, s->passes);
	for (int i = 0; i < s->passes; i++) {
		apart /= radices[i];
		s->pass[i].radix = radices[i];
		s->pass[i].apart = apart;
		s->pass[i].reciprocal = ((1u << 31) + (unsigned)apart - 1) / (unsigned)apart;
		s->pass[i].factors = (int)a->factors;
		a->factors += (size_t)(xc_mixed_stored(radices[i]) * apart);
	}
	a->positions = ((size_t)points * sizeof *s->positions + sizeof(xc_complex) - 1) /
	               sizeof(xc_complex);
	a->pairs = (size_t)points / 2 + 1;
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

static inline void xc_mixed_positions(xc_complex *out, const xc_mixed_shape *s)
{
	unsigned short *const positions = (unsigned short *)(void *)out;

	for (int k = 0; k < s->points; k++) {
		int q = 0;
		for (int i = 0, rest = k; i < s->passes; i++) {
			q += rest % s->pass[i].radix * s->pass[i].apart;
			rest /= s->pass[i].radix;
		}
		positions[k] = (unsigned short)q;
	}
}

/* The threads of a block that has `points` points. */
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

/* A block has 64 bytes of a row: more where that is too little work, less in small frames and where
 * shared memory is too small.  Returns 0, or -1 if it cannot do this size or needs more shared
 * memory. */
static inline int xc_mixed_columns(xc_axis_plan *a, int rows, int cols, size_t shared_max)
{
	const int usual = XC_REAL_BITS == 32 ? 3 : 2, min = usual - 2;
	int across = 4;

	if (xc_mixed_make_shape(a, rows))
		return -1;
	const size_t line = (size_t)rows * sizeof(xc_complex);
	while (across > usual && rows << across > XC_MIXED_POINTS * XC_MIXED_BLOCK)
		across--;
	while (across > 0 && xc_mixed_blocks(cols / 2, across) < XC_FUSED_BLOCKS)
		across--;
	while (across > min && line << across > shared_max)
		across--;
	a->job.mixed.shape.across = across;
	a->blocks = xc_mixed_blocks(cols / 2, across);
	a->threads = (xc_mixed_threads(rows << across, rows, cols) + 31) / 32 * 32;
	a->shared = line << across;
	return a->shared > shared_max ? -1 : 0;
}

/* Few long columns leave most of a large device idle.  Then cuFFT, which takes a column in
 * several blocks, is faster even with the stages around it. */
static inline int xc_mixed_few(const xc_axis_plan *a)
{
	return a->engine == XC_AXIS_MIXED && a->job.mixed.shape.points > XC_MIXED_LONG &&
	       2 * a->blocks < XC_FUSED_BLOCKS;
}

/* The threads of a row are a power of two: neighbours take several rows. */
static inline int xc_mixed_rows(xc_axis_plan *a, int rows, int cols, size_t shared_max)
{
	int log = 2, lines = 1;

	if (xc_mixed_make_shape(a, cols / 2))
		return -1;
	const size_t line = (size_t)(cols / 2) * sizeof(xc_complex);
	const int threads = xc_mixed_threads(cols / 2, rows, cols);
	while (1 << log < threads && 2 << log <= XC_MIXED_THREADS)
		log++;
	while (lines << log < 32 ||
	       (2 * lines << log <= XC_MIXED_BLOCK && rows / (2 * lines) >= XC_FUSED_BLOCKS))
		lines *= 2;
	a->job.mixed.shape.across = -1;
	a->job.mixed.shape.log_threads = log;
	a->job.mixed.rows = rows;
	a->blocks = (rows + lines - 1) / lines;
	a->threads = lines << log;
	a->shared = line * (size_t)lines;
	return a->shared > shared_max ? -1 : 0;
}

enum { XC_FUSED_MIN = 8, XC_FUSED_MAX = 13 }; /* log2 of a side */
/* Threads of a block of rows, where a row does not take more. */
enum { XC_FUSED_ROW_THREADS = 128 };

typedef struct xc_fused_plan {
	xc_axis_plan columns, rows; /* in the order of their kernels */
} xc_fused_plan;

/* log2 of a side, or -1. */
static inline int xc_fused_log(int n)
{
	int log = XC_FUSED_MIN;

	while (log <= XC_FUSED_MAX && 1 << log != n)
		log++;
	return log <= XC_FUSED_MAX ? log : -1;
}

/* ---------------------------------------------------- sides of powers of two */

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_power_columns(xc_axis_plan *a, int rows, int cols, size_t shared_max)
{
	const int log = xc_fused_log(rows), ends = xc_line_ends(log);
	const int across = xc_fused_across(log);

	if (log < 0 || (cols / 2) % (1 << across))
		return -1;
	memset(a, 0, sizeof *a);
	a->log = log;
	a->shared = (sizeof(xc_complex) << across) * (size_t)xc_line_length(log, ends, across);
	a->threads = 1 << (xc_line_log_threads(log, ends) + across);
	a->blocks = cols / 2 >> across;
	return a->shared > shared_max ? -1 : 0;
}

static inline int xc_power_rows(xc_axis_plan *a, int rows, int cols, size_t shared_max)
{
	const int log = xc_fused_log(cols) - 1, ends = xc_line_ends(log);

	if (log < XC_LINE_MIN)
		return -1;
	const int threads = 1 << xc_line_log_threads(log, ends);
	int lines = XC_FUSED_ROW_THREADS / threads;
	lines = lines < 1 ? 1 : lines;
	while (lines > 1 && lines * threads > 32 && rows / lines < XC_FUSED_BLOCKS)
		lines /= 2;
	while (rows % lines)
		lines /= 2;
	memset(a, 0, sizeof *a);
	a->log = log;
	a->shared = sizeof(xc_complex) * (size_t)lines * (size_t)xc_line_length(log, ends, 0);
	a->threads = lines * threads;
	a->blocks = rows / lines;
	return a->threads < 32 || a->shared > shared_max ? -1 : 0;
}

/* Completes the plan of an axis, whose lines have `size` samples. */
static inline void xc_axis_finish(xc_axis_plan *a, int down, int size, int cols)
{
	a->down = down;
	a->job.axis.cols = cols;
	a->job.axis.first = (XC_REAL)sqrtl(1 / (long double)size);
	if (a->engine == XC_AXIS_POWER) {
		const int ends = xc_line_ends(a->log);
		a->factors = (size_t)xc_line_factors(a->log, ends);
		a->pairs = ((size_t)1 << xc_line_log_threads(a->log, ends)) + 1;
	}
	a->table = a->factors + a->positions + (down ? a->pairs : 2 * a->pairs);
}

/* The factors of a pass, of `count` butterflies in a circle of n. */
static inline xc_complex *xc_fused_powers(xc_complex *out, int radix, size_t count, long double n)
{
	for (int i = 0; i < xc_line_stored(radix); i++)
		out = xc_fused_circle(out, count, xc_line_exponent(i), n, 1);
	return out;
}

static inline void xc_power_factors(xc_complex *out, int log)
{
	const int ends = xc_line_ends(log);
	const int second = xc_line_second(log, ends), third = xc_line_third(log, ends);
	const int run = ends + second;

	out = xc_fused_powers(out, second, (size_t)1 << ends, ldexpl(1, run));
	out = xc_fused_powers(out, third, (size_t)1 << run, ldexpl(1, run + third));
	xc_fused_powers(out, ends, (size_t)1 << xc_line_log_threads(log, ends), ldexpl(1, log));
}

/* The factors of the pairs; mixed rows have both of a pair side by side. */
static inline xc_complex *xc_axis_pairs(xc_complex *out, const xc_axis_plan *a)
{
	const int mixed = a->engine == XC_AXIS_MIXED;
	const long double points = mixed ? a->job.mixed.shape.points : ldexpl(1, a->log);
	const long double n = a->down ? points : 2 * points, scale = sqrtl(0.5L / n);

	if (mixed && !a->down) {
		for (size_t j = 0; j < a->pairs; j++) {
			*out++ = xc_fused_root(0.25L * (long double)j / n, scale);
			*out++ = xc_fused_root(1.25L * (long double)j / n, scale);
		}
		return out;
	}
	out = xc_fused_circle(out, a->pairs, 0.25L, n, scale);
	return a->down ? out : xc_fused_circle(out, a->pairs, 1.25L, n, scale);
}

/* Fills an array of a->table values. */
static inline void xc_axis_table(const xc_axis_plan *a, xc_complex *table)
{
	if (a->engine == XC_AXIS_POWER)
		xc_power_factors(table, a->log);
	if (a->engine == XC_AXIS_MIXED)
		xc_mixed_positions(xc_mixed_factors(table, &a->job.mixed.shape), &a->job.mixed.shape);
	xc_axis_pairs(table + a->factors + a->positions, a);
}

/* `table` is where the kernel finds it. */
static inline void xc_axis_attach(xc_axis_plan *a, const xc_complex *table, int sine)
{
	a->job.axis.table = table;
	a->job.axis.sine = sine;
	if (a->engine == XC_AXIS_MIXED) {
		xc_mixed_shape *const s = &a->job.mixed.shape;
		s->table = table;
		s->positions = (const unsigned short *)(const void *)(table + a->factors);
		a->job.axis.table = table + a->factors + a->positions;
	}
}

/* 0, or -1: not for this size or this much shared memory.  The registers have no room for 32 bytes of
 * columns of 8192, and the stages around cuFFT are faster than mixed ones. */
static inline int xc_fused_make(xc_fused_plan *p, size_t rows, size_t cols, size_t shared_max)
{
	if (rows == 1 << XC_FUSED_MAX || rows < XC_MIXED_MIN || cols < XC_MIXED_MIN ||
	    rows > XC_MIXED_MAX || cols > 2 * XC_MIXED_MAX || cols % 2)
		return -1;
	const int down = (int)rows, along = (int)cols;
	if ((xc_power_columns(&p->columns, down, along, shared_max) &&
	     xc_mixed_columns(&p->columns, down, along, shared_max)) ||
	    (xc_power_rows(&p->rows, down, along, shared_max) &&
	     xc_mixed_rows(&p->rows, down, along, shared_max)))
		return -1;
	xc_axis_finish(&p->columns, 1, down, along);
	xc_axis_finish(&p->rows, 0, along, along);
	return 0;
}

#endif
