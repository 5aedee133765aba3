/* SPDX-License-Identifier: BSD-2-Clause */
/* The engines of whole frames, and their memory. */
#ifndef XC_LAB_CPU_FRAME_FRAME_H
#define XC_LAB_CPU_FRAME_FRAME_H

#include "lab/registry.h"

/* `count` items of `size` bytes, all zero, aligned to a cache line.  Large ones are aligned to a
 * huge page and ask for it, because a panel's lines are far apart and each would need a translation
 * of its own.  NULL: out of memory, or count * size overflows.  Freed by free(). */
void *xc_frame_allocate(size_t count, size_t size);

/* a * b, or SIZE_MAX when that overflows (which no allocation can satisfy). */
size_t xc_frame_multiply(size_t a, size_t b);

/* Sizes of a transform whose output has the input's size: any volume, or one slice. */
int xc_frame_same_size(xct_direction direction, const xc_transform_size *in,
                       xc_transform_size *out);
int xc_frame_same_plane(xct_direction direction, const xc_transform_size *in,
                        xc_transform_size *out);

/* dmm.c: by two matrix products. */
typedef enum xc_dmm_way { XC_DMM_FAST, XC_DMM_PLAIN } xc_dmm_way;
extern const xc_engine xc_dmm_f32, xc_dmm_f64, xc_dmm_f80;

/* rowcol.c, line.c: the four ways from a line's DCT to one real FFT; every kind by one FFT; the
 * definition. */
typedef enum xc_line_method {
	XC_LINE_4N,
	XC_LINE_2N_MIRRORED,
	XC_LINE_2N_PADDED,
	XC_LINE_N,
	XC_LINE_METHODS,
	XC_LINE_KINDS = XC_LINE_METHODS,
	XC_LINE_DEFINITION
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
