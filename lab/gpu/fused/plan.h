/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two axes of a frame, planned by the processor: an axis has a kernel of its size, or else
 * the one for all sizes.
 */
#ifndef XC_LAB_GPU_FUSED_PLAN_H
#define XC_LAB_GPU_FUSED_PLAN_H

#include "lab/gpu/fused/mixed_plan.h"

enum { XC_FUSED_LEAST = 8, XC_FUSED_MOST = 13 }; /* log2 of a side */
/* Threads of a block of rows, where a row does not take more. */
enum { XC_FUSED_ROW_THREADS = 128 };

typedef struct xc_fused_plan {
	xc_axis_plan columns, rows; /* in the order of their kernels */
} xc_fused_plan;

/* log2 of a side, or -1. */
static inline int xc_fused_log(int n)
{
	int log = XC_FUSED_LEAST;
	while (log <= XC_FUSED_MOST && 1 << log != n)
		log++;
	return log <= XC_FUSED_MOST ? log : -1;
}

/* ---------------------------------------------------- sides of powers of two */

/* All groups of strips have the same size. */
static inline void xc_split_columns(xc_axis_plan *a, int cols)
{
	xc_fused_split *const s = &a->job.split;
	a->engine = XC_AXIS_SPLIT;
	s->strips = cols / 2 >> XC_SPLIT_ACROSS;
	s->group = (XC_REAL_BITS == 32 ? 8 : 4) << (XC_SPLIT_MOST - a->log);
	s->group = s->group > s->strips / 2 ? s->strips / 2 : s->group;
	while (s->group > 1 && s->strips % s->group)
		s->group--;
	s->group = s->group < 1 ? 1 : s->group;
	a->blocks = s->strips << (xc_split_blocks(a->log) + 1);
	a->threads = XC_SPLIT_THREADS;
	a->shared = sizeof(xc_complex) << (XC_SPLIT_SHORT + 1 + XC_SPLIT_ACROSS);
	a->pairs = (size_t)1 << (a->log - 3);
}

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_power_columns(xc_axis_plan *a, int rows, int cols, size_t shared_most)
{
	const int log = xc_fused_log(rows), ends = xc_line_ends(log);
	const int across = log >= XC_SPLIT_LEAST ? XC_SPLIT_ACROSS : xc_fused_across(log);
	if (log < 0 || (cols / 2) % (1 << across))
		return -1;
	memset(a, 0, sizeof *a);
	a->log = log;
	if (log >= XC_SPLIT_LEAST) {
		xc_split_columns(a, cols);
		return 0;
	}
	a->shared = (sizeof(xc_complex) << across) * (size_t)xc_line_length(log, ends, across);
	a->threads = 1 << (xc_line_log_threads(log, ends) + across);
	a->blocks = cols / 2 >> across;
	return a->shared > shared_most ? -1 : 0;
}

static inline int xc_power_rows(xc_axis_plan *a, int rows, int cols, size_t shared_most)
{
	const int log = xc_fused_log(cols) - 1, ends = xc_line_ends(log);
	if (log < XC_LINE_LEAST)
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
	return a->threads < 32 || a->shared > shared_most ? -1 : 0;
}

/* --------------------------------------------------------------- tables */

enum { XC_SPLIT_SHORT_TABLE = 4 * 8 };

static inline int xc_split_long_table(int log)
{
	return xc_line_stored(4) << xc_split_long_radix(log);
}

/* Completes the plan of an axis, whose lines have `size` samples. */
static inline void xc_axis_finish(xc_axis_plan *a, int down, int size, int cols)
{
	size_t split = 0;
	a->down = down;
	a->job.axis.cols = cols;
	a->job.axis.first = (XC_REAL)sqrtl(1 / (long double)size);
	if (a->engine == XC_AXIS_POWER) {
		const int ends = xc_line_ends(a->log);
		a->factors = (size_t)xc_line_factors(a->log, ends);
		a->pairs = ((size_t)1 << xc_line_log_threads(a->log, ends)) + 1;
	} else if (a->engine == XC_AXIS_SPLIT) {
		split = (size_t)xc_split_long_table(a->log) + XC_SPLIT_SHORT_TABLE +
		        ((size_t)xc_split_between(a->log) << XC_SPLIT_SHORT);
	}
	a->table = a->factors + a->places + (down ? a->pairs : 2 * a->pairs) + split;
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

static inline void xc_split_factors(xc_complex *out, int log)
{
	const int threads = 1 << xc_split_long_radix(log);
	const long double n = ldexpl(1, log);
	out = xc_fused_powers(out, 4, (size_t)threads, ldexpl(1, log - XC_SPLIT_SHORT));
	out = xc_fused_powers(out, 3, 8, 1 << XC_SPLIT_SHORT);
	for (int q2 = 0; q2 < 1 << XC_SPLIT_SHORT; q2++) {
		xc_complex all[1 << (XC_SPLIT_MOST - XC_SPLIT_SHORT)];
		xc_fused_circle(all, 16 * (size_t)threads, q2, n, 1);
		for (int k1 = 0; k1 < 4 * threads; k1++)
			*out++ = all[k1 / threads * 4 * threads + k1 % threads];
		for (int b = 0; b < 4; b++)
			*out++ = all[b * threads];
	}
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
		xc_mixed_places(xc_mixed_factors(table, &a->job.mixed.shape), &a->job.mixed.shape);
	table = xc_axis_pairs(table + a->factors + a->places, a);
	if (a->engine == XC_AXIS_SPLIT)
		xc_split_factors(table, a->log);
}

/* `table` is where the kernel finds it. */
static inline void xc_axis_attach(xc_axis_plan *a, const xc_complex *table, int sine)
{
	a->job.axis.table = table;
	a->job.axis.sine = sine;
	if (a->engine == XC_AXIS_MIXED) {
		xc_mixed_shape *const s = &a->job.mixed.shape;
		s->table = table;
		s->places = (const unsigned short *)(const void *)(table + a->factors);
		a->job.axis.table = table + a->factors + a->places;
	}
	if (a->engine == XC_AXIS_SPLIT) {
		xc_fused_split *const s = &a->job.split;
		s->long_table = table + a->pairs;
		s->short_table = s->long_table + xc_split_long_table(a->log);
		s->between = s->short_table + XC_SPLIT_SHORT_TABLE;
	}
}

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_fused_make(xc_fused_plan *p, size_t rows, size_t cols, size_t shared_most)
{
	if (rows < XC_MIXED_LEAST || cols < XC_MIXED_LEAST || rows > XC_MIXED_MOST ||
	    cols > 2 * XC_MIXED_MOST || cols % 2)
		return -1;
	const int down = (int)rows, along = (int)cols;
	if ((xc_power_columns(&p->columns, down, along, shared_most) &&
	     xc_mixed_columns(&p->columns, down, along, shared_most)) ||
	    (xc_power_rows(&p->rows, down, along, shared_most) &&
	     xc_mixed_rows(&p->rows, down, along, shared_most)))
		return -1;
	xc_axis_finish(&p->columns, 1, down, along);
	xc_axis_finish(&p->rows, 0, along, along);
	return 0;
}

#endif
