/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTW's real FFT of a plane and nothing else, out of place and planned as all others: what a DCT
 * through such an FFT can be measured against.  The arrays must be aligned to 64 bytes.
 */
#include "lab/cpu/frame/engines.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/memory.h"

typedef struct real_fft {
	XC_F(complex) * spectrum;
	XC_F(plan) fft;
} real_fft;

static void finish(void *state)
{
	real_fft *const s = state;
	if (s->fft)
		XC_F(destroy_plan)(s->fft);
	free(s->spectrum);
	free(s);
}

static void *prepare(const xc_plan *plan)
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
		finish(s);
	return NULL;
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const real_fft *const s = plan->state;
	if (plan->direction == XC_FORWARD)
		XC_F(execute_dft_r2c)(s->fft, (XC_REAL *)in, s->spectrum);
	else
		XC_F(execute_dft_c2r)(s->fft, s->spectrum, out);
}

const xc_engine XC_T(xc_real_fft) = {prepare, execute, finish};
