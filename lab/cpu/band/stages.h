/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stages of the 8-band transforms, for processor and GPU.  Included after the definitions that
 * kernel.h names.
 */
#ifndef XC_LAB_CPU_BAND_STAGES_H
#define XC_LAB_CPU_BAND_STAGES_H

#include "lab/cpu/band/band.h"
#include "lab/kernels/dct8.h"
#include "lab/kernels/lapped8.h"

/* One of two functions of 8 values. */
#define XC_STAGE(name, part) \
	do { \
		if (back) \
			name##_inverse##part(x); \
		else \
			name##_forward##part(x); \
	} while (0)

/* What is done to 8 values in place before half-block shift number `stage`, or after the last one:
 * along the columns and then along the rows.  Everything but x is a constant.  The inverse has the
 * stages in reverse order. */
XC_KERNEL void xc_band_stage(const xc_band_transform transform, const int back, const int stage,
                             XC_V x[8])
{
	const int number = back ? (int)xc_band_shifts(transform) - stage : stage;

	switch (transform) {
	case XC_BAND_NAIVE:
		XC_STAGE(xc_dct8_direct, );
		break;
	case XC_BAND_DEFINITION:
		XC_STAGE(xc_dct8_matrix, );
		break;
	case XC_BAND_SEPARABLE:
		XC_STAGE(xc_dct8_evenodd, );
		break;
	case XC_BAND_AAN:
		XC_STAGE(xc_dct8_aan, );
		break;
	case XC_BAND_LOT:
		if (number == 0)
			XC_STAGE(xc_flot8, _block);
		else
			XC_STAGE(xc_flot8, _edge);
		break;
	case XC_BAND_GENLOT:
		if (number == 0)
			XC_STAGE(xc_genlot8, _block);
		else if (number == 1)
			XC_STAGE(xc_genlot8, _edge);
		else
			XC_STAGE(xc_genlot8, _end);
		break;
	default: /* the TDLT has a filter before Feig and Linzer's DCT */
		if (transform == XC_BAND_TDLT && number == 0)
			xc_tdlt8_filter(x, back);
		else
			XC_STAGE(xc_dct8_flmad, );
	}
}

#endif
