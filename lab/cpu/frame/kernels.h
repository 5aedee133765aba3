/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loops of the whole-frame transforms: everything around the FFT.  kernels_level.c fills
 * the table, once for each SIMD level and precision.  The kernels know nothing of FFTW, threads or
 * plans.
 *
 * Complex arrays are pairs of samples, real part first.  Arrays need no alignment unless `stream`
 * is set: then data and rows are aligned to 64 bytes, and n is a multiple of a cache line.
 */
#ifndef XC_LAB_CPU_FRAME_KERNELS_H
#define XC_LAB_CPU_FRAME_KERNELS_H

#include <stddef.h>

#include "lab/cpu/frame/frame.h"
#include "lab/real.h"

/* A number of samples, rounded up to whole cache lines. */
static inline size_t xc_frame_whole_lines(size_t samples)
{
	return (samples + XC_LINE - 1) / XC_LINE * XC_LINE;
}

/* Two rows that are transformed at a time, and how they lie in column panels (see multi.c).  A
 * panel is `width` complex columns side by side, line under line; a row of n samples fills
 * (n + 1) / 2 complex columns. */
typedef struct xc_row_pair {
	size_t n, width;
	size_t panel_stride;        /* samples from one panel to the next */
	const XC_REAL *twiddles[2]; /* complex, of the first and the second row */
	int sine;                   /* a sine transform along the row */
	int stream;                 /* write past the caches */
} xc_row_pair;

/* A transposed panel, in which each complex column is a line in memory, on its way from the column
 * FFT to the rows of the spectrum. */
typedef struct xc_panel {
	XC_REAL *columns;
	size_t pitch, length;    /* samples from column to column; complex values in one */
	XC_REAL *rows;           /* the spectrum: row 0, column 0 */
	size_t row_stride, n;    /* from row to row, and samples in a row */
	size_t first, count;     /* complex columns of this panel */
	const XC_REAL *twiddles; /* complex, length / 2 + 1 of them */
	int reversed;            /* row length - k takes the place of k (sine) */
	/* Streaming: `carry` holds, for each row, the sample that the panel to the
	 * right (already done) left over for this one, when `carried` is 1. */
	int stream, carried, last;
	XC_REAL *carry;
} xc_panel;

typedef struct xc_frame_kernels {
	/* --- one line: from its n samples to those of the real FFT, and back, for each method */
	void (*before[XC_LINE_METHODS])(size_t n, const XC_REAL *in, XC_REAL *out);
	void (*after[XC_LINE_METHODS])(size_t n, const XC_REAL *in, XC_REAL *out);
	/* --- one line: spectrum (complex) to coefficients and back, for each method */
	void (*rotate[XC_LINE_METHODS])(size_t n, const XC_REAL *spectrum, const XC_REAL *twiddles,
	                                XC_REAL *out);
	void (*unrotate[XC_LINE_METHODS])(size_t n, const XC_REAL *in, const XC_REAL *twiddles,
	                                  XC_REAL *spectrum);
	void (*transpose)(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride, XC_REAL *out,
	                  size_t out_stride);
	/* --- whole frame, rows in pairs: from rows to the FFT's input, and from its output to the
	 * panels; forward and inverse */
	void (*from_rows[2])(const xc_row_pair *rows, const XC_REAL *a, const XC_REAL *b, XC_REAL *z);
	void (*to_panels[2])(const xc_row_pair *rows, XC_REAL *z, XC_REAL *a, XC_REAL *b);
	/* --- whole frame, columns: of complex values, strides in samples */
	void (*turn)(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride, XC_REAL *out,
	             size_t out_stride);
	void (*turn_back)(size_t rows, size_t cols, const XC_REAL *in, size_t in_stride, XC_REAL *out,
	                  ptrdiff_t out_stride, XC_REAL sign, int streaming);
	void (*column)(size_t length, const XC_REAL *twiddles, XC_REAL *column,
	               xct_direction direction);
	void (*panel_out)(const xc_panel *panel);
	/* --- matrix product: one tile of product_rows x product_cols */
	void (*product)(size_t depth, const XC_REAL *left, const XC_REAL *right, XC_REAL *tile,
	                size_t stride, int add);
	size_t product_rows, product_cols;
} xc_frame_kernels;

/* The table for this processor, or for the level that XC_CPU names. */
const xc_frame_kernels *XC_T(xc_frame_kernels_best)(void);

/* One for each SIMD level; a level that was not built has none. */
extern const xc_frame_kernels XC_T(xc_frame_kernels_scalar);
#if XC_REAL_BITS != 80
extern const xc_frame_kernels XC_T(xc_frame_kernels_base);
extern const xc_frame_kernels XC_T(xc_frame_kernels_avx2);
extern const xc_frame_kernels XC_T(xc_frame_kernels_avx512);
#endif

#endif
