/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: the DCT of one line, forward (II) or inverse (III), by one real FFT. */
#include "lab/cpu/frame/twiddles.h"

typedef struct XC_T(line) {
	const XC_T(xc_frame_kernels) * kernels;
	xc_line_method method;
	xc_direction direction;
	size_t n, points; /* the line, and its FFT */
	size_t spectrum;  /* where the spectrum starts in the scratch */
	size_t scratch;   /* samples of scratch for one thread */
	XC_REAL *twiddles;
	XC_F(plan) fft;
} XC_T(line);

static void XC_T(line_finish)(XC_T(line) * line)
{
	if (line->fft)
		XC_F(destroy_plan)(line->fft);
	free(line->twiddles);
	line->fft = NULL;
	line->twiddles = NULL;
}

/* The scale of coefficient 0 and of the others.  The FFT's sums are 1, 2 or (of
 * a folded line) 4 times the DCT's; c2r counts every coefficient but 0 twice. */
static XC_REAL *XC_T(line_twiddles)(const XC_T(line) * line)
{
	const size_t n = line->n;
	const int forward = line->direction == XC_FORWARD;
	const int doubled = line->method == XC_LINE_2N_MIRRORED ||
	                    (forward && line->method == XC_LINE_4N);
	const long double gain = doubled ? 0.5L : 1;
	const long double first = gain * sqrtl(1 / (long double)n);
	const long double rest = gain * sqrtl(2 / (long double)n) * (forward ? 1 : 0.5L);
	const size_t count = line->method == XC_LINE_N ? n / 2 + 1 : n;
	XC_REAL *const w = XC_T(twiddles)(n, count, first, rest, -1);
	if (w && line->method == XC_LINE_4N) {
		/* The shift by half a sample is in the positions: no rotation left. */
		for (size_t k = 1; k < n; k++) {
			w[2 * k] = (XC_REAL)rest;
			w[2 * k + 1] = 0;
		}
	}
	return w;
}

static int XC_T(line_prepare)(XC_T(line) * line, xc_line_method method, xc_direction direction,
                              size_t n)
{
	static const size_t factors[] = {
		[XC_LINE_4N] = 4,
		[XC_LINE_2N_MIRRORED] = 2,
		[XC_LINE_2N_PADDED] = 2,
		[XC_LINE_N] = 1,
	};
	if (!xc_fft_possible(n))
		return -1;
	line->kernels = XC_T(xc_frame_kernels_best)();
	line->method = method;
	line->direction = direction;
	line->n = n;
	line->points = factors[method] * n;
	line->spectrum = (line->points + XC_LINE - 1) / XC_LINE * XC_LINE;
	line->scratch = line->spectrum + (line->points + 2 + XC_LINE - 1) / XC_LINE * XC_LINE;
	line->twiddles = XC_T(line_twiddles)(line);
	XC_REAL *const time = xc_frame_allocate(line->scratch, sizeof *time);
	if (line->twiddles && time) {
		XC_F(complex) *const spectrum = (XC_F(complex) *)(time + line->spectrum);
		const int points = (int)line->points;
		const unsigned effort = xc_fft_effort(line->points);
		if (direction == XC_FORWARD)
			line->fft = XC_F(plan_dft_r2c_1d)(points, time, spectrum, effort);
		else
			line->fft = XC_F(plan_dft_c2r_1d)(points, spectrum, time, effort);
	}
	free(time);
	if (line->fft)
		return 0;
	XC_T(line_finish)(line);
	return -1;
}

static void XC_T(line_forward)(const XC_T(line) * line, const XC_REAL *in, XC_REAL *out,
                               XC_REAL *time)
{
	const XC_T(xc_frame_kernels) *const kernels = line->kernels;
	XC_REAL *const spectrum = time + line->spectrum;
	const size_t n = line->n;
	switch (line->method) {
	case XC_LINE_4N:
		kernels->spread(n, in, time);
		break;
	case XC_LINE_2N_MIRRORED:
		kernels->mirror(n, in, time);
		break;
	case XC_LINE_2N_PADDED:
		memcpy(time, in, n * sizeof *in);
		memset(time + n, 0, n * sizeof *in);
		break;
	case XC_LINE_N:
		kernels->reorder(n, in, time);
		break;
	}
	XC_F(execute_dft_r2c)(line->fft, time, (XC_F(complex) *)spectrum);
	if (line->method == XC_LINE_N)
		kernels->rotate_pairs(n, spectrum, line->twiddles, out);
	else
		kernels->rotate(n, spectrum, line->twiddles, out);
}

/* Step by step the transpose of the above: the transform is orthogonal. */
static void XC_T(line_inverse)(const XC_T(line) * line, const XC_REAL *in, XC_REAL *out,
                               XC_REAL *time)
{
	const XC_T(xc_frame_kernels) *const kernels = line->kernels;
	XC_REAL *const spectrum = time + line->spectrum;
	const size_t n = line->n;
	if (line->method == XC_LINE_N) {
		kernels->unrotate_pairs(n, in, line->twiddles, spectrum);
	} else {
		kernels->unrotate(n, in, line->twiddles, spectrum);
		memset(spectrum + 2 * n, 0, (line->points + 2 - 2 * n) * sizeof *in);
	}
	XC_F(execute_dft_c2r)(line->fft, (XC_F(complex) *)spectrum, time);
	switch (line->method) {
	case XC_LINE_4N:
		kernels->gather(n, time, out);
		break;
	case XC_LINE_2N_MIRRORED:
		kernels->fold(n, time, out);
		break;
	case XC_LINE_2N_PADDED:
		memcpy(out, time, n * sizeof *out);
		break;
	case XC_LINE_N:
		kernels->restore(n, time, out);
		break;
	}
}

/* in and out may be the same line. */
static void XC_T(line_run)(const XC_T(line) * line, const XC_REAL *in, XC_REAL *out,
                           XC_REAL *scratch)
{
	if (line->direction == XC_FORWARD)
		XC_T(line_forward)(line, in, out, scratch);
	else
		XC_T(line_inverse)(line, in, out, scratch);
}
