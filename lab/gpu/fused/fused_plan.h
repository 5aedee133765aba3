/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shapes and tables of fused.h, fused_split.h and mixed.h, made by the processor: each axis
 * has a kernel of its size, or else one for all.  Included after them; needs <math.h> and
 * <stdlib.h>.
 */
#ifndef XC_LAB_GPU_FUSED_FUSED_PLAN_H
#define XC_LAB_GPU_FUSED_FUSED_PLAN_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/gpu/fused/mixed_plan.h"

enum { XC_FUSED_LEAST = 8, XC_FUSED_MOST = 13 }; /* log2 of a side */
/* Threads of a block of rows, where a row does not take more. */
enum { XC_FUSED_ROW_THREADS = 128 };

typedef struct xc_fused_plan {
	xc_fused_columns columns;
	xc_fused_rows rows;
	int column_log, row_log; /* of the lines' points */
	int column_blocks, column_threads, row_blocks, row_threads;
	size_t column_shared, row_shared; /* bytes */
	xc_mixed_columns mixed_columns;
	xc_mixed_rows mixed_rows;
	xc_mixed_launch column_launch, row_launch; /* no blocks: the axis has one of its size */
	int split;                                 /* columns in two passes */
	xc_fused_split split_columns;
	int split_blocks;
	size_t split_shared;
	/* Where the parts of the table begin, which is one array of complex values. */
	size_t row_table, split_table, table;
} xc_fused_plan;

/* log2 of a side, or -1. */
static inline int xc_fused_log(size_t n)
{
	int log = XC_FUSED_LEAST;
	while (log <= XC_FUSED_MOST && (size_t)1 << log != n)
		log++;
	return log <= XC_FUSED_MOST ? log : -1;
}

/* Groups are of one size. */
static inline void xc_fused_make_split(xc_fused_plan *p, int log, int cols)
{
	xc_fused_split *const s = &p->split_columns;
	p->split = 1;
	s->strips = cols / 2 >> XC_SPLIT_ACROSS;
	s->group = (XC_REAL_BITS == 32 ? 8 : 4) << (XC_SPLIT_MOST - log);
	s->group = s->group > s->strips / 2 ? s->strips / 2 : s->group;
	while (s->group > 1 && s->strips % s->group)
		s->group--;
	s->group = s->group < 1 ? 1 : s->group;
	p->split_blocks = s->strips << (xc_split_blocks(log) + 1);
	p->split_shared = sizeof(xc_complex) << (XC_SPLIT_SHORT + 1 + XC_SPLIT_ACROSS);
}

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_fused_make_columns(xc_fused_plan *p, int rows, int cols, size_t shared_most)
{
	const int log = xc_fused_log((size_t)rows), ends = xc_line_ends(log);
	const int across = log >= XC_SPLIT_LEAST ? XC_SPLIT_ACROSS : xc_fused_across(log);
	if (log < 0 || (cols / 2) % (1 << across))
		return -1;
	p->column_log = log;
	p->columns.cols = cols;
	p->columns.first = (XC_REAL)sqrtl(1 / (long double)rows);
	if (log >= XC_SPLIT_LEAST) {
		xc_fused_make_split(p, log, cols);
		return 0;
	}
	const size_t shared = (sizeof(xc_complex) << across) *
	                      (size_t)xc_line_length(log, ends, across);
	if (shared > shared_most)
		return -1;
	p->column_shared = shared;
	p->column_threads = 1 << (xc_line_log_threads(log, ends) + across);
	p->column_blocks = cols / 2 >> across;
	return 0;
}

static inline int xc_fused_make_rows(xc_fused_plan *p, int rows, int cols, size_t shared_most)
{
	const int log = xc_fused_log((size_t)cols) - 1, ends = xc_line_ends(log);
	if (log < XC_LINE_LEAST)
		return -1;
	const int threads = 1 << xc_line_log_threads(log, ends);
	int lines = XC_FUSED_ROW_THREADS / threads;
	lines = lines < 1 ? 1 : lines;
	while (lines > 1 && lines * threads > 32 && rows / lines < XC_FUSED_BLOCKS)
		lines /= 2;
	while (rows % lines)
		lines /= 2;
	if (lines * threads < 32)
		return -1;
	const size_t shared = sizeof(xc_complex) * (size_t)lines * (size_t)xc_line_length(log, ends, 0);
	if (shared > shared_most)
		return -1;
	p->row_log = log;
	p->rows.first = (XC_REAL)sqrtl(1 / (long double)cols);
	p->row_shared = shared;
	p->row_threads = lines * threads;
	p->row_blocks = rows / lines;
	return 0;
}

/* What split columns want. */
enum { XC_FUSED_SHORT_TABLE = 4 * 8 };

static inline int xc_fused_long_table(int log)
{
	return xc_line_stored(4) << xc_split_long_radix(log);
}

/* The factors of the columns' pairs: numbers of butterflies up to T, or all of them. */
static inline size_t xc_fused_column_turns(const xc_fused_plan *p)
{
	if (p->split)
		return (size_t)1 << (p->column_log - 3);
	return ((size_t)1 << xc_line_log_threads(p->column_log, xc_line_ends(p->column_log))) + 1;
}

static inline size_t xc_fused_row_turns(const xc_fused_plan *p)
{
	return ((size_t)1 << xc_line_log_threads(p->row_log, xc_line_ends(p->row_log))) + 1;
}

/* How much of the table an axis takes. */
static inline size_t xc_fused_columns_table(const xc_fused_plan *p)
{
	if (p->column_launch.blocks)
		return xc_mixed_columns_table(&p->mixed_columns, &p->column_launch);
	if (p->split)
		return xc_fused_column_turns(p);
	return xc_fused_column_turns(p) +
	       (size_t)xc_line_factors(p->column_log, xc_line_ends(p->column_log));
}

static inline size_t xc_fused_rows_table(const xc_fused_plan *p)
{
	if (p->row_launch.blocks)
		return xc_mixed_rows_table(&p->mixed_rows, &p->row_launch);
	return 2 * xc_fused_row_turns(p) +
	       (size_t)xc_line_factors(p->row_log, xc_line_ends(p->row_log));
}

static inline size_t xc_fused_split_table_size(const xc_fused_plan *p)
{
	const int log = p->column_log;
	if (!p->split)
		return 0;
	return (size_t)xc_fused_long_table(log) + XC_FUSED_SHORT_TABLE +
	       ((size_t)xc_split_between(log) << XC_SPLIT_SHORT);
}

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_fused_make(xc_fused_plan *p, size_t rows, size_t cols, size_t shared_most)
{
	memset(p, 0, sizeof *p);
	if (rows < XC_MIXED_LEAST || cols < XC_MIXED_LEAST || rows > XC_MIXED_MOST ||
	    cols > 2 * XC_MIXED_MOST || cols % 2)
		return -1;
	if (xc_fused_make_columns(p, (int)rows, (int)cols, shared_most) &&
	    xc_mixed_make_columns(&p->mixed_columns, &p->column_launch, (int)rows, (int)cols,
	                          shared_most))
		return -1;
	if (xc_fused_make_rows(p, (int)rows, (int)cols, shared_most) &&
	    xc_mixed_make_rows(&p->mixed_rows, &p->row_launch, (int)rows, (int)cols, shared_most))
		return -1;
	p->row_table = xc_fused_columns_table(p);
	p->split_table = p->row_table + xc_fused_rows_table(p);
	p->table = p->split_table + xc_fused_split_table_size(p);
	return 0;
}

/* The factors of a pass, of `count` butterflies in a circle of n. */
static inline xc_complex *xc_fused_powers(xc_complex *out, int radix, size_t count, long double n)
{
	for (int i = 0; i < xc_line_stored(radix); i++)
		out = xc_fused_circle(out, count, xc_line_exponent(i), n, 1);
	return out;
}

static inline xc_complex *xc_fused_line(xc_complex *out, int log, int ends)
{
	const int second = xc_line_second(log, ends), third = xc_line_third(log, ends);
	const int run = ends + second;
	out = xc_fused_powers(out, second, (size_t)1 << ends, ldexpl(1, run));
	out = xc_fused_powers(out, third, (size_t)1 << run, ldexpl(1, run + third));
	return xc_fused_powers(out, ends, (size_t)1 << xc_line_log_threads(log, ends), ldexpl(1, log));
}

static inline void xc_fused_split_table(xc_complex *out, int log)
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

static inline xc_complex *xc_fused_fill_columns(xc_complex *out, const xc_fused_plan *p)
{
	const long double n = ldexpl(1, p->column_log);
	if (p->column_launch.blocks)
		return xc_mixed_fill_columns(out, &p->mixed_columns, &p->column_launch);
	if (!p->split)
		out = xc_fused_line(out, p->column_log, xc_line_ends(p->column_log));
	return xc_fused_circle(out, xc_fused_column_turns(p), 0.25L, n, sqrtl(0.5L / n));
}

static inline xc_complex *xc_fused_fill_rows(xc_complex *out, const xc_fused_plan *p)
{
	const long double m = ldexpl(1, p->row_log + 1), scale = sqrtl(0.5L / m);
	if (p->row_launch.blocks)
		return xc_mixed_fill_rows(out, &p->mixed_rows, &p->row_launch);
	out = xc_fused_line(out, p->row_log, xc_line_ends(p->row_log));
	out = xc_fused_circle(out, xc_fused_row_turns(p), 0.25L, m, scale);
	return xc_fused_circle(out, xc_fused_row_turns(p), 1.25L, m, scale);
}

/* Fills an array of p->table values. */
static inline void xc_fused_table(const xc_fused_plan *p, xc_complex *table)
{
	xc_complex *const out = xc_fused_fill_rows(xc_fused_fill_columns(table, p), p);
	if (p->split)
		xc_fused_split_table(out, p->column_log);
}

/* `table` is where the kernels find it. */
static inline void xc_fused_attach(xc_fused_plan *p, const xc_complex *table, int sine_cols,
                                   int sine_rows)
{
	p->columns.table = table;
	p->rows.table = table + p->row_table;
	p->columns.sine = p->mixed_columns.all.sine = sine_rows;
	p->rows.sine = p->mixed_rows.all.sine = sine_cols;
	if (p->column_launch.blocks)
		p->mixed_columns.all.table = xc_mixed_attach(&p->mixed_columns.shape, &p->column_launch,
		                                             table);
	if (p->row_launch.blocks)
		p->mixed_rows.all.table = xc_mixed_attach(&p->mixed_rows.shape, &p->row_launch,
		                                          table + p->row_table);
	if (p->split) {
		xc_fused_split *const s = &p->split_columns;
		s->long_table = table + p->split_table;
		s->short_table = s->long_table + xc_fused_long_table(p->column_log);
		s->between = s->short_table + XC_FUSED_SHORT_TABLE;
	}
}

/* What the kernels read and write. */
static inline void xc_fused_point(xc_fused_plan *p, const XC_REAL *in, XC_REAL *out)
{
	p->columns.in = in;
	p->rows.in = p->columns.out = p->rows.out = out;
	p->split_columns.all = p->columns;
	p->mixed_columns.all.in = in;
	p->mixed_rows.all.in = p->mixed_columns.all.out = p->mixed_rows.all.out = out;
}

#endif
