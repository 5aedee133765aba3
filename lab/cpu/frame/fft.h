/* SPDX-License-Identifier: BSD-2-Clause */
/* What all users of FFTW here agree on. */
#ifndef XC_LAB_CPU_FRAME_FFT_H
#define XC_LAB_CPU_FRAME_FFT_H

#include <fftw3.h>
#include <limits.h>
#include <stddef.h>

/* FFTW measures every plan that may matter, and remembers ("wisdom") what it
 * found, so a second plan of a size is cheap.  Tiny ones are not worth the
 * milliseconds. */
static inline unsigned xc_fft_effort(size_t points)
{
	return points < 1024 ? FFTW_ESTIMATE : FFTW_MEASURE;
}

/* FFTW counts in int. */
static inline int xc_fft_possible(size_t n)
{
	return n > 0 && n <= INT_MAX / 8;
}

#endif
