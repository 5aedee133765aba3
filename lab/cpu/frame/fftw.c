/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transforms that the others are measured against.
 *
 * cpu-fftw-frame: FFTW's own DCT or DST of a frame or volume (REDFT00 to RODFT11), scaled to
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
#include "lab/scaling.h"

typedef struct frame_dct {
	xc_transform_size size;
	XC_REAL *in_scale[3], *out_scale[3]; /* of the slices, the rows, the columns */
	int scales_in, scales_out;
	XC_REAL *scaled; /* the input after scaling, if it is */
	XC_F(plan) aligned, unaligned;
	int alignment; /* of the arrays that `aligned` was made for */
} frame_dct;

static void dct_finish(void *state)
{
	frame_dct *const s = state;

	XC_F(destroy_plan)(s->aligned); /* which accepts NULL */
	XC_F(destroy_plan)(s->unaligned);
	for (int i = 0; i < 3; i++) {
		free(s->in_scale[i]);
		free(s->out_scale[i]);
	}
	free(s->scaled);
	free(s);
}

static XC_F(plan) make_plan(const xc_plan *plan, XC_REAL *in, XC_REAL *out, unsigned flags)
{
	static const fftw_r2r_kind forward[] = {
		[XCT_DCT1] = FFTW_REDFT00, [XCT_DCT2] = FFTW_REDFT10, [XCT_DCT3] = FFTW_REDFT01,
		[XCT_DCT4] = FFTW_REDFT11, [XCT_DST1] = FFTW_RODFT00, [XCT_DST2] = FFTW_RODFT10,
		[XCT_DST3] = FFTW_RODFT01, [XCT_DST4] = FFTW_RODFT11,
	};
	const xc_transform_size *const size = &plan->size;
	const int n[3] = {(int)size->slices, (int)size->rows, (int)size->cols};
	const fftw_r2r_kind kind =
		forward[plan->direction == XCT_FORWARD ? plan->kind : xc_kind_transposed(plan->kind)];
	const fftw_r2r_kind kinds[3] = {kind, kind, kind};
	/* An axis of one sample is left out: FFTW would scale it. */
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
	const size_t samples = xc_transform_samples(&s->size);
	XC_REAL *const in = xc_frame_allocate(samples, sizeof *in);
	XC_REAL *const out = xc_frame_allocate(samples, sizeof *out);

	if (in && out) {
		xc_fft_use_threads(plan->threads);
		s->alignment = XC_F(alignment_of)(in);
		s->aligned = make_plan(plan, in, out, xc_fft_effort(plan, samples / 16));
		s->unaligned = make_plan(plan, in, out, FFTW_ESTIMATE | FFTW_UNALIGNED);
		xc_fft_use_threads(1);
	}
	free(in);
	free(out);
	return s->aligned && s->unaligned ? 0 : -1;
}

static xc_axis_scale unscaled_at(const xc_plan *plan, size_t n, size_t i)
{
	return xc_scaling_at(XCT_UNSCALED, plan->kind, plan->direction, n, i);
}

/* What FFTW's sums lack to be orthonormal.  What all samples are multiplied with goes to the side that is
 * scaled anyway, so one pass does where one can. */
static int make_scales(frame_dct *s, const xc_plan *plan, int axis, size_t n)
{
	const int alone = xc_transform_samples(&s->size) == 1 && axis == 2;

	s->in_scale[axis] = xc_frame_allocate(n, sizeof(XC_REAL));
	s->out_scale[axis] = xc_frame_allocate(n, sizeof(XC_REAL));
	if (!s->in_scale[axis] || !s->out_scale[axis])
		return -1;
	for (size_t i = 0; i < n; i++) {
		xc_axis_scale unscaled = {1, 1, 1};
		if (n > 1 || alone)
			unscaled = unscaled_at(plan, n, i);
		s->in_scale[axis][i] = (XC_REAL)(1 / (unscaled.in * (s->scales_in ? unscaled.factor : 1)));
		s->out_scale[axis][i] = (XC_REAL)(1 /
		                                  (unscaled.out * (s->scales_in ? 1 : unscaled.factor)));
	}
	return 0;
}

static void *dct_prepare(const xc_plan *plan)
{
	const xc_transform_size *const size = &plan->size;
	const xc_axis_scale end = unscaled_at(plan, 8, 0), last = unscaled_at(plan, 8, 7);

	if (!xc_fft_possible(size))
		return NULL;
	const size_t samples = xc_frame_multiply(xc_frame_multiply(size->slices, size->rows),
	                                         size->cols);
	frame_dct *const s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->size = *size;
	s->scales_in = end.in != 1 || last.in != 1; /* exactly */
	s->scales_out = end.out != 1 || last.out != 1 || !s->scales_in;
	if (make_scales(s, plan, 0, s->size.slices) || make_scales(s, plan, 1, s->size.rows) ||
	    make_scales(s, plan, 2, s->size.cols))
		goto fail;
	if (s->scales_in) {
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

static void rescale(const frame_dct *s, XC_REAL *const *scales, const XC_REAL *in, XC_REAL *out)
{
	for (size_t i = 0; i < s->size.slices; i++)
		for (size_t j = 0; j < s->size.rows; j++) {
			const XC_REAL scale = scales[0][i] * scales[1][j];
			const size_t row = (i * s->size.rows + j) * s->size.cols;
			for (size_t k = 0; k < s->size.cols; k++)
				out[row + k] = in[row + k] * (scale * scales[2][k]);
		}
}

static void dct_execute(const xc_plan *plan, const void *in, void *out)
{
	const frame_dct *const s = plan->state;
	XC_REAL *source = (XC_REAL *)in; /* not written to: FFTW preserves it */

	if (s->scaled) {
		rescale(s, s->in_scale, in, s->scaled);
		source = s->scaled;
	}
	const int fits = XC_F(alignment_of)(source) == s->alignment &&
	                 XC_F(alignment_of)(out) == s->alignment;
	XC_F(execute_r2r)(fits ? s->aligned : s->unaligned, source, out);
	if (s->scales_out)
		rescale(s, s->out_scale, out, out);
}

static void dct_count(const xc_plan *plan, xct_operations *operations)
{
	const frame_dct *const s = plan->state;

	XC_T(xc_fft_count)(s->aligned, 1, operations);
	operations->scaling = (s->scales_in + s->scales_out) *
	                      (double)xc_transform_samples(&plan->size);
}

const xc_engine XC_T(xc_fftw_frame) = {dct_prepare, dct_execute, dct_finish, dct_count};

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
		const unsigned effort = xc_fft_effort(plan, rows * cols);
		xc_fft_use_threads(plan->threads);
		if (plan->direction == XCT_FORWARD)
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

	if (plan->direction == XCT_FORWARD)
		XC_F(execute_dft_r2c)(s->fft, (XC_REAL *)in, s->spectrum);
	else
		XC_F(execute_dft_c2r)(s->fft, s->spectrum, out);
}

static void real_fft_count(const xc_plan *plan, xct_operations *operations)
{
	XC_T(xc_fft_count)(((const real_fft *)plan->state)->fft, 1, operations);
}

const xc_engine XC_T(xc_real_fft) = {real_fft_prepare, real_fft_execute, real_fft_finish,
                                     real_fft_count};
