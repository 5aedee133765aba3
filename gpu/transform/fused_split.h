/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns too long for a multiprocessor's shared memory: their FFT in two passes through
 * memory, of 128 and of 64 points, for as many columns at a time as make a line of the
 * cache.  With q = 64 q1 + q2 the place of a sample in Makhoul's order and k = k1 + 128 k2
 * that of a value,
 *
 *	exp(-2 pi i q k / 8192) = w128^(q1 k1) w8192^(q2 k1) w64^(q2 k2).
 *
 * The first pass of the forward transform takes the samples of one q2, the second one the
 * values of k1 and of 128 - k1, so that it has values k and N - k together (and those of
 * 0 and 64, each of which is its own mirror image).  In between, value k1 of q2 lies in row
 * k1 + 128 q2, so the second pass is in place.  The inverse goes the other way, and has
 * them in the row of sample 64 k1 + q2.
 */
#ifndef XC_GPU_FUSED_SPLIT_H
#define XC_GPU_FUSED_SPLIT_H

#include "gpu/transform/fused.h"

enum { XC_SPLIT_LONG = 128, XC_SPLIT_SHORT = 64, XC_SPLIT_ROWS = XC_SPLIT_LONG * XC_SPLIT_SHORT };

typedef struct xc_fused_split {
	xc_fused_columns all;         /* of all 8192 points; its line.n alone counts */
	xc_line_shape line;           /* of the pass: as many lines as complex columns, or two a
	                               * column */
	int across;                   /* blocks of threads side by side */
	const xc_complex *between;    /* exp(-2 pi i m / 8192) */
} xc_fused_split;

/* ------------------------------------------------ 128 points: samples of one q2 */

static XC_DEVICE void xc_fused_split_long(const xc_fused_split *f, xc_complex *shared, int block,
                                          const int back)
{
	const xc_line_shape shape = xc_line_across(&f->line), *const s = &shape;
	const int q2 = block / f->across, first = block % f->across * s->lines;
	const int n = XC_SPLIT_ROWS;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int col = first + xc_line_of(s, t), number = xc_number_of(s, t);
		xc_points *const p = &mine[XC_HELD_BY(t)];
		XC_UNROLLED
		for (int i = 0; i < 8; i++) {
			const int point = xc_line_point(s, number, i, 1);
			const int row = xc_fused_sample(n, XC_SPLIT_SHORT * point + q2);
			p->v[i] = xc_fused_load(&f->all, row, col);
			if (!back && f->all.sine && (row & 1))
				p->v[i] = xc_c(-p->v[i].re, -p->v[i].im);
		}
		if (back) {
			XC_UNROLLED
			for (int i = 0; i < 8; i++) {
				const int k1 = xc_line_point(s, number, i, 1);
				p->v[i] = xc_c_mul(p->v[i], xc_c_conj(f->between[q2 * k1]));
			}
		}
		xc_line_first(s, shared, p, t, 1, back);
	}
	xc_line_rest(s, shared, mine, 1, back);
	XC_EACH_THREAD(t, s->threads) {
		const int col = first + xc_line_of(s, t), number = xc_number_of(s, t);
		XC_UNROLLED
		for (int i = 0; i < 8; i++) {
			const int point = xc_line_point(s, number, i, 1);
			xc_complex z = mine[XC_HELD_BY(t)].v[i];
			int row;
			if (back) {
				row = xc_fused_sample(n, XC_SPLIT_SHORT * point + q2);
				if (f->all.sine && (row & 1))
					z = xc_c(-z.re, -z.im);
			} else {
				row = point + XC_SPLIT_LONG * q2;
				z = xc_c_mul(z, f->between[q2 * point]);
			}
			*xc_fused_pair(&f->all, f->all.out, row, col) = z;
		}
	}
}

/* --------------------------------- 64 points: values of k1 and of its mirror image */

/* The k1 of both halves of a block's lines. */
XC_LINE_INLINE int xc_fused_split_class(int pair, int half)
{
	if (half == 0)
		return pair;
	return pair ? XC_SPLIT_LONG - pair : XC_SPLIT_LONG / 2;
}

/* Value k2 < 32 of a half and the one that columns_out() and columns_in() want with it:
 * where that lies. */
XC_LINE_INLINE int xc_fused_split_mirror(const xc_line_shape *s, int pair, int line, int k2)
{
	const int cols = s->lines / 2, half = line >= cols;
	if (pair)
		return xc_line_place(s, half ? line - cols : line + cols, XC_SPLIT_SHORT - 1 - k2);
	if (half)
		return xc_line_place(s, line, XC_SPLIT_SHORT - 1 - k2);
	return xc_line_place(s, line, k2 ? XC_SPLIT_SHORT - k2 : XC_SPLIT_SHORT / 2);
}

static XC_DEVICE void xc_fused_split_short_forward(const xc_fused_split *f, xc_complex *shared,
                                                   int block)
{
	const xc_line_shape shape = xc_line_across(&f->line), *const s = &shape;
	const int pair = block / f->across, cols = s->lines / 2;
	const int first = block % f->across * cols;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const int k1 = xc_fused_split_class(pair, line >= cols);
		xc_points *const p = &mine[XC_HELD_BY(t)];
		XC_UNROLLED
		for (int i = 0; i < 8; i++)
			p->v[i] = xc_fused_load(&f->all,
			                        k1 + XC_SPLIT_LONG * xc_line_point(s, number, i, 1),
			                        first + line % cols);
		xc_line_first(s, shared, p, t, 1, 0);
	}
	xc_line_rest(s, shared, mine, 1, 0);
	xc_line_leave(s, shared, mine, 1);
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const int k1 = xc_fused_split_class(pair, line >= cols);
		XC_UNROLLED
		for (int i = 0; i < 4; i++) {
			const int k2 = number + i * (s->n / 8);
			xc_fused_columns_out(&f->all, first + line % cols, k1 + XC_SPLIT_LONG * k2,
			                     shared[xc_line_place(s, line, k2)],
			                     shared[xc_fused_split_mirror(s, pair, line, k2)]);
		}
	}
}

static XC_DEVICE void xc_fused_split_short_inverse(const xc_fused_split *f, xc_complex *shared,
                                                   int block)
{
	const xc_line_shape shape = xc_line_across(&f->line), *const s = &shape;
	const int pair = block / f->across, cols = s->lines / 2;
	const int first = block % f->across * cols;
	xc_points mine[XC_BLOCK_HELD];
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const int k1 = xc_fused_split_class(pair, line >= cols);
		XC_UNROLLED
		for (int i = 0; i < 4; i++) {
			const int k2 = number + i * (s->n / 8);
			xc_complex z, mirrored;
			xc_fused_columns_in(&f->all, first + line % cols, k1 + XC_SPLIT_LONG * k2,
			                    &z, &mirrored);
			shared[xc_line_place(s, line, k2)] = z;
			shared[xc_fused_split_mirror(s, pair, line, k2)] = mirrored;
		}
	}
	xc_line_through(s, shared, mine, 1, 1);
	XC_EACH_THREAD(t, s->threads) {
		const int line = xc_line_of(s, t), number = xc_number_of(s, t);
		const int k1 = xc_fused_split_class(pair, line >= cols);
		XC_UNROLLED
		for (int i = 0; i < 8; i++) {
			const int q2 = xc_line_point(s, number, i, 1);
			const int row = xc_fused_sample(XC_SPLIT_ROWS, XC_SPLIT_SHORT * k1 + q2);
			*xc_fused_pair(&f->all, f->all.out, row, first + line % cols) =
				mine[XC_HELD_BY(t)].v[i];
		}
	}
}

#endif
