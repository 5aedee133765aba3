/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: the factors around the FFTs, computed in long double and rounded
 * once.
 */
#include <math.h>

#define XC_PI_L 3.141592653589793238462643383279502884L

/* count complex numbers: `first`, then rest * exp(sign i pi k / (2 n)). */
static XC_REAL *XC_T(twiddles)(size_t n, size_t count, long double first, long double rest,
                               int sign)
{
	XC_REAL *const w = xc_frame_allocate(xc_frame_multiply(count, 2), sizeof *w);
	if (!w)
		return NULL;
	w[0] = (XC_REAL)first;
	for (size_t k = 1; k < count; k++) {
		const long double angle = XC_PI_L * (long double)k / (2 * (long double)n);
		w[2 * k] = (XC_REAL)(rest * cosl(angle));
		w[2 * k + 1] = (XC_REAL)((long double)sign * rest * sinl(angle));
	}
	return w;
}

#undef XC_PI_L
