/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled once with XC_REAL_BITS 32 and once with 64. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "lab/gpu/frame/stages.h"

#include "lab/tests/gpu_emulated.h"

/* DFTs of `length` values `step` apart. */
static void dft_line(double complex *x, double complex *y, int length, size_t step, int sign)
{
	const double turn = sign * 2 * acos(-1) / length;

	for (int k = 0; k < length; k++) {
		y[k] = 0;
		for (int i = 0; i < length; i++)
			y[k] += x[(size_t)i * step] * cexp(I * turn * (double)((long)i * k % length));
	}
	for (int k = 0; k < length; k++)
		x[(size_t)k * step] = y[k];
}

static void dft_axis(double complex *x, const xc_stage_axis *axis, size_t count, size_t step,
                     int sign)
{
	double complex *const y = calloc((size_t)axis->size + 1, sizeof *y);

	for (size_t i = 0; y && axis->size && i < count; i++)
		if (i / step % (size_t)axis->size == 0)
			dft_line(x + i, y, axis->size, step, sign);
	free(y);
}

/* Over all axes, as the library's real FFT does it: half of the spectrum, not normalized. */
static void real_dft(const xc_stage_plan *p, XC_REAL *samples, xc_complex *spectrum)
{
	const xc_stages *const s = &p->s;
	const size_t cols = (size_t)s->cols.count, rows = (size_t)s->rows.count;
	const size_t count = p->lines * cols;
	double complex *const x = calloc(count, sizeof *x);

	for (size_t i = 0; x && i < count; i++) {
		const size_t row = i / cols % rows, slice = i / cols / rows, col = i % cols;
		const size_t other_row = s->rows.size ? (rows - row) % rows : row;
		const size_t other_slice = s->slices.size ? (p->lines / rows - slice) % (p->lines / rows)
		                                          : slice;
		const xc_complex *const here = spectrum + i / cols * (size_t)s->width + col;
		const xc_complex *const value = spectrum +
		                                (other_slice * rows + other_row) * (size_t)s->width + cols -
		                                col;
		if (!p->back)
			x[i] = samples[i];
		else if (col <= cols / 2)
			x[i] = here->re + I * here->im;
		else
			x[i] = value->re - I * value->im;
	}
	const int sign = p->back ? 1 : -1;
	dft_axis(x, &s->cols, count, 1, sign);
	dft_axis(x, &s->rows, count, cols, sign);
	dft_axis(x, &s->slices, count, cols * rows, sign);
	for (size_t i = 0; x && i < count; i++) {
		xc_complex *const here = spectrum + i / cols * (size_t)s->width + i % cols;
		if (p->back)
			samples[i] = (XC_REAL)creal(x[i]);
		else if (i % cols <= cols / 2)
			here->re = (XC_REAL)creal(x[i]), here->im = (XC_REAL)cimag(x[i]);
	}
	free(x);
}

/* Threads one after the other, a few more than it takes. */
static void permute(const xc_stage_plan *p, const XC_REAL *in, XC_REAL *out)
{
	for (unsigned n = 0; n < p->runs.count + 5; n++) {
		xc_stage_samples t = xc_stage_fetch(&p->s, &p->runs, n, in, p->aligned, p->back);
		xc_stage_store(&p->s, &t, out, p->aligned, p->back);
	}
}

static void combine(const xc_stage_plan *p, const XC_REAL *in, xc_complex *spectrum, XC_REAL *out)
{
	for (unsigned n = 0; n < p->own.count + 5; n++) {
		xc_stage_values v;
		if (p->back) {
			v = xc_stage_fetch_coefficients(&p->s, &p->own, n, in, p->axes);
			xc_stage_store_spectrum(&p->s, &v, spectrum, p->axes);
		} else {
			v = xc_stage_fetch_spectrum(&p->s, &p->own, n, spectrum, p->axes);
			xc_stage_store_coefficients(&p->s, &v, out, p->axes);
		}
	}
}

static int stages(const xc_lab_job *job, const xc_transform_size *size, int only_rows,
                  const XC_REAL *in, XC_REAL *out)
{
	xc_stage_plan p = {.back = 0};

	if (xc_stage_plan_make(&p, job, size, only_rows))
		return -1;
	if (p.zero) {
		for (size_t i = 0; i < p.lines * (size_t)p.s.cols.count; i++)
			out[i] = 0;
		return 0;
	}
	xc_stage_axis *const axes[3] = {&p.s.slices, &p.s.rows, &p.s.cols};
	xc_complex *turns[3] = {NULL};
	for (int i = 0; i < 3; i++)
		if (axes[i]->size)
			axes[i]->turns = turns[i] = xc_stage_turns(axes[i], p.back);
	XC_REAL *samples = calloc(p.lines * (size_t)p.s.cols.count, sizeof *samples);
	xc_complex *spectrum = calloc(p.lines * (size_t)p.s.width, sizeof *spectrum);
	const int failed = !samples || !spectrum || !p.s.cols.turns;
	if (!failed && p.back) {
		combine(&p, in, spectrum, NULL);
		real_dft(&p, samples, spectrum);
		permute(&p, samples, out);
	} else if (!failed) {
		permute(&p, in, samples);
		real_dft(&p, samples, spectrum);
		combine(&p, NULL, spectrum, out);
	}
	for (int i = 0; i < 3; i++)
		free(turns[i]);
	free(samples);
	free(spectrum);
	return failed ? -1 : 0;
}

static void transpose(const XC_REAL *in, XC_REAL *out, size_t rows, size_t cols)
{
	for (size_t i = 0; i < rows * cols; i++)
		out[i % cols * rows + i / cols] = in[i];
}

int XC_T(xc_lab_stages)(const xc_lab_job *job, const void *in, void *found)
{
	const size_t rows = job->in.rows, cols = job->in.cols;
	const xc_transform_size turned = {1, cols, rows};
	XC_REAL *const out = found;

	if (job->kind != XC_LAB_FFT_ROWCOL)
		return stages(job, &job->in, 0, in, out);
	XC_REAL *const other = calloc(rows * cols, sizeof *other);
	int failed = !other || stages(job, &job->in, 1, in, out);
	if (!failed) {
		transpose(out, other, rows, cols);
		failed = stages(job, &turned, 1, other, out);
		transpose(out, other, cols, rows);
		for (size_t i = 0; i < rows * cols; i++)
			out[i] = other[i];
	}
	free(other);
	return failed ? -1 : 0;
}
