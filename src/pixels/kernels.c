/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the kernels of a SIMD level. Steps at the edges of a plane are plain C. */
#include "src/pixels/kernels.h"

#define XC_V float
#include "transform/lapped8.h"

const xc_kernels *xc_kernels_get(xc_cpu cpu)
{
	static const xc_kernels *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_kernels_scalar,
	     XC_CPU_ENTRY_SSE2(&xc_kernels_sse2) XC_CPU_ENTRY_NEON(&xc_kernels_neon)
	         XC_CPU_ENTRY_AVX2(&xc_kernels_avx2) XC_CPU_ENTRY_AVX512(&xc_kernels_avx512)};

	return levels[cpu];
}

void xc_lapped_end(xc_transform transform, int inverse, xc_plane_end end, float *samples,
                   size_t step, size_t lines, size_t line_step)
{
	const size_t half = end == XC_PLANE_FIRST ? 4 : 0; /* the half of x inside the plane */

	if (transform != XC_TRANSFORM_LOT)
		return;
	for (size_t n = 0; n < lines; n++) {
		float *s = samples + n * line_step, x[8];
		for (size_t i = 0; i < 4; i++) {
			x[half + i] = s[i * step];
			x[inverse ? 4 - half + i : 7 - half - i] = s[i * step];
		}
		if (inverse)
			xc_lot8_inverse_edge(x);
		else
			xc_lot8_forward_edge(x);
		for (size_t i = 0; i < 4; i++)
			s[i * step] = x[half + i];
	}
}
