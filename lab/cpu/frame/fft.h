/* SPDX-License-Identifier: BSD-2-Clause */
/* The definitions that all users of FFTW for whole frames share, in one precision. */
#ifndef XC_LAB_CPU_FRAME_FFT_H
#define XC_LAB_CPU_FRAME_FFT_H

#include <fftw3.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "lab/cpu/frame/frame.h"
#include "lab/real.h"
#include "lab/registry.h"

/* FFTW measures every plan that may matter, and remembers ("wisdom") what it found, so a second
 * plan of a size is cheap.  Tiny ones are not worth the milliseconds. */
static inline unsigned xc_fft_effort(const xc_plan *plan, size_t points)
{
	return points < 1024 || plan->estimate ? FFTW_ESTIMATE : FFTW_MEASURE;
}

/* Adds the operations of `times` executions. */
static inline void XC_T(xc_fft_count)(const XC_F(plan) fft, double times,
                                      xct_operations *operations)
{
	double additions = 0, multiplications = 0, multiply_adds = 0;

	XC_F(flops)(fft, &additions, &multiplications, &multiply_adds);
	operations->additions += times * additions;
	operations->multiplications += times * multiplications;
	operations->multiply_adds += times * multiply_adds;
}

/* FFTW counts in int. */
static inline int xc_fft_possible(const xc_transform_size *size)
{
	const size_t max = INT_MAX / 8;
	return size->slices <= max && size->rows <= max && size->cols <= max;
}

/* The plans that are made from here on use that many threads, where FFTW has them. */
static inline void xc_fft_use_threads(int threads)
{
	(void)threads;
#if defined XC_HAVE_FFTW_THREADS
	if (XC_F(init_threads)())
		XC_F(plan_with_nthreads)(threads);
#endif
}

/* The factors around the FFTs, computed in long double and rounded once: `count` complex numbers,
 * `first`, then rest * exp(sign i pi k / (2 n)).  Freed by free(); NULL: out of memory. */
static inline XC_REAL *xc_fft_twiddles(size_t n, size_t count, long double first, long double rest,
                                       int sign)
{
	const long double pi = 3.141592653589793238462643383279502884L;
	XC_REAL *const w = xc_frame_allocate(xc_frame_multiply(count, 2), sizeof *w);

	if (!w)
		return NULL;
	w[0] = (XC_REAL)first;
	for (size_t k = 1; k < count; k++) {
		const long double angle = pi * (long double)k / (2 * (long double)n);
		w[2 * k] = (XC_REAL)(rest * cosl(angle));
		w[2 * k + 1] = (XC_REAL)((long double)sign * rest * sinl(angle));
	}
	return w;
}

#endif
