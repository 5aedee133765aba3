/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of samples, transformed through one FFT or by the definition: plan, run, finish. */
#ifndef XC_LAB_CPU_FRAME_LINE_H
#define XC_LAB_CPU_FRAME_LINE_H

#ifdef XC_HAVE_FFTW
#include "lab/cpu/frame/fft.h"
#endif
#include "lab/cpu/frame/kernels.h"

typedef struct xc_frame_line {
	const xc_frame_kernels *kernels;
	xc_line_method method;
	xct_kind kind; /* DCT1, DCT2, DCT4, DST1, DST2 or DST4 */
	xct_direction direction;
	size_t n, points;  /* the line, and its FFT */
	size_t spectrum;   /* where the spectrum starts in the scratch */
	size_t scratch;    /* samples of scratch for one thread, whole cache lines */
	XC_REAL *twiddles; /* or the definition's sines or cosines of a turn */
#ifdef XC_HAVE_FFTW
	XC_F(plan) fft;
#endif
} xc_frame_line;

/* A line of n samples as the plan's algorithm does it.  0, or -1: out of memory, or no such size. */
int XC_T(xc_line_prepare)(xc_frame_line *line, const xc_plan *plan, size_t n);
/* in and out may be the same line. */
void XC_T(xc_line_run)(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out,
                       XC_REAL *scratch);
/* Adds the operations of `lines` lines. */
void XC_T(xc_line_count)(const xc_frame_line *line, double lines, xct_operations *operations);
/* Accepts what was not prepared. */
void XC_T(xc_line_finish)(xc_frame_line *line);

#endif
