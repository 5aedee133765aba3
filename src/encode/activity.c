/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/activity.h"

#include <string.h>

void xc_activity_init(xc_activity *a, xc_tune tune, const uint32_t steps[64], uint32_t peak)
{
	/* Exponent, the variance of factor one, and the limits. */
	static const int32_t tunes[][4] = {
		[XC_TUNE_EYE] = {11, 300, -13, 8},
		[XC_TUNE_SSIM] = {16, 600, -16, 8},
		[XC_TUNE_PSNR] = {0, 0, 0, 0},
	};
	const int32_t *t = tunes[tune];
	uint32_t max = 1;

	for (int i = 1; i < 64; i++)
		max = steps[i] > max ? steps[i] : max;
	for (int u = 0; u < 8; u++)
		for (int v = 0; v < 8; v++)
			a->ratio[u * 8 + v] = (uint16_t)((uint64_t)steps[v * 8 + u] * 256 / max);
	a->ratio[0] = 0;
	a->flat = tune == XC_TUNE_PSNR;
	a->exponent = t[0];
	a->middle = xc_log2_256((uint64_t)(2 * t[1] + XC_ACTIVITY_CONSTANT));
	a->low = t[2];
	a->high = t[3];
	max = (uint32_t)(((uint64_t)max * 65535 + peak / 2) / peak);
	a->scale = (uint64_t)max * max;
}

typedef uint16_t row __attribute__((vector_size(16)));

/* The sum of squares of a block's AC coefficients, in units of the largest step over 16. */
static inline uint32_t sum_of_squares(const xc_activity *a, const void *block, int depth16)
{
	enum { MAX = XC_ACTIVITY_MAX };
	uint32_t sum = 0;

	for (int u = 0; u < 64; u += 8) {
		row size, ratio;
		if (depth16) {
			for (int i = 0; i < 8; i++) {
				const int32_t c = ((const int32_t *)block)[u + i], m = c < 0 ? -c : c;
				size[i] = (uint16_t)(m < MAX ? m : MAX);
			}
		} else {
			int16_t __attribute__((vector_size(16))) c;
			memcpy(&c, (const int16_t *)block + u, sizeof c);
			size = (row)((c ^ c >> 15) - (c >> 15));
			const row large = (row)(size > MAX);
			size = (size & ~large) | (MAX & large);
		}
		memcpy(&ratio, a->ratio + u, sizeof ratio);
		const row scaled = size * ratio >> 8, square = scaled * scaled;
		for (int i = 0; i < 8; i++)
			sum += square[i];
	}
	return sum;
}

void xc_activity_factors(const xc_activity *a, const void *blocks, size_t n, int depth16,
                         uint16_t *factors)
{
	for (size_t b = 0; b < n; b++) {
		const char *block = (const char *)blocks + b * (depth16 ? 256 : 128);
		factors[b] = a->flat ? XC_FACTOR_ONE
		                     : xc_activity_factor(a, sum_of_squares(a, block, depth16));
	}
}
