/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of run functions of one SIMD level and precision.  The makefile compiles this
 * file once for each of them and sets XC_REAL_BITS (32, 64 or 80), XC_VECTOR_BYTES (0, 16, 32
 * or 64) and XC_BAND_TABLE, the table's name.
 */
#include "lab/cpu/band/run.h"
#include "lab/cpu/band/transpose.h"
#include "lab/cpu/band/write.h"

#include "lab/kernels/dct8_aan.h"
#include "lab/kernels/dct8_direct.h"
#include "lab/kernels/dct8_evenodd.h"
#include "lab/kernels/dct8_flmad.h"
#include "lab/kernels/dct8x8_feig.h"
#include "lab/kernels/genlot8.h"
#include "lab/kernels/flot8.h"
#include "lab/kernels/tdlt8.h"

XC_INLINE void xc_band_scale_vectors(const XC_REAL scale[64], xc_v v[8 * XC_GROUPS])
{
	for (int g = 0; g < XC_GROUPS; g++) {
		for (int y = 0; y < 8; y++) {
			XC_REAL lanes[XC_LANES];
			for (int i = 0; i < XC_LANES; i++)
				lanes[i] = scale[8 * y + (g * XC_LANES + i) % 8];
			v[8 * g + y] = xc_load(lanes);
		}
	}
}

/* The lower half of the strip goes to the line buffer, that of the strip above
 * becomes the upper half. */
XC_INLINE void xc_band_shift_down(xc_v v[8], XC_REAL *line, ptrdiff_t stride)
{
	for (int i = 0; i < 4; i++) {
		const xc_v above = xc_load(line + i * stride);
		xc_store(line + i * stride, v[4 + i]);
		v[4 + i] = v[i];
		v[i] = above;
	}
}

XC_INLINE void xc_band_shift_right(xc_v v[8], xc_v carry[4])
{
	for (int i = 0; i < 4; i++) {
		const xc_v right = v[4 + i];
		v[4 + i] = v[i];
		v[i] = xc_block_before(carry[i], right);
		carry[i] = right;
	}
}

#define XC_RUN xc_band_naive_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_direct_forward
#define XC_SCALE 0
#include "lab/cpu/band/run_template.h"
#define XC_RUN xc_band_naive_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_direct_inverse
#define XC_SCALE 0
#include "lab/cpu/band/run_template.h"

#include "lab/cpu/band/feig_template.h"

#define XC_EACH_STAGES "lab/cpu/band/run_template.h"
#include "lab/kernels/stages.h"

#define XC_BOTH(name) \
	{ \
		xc_band_##name##_forward, xc_band_##name##_inverse \
	}

const xc_band_kernels XC_BAND_TABLE = {
	.run =
		{
			[XC_BAND_NAIVE] = XC_BOTH(naive),
			[XC_BAND_DEFINITION] = XC_BOTH(definition),
			[XC_BAND_SEPARABLE] = XC_BOTH(separable),
			[XC_BAND_AAN] = XC_BOTH(aan),
			[XC_BAND_FLMAD] = XC_BOTH(flmad),
			[XC_BAND_FEIG2D] = XC_BOTH(feig2d),
			[XC_BAND_LOT] = XC_BOTH(lot),
			[XC_BAND_TDLT] = XC_BOTH(tdlt),
			[XC_BAND_GENLOT] = XC_BOTH(genlot),
		},
	.lanes = XC_LANES,
};
