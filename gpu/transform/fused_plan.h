/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shapes and tables of fused.h and fused_split.h, made by the processor.  Included after
 * them; needs <math.h> and <stdlib.h>.
 */
#ifndef XC_GPU_FUSED_PLAN_H
#define XC_GPU_FUSED_PLAN_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { XC_FUSED_LEAST = 8, XC_FUSED_MOST = 13 }; /* log2 of a side */
/* Threads of a block of rows, where a row does not take more. */
enum { XC_FUSED_ROW_THREADS = 128 };
/* A frame that fits into the caches several times over is a matter of latency: no fewer
 * blocks of rows than large devices have multiprocessors, if they have whole warps. */
enum { XC_FUSED_BLOCKS = 128 };

typedef struct xc_fused_plan {
	xc_fused_columns columns;
	xc_fused_rows rows;
	int column_log, row_log;      /* of the lines' points */
	int column_blocks, column_threads, row_blocks, row_threads;
	size_t column_shared, row_shared; /* bytes */
	int split;                    /* columns in two passes */
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

static inline void xc_fused_make_split(xc_fused_plan *p, int log, int cols)
{
	xc_fused_split *const s = &p->split_columns;
	p->split = 1;
	s->strips = cols / 2 >> XC_SPLIT_ACROSS;
	s->group = (XC_REAL_BITS == 32 ? 8 : 4) << (XC_SPLIT_MOST - log);
	s->group = s->group > s->strips / 2 ? s->strips / 2 : s->group;
	p->split_blocks = s->strips << (xc_split_blocks(log) + 1);
	p->split_shared = sizeof(xc_complex) << (XC_SPLIT_SHORT + 1 + XC_SPLIT_ACROSS);
}

/* 0, or -1: not for this much shared memory. */
static inline int xc_fused_make_columns(xc_fused_plan *p, int log, int cols, size_t shared_most)
{
	const int ends = xc_line_ends(log), across = xc_fused_across(log);
	p->column_log = log;
	if (log >= XC_SPLIT_LEAST) {
		xc_fused_make_split(p, log, cols);
		return 0;
	}
	p->column_threads = 1 << (xc_line_log_threads(log, ends) + across);
	p->column_blocks = cols / 2 >> across;
	p->column_shared =
		(sizeof(xc_complex) << across) * (size_t)xc_line_length(log, ends, across);
	return p->column_shared > shared_most ? -1 : 0;
}

static inline int xc_fused_make_rows(xc_fused_plan *p, int log, int rows, size_t shared_most)
{
	const int ends = xc_line_ends(log), threads = 1 << xc_line_log_threads(log, ends);
	int lines = XC_FUSED_ROW_THREADS / threads;
	lines = lines < 1 ? 1 : lines > rows ? rows : lines;
	while (lines > 1 && lines * threads > 32 && rows / lines < XC_FUSED_BLOCKS)
		lines /= 2;
	p->row_log = log;
	p->row_threads = lines * threads;
	p->row_blocks = rows / lines;
	p->row_shared = sizeof(xc_complex) * (size_t)lines * (size_t)xc_line_length(log, ends, 0);
	return p->row_shared > shared_most ? -1 : 0;
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

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_fused_make(xc_fused_plan *p, size_t rows, size_t cols, size_t shared_most)
{
	const int column_log = xc_fused_log(rows), row_log = xc_fused_log(cols) - 1;
	memset(p, 0, sizeof *p);
	if (column_log < 0 || row_log < 0)
		return -1;
	if (xc_fused_make_columns(p, column_log, (int)cols, shared_most) ||
	    xc_fused_make_rows(p, row_log, (int)rows, shared_most))
		return -1;
	p->columns.cols = (int)cols;
	p->columns.first = (XC_REAL)sqrtl(1 / (long double)rows);
	p->rows.first = (XC_REAL)sqrtl(1 / (long double)cols);
	p->row_table = xc_fused_column_turns(p);
	if (!p->split)
		p->row_table += (size_t)xc_line_factors(column_log, xc_line_ends(column_log));
	p->split_table = p->row_table + 2 * xc_fused_row_turns(p) +
	                 (size_t)xc_line_factors(row_log, xc_line_ends(row_log));
	p->table = p->split_table;
	if (p->split)
		p->table += (size_t)xc_fused_long_table(column_log) + XC_FUSED_SHORT_TABLE +
		            ((size_t)xc_split_between(column_log) << XC_SPLIT_SHORT);
	return 0;
}

/* count values of scale * exp(-2 pi i step k / n); returns what comes after them. */
static inline xc_complex *xc_fused_circle(xc_complex *out, size_t count, long double step,
                                          long double n, long double scale)
{
	const long double circle = 6.283185307179586476925286766559005768L;
	for (size_t k = 0; k < count; k++) {
		const long double angle = circle * step * (long double)k / n;
		out[k].re = (XC_REAL)(scale * cosl(angle));
		out[k].im = (XC_REAL)(-scale * sinl(angle));
	}
	return out + count;
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
	return xc_fused_powers(out, ends, (size_t)1 << xc_line_log_threads(log, ends),
	                       ldexpl(1, log));
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

/* Fills an array of p->table values. */
static inline void xc_fused_table(const xc_fused_plan *p, xc_complex *table)
{
	const long double n = ldexpl(1, p->column_log), m = ldexpl(1, p->row_log + 1);
	xc_complex *out = table;
	if (!p->split)
		out = xc_fused_line(out, p->column_log, xc_line_ends(p->column_log));
	out = xc_fused_circle(out, xc_fused_column_turns(p), 0.25L, n, sqrtl(0.5L / n));
	out = xc_fused_line(out, p->row_log, xc_line_ends(p->row_log));
	out = xc_fused_circle(out, xc_fused_row_turns(p), 0.25L, m, sqrtl(0.5L / m));
	out = xc_fused_circle(out, xc_fused_row_turns(p), 1.25L, m, sqrtl(0.5L / m));
	if (p->split)
		xc_fused_split_table(out, p->column_log);
}

/* `table` is where the kernels find it. */
static inline void xc_fused_attach(xc_fused_plan *p, const xc_complex *table, int sine_cols,
                                   int sine_rows)
{
	p->columns.table = table;
	p->rows.table = table + p->row_table;
	p->columns.sine = sine_rows;
	p->rows.sine = sine_cols;
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
}

#endif
