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

/* Memory is read and written in runs of 32 bytes, its sectors, where there is room; from
 * so many threads on each does twice as much, so that several blocks run at a time. */
enum { XC_FUSED_RUN = 32, XC_FUSED_THREADS = 512 };
enum { XC_FUSED_LEAST = 64, XC_FUSED_MOST = 8192, XC_FUSED_ROW_THREADS = 256 };
/* A frame that fits into the caches several times over is a matter of latency: no fewer
 * blocks of rows than large devices have multiprocessors. */
enum { XC_FUSED_BLOCKS = 128 };

/* Where the parts of the table begin, which is one array of complex values. */
typedef struct xc_fused_plan {
	xc_fused_columns columns;
	xc_fused_rows rows;
	int per;                      /* of the columns */
	int column_blocks, row_blocks;
	size_t column_shared, row_shared; /* bytes */
	/* Columns in two passes: of 128 and 64 points, as many blocks and bytes for both. */
	int split;
	xc_fused_split split_long, split_short;
	int long_blocks, short_blocks;
	size_t split_shared, split_roots;
	size_t column_roots, row_roots, column_turns, row_turns, row_more, table;
} xc_fused_plan;

static inline int xc_fused_power(size_t n)
{
	return n >= XC_FUSED_LEAST && n <= XC_FUSED_MOST && !(n & (n - 1));
}

static inline void xc_fused_shape(xc_line_shape *s, int n, int lines, int per, int fast)
{
	const int fast_ones = fast ? lines : n / 8 / per;
	int log = 0;
	while (1 << log < n)
		log++;
	s->n = n;
	s->log_first = log % 3 ? log % 3 : 3;
	s->lines = lines;
	s->threads = lines * n / 8 / per;
	s->line_is_fast = fast;
	s->log_fast = 0;
	while (1 << s->log_fast < fast_ones)
		s->log_fast++;
	s->along = fast ? lines : 1;
	s->across = fast ? 1 : n;
}

/* A line of the cache has that many complex values. */
enum { XC_FUSED_LINE = 128 / (int)sizeof(xc_complex) };

static inline void xc_fused_make_split(xc_fused_plan *p, int rows, int cols)
{
	const int across = cols / 2 / XC_FUSED_LINE;
	p->split = 1;
	p->columns.line.n = rows;
	xc_fused_shape(&p->split_long.line, XC_SPLIT_LONG, XC_FUSED_LINE, 1, 1);
	xc_fused_shape(&p->split_short.line, XC_SPLIT_SHORT, 2 * XC_FUSED_LINE, 1, 1);
	p->split_long.across = p->split_short.across = across;
	p->long_blocks = across * XC_SPLIT_SHORT;
	p->short_blocks = across * XC_SPLIT_LONG / 2;
	p->split_shared = (size_t)(XC_SPLIT_LONG + XC_SPLIT_LONG / 8) * XC_FUSED_LINE *
	                  sizeof(xc_complex);
}

/* 0, or -1: not for this much shared memory. */
static inline int xc_fused_make_columns(xc_fused_plan *p, int n, int cols, size_t shared_most)
{
	int lines;
	if (n == XC_SPLIT_ROWS) {
		xc_fused_make_split(p, n, cols);
		return 0;
	}
	for (lines = XC_FUSED_RUN / (int)sizeof(xc_complex); lines > 0; lines /= 2) {
		p->per = XC_REAL_BITS == 32 && lines * n / 8 > XC_FUSED_THREADS ? 2 : 1;
		p->column_shared = (size_t)(n + n / 8) * (size_t)lines * sizeof(xc_complex);
		if (lines * n / 8 <= (XC_REAL_BITS == 32 ? 2048 : 1024) &&
		    p->column_shared <= shared_most)
			break;
	}
	if (!lines)
		return -1;
	xc_fused_shape(&p->columns.line, n, lines, p->per, 1);
	p->column_blocks = cols / 2 / lines;
	return 0;
}

/* 0, or -1: not for this size or this much shared memory. */
static inline int xc_fused_make(xc_fused_plan *p, size_t rows, size_t cols, size_t shared_most)
{
	int row_lines, n;
	memset(p, 0, sizeof *p);
	if (!xc_fused_power(rows) || !xc_fused_power(cols))
		return -1;
	if (xc_fused_make_columns(p, (int)rows, (int)cols, shared_most))
		return -1;
	n = (int)cols / 2;
	row_lines = XC_FUSED_ROW_THREADS / (n / 8);
	row_lines = row_lines < 1 ? 1 : row_lines > (int)rows ? (int)rows : row_lines;
	while (row_lines > 1 && row_lines * (n / 8) > 64 &&
	       (int)rows / row_lines < XC_FUSED_BLOCKS)
		row_lines /= 2;
	xc_fused_shape(&p->rows.line, n, row_lines, 1, 0);
	p->row_blocks = (int)rows / row_lines;
	p->row_shared = (size_t)n * (size_t)row_lines * sizeof(xc_complex);
	if (p->row_shared > shared_most)
		return -1;
	p->columns.cols = (int)cols;
	p->columns.first = (XC_REAL)sqrtl(1 / (long double)rows);
	p->rows.first = (XC_REAL)sqrtl(1 / (long double)cols);
	p->row_roots = rows / 8;
	p->column_turns = p->row_roots + cols / 16;
	p->row_turns = p->column_turns + rows / 2;
	p->row_more = p->row_turns + cols / 4 + 1;
	p->split_roots = p->row_more + cols / 4 + 1;
	p->table = p->split_roots;
	if (p->split)
		p->table += XC_SPLIT_LONG / 8 + XC_SPLIT_SHORT / 8 + XC_SPLIT_ROWS;
	return 0;
}

/* count values of scale * exp(-2 pi i step k / n). */
static inline void xc_fused_circle(xc_complex *out, size_t count, long double step, long double n,
                                   long double scale)
{
	const long double circle = 6.283185307179586476925286766559005768L;
	for (size_t k = 0; k < count; k++) {
		const long double angle = circle * step * (long double)k / n;
		out[k].re = (XC_REAL)(scale * cosl(angle));
		out[k].im = (XC_REAL)(-scale * sinl(angle));
	}
}

/* Fills an array of p->table values. */
static inline void xc_fused_table(const xc_fused_plan *p, xc_complex *table)
{
	const long double n = (long double)p->columns.line.n, m = (long double)p->columns.cols;
	const size_t rows = (size_t)p->columns.line.n, cols = (size_t)p->columns.cols;
	xc_fused_circle(table, rows / 8, 1, n, 1);
	xc_fused_circle(table + p->row_roots, cols / 16, 2, m, 1);
	xc_fused_circle(table + p->column_turns, rows / 2, 0.25L, n, sqrtl(0.5L / n));
	xc_fused_circle(table + p->row_turns, cols / 4 + 1, 0.25L, m, sqrtl(0.5L / m));
	xc_fused_circle(table + p->row_more, cols / 4 + 1, 1.25L, m, sqrtl(0.5L / m));
	if (p->split) {
		xc_complex *const more = table + p->split_roots;
		xc_fused_circle(more, XC_SPLIT_LONG / 8, 1, XC_SPLIT_LONG, 1);
		xc_fused_circle(more + XC_SPLIT_LONG / 8, XC_SPLIT_SHORT / 8, 1, XC_SPLIT_SHORT, 1);
		xc_fused_circle(more + XC_SPLIT_LONG / 8 + XC_SPLIT_SHORT / 8, XC_SPLIT_ROWS, 1, n,
		                1);
	}
}

/* `table` is where the kernels find it. */
static inline void xc_fused_attach(xc_fused_plan *p, const xc_complex *table, int sine_cols,
                                   int sine_rows)
{
	p->columns.line.roots = table;
	p->rows.line.roots = table + p->row_roots;
	p->columns.turns = table + p->column_turns;
	p->rows.turns = table + p->row_turns;
	p->rows.more_turns = table + p->row_more;
	p->columns.sine = sine_rows;
	p->rows.sine = sine_cols;
	if (p->split) {
		p->split_long.line.roots = table + p->split_roots;
		p->split_short.line.roots = p->split_long.line.roots + XC_SPLIT_LONG / 8;
		p->split_long.between = p->split_short.line.roots + XC_SPLIT_SHORT / 8;
		p->split_short.between = p->split_long.between;
	}
}

/* What the kernels of the columns read and write: the first of two passes goes from one
 * array to the other. */
static inline void xc_fused_point(xc_fused_plan *p, const XC_REAL *in, XC_REAL *out, int back)
{
	xc_fused_split *const first = back ? &p->split_short : &p->split_long;
	xc_fused_split *const second = back ? &p->split_long : &p->split_short;
	p->columns.in = in;
	p->rows.in = p->columns.out = p->rows.out = out;
	first->all = second->all = p->columns;
	second->all.in = out;
}

#endif
