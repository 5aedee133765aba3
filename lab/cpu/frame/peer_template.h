/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: FFTW's real FFT of a plane, alone. */

typedef struct XC_T(peer) {
	XC_F(complex) * spectrum;
	XC_F(plan) fft;
} XC_T(peer);

static void XC_T(peer_finish)(void *state)
{
	XC_T(peer) *const s = state;
	if (s->fft)
		XC_F(destroy_plan)(s->fft);
	free(s->spectrum);
	free(s);
}

static void *XC_T(peer_prepare)(const xc_plan *plan)
{
	const size_t rows = plan->size.rows, cols = plan->size.cols;
	const size_t values = xc_frame_multiply(rows, cols / 2 + 1);
	if (!xc_fft_possible(rows) || !xc_fft_possible(cols))
		return NULL;
	XC_T(peer) *const s = calloc(1, sizeof *s);
	XC_REAL *const samples = xc_frame_allocate(xc_frame_multiply(rows, cols), sizeof *samples);
	if (s)
		s->spectrum = xc_frame_allocate(values, sizeof *s->spectrum);
	if (s && samples && s->spectrum) {
		const unsigned effort = xc_fft_effort(rows * cols);
#if defined XC_HAVE_FFTW_THREADS
		if (XC_F(init_threads)())
			XC_F(plan_with_nthreads)(plan->threads);
#endif
		if (plan->direction == XC_FORWARD)
			s->fft = XC_F(plan_dft_r2c_2d)((int)rows, (int)cols, samples, s->spectrum, effort);
		else
			s->fft = XC_F(plan_dft_c2r_2d)((int)rows, (int)cols, s->spectrum, samples, effort);
#if defined XC_HAVE_FFTW_THREADS
		XC_F(plan_with_nthreads)(1);
#endif
		/* The inverse destroys its input; zeros stay zeros. */
		memset(s->spectrum, 0, values * sizeof *s->spectrum);
	}
	free(samples);
	if (s && s->fft)
		return s;
	if (s)
		XC_T(peer_finish)(s);
	return NULL;
}

static void XC_T(peer_execute)(const xc_plan *plan, const void *in, void *out)
{
	const XC_T(peer) *const s = plan->state;
	if (plan->direction == XC_FORWARD)
		XC_F(execute_dft_r2c)(s->fft, (XC_REAL *)in, s->spectrum);
	else
		XC_F(execute_dft_c2r)(s->fft, s->spectrum, out);
}
