/* SPDX-License-Identifier: BSD-2-Clause */
/* The four ways from a line's DCT to one real FFT (see rowcol.c). */
#ifndef XC_LAB_CPU_FRAME_LINE_H
#define XC_LAB_CPU_FRAME_LINE_H

typedef enum xc_line_method {
	XC_LINE_4N,
	XC_LINE_2N_MIRRORED,
	XC_LINE_2N_PADDED,
	XC_LINE_N
} xc_line_method;

#endif
