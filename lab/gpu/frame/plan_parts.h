/* SPDX-License-Identifier: BSD-2-Clause */
/* What fused_plan.h and mixed_plan.h have in common; needs <math.h>. */
#ifndef XC_LAB_GPU_FRAME_PLAN_PARTS_H
#define XC_LAB_GPU_FRAME_PLAN_PARTS_H

#include "lab/gpu/frame/complex.h"

/* A frame that fits into the caches several times over is a matter of latency: no fewer
 * blocks than large devices have multiprocessors, where there is a choice. */
enum { XC_FUSED_BLOCKS = 128 };

/* scale * exp(-2 pi i part) */
static inline xc_complex xc_fused_root(long double part, long double scale)
{
	const long double circle = 6.283185307179586476925286766559005768L;
	xc_complex z;
	z.re = (XC_REAL)(scale * cosl(circle * part));
	z.im = (XC_REAL)(-scale * sinl(circle * part));
	return z;
}

/* count values of scale * exp(-2 pi i step k / n); returns what comes after them. */
static inline xc_complex *xc_fused_circle(xc_complex *out, size_t count, long double step,
                                          long double n, long double scale)
{
	for (size_t k = 0; k < count; k++)
		out[k] = xc_fused_root(step * (long double)k / n, scale);
	return out + count;
}

#endif
