/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of a job.  Included with XC_REAL_BITS set. */
#ifndef XC_LAB_GPU_FRAME_STAGES_H
#define XC_LAB_GPU_FRAME_STAGES_H

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "lab/gpu/frame/complex.h"
#include "lab/gpu/ops.h"

/* The stages before and after cuFFT's real FFT of one to three axes, for any size: Jiang, Gu,
 * Pan, algorithm 2.  A stage is one pass through memory.  Its unit of work is 16 bytes of a row,
 * or the values that are symmetric in all axes.  Fetching and storing are separate functions, so
 * that a thread can have several units on their way.
 *
 * Included with XC_REAL_BITS set.  Arrays are slices x rows x cols; the spectrum has cols / 2 + 1
 * complex values a row.  `axes` is the number of transformed axes besides the columns, always a
 * constant. */

/* `size` is 0 for an axis that is not transformed, of which there are `count` lines. */
typedef struct xc_stage_axis {
	int size, count, sine;
	const xc_complex *turns; /* half of them, see xc_stage_turn() */
} xc_stage_axis;

typedef struct xc_stages {
	xc_stage_axis slices, rows, cols;
	int width; /* of the spectrum: cols / 2 + 1 */
} xc_stages;

/* Units are numbered, columns first.  Multiplication by (2^32 - 1) / n replaces division by n. */
typedef struct xc_stage_work {
	unsigned cols, rows, count; /* of a row, of a slice, in all */
	unsigned by_cols, by_rows;
} xc_stage_work;

typedef struct xc_stage_position {
	int slice, row, col;
} xc_stage_position;

XC_GPU_INLINE unsigned xc_stage_quotient(unsigned n, unsigned by, unsigned reciprocal)
{
	const unsigned q = (unsigned)((unsigned long long)n * reciprocal >> 32); /* or 1 less */
	return n - q * by < by ? q : q + 1;
}

XC_GPU_INLINE xc_stage_position xc_stage_position_of(const xc_stage_work *w, unsigned n,
                                                     const int axes)
{
	/* Threads beyond the last unit do that one once more. */
	const unsigned i = n < w->count ? n : w->count - 1;
	const unsigned line = xc_stage_quotient(i, w->cols, w->by_cols);
	const unsigned slice = axes > 1 ? xc_stage_quotient(line, w->rows, w->by_rows) : 0;
	const xc_stage_position position = {(int)slice, (int)(line - slice * w->rows),
	                                    (int)(i - line * w->cols)};

	return position;
}

/* How many elements lie before a row; `length` is a row's. */
XC_GPU_INLINE size_t xc_stage_row(const xc_stages *s, int slice, int row, int length)
{
	return (size_t)(unsigned)(slice * s->rows.count + row) * (unsigned)length;
}

/* A unit is 16 bytes of a row: pairs of an even and an odd sample, which are 8 bytes each in
 * Makhoul's order.  Where a row is no multiple of 16 bytes (not `aligned`) it is one pair, and
 * the last pair of an odd row lacks its odd sample. */
enum { XC_STAGE_RUN = 16 / sizeof(xc_complex) };

/* As CUDA loads them at once. */
#ifdef __CUDACC__
typedef int4 xc_stage_run_word;
typedef int2 xc_stage_half_word;
#else
typedef struct __attribute__((aligned(16))) xc_stage_run_word {
	int x[4];
} xc_stage_run_word;
typedef struct __attribute__((aligned(8))) xc_stage_half_word {
	int x[2];
} xc_stage_half_word;
#endif

typedef union xc_stage_run {
	xc_complex pair[XC_STAGE_RUN];
	xc_stage_run_word word;
} xc_stage_run;

typedef union xc_stage_half {
	XC_REAL v[XC_STAGE_RUN];
	xc_stage_half_word word;
} xc_stage_half;

typedef struct xc_stage_samples {
	size_t samples, even, odd; /* places; in Makhoul's order odd samples are reversed */
	int lacks_odd;
	int minus; /* a sine transform changes the row's sign */
	xc_stage_run run;
} xc_stage_samples;

/* The sample at place q of Makhoul's order. */
XC_GPU_INLINE int xc_stage_sample(const xc_stage_axis *a, int q)
{
	if (!a->size)
		return q;
	return q < (a->size + 1) / 2 ? 2 * q : 2 * (a->size - 1 - q) + 1;
}

XC_GPU_INLINE void xc_stage_get_ordered(xc_stage_samples *t, const XC_REAL *in, const int aligned)
{
	if (!aligned) {
		t->run.pair[0] = xc_c(XC_LOAD_ONCE(in + t->even), XC_LOAD_ONCE(in + t->odd));
		return;
	}
	xc_stage_half even, odd;
	even.word = XC_LOAD_ONCE((const xc_stage_half_word *)(const void *)(in + t->even));
	odd.word = XC_LOAD_ONCE((const xc_stage_half_word *)(const void *)(in + t->odd));
	XC_UNROLL
	for (int i = 0; i < XC_STAGE_RUN; i++)
		t->run.pair[i] = xc_c(even.v[i], odd.v[XC_STAGE_RUN - 1 - i]);
}

XC_GPU_INLINE void xc_stage_put_ordered(const xc_stage_samples *t, XC_REAL *out, const int aligned)
{
	if (!aligned) {
		out[t->even] = t->run.pair[0].re;
		if (!t->lacks_odd)
			out[t->odd] = t->run.pair[0].im;
		return;
	}
	xc_stage_half even, odd;
	XC_UNROLL
	for (int i = 0; i < XC_STAGE_RUN; i++) {
		even.v[i] = t->run.pair[i].re;
		odd.v[XC_STAGE_RUN - 1 - i] = t->run.pair[i].im;
	}
	*(xc_stage_half *)(void *)(out + t->even) = even;
	*(xc_stage_half *)(void *)(out + t->odd) = odd;
}

XC_GPU_INLINE void xc_stage_get_samples(xc_stage_samples *t, const XC_REAL *in, const int aligned)
{
	if (aligned)
		t->run.word = XC_LOAD_ONCE((const xc_stage_run_word *)(const void *)(in + t->samples));
	else
		t->run.pair[0] = xc_c(in[t->samples], t->lacks_odd ? 0 : in[t->samples + 1]);
}

XC_GPU_INLINE void xc_stage_put_samples(const xc_stage_samples *t, XC_REAL *out, const int aligned)
{
	if (aligned) {
		XC_STORE_LAST((xc_stage_run_word *)(void *)(out + t->samples), t->run.word);
		return;
	}
	out[t->samples] = t->run.pair[0].re;
	if (!t->lacks_odd)
		out[t->samples + 1] = t->run.pair[0].im;
}

XC_GPU_INLINE xc_stage_samples xc_stage_fetch(const xc_stages *s, const xc_stage_work *w,
                                              unsigned n, const XC_REAL *in, const int aligned,
                                              const int back)
{
	const int run = aligned ? XC_STAGE_RUN : 1, length = s->cols.count;
	const xc_stage_position at = xc_stage_position_of(w, n, 2);
	const int slice = xc_stage_sample(&s->slices, at.slice);
	const int row = xc_stage_sample(&s->rows, at.row);
	const size_t ordered = xc_stage_row(s, at.slice, at.row, length);
	xc_stage_samples t;

	t.samples = xc_stage_row(s, slice, row, length) + (unsigned)(2 * run * at.col);
	t.even = ordered + (unsigned)(run * at.col);
	t.odd = ordered + (unsigned)(length - run * (at.col + 1));
	t.lacks_odd = 2 * at.col + 1 == length;
	t.minus = ((slice & s->slices.sine) ^ (row & s->rows.sine)) & 1;
	if (back)
		xc_stage_get_ordered(&t, in, aligned);
	else
		xc_stage_get_samples(&t, in, aligned);
	return t;
}

XC_GPU_INLINE void xc_stage_store(const xc_stages *s, xc_stage_samples *t, XC_REAL *out,
                                  const int aligned, const int back)
{
	XC_UNROLL
	for (int i = 0; i < (aligned ? XC_STAGE_RUN : 1); i++) {
		const xc_complex z = t->run.pair[i];
		t->run.pair[i].re = t->minus ? -z.re : z.re;
		t->run.pair[i].im = t->minus ^ s->cols.sine ? -z.im : z.im;
	}
	if (back)
		xc_stage_put_samples(t, out, aligned);
	else
		xc_stage_put_ordered(t, out, aligned);
}

/* A unit is the values that are each other's mirror images in all axes but the columns.  Bit 0 of a
 * value's number is set if it is of row N - k instead of k, bit 1 likewise for its slice.  The real
 * and imaginary part of a value are coefficients j and M - j of its row. */
typedef struct xc_stage_values {
	xc_stage_position at;
	xc_complex slice_turn, row_turn, col_turn, z[4];
} xc_stage_values;

/* The place of value k, or of its mirror image. */
XC_GPU_INLINE int xc_stage_mirror(const xc_stage_axis *a, int k, int mirrored)
{
	return mirrored && k ? a->size - k : k;
}

/* Whether k and N - k are the same. */
XC_GPU_INLINE int xc_stage_single(const xc_stage_axis *a, int k)
{
	return !k || 2 * k == a->size;
}

/* Returns 1 if value v is the same as another one of its unit. */
XC_GPU_INLINE int xc_stage_twice(const xc_stages *s, const xc_stage_position *at, int v)
{
	return ((v & 1) && xc_stage_single(&s->rows, at->row)) ||
	       ((v & 2) && xc_stage_single(&s->slices, at->slice));
}

XC_GPU_INLINE xc_stage_values xc_stage_begin(const xc_stages *s, const xc_stage_work *w, unsigned n,
                                             const int axes)
{
	xc_stage_values t;

	t.at = xc_stage_position_of(w, n, axes);
	t.col_turn = s->cols.turns[t.at.col];
	if (axes > 0)
		t.row_turn = s->rows.turns[t.at.row];
	if (axes > 1)
		t.slice_turn = s->slices.turns[t.at.slice];
	return t;
}

XC_GPU_INLINE size_t xc_stage_spectrum(const xc_stages *s, const xc_stage_position *at, int v)
{
	return xc_stage_row(s, xc_stage_mirror(&s->slices, at->slice, v & 2),
	                    xc_stage_mirror(&s->rows, at->row, v & 1), s->width) +
	       (unsigned)at->col;
}

/* Where the row of coefficients of value v begins.  Sine transforms have coefficients from the
 * last to the first. */
XC_GPU_INLINE size_t xc_stage_coefficients(const xc_stages *s, const xc_stage_position *at, int v)
{
	return xc_stage_row(s, xc_stage_mirror(&s->slices, at->slice, v >> 1 ^ s->slices.sine),
	                    xc_stage_mirror(&s->rows, at->row, (v & 1) ^ s->rows.sine), s->cols.count);
}

XC_GPU_INLINE xc_stage_values xc_stage_fetch_spectrum(const xc_stages *s, const xc_stage_work *w,
                                                      unsigned n, const xc_complex *in,
                                                      const int axes)
{
	xc_stage_values t = xc_stage_begin(s, w, n, axes);

	XC_UNROLL
	for (int v = 0; v < 1 << axes; v++)
		t.z[v] = xc_c_load_once(in + xc_stage_spectrum(s, &t.at, v));
	return t;
}

XC_GPU_INLINE void xc_stage_store_coefficients(const xc_stages *s, xc_stage_values *t, XC_REAL *out,
                                               const int axes)
{
	const int sine = s->cols.sine, col = t->at.col;

	if (axes > 0)
		xc_c_rotate(t->row_turn, &t->z[0], &t->z[1]);
	if (axes > 1) {
		xc_c_rotate(t->row_turn, &t->z[2], &t->z[3]);
		xc_c_rotate(t->slice_turn, &t->z[0], &t->z[2]);
		xc_c_rotate(t->slice_turn, &t->z[1], &t->z[3]);
	}
	XC_UNROLL
	for (int v = 0; v < 1 << axes; v++) {
		/* The factors are those for pairs that are added: half of the ones needed here. */
		const xc_complex c = xc_c_mul(xc_c_scale(t->col_turn, 2), t->z[v]);
		XC_REAL *const row = out + xc_stage_coefficients(s, &t->at, v);
		if (xc_stage_twice(s, &t->at, v))
			continue;
		XC_STORE_LAST(row + xc_stage_mirror(&s->cols, col, sine), c.re);
		if (!xc_stage_single(&s->cols, col))
			XC_STORE_LAST(row + xc_stage_mirror(&s->cols, col, !sine), -c.im);
	}
}

/* Returns 1 for coefficient N, which is N - k of k = 0 and counts as 0. */
XC_GPU_INLINE int xc_stage_beyond(const xc_stage_axis *a, int k, int mirrored)
{
	return !k && (mirrored || a->sine);
}

XC_GPU_INLINE xc_stage_values xc_stage_fetch_coefficients(const xc_stages *s,
                                                          const xc_stage_work *w, unsigned n,
                                                          const XC_REAL *in, const int axes)
{
	xc_stage_values t = xc_stage_begin(s, w, n, axes);
	const int sine = s->cols.sine, col = t.at.col;

	XC_UNROLL
	for (int v = 0; v < 1 << axes; v++) {
		const XC_REAL *const row = in + xc_stage_coefficients(s, &t.at, v);
		const int none = (axes > 0 && xc_stage_beyond(&s->rows, t.at.row, v & 1)) ||
		                 (axes > 1 && xc_stage_beyond(&s->slices, t.at.slice, v & 2));
		t.z[v] = xc_c(0, 0);
		if (!none && !xc_stage_beyond(&s->cols, col, 0))
			t.z[v].re = XC_LOAD_ONCE(row + xc_stage_mirror(&s->cols, col, sine));
		if (!none && !xc_stage_beyond(&s->cols, col, 1))
			t.z[v].im = -XC_LOAD_ONCE(row + xc_stage_mirror(&s->cols, col, !sine));
	}
	return t;
}

XC_GPU_INLINE void xc_stage_store_spectrum(const xc_stages *s, xc_stage_values *t, xc_complex *out,
                                           const int axes)
{
	XC_UNROLL
	for (int v = 0; v < 1 << axes; v++)
		t->z[v] = xc_c_mul(xc_c_conj(t->col_turn), t->z[v]);
	if (axes > 0)
		xc_c_unrotate(t->row_turn, &t->z[0], &t->z[1]);
	if (axes > 1) {
		xc_c_unrotate(t->row_turn, &t->z[2], &t->z[3]);
		xc_c_unrotate(t->slice_turn, &t->z[0], &t->z[2]);
		xc_c_unrotate(t->slice_turn, &t->z[1], &t->z[3]);
	}
	XC_UNROLL
	for (int v = 0; v < 1 << axes; v++)
		if (!xc_stage_twice(s, &t->at, v))
			out[xc_stage_spectrum(s, &t->at, v)] = t->z[v];
}

/* The plain ways that Jiang, Gu and Pan compare others with: a thread has one sample, or one coefficient
 * or value of a plane's spectrum, and computes what it needs anew. */

/* The place of sample i in Makhoul's order, or the reverse. */
XC_GPU_INLINE int xc_stage_place(const xc_stage_axis *a, int i, const int of_sample)
{
	if (!a->size || !of_sample)
		return xc_stage_sample(a, i);
	return i & 1 ? a->size - 1 - i / 2 : i / 2;
}

XC_GPU_INLINE void xc_stage_move(const xc_stages *s, const xc_stage_work *w, unsigned n,
                                 const XC_REAL *in, XC_REAL *out, const int scatter, const int back)
{
	const xc_stage_position at = xc_stage_position_of(w, n, 2);
	const int of_sample = scatter != back, length = s->cols.count;
	const size_t here = xc_stage_row(s, at.slice, at.row, length) + (unsigned)at.col;
	const size_t there = xc_stage_row(s, xc_stage_place(&s->slices, at.slice, of_sample),
	                                  xc_stage_place(&s->rows, at.row, of_sample), length) +
	                     (unsigned)xc_stage_place(&s->cols, at.col, of_sample);

	if (scatter)
		out[there] = in[here];
	else
		out[here] = in[there];
}

XC_GPU_INLINE void xc_stage_alone(const xc_stages *s, const xc_stage_work *own,
                                  const xc_stage_work *w, unsigned n, const void *in, void *out,
                                  const int back)
{
	const xc_stage_position at = xc_stage_position_of(w, n, 1);
	const int low = 2 * at.row > s->rows.size, right = !back && 2 * at.col > s->cols.size;
	const unsigned row = (unsigned)xc_stage_mirror(&s->rows, at.row, low);
	const unsigned unit = row * own->cols + (unsigned)xc_stage_mirror(&s->cols, at.col, right);
	const size_t here = xc_stage_row(s, 0, at.row, (int)w->cols) + (unsigned)at.col;

	if (back) {
		xc_stage_values t = xc_stage_fetch_coefficients(s, own, unit, (const XC_REAL *)in, 1);
		t.z[0] = xc_c_mul(xc_c_conj(t.col_turn), t.z[0]);
		t.z[1] = xc_c_mul(xc_c_conj(t.col_turn), t.z[1]);
		xc_c_unrotate(t.row_turn, &t.z[0], &t.z[1]);
		((xc_complex *)out)[here] = low ? t.z[1] : t.z[0];
		return;
	}
	xc_stage_values t = xc_stage_fetch_spectrum(s, own, unit, (const xc_complex *)in, 1);
	xc_c_rotate(t.row_turn, &t.z[0], &t.z[1]);
	const xc_complex c = xc_c_mul(xc_c_scale(t.col_turn, 2), low ? t.z[1] : t.z[0]);
	((XC_REAL *)out)[here] = right ? -c.im : c.re;
}

typedef struct xc_stage_plan {
	xc_stages s;
	xc_stage_work runs, own;      /* before and after the FFT; the other way round if back */
	xc_stage_work samples, alone; /* the same in plain ways */
	int back, axes, way;
	int aligned;  /* samples, and all rows of them, to 16 bytes */
	int zero;     /* a sine transform of one sample */
	size_t lines; /* rows in all */
} xc_stage_plan;

/* Factor k of an axis: sqrt(1 / 2N) exp(-i pi k / 2N), but for k = 0.  Value 0 is its own mirror
 * image and forwards is added to itself, so its factor is half of sqrt(1 / N) forwards and
 * sqrt(1 / N) backwards.  It is 0 in a sine transform, which has no coefficient 0. */
static inline xc_complex xc_stage_turn(const xc_stage_axis *a, int k, int back)
{
	const long double pi = 3.141592653589793238462643383279502884L;
	const long double n = (long double)a->size, angle = pi * (long double)k / (2 * n);
	const long double zero = a->sine ? 0 : sqrtl(back ? 1 / n : 0.25L / n);
	const long double scale = k ? sqrtl(0.5L / n) : zero;
	const xc_complex turn = {(XC_REAL)(scale * cosl(angle)), (XC_REAL)(-scale * sinl(angle))};

	return turn;
}

/* How many k have no smaller partner: the number of factors. */
static inline int xc_stage_own_count(const xc_stage_axis *a)
{
	return a->size ? a->size / 2 + 1 : a->count;
}

static inline xc_complex *xc_stage_turns(const xc_stage_axis *a, int back)
{
	const int count = xc_stage_own_count(a);
	xc_complex *const table = (xc_complex *)malloc((size_t)count * sizeof *table);

	for (int k = 0; table && k < count; k++)
		table[k] = xc_stage_turn(a, k, back);
	return table;
}

static inline xc_stage_work xc_stage_work_of(int cols, int rows, int slices)
{
	xc_stage_work w;

	w.cols = (unsigned)cols;
	w.rows = (unsigned)rows;
	w.count = w.cols * w.rows * (unsigned)slices;
	w.by_cols = UINT_MAX / w.cols;
	w.by_rows = UINT_MAX / w.rows;
	return w;
}

static inline void xc_stage_axes(xc_stages *s, const xc_lab_job *job, const xc_transform_size *size,
                                 int only_rows)
{
	s->slices.count = (int)size->slices;
	s->rows.count = (int)size->rows;
	s->cols.count = s->cols.size = (int)size->cols;
	if (only_rows)
		return;
	s->slices.size = s->slices.count;
	s->rows.size = s->rows.count;
	s->rows.sine = job->sine_rows;
	s->cols.sine = job->sine_cols;
	/* The last axis is the one that the FFT halves. */
	while (s->cols.size == 1 && (s->rows.size > 1 || s->slices.size > 1)) {
		s->cols = s->rows;
		s->rows = s->slices;
		s->slices.size = s->slices.count = 1;
		s->slices.sine = 0;
	}
}

/* All axes, or (`only_rows`) the rows alone.  0; -1: too large. */
static inline int xc_stage_plan_make(xc_stage_plan *p, const xc_lab_job *job,
                                     const xc_transform_size *size, int only_rows)
{
	xc_stages *const s = &p->s;

	if (size->slices > INT_MAX / 8 || size->rows > INT_MAX / 8 || size->cols > INT_MAX / 8)
		return -1;
	xc_stage_axes(s, job, size, only_rows);
	p->back = job->direction == XCT_INVERSE;
	p->zero = !only_rows &&
	          ((job->sine_rows && size->rows == 1) || (job->sine_cols && size->cols == 1));
	p->axes = only_rows ? 0 : s->slices.count == 1 ? 1 : 2;
	p->lines = (size_t)s->slices.count * (size_t)s->rows.count;
	s->width = s->cols.count / 2 + 1;
	p->way = job->way;
	/* The numbers of units, and of threads beyond the last one, fit in 32 bits. */
	if (p->lines > (UINT_MAX - 65536) / (size_t)(p->way ? s->cols.count : s->width))
		return -1;
	p->samples = xc_stage_work_of(s->cols.count, s->rows.count, s->slices.count);
	p->alone = xc_stage_work_of(p->back ? s->width : s->cols.count, s->rows.count, 1);
	p->aligned = s->cols.count % (2 * XC_STAGE_RUN) == 0;
	p->runs = xc_stage_work_of(p->aligned ? s->cols.count / (2 * XC_STAGE_RUN)
	                                      : (s->cols.count + 1) / 2,
	                           s->rows.count, s->slices.count);
	p->own = xc_stage_work_of(s->width, xc_stage_own_count(&s->rows),
	                          xc_stage_own_count(&s->slices));
	return 0;
}

#endif
