/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels between pixels and planes by kind and layout, so that tests can loop over them. */
#ifndef XC_TESTS_SUPPORT_KERNEL_CALLS_H
#define XC_TESTS_SUPPORT_KERNEL_CALLS_H

#include "src/pixels/kernels.h"

static inline unsigned channels_of(int layout)
{
	const unsigned i = (unsigned)layout % XC_PIXEL_LAYOUTS;
	return i > XC_LAYOUT_RGBA ? i - 1 : i + 1;
}

static inline int is_depth16(int layout)
{
	return layout >= XC_PIXEL_LAYOUTS;
}

static inline int is_bgr(int layout)
{
	return layout % XC_PIXEL_LAYOUTS > XC_LAYOUT_RGBA;
}

/* Luma alone, and with chroma at full width, at half width, at half width and height. */
enum { LUMA, F444, F422, F420 };
static const char *const forward_names[] = {"luma", "4:4:4", "4:2:2", "4:2:0"};

/* o: planes of luma, Cb, Cr and luma of the second row. */
static inline void call_forward(const xc_kernels *k, int kind, int layout,
                                const void *const rows[2], size_t n, float *const o[4])
{
	if (kind == LUMA)
		k->luma[layout](rows[0], n, o[0]);
	else if (kind == F444)
		k->forward_444[layout](rows[0], n, o[0], o[1], o[2]);
	else if (kind == F422)
		k->forward_422[layout](rows[0], n, o[0], o[1], o[2]);
	else
		k->forward_420[layout](rows[0], rows[1], n, o[0], o[3], o[1], o[2]);
}

/* No chroma, and as above. */
enum { GREY, FULL, HALF, QUARTER };
static const char *const output_names[] = {"grey", "full", "half", "quarter"};

static inline void call_output(const xc_kernels *k, int kind, int layout, const float *y,
                               const xc_chroma_rows *near, const xc_chroma_rows *far, size_t n,
                               float gain, void *out)
{
	const xc_colour_gains gains = xc_colour_gains_make(gain);

	if (kind == GREY)
		k->output_grey[layout](y, n, out);
	else if (kind == FULL)
		k->output_444[layout](y, near->cb, near->cr, n, &gains, out);
	else if (kind == HALF)
		k->output_422[layout](y, near->cb, near->cr, n, &gains, out);
	else
		k->output_420[layout](y, near, far, n, &gains, out);
}

#endif
