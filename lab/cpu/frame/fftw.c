/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transforms that the others are measured against.
 *
 * cpu-fftw-frame: FFTW's own DCT of a frame or volume (REDFT10, REDFT01), scaled to
 * orthonormal (Frigo, Johnson, "The design and implementation of FFTW3", Proc. IEEE 93, 2005).
 *
 * Arithmetic: FFTW's, about 2.5 log2 N operations a sample and axis, and one
 * multiplication a sample for the scale.  The scale costs a pass of its own over
 * the frame, as it costs every user of FFTW who needs it.
 *
 * xc_real_fft: FFTW's real FFT of a plane and nothing else, out of place and planned as all others.
 * Its arrays must be aligned to 64 bytes.
 */
#include "lab/cpu/frame/frame.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/fft.h"

typedef struct frame_dct {
	size_t slices, rows, cols;
	XC_REAL *scale[3]; /* of the slices, the rows, the columns */
	XC_REAL *scaled;   /* the inverse's input after scaling */
	XC_F(plan) aligned, unaligned;
	int alignment; /* of the arrays that `aligned` was made for */
} frame_dct;

static void dct_finish(void *state)
{
	frame_dct *const s = state;

	XC_F(destroy_plan)(s->aligned); /* which accepts NULL */
	XC_F(destroy_plan)(s->unaligned);
	for (int i = 0; i < 3; i++)
		free(s->scale[i]);
	free(s->scaled);
	free(s);
}

/* FFTW's REDFT10 is 2 sum x cos, its REDFT01 x[0] + 2 sum x cos, along each axis. */
static XC_REAL *make_scale(size_t n)
{
	XC_REAL *const scale = xc_frame_allocate(n, sizeof *scale);

	for (size_t k = 0; scale && k < n; k++)
		scale[k] = (XC_REAL)sqrtl(0.5L / (long double)n);
	return scale;
}

static XC_F(plan) make_plan(const xc_plan *plan, XC_REAL *in, XC_REAL *out, unsigned flags)
{
	const xc_transform_size *const size = &plan->size;
	const int n[3] = {(int)size->slices, (int)size->rows, (int)size->cols};
	const XC_F(r2r_kind) kind = plan->direction == XC_FORWARD ? FFTW_REDFT10 : FFTW_REDFT01;
	const XC_F(r2r_kind) kinds[3] = {kind, kind, kind};
	/* An axis of one sample is left out: REDFT10 would double it. */
	int dims[3], rank = 0;

	for (int i = 0; i < 3; i++)
		if (n[i] > 1)
			dims[rank++] = n[i];
	if (rank == 0)
		dims[rank++] = 1;
	return XC_F(plan_r2r)(rank, dims, in, out, kinds, flags);
}

static int make_plans(frame_dct *s, const xc_plan *plan)
{
	const size_t samples = s->slices * s->rows * s->cols;
	XC_REAL *const in = xc_frame_allocate(samples, sizeof *in);
	XC_REAL *const out = xc_frame_allocate(samples, sizeof *out);

	if (in && out) {
		xc_fft_use_threads(plan->threads);
		s->alignment = XC_F(alignment_of)(in);
		s->aligned = make_plan(plan, in, out, xc_fft_effort(samples / 16));
		s->unaligned = make_plan(plan, in, out, FFTW_ESTIMATE | FFTW_UNALIGNED);
		xc_fft_use_threads(1);
	}
	free(in);
	free(out);
	return s->aligned && s->unaligned ? 0 : -1;
}

static void *dct_prepare(const xc_plan *plan)
{
	const xc_transform_size *const size = &plan->size;

	if (!xc_fft_possible(size))
		return NULL;
	const size_t samples = xc_frame_multiply(xc_frame_multiply(size->slices, size->rows),
	                                         size->cols);
	frame_dct *const s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->slices = size->slices;
	s->rows = size->rows;
	s->cols = size->cols;
	const size_t axes[3] = {s->slices, s->rows, s->cols};
	for (int i = 0; i < 3; i++) {
		s->scale[i] = make_scale(axes[i]);
		if (!s->scale[i])
			goto fail;
		if (axes[i] == 1)
			s->scale[i][0] = 1;
		else if (plan->direction == XC_FORWARD)
			s->scale[i][0] = (XC_REAL)(sqrtl(1 / (long double)axes[i]) / 2);
		else
			s->scale[i][0] = (XC_REAL)sqrtl(1 / (long double)axes[i]);
	}
	/* A frame of a single sample goes through a DCT of one point after all. */
	if (samples == 1 && plan->direction == XC_FORWARD)
		s->scale[2][0] = (XC_REAL)0.5L;
	if (plan->direction == XC_INVERSE) {
		s->scaled = xc_frame_allocate(samples, sizeof *s->scaled);
		if (!s->scaled)
			goto fail;
	}
	if (samples <= SIZE_MAX / sizeof(XC_REAL) && !make_plans(s, plan))
		return s;
fail:
	dct_finish(s);
	return NULL;
}

static void rescale(const frame_dct *s, const XC_REAL *in, XC_REAL *out)
{
	for (size_t i = 0; i < s->slices; i++)
		for (size_t j = 0; j < s->rows; j++) {
			const XC_REAL scale = s->scale[0][i] * s->scale[1][j];
			const size_t row = (i * s->rows + j) * s->cols;
			for (size_t k = 0; k < s->cols; k++)
				out[row + k] = in[row + k] * (scale * s->scale[2][k]);
		}
}

static void dct_execute(const xc_plan *plan, const void *in, void *out)
{
	const frame_dct *const s = plan->state;
	XC_REAL *source = (XC_REAL *)in; /* not written to: FFTW preserves it */

	if (plan->direction == XC_INVERSE) {
		rescale(s, in, s->scaled);
		source = s->scaled;
	}
	const int fits = XC_F(alignment_of)(source) == s->alignment &&
	                 XC_F(alignment_of)(out) == s->alignment;
	XC_F(execute_r2r)(fits ? s->aligned : s->unaligned, source, out);
	if (plan->direction == XC_FORWARD)
		rescale(s, out, out);
}

const xc_engine XC_T(xc_fftw_frame) = {dct_prepare, dct_execute, dct_finish};

typedef struct real_fft {
	XC_F(complex) * spectrum;
	XC_F(plan) fft;
} real_fft;

static void real_fft_finish(void *state)
{
	real_fft *const s = state;

	XC_F(destroy_plan)(s->fft);
	free(s->spectrum);
	free(s);
}

static void *real_fft_prepare(const xc_plan *plan)
{
	const size_t rows = plan->size.rows, cols = plan->size.cols;
	const size_t values = xc_frame_multiply(rows, cols / 2 + 1);

	if (!xc_fft_possible(&plan->size))
		return NULL;
	real_fft *const s = calloc(1, sizeof *s);
	XC_REAL *const samples = xc_frame_allocate(xc_frame_multiply(rows, cols), sizeof *samples);
	if (s)
		s->spectrum = xc_frame_allocate(values, sizeof *s->spectrum);
	if (s && samples && s->spectrum) {
		const unsigned effort = xc_fft_effort(rows * cols);
		xc_fft_use_threads(plan->threads);
		if (plan->direction == XC_FORWARD)
			s->fft = XC_F(plan_dft_r2c_2d)((int)rows, (int)cols, samples, s->spectrum, effort);
		else
			s->fft = XC_F(plan_dft_c2r_2d)((int)rows, (int)cols, s->spectrum, samples, effort);
		xc_fft_use_threads(1);
		/* The inverse destroys its input; zeros stay zeros. */
		memset(s->spectrum, 0, values * sizeof *s->spectrum);
	}
	free(samples);
	if (s && s->fft)
		return s;
	if (s)
		real_fft_finish(s);
	return NULL;
}

static void real_fft_execute(const xc_plan *plan, const void *in, void *out)
{
	const real_fft *const s = plan->state;

	if (plan->direction == XC_FORWARD)
		XC_F(execute_dft_r2c)(s->fft, (XC_REAL *)in, s->spectrum);
	else
		XC_F(execute_dft_c2r)(s->fft, s->spectrum, out);
}

const xc_engine XC_T(xc_real_fft) = {real_fft_prepare, real_fft_execute, real_fft_finish};
