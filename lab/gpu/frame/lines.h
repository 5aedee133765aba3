/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One axis of an array, line by line through a batch of FFTs: what a thread does before it and after
 * it.  The mathematics is that of the processor's lines (lab/cpu/frame/line.c): all kinds of DCT and DST,
 * and the DCT2 in the four ways of Jiang, Gu and Pan.
 *
 * Lines along the last axis lie one after the other.  Those of another axis lie side by side, and so do
 * those of the FFT: threads side by side have neighbouring lines.  Included with XC_REAL_BITS set.
 */
#ifndef XC_LAB_GPU_FRAME_LINES_H
#define XC_LAB_GPU_FRAME_LINES_H

#include "lab/cpu/frame/frame.h"
#include "lab/gpu/frame/stages.h"

typedef enum xc_rowcol_fft { XC_ROWCOL_FORWARD, XC_ROWCOL_BACK, XC_ROWCOL_COMPLEX } xc_rowcol_fft;

typedef struct xc_rowcol {
	xct_kind kind; /* DCT1, DCT2, DCT4 or DST1: the others are these with signs and in reverse */
	xc_line_method way;
	xc_rowcol_fft fft;
	int n, points;           /* of a line, and of its FFT */
	int elements[2];         /* of the FFT's input and output */
	int in_turned, in_signs; /* last sample first; every second sign is changed */
	int out_turned, out_signs;
	int inner;               /* samples from one of a line to the next: 1, or lines side by side */
	size_t step;             /* the same of elements */
	XC_REAL end, scale;      /* DCT1, DST1 */
	const xc_complex *turns; /* the others */
	xc_stage_work work[2];   /* threads before and after */
	size_t lines;
} xc_rowcol;

/* A thread's element, and where its line begins. */
typedef struct xc_rowcol_place {
	int unit;
	size_t samples, elements;
} xc_rowcol_place;

XC_GPU_INLINE xc_rowcol_place xc_rowcol_at(const xc_rowcol *l, int after, unsigned number)
{
	const xc_stage_position at = xc_stage_position_of(&l->work[after], number, 2);
	xc_rowcol_place p;

	p.unit = l->inner == 1 ? at.col : at.row;
	if (l->inner == 1) {
		p.samples = (size_t)at.row * (size_t)l->n;
		p.elements = (size_t)at.row * (size_t)l->elements[after];
	} else {
		p.samples = (size_t)at.slice * (size_t)l->n * (size_t)l->inner + (size_t)at.col;
		p.elements = (size_t)at.slice * (size_t)l->inner + (size_t)at.col;
	}
	return p;
}

XC_GPU_INLINE XC_REAL xc_rowcol_get(const xc_rowcol *l, const xc_rowcol_place *p, const XC_REAL *in,
                                    int i)
{
	const XC_REAL x = in[p->samples + (size_t)(l->in_turned ? l->n - 1 - i : i) * (size_t)l->inner];
	return l->in_signs & i ? -x : x;
}

XC_GPU_INLINE void xc_rowcol_put(const xc_rowcol *l, const xc_rowcol_place *p, XC_REAL *out, int i,
                                 XC_REAL x)
{
	const size_t at = (size_t)(l->out_turned ? l->n - 1 - i : i) * (size_t)l->inner;
	out[p->samples + at] = l->out_signs & i ? -x : x;
}

/* The real FFT's element: the sample to take, or -1: 0. */
XC_GPU_INLINE int xc_rowcol_source(const xc_rowcol *l, int e)
{
	switch (l->way) {
	case XC_LINE_4N:
		return !(e & 1) ? -1 : e / 2 < l->n ? e / 2 : 2 * l->n - 1 - e / 2;
	case XC_LINE_2N_MIRRORED:
		return e < l->n ? e : 2 * l->n - 1 - e;
	case XC_LINE_2N_PADDED:
		return e < l->n ? e : -1;
	default: /* Makhoul's order */
		return e < (l->n + 1) / 2 ? 2 * e : 2 * (l->n - 1 - e) + 1;
	}
}

XC_GPU_INLINE XC_REAL xc_rowcol_real(const xc_rowcol *l, const xc_rowcol_place *p,
                                     const XC_REAL *in)
{
	const int e = p->unit, n = l->n;

	if (l->kind == XCT_DCT1) {
		const int i = e < n ? e : 2 * n - 2 - e;
		return xc_rowcol_get(l, p, in, i) * (i == 0 || i == n - 1 ? l->end : (XC_REAL)0.5);
	}
	if (l->kind == XCT_DST1) {
		if (e == 0 || e == n + 1)
			return 0;
		return e <= n ? xc_rowcol_get(l, p, in, e - 1) : -xc_rowcol_get(l, p, in, 2 * n + 1 - e);
	}
	const int i = xc_rowcol_source(l, e);
	return i < 0 ? 0 : xc_rowcol_get(l, p, in, i);
}

/* Values of the inverse DCT2's spectrum; what a DCT4's FFT takes. */
XC_GPU_INLINE xc_complex xc_rowcol_complex(const xc_rowcol *l, const xc_rowcol_place *p,
                                           const XC_REAL *in)
{
	const int e = p->unit, n = l->n, even = n % 2 ? e : 2 * e;
	xc_complex z;

	if (l->fft == XC_ROWCOL_BACK) {
		if (e >= n)
			return xc_c(0, 0);
		z.re = xc_rowcol_get(l, p, in, e);
		z.im = l->way == XC_LINE_N && e ? -xc_rowcol_get(l, p, in, n - e) : 0;
		return xc_c_mul(xc_c_conj(l->turns[e]), z);
	}
	if (even >= n)
		return xc_c(0, 0);
	z.re = xc_rowcol_get(l, p, in, even);
	z.im = n % 2 ? 0 : xc_rowcol_get(l, p, in, n - 1 - even);
	return xc_c_mul(z, l->turns[e]);
}

XC_GPU_INLINE void xc_rowcol_before(const xc_rowcol *l, unsigned number, const XC_REAL *in,
                                    void *out)
{
	const xc_rowcol_place p = xc_rowcol_at(l, 0, number);
	const size_t at = p.elements + (size_t)p.unit * l->step;

	if (l->fft == XC_ROWCOL_FORWARD)
		((XC_REAL *)out)[at] = xc_rowcol_real(l, &p, in);
	else
		((xc_complex *)out)[at] = xc_rowcol_complex(l, &p, in);
}

/* Coefficients from a complex value. */
XC_GPU_INLINE void xc_rowcol_combine(const xc_rowcol *l, const xc_rowcol_place *p,
                                     const xc_complex *in, XC_REAL *out)
{
	const int k = p->unit, n = l->n;
	const size_t from = (size_t)(l->kind == XCT_DST1 ? k + 1 : k);
	const xc_complex z = in[p->elements + from * l->step];

	if (l->kind == XCT_DCT1) {
		xc_rowcol_put(l, p, out, k, z.re * (k == 0 || k == n - 1 ? l->scale * l->end : l->scale));
	} else if (l->kind == XCT_DST1) {
		xc_rowcol_put(l, p, out, k, z.im * -l->scale);
	} else {
		const xc_complex c = xc_c_mul(z, l->turns[k]);
		const int quarter = l->kind == XCT_DCT4, pairs = quarter && n % 2 == 0;
		xc_rowcol_put(l, p, out, pairs ? 2 * k : k, c.re);
		if (pairs)
			xc_rowcol_put(l, p, out, n - 1 - 2 * k, -c.im);
		else if (!quarter && l->way == XC_LINE_N && k && 2 * k != n)
			xc_rowcol_put(l, p, out, n - k, -c.im);
	}
}

XC_GPU_INLINE void xc_rowcol_after(const xc_rowcol *l, unsigned number, const void *in,
                                   XC_REAL *out)
{
	const xc_rowcol_place p = xc_rowcol_at(l, 1, number);
	const int i = p.unit;

	if (l->fft != XC_ROWCOL_BACK) {
		xc_rowcol_combine(l, &p, (const xc_complex *)in, out);
		return;
	}
	const int ordered = i & 1 ? l->n - 1 - i / 2 : i / 2;
	const int from = l->way == XC_LINE_N ? ordered : l->way == XC_LINE_4N ? 2 * i + 1 : i;
	xc_rowcol_put(l, &p, out, i, ((const XC_REAL *)in)[p.elements + (size_t)from * l->step]);
}

/* ------------------------------------------------------------------ plan */

static inline int xc_rowcol_turn_count(const xc_rowcol *l)
{
	if (l->kind == XCT_DCT4)
		return l->n % 2 ? l->n : l->n / 2;
	return l->kind != XCT_DCT2 ? 0 : l->way == XC_LINE_N ? l->n / 2 + 1 : l->n;
}

/* The FFT's sums are 1 or (of a folded line) 2 times the DCT's; its inverse counts every value but 0
 * twice.  With 4N points the shift by half a sample is in the positions. */
static inline xc_complex xc_rowcol_turn(const xc_rowcol *l, int k)
{
	const long double pi = 3.141592653589793238462643383279502884L, n = (long double)l->n;
	const int back = l->fft == XC_ROWCOL_BACK, folded = l->way < XC_LINE_2N_PADDED;
	long double scale = sqrtl((k ? 2 : 1) / n) * (back ? (k ? 0.5L : 1) : folded ? 0.5L : 1);
	long double angle = l->way == XC_LINE_4N ? 0 : pi * (long double)k / (2 * n);

	if (l->kind == XCT_DCT4) {
		scale = powl(2 / n, 0.25L);
		angle = pi * ((l->n % 2 ? 4 : 8) * (long double)k + 1) / (8 * n);
	}
	const xc_complex turn = {(XC_REAL)(scale * cosl(angle)), (XC_REAL)(-scale * sinl(angle))};
	return turn;
}

static inline xc_complex *xc_rowcol_turns(const xc_rowcol *l)
{
	const int count = xc_rowcol_turn_count(l);
	xc_complex *const table = (xc_complex *)malloc(((size_t)count + 1) * sizeof *table);

	for (int k = 0; table && k < count; k++)
		table[k] = xc_rowcol_turn(l, k);
	return table;
}

static inline void xc_rowcol_kind(xc_rowcol *l, const xc_lab_job *job)
{
	static const int factors[] = {4, 2, 2, 1};
	const int back = job->direction == XCT_INVERSE, n = l->n;
	const int sine2 = job->transform_kind == XCT_DST2, sine4 = job->transform_kind == XCT_DST4;

	l->kind = sine2 ? XCT_DCT2 : sine4 ? XCT_DCT4 : job->transform_kind;
	l->way = job->way < XC_LINE_METHODS ? (xc_line_method)job->way : XC_LINE_N;
	l->in_turned = sine4 || (sine2 && back);
	l->out_turned = sine2 && !back;
	l->in_signs = sine2 && !back;
	l->out_signs = sine4 || (sine2 && back);
	l->fft = l->kind == XCT_DCT4           ? XC_ROWCOL_COMPLEX
	         : back && l->kind == XCT_DCT2 ? XC_ROWCOL_BACK
	                                       : XC_ROWCOL_FORWARD;
	l->points = l->kind == XCT_DCT1   ? 2 * (n - 1)
	            : l->kind == XCT_DST1 ? 2 * (n + 1)
	            : l->kind == XCT_DCT2 ? factors[l->way] * n
	            : n % 2               ? 2 * n
	                                  : n / 2;
	l->end = (XC_REAL)sqrtl(0.5L);
	l->scale = (XC_REAL)(l->kind == XCT_DCT1 ? sqrtl(2 / ((long double)n - 1))
	                                         : sqrtl(0.5L / ((long double)n + 1)));
}

/* Axis `axis` of an array, of 2 or more samples, whose other samples are `outer` times `inner` lines.  0,
 * or -1: too large. */
static inline int xc_rowcol_make(xc_rowcol *l, const xc_lab_job *job, size_t n, size_t outer,
                                 size_t inner)
{
	const size_t max = UINT_MAX - 65536;

	if (n > INT_MAX / 16 || outer > INT_MAX || inner > INT_MAX || outer > max / inner)
		return -1;
	l->n = (int)n;
	l->inner = (int)inner;
	l->lines = outer * inner;
	l->step = inner == 1 ? 1 : l->lines;
	xc_rowcol_kind(l, job);
	l->elements[0] = l->fft == XC_ROWCOL_BACK ? l->points / 2 + 1 : l->points;
	l->elements[1] = l->fft == XC_ROWCOL_FORWARD ? l->points / 2 + 1 : l->points;
	if (l->lines > max / (size_t)l->points)
		return -1;
	const int pairs = l->fft != XC_ROWCOL_BACK && (l->kind == XCT_DCT2 || l->kind == XCT_DCT4);
	const int units[2] = {l->elements[0], pairs ? xc_rowcol_turn_count(l) : l->n};
	for (int i = 0; i < 2; i++)
		l->work[i] = inner == 1 ? xc_stage_work_of(units[i], (int)outer, 1)
		                        : xc_stage_work_of((int)inner, units[i], (int)outer);
	return 0;
}

#endif
