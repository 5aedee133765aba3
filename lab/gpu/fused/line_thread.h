/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and the last pass of the FFTs of line_fft.h, as one thread does them.
 *
 * The code around these FFTs needs samples q and n - 1 - q in one thread, and values k and
 * n - k.  Butterfly j of the first pass takes the samples j + i n / R; butterfly n / R - 1 - j
 * takes their mirror images.  Butterfly j of the last pass gives the values j + i n / R;
 * butterfly n / R - j gives their mirror images (0 and n / 2R are their own).  So a thread, one
 * of T = n / 2R of a line, has two of these butterflies at a time: in v[0..R) and v[R..2R).
 * Their factors are the same but for the sign of the angle and a shift of the values by one.
 */
#ifndef XC_LAB_GPU_FUSED_LINE_THREAD_H
#define XC_LAB_GPU_FUSED_LINE_THREAD_H

#include "lab/gpu/fused/line_shape.h"

typedef struct xc_points {
	xc_complex v[XC_LINE_POINTS];
	xc_complex w[XC_LINE_STORED]; /* factors of the pass to come */
} xc_points;

/* The lines of a block. */
typedef struct xc_lines {
	int log, ends;
	int across; /* log2 of the lines side by side, neighbouring threads in
	                          * neighbouring lines; or -1: neighbours along a line */
	int threads;
	xc_complex *shared;
	const xc_complex *table; /* xc_line_factors() of them */
} xc_lines;

/* A line as one of its threads sees it. */
typedef struct xc_line {
	int log, ends, beside;
	int number;
	xc_complex *at; /* the line's place in shared memory */
	const xc_complex *table;
} xc_line;

/* --------------------------------------------------------------- factors */

XC_GPU_INLINE void xc_line_load(xc_complex w[XC_LINE_STORED], const xc_complex *table, int log,
                                int radix)
{
	XC_UNROLL
	for (int i = 0; i < xc_line_stored(radix); i++)
		w[i] = table[i << log];
}

XC_GPU_INLINE xc_complex xc_line_power(const xc_complex w[XC_LINE_STORED], const int i)
{
	if (i <= 4)
		return w[i - 1];
	if (i % 4 == 0)
		return w[i / 4 + 2];
	return xc_c_mul(w[i < 8 ? 3 : i / 4 + 2], w[i % 4 - 1]);
}

/* ----------------------------------------------------------- first and last */

XC_GPU_INLINE xc_line xc_line_at(const xc_lines *s, int t)
{
	const int log_threads = xc_line_log_threads(s->log, s->ends);
	xc_line l;
	l.log = s->log;
	l.ends = s->ends;
	l.table = s->table;
	if (s->across >= 0) {
		l.beside = s->across;
		l.number = t >> s->across;
		l.at = s->shared + (t & ((1 << s->across) - 1));
	} else {
		l.beside = 0;
		l.number = t & ((1 << log_threads) - 1);
		l.at = s->shared + (t >> log_threads) * xc_line_length(s->log, s->ends, 0);
	}
	return l;
}

/* The second butterflies of a thread: of samples and of values. */
XC_GPU_INLINE int xc_line_sample_mirror(const xc_line *l)
{
	return (1 << (l->log - l->ends)) - 1 - l->number;
}

XC_GPU_INLINE int xc_line_value_mirror(const xc_line *l)
{
	const int twice = 1 << (l->log - l->ends);
	return l->number ? twice - l->number : twice / 2;
}

/* Moves v to shared memory after the first pass, or from there before the inverse's last one. */
XC_GPU_INLINE void xc_line_first_exchange(const xc_line *l, xc_complex *v, const int back)
{
	const int radix = 1 << l->ends, mirror = xc_line_sample_mirror(l);
	const int a = xc_line_place(l->beside, 0, l->ends, l->number << l->ends);
	const int b = xc_line_place(l->beside, 0, l->ends, mirror << l->ends);
	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		xc_c_move(l->at + ((a + i) << l->beside), &v[i], !back);
		xc_c_move(l->at + ((b + i) << l->beside), &v[radix + i], !back);
	}
}

/* Moves v from shared memory before the last pass, or to it after the inverse's first one. */
XC_GPU_INLINE void xc_line_last_exchange(const xc_line *l, xc_complex *v, const int back)
{
	const int radix = 1 << l->ends, before = xc_line_before(l->log, l->ends);
	const int run = l->log - l->ends - before, apart = l->log - l->ends;
	const int a = xc_line_place(l->beside, run, before, l->number);
	const int b = xc_line_place(l->beside, run, before, xc_line_value_mirror(l));
	XC_UNROLL
	for (int i = 0; i < radix; i++) {
		const int c = xc_line_place(l->beside, run, before, i << apart);
		xc_c_move(l->at + ((a + c) << l->beside), &v[i], back);
		xc_c_move(l->at + ((b + c) << l->beside), &v[radix + i], back);
	}
}

XC_GPU_INLINE void xc_line_last_load(const xc_line *l, xc_complex w[XC_LINE_STORED])
{
	xc_line_load(w, l->table + xc_line_last_factors(l->log, l->ends) + l->number,
	             xc_line_log_threads(l->log, l->ends), l->ends);
}

/* Factors before the last pass, or after the inverse's first one.  The table has those of
 * butterfly `number`; for thread 0 those of butterfly T are constants. */
XC_GPU_INLINE void xc_line_last_turn(const xc_line *l, xc_complex *v,
                                     const xc_complex w[XC_LINE_STORED], const int back)
{
	const int radix = 1 << l->ends;
	if (l->number == 0) {
		XC_UNROLL
		for (int i = 1; i < radix; i++) {
			const xc_complex arc = xc_c_arc(64 / radix * i);
			v[radix + i] = xc_c_mul(v[radix + i], back ? arc : xc_c_conj(arc));
		}
	}
	XC_UNROLL
	for (int i = 1; i < radix; i++) {
		const xc_complex turn = xc_line_power(w, i);
		v[i] = xc_c_mul(v[i], back ? xc_c_conj(turn) : turn);
		v[radix + i] = xc_c_mul(v[radix + i], back ? turn : xc_c_conj(turn));
	}
}

/* Turns the butterflies' values into pairs: v[i] and v[2R-1-i] become k = number + 2 T i and n - k
 * for i < R / 2, v[R+i] and v[R-1-i] become k = mirror + 2 T i and n - k.  Thread 0 has n / 2 for
 * the mirror image of 0. */
XC_GPU_INLINE void xc_line_pair(int number, xc_complex *v, const int radix)
{
	if (number)
		return;
	const xc_complex half = v[radix / 2];
	XC_UNROLL
	for (int m = radix / 2; m < radix; m++) {
		const xc_complex b = v[radix + m];
		v[radix + m] = m + 1 < radix ? v[m + 1] : half;
		v[m] = b;
	}
}

XC_GPU_INLINE void xc_line_unpair(int number, xc_complex *v, const int radix)
{
	if (number)
		return;
	const xc_complex half = v[2 * radix - 1];
	XC_UNROLL
	for (int m = radix - 1; m >= radix / 2; m--) {
		const xc_complex b = v[radix + m];
		v[radix + m] = v[m];
		if (m + 1 < radix)
			v[m + 1] = b;
	}
	v[radix / 2] = half;
}

/* The last pass; leaves pairs. */
XC_GPU_INLINE void xc_line_last(const xc_line *l, xc_points *mine)
{
	const int radix = 1 << l->ends;
	xc_complex *const v = mine->v, *const b = v + radix;
	xc_line_last_exchange(l, v, 0);
	xc_line_last_turn(l, v, mine->w, 0);
	xc_dft(v, 1, l->ends, 0);
	xc_dft(b, 1, l->ends, 0);
	const xc_complex first = b[0];
	XC_UNROLL
	for (int i = 0; i + 1 < radix; i++)
		b[i] = b[i + 1];
	b[radix - 1] = first;
	xc_line_pair(l->number, v, radix);
}

/* The inverse's first pass, on pairs. */
XC_GPU_INLINE void xc_line_last_back(const xc_line *l, xc_points *mine)
{
	const int radix = 1 << l->ends;
	xc_complex *const v = mine->v, *const b = v + radix;
	xc_line_unpair(l->number, v, radix);
	const xc_complex last = b[radix - 1];
	XC_UNROLL
	for (int i = radix - 1; i > 0; i--)
		b[i] = b[i - 1];
	b[0] = last;
	xc_dft(v, 1, l->ends, 1);
	xc_dft(b, 1, l->ends, 1);
	xc_line_last_turn(l, v, mine->w, 1);
	xc_line_last_exchange(l, v, 1);
}

/* The first pass, v[i] being sample number + 2 T i, v[R+i] sample mirror + 2 T i. */
XC_GPU_INLINE void xc_line_first(const xc_line *l, xc_points *mine)
{
	xc_dft(mine->v, 1, l->ends, 0);
	xc_dft(mine->v + (1 << l->ends), 1, l->ends, 0);
	xc_line_first_exchange(l, mine->v, 0);
}

/* The inverse's last pass. */
XC_GPU_INLINE void xc_line_first_back(const xc_line *l, xc_points *mine)
{
	xc_line_first_exchange(l, mine->v, 1);
	xc_dft(mine->v, 1, l->ends, 1);
	xc_dft(mine->v + (1 << l->ends), 1, l->ends, 1);
}

#endif
