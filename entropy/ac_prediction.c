/* SPDX-License-Identifier: BSD-2-Clause */
/* AC prediction for one width (entropy/width.h): the encoder removes it, the decoder adds it. */
#include "entropy/ac_prediction.h"

#include <stddef.h>

#include "entropy/points.h"
#include "entropy/width.h"

#ifndef XC_SUFFIX

/* sign: 1 adds, UINT32_MAX takes away. */
static inline __attribute__((always_inline)) void change(COEF *here, uint32_t wide, uint32_t high,
                                                         xc_ac_prediction ac_prediction,
                                                         uint32_t sign)
{
	const ptrdiff_t row = (ptrdiff_t)wide * 64;

	for (uint32_t y = 0; y < high; y++) {
		/* A block beyond the edge of the segment is the one at the edge. */
		const ptrdiff_t above = y ? -row : 0, below = y + 1 < high ? row : 0;
		for (uint32_t x = 0; x < wide; x++, here += 64) {
			const ptrdiff_t left = x ? -64 : 0, right = x + 1 < wide ? 64 : 0;
			here[8] = (COEF)((uint32_t)here[8] +
			                 sign * xc_ac_predict_between(here[left], here[right],
			                                              ac_prediction.across));
			here[1] = (COEF)((uint32_t)here[1] + sign * xc_ac_predict_between(here[above],
			                                                                  here[below],
			                                                                  ac_prediction.down));
		}
	}
}

void NAME(xc_ac_prediction_add)(void *blocks, uint32_t wide, uint32_t high,
                                xc_ac_prediction ac_prediction)
{
	change(blocks, wide, high, ac_prediction, 1);
}

void NAME(xc_ac_prediction_remove)(void *blocks, uint32_t wide, uint32_t high,
                                   xc_ac_prediction ac_prediction)
{
	COEF *dc = blocks;

	for (size_t i = 0; i < (size_t)wide * high; i++, dc += 64)
		*dc = (COEF)(xc_quantized_value(*dc) * XC_STEP_PARTS);
	change(blocks, wide, high, ac_prediction, UINT32_MAX);
}

#endif
