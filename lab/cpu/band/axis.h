/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One axis of a frame for the 8-band transforms: a run of blocks of 8 inputs.  The transform's
 * half-block shifts are read before the first block; then block i of the outputs is complete when
 * block i of the inputs has been read.  Beyond its ends the input continues by a rule.  For C and
 * for CUDA.
 */
#ifndef XC_LAB_CPU_BAND_AXIS_H
#define XC_LAB_CPU_BAND_AXIS_H

#include <stddef.h>

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

typedef enum xc_band_edge {
	XC_EDGE_REPEAT, /* the last sample again */
	XC_EDGE_ZERO,
	XC_EDGE_MIRROR,      /* samples mirrored about the padded frame's edge */
	XC_EDGE_MIRROR_BANDS /* coefficients of the mirrored frame: blocks mirrored,
	                      * odd frequencies negated */
} xc_band_edge;

/* Positions and sizes in samples. */
typedef struct xc_band_axis {
	ptrdiff_t in_size, out_size;   /* of the arrays */
	ptrdiff_t padded;              /* in_size in whole blocks */
	ptrdiff_t in_first, out_first; /* where block 0 is read and written */
	ptrdiff_t blocks;
	xc_band_edge edge;
} xc_band_axis;

/* Where the sample at a position beyond the edges comes from: its place in the
 * array and a factor of 1, -1 or 0. */
typedef struct xc_band_source {
	ptrdiff_t at;
	int sign;
} xc_band_source;

static inline XC_DEVICE ptrdiff_t xc_band_clamp(ptrdiff_t x, ptrdiff_t low, ptrdiff_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Several blocks are read at a time, so positions further out than a rule needs occur.  Their
 * results are never stored, but the samples must be readable. */
static inline XC_DEVICE xc_band_source xc_band_locate(const xc_band_axis *axis, ptrdiff_t position)
{
	xc_band_source source = {position, 1};
	const int outside = position < 0 || position >= axis->padded;
	if (axis->edge == XC_EDGE_ZERO) {
		source.sign = !outside;
	} else if (axis->edge == XC_EDGE_MIRROR && outside) {
		source.at = (position < 0 ? 0 : 2 * axis->padded) - 1 - position;
	} else if (axis->edge == XC_EDGE_MIRROR_BANDS && outside) {
		const ptrdiff_t band = position & 7, block = (position - band) / 8;
		const ptrdiff_t mirrored = (position < 0 ? 0 : 2 * (axis->padded / 8)) - 1 - block;
		source.at = 8 * xc_band_clamp(mirrored, 0, axis->padded / 8 - 1) + band;
		source.sign = band & 1 ? -1 : 1;
	}
	source.at = xc_band_clamp(source.at, 0, axis->in_size - 1);
	return source;
}

#endif
