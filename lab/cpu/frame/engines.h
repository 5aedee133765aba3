/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines of whole frames, and what xc_algorithm.way tells them. */
#ifndef XC_LAB_CPU_FRAME_ENGINES_H
#define XC_LAB_CPU_FRAME_ENGINES_H

#include "lab/registry.h"

/* dmm.c: by two matrix products. */
extern const xc_engine xc_dmm_f32, xc_dmm_f64, xc_dmm_f80;

/* rowcol.c: the four ways from a line's DCT to one real FFT. */
typedef enum xc_line_method {
	XC_LINE_4N,
	XC_LINE_2N_MIRRORED,
	XC_LINE_2N_PADDED,
	XC_LINE_N,
	XC_LINE_METHODS
} xc_line_method;
extern const xc_engine xc_rowcol_f32, xc_rowcol_f64, xc_rowcol_f80;

/* multi.c: by one FFT of all axes. */
typedef enum xc_multi_kind {
	XC_MULTI_COSINE,
	XC_MULTI_SINE_COLS, /* IDXST along each row, IDCT down the columns */
	XC_MULTI_SINE_ROWS  /* IDCT along each row, IDXST down the columns */
} xc_multi_kind;
extern const xc_engine xc_multi_f32, xc_multi_f64, xc_multi_f80;

/* fftw.c: FFTW's own DCT, and its real FFT of a plane and nothing else. */
extern const xc_engine xc_fftw_frame_f32, xc_fftw_frame_f64, xc_fftw_frame_f80;
extern const xc_engine xc_real_fft_f32, xc_real_fft_f64, xc_real_fft_f80;

#endif
