/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/lapped.h"

#define XC_V float
#include "transform/lapped8.h"

void xc_lapped_end(xc_transform transform, int inverse, xc_plane_end end, float *samples,
                   size_t step, size_t lines, size_t line_step)
{
	const size_t half = end == XC_PLANE_FIRST ? 4 : 0; /* of x, where the plane is */

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
