/* SPDX-License-Identifier: BSD-2-Clause */
/* AC prediction: the DCs of the neighbouring blocks predict the two lowest AC coefficients of a
 * block (doc/format.md, 6.2.5). A segment holds only the differences. */
#ifndef XC_ENTROPY_AC_PREDICTION_H
#define XC_ENTROPY_AC_PREDICTION_H

#include <stdint.h>

enum {
	XC_AC_PREDICTION_BITS = 16,
	XC_AC_PREDICTION_SCALE =
		6554, /* a tenth: ITU-T T.81, K.8 has 0.142, which is too much for noisy DCs */
	XC_AC_PREDICTION_MAX = 1 << 18
};

/* The share of the difference of two DCs that predicts coefficients (1, 0) and (0, 1), times
 * 2^XC_AC_PREDICTION_BITS, including the ratio of steps. */
typedef struct xc_ac_prediction {
	uint32_t across, down;
} xc_ac_prediction;

static inline uint32_t xc_ac_predict(uint32_t dc_step, uint32_t step)
{
	const uint32_t slope = (dc_step * XC_AC_PREDICTION_SCALE + step / 2) / step;
	return slope < XC_AC_PREDICTION_MAX ? slope : (uint32_t)XC_AC_PREDICTION_MAX;
}

/* steps: row by row, below 2^16. */
static inline xc_ac_prediction xc_ac_prediction_of(const uint32_t steps[64])
{
	const xc_ac_prediction ac_prediction = {xc_ac_predict(steps[0], steps[1]),
	                                        xc_ac_predict(steps[0], steps[8])};
	return ac_prediction;
}

/* The prediction from the DCs before and after a block, modulo 2^32, in sixteenths of a step. */
static inline XC_DEVICE uint32_t xc_ac_predict_between(int32_t before, int32_t after,
                                                       uint32_t slope)
{
	const int64_t part = ((int64_t)before - after) * slope;
	return (uint32_t)((part + (1 << (XC_AC_PREDICTION_BITS - 1))) >> XC_AC_PREDICTION_BITS);
}

/* Adds the predictions to the coefficients of a component, in sixteenths of a step and in
 * transposed order; the DCs are whole steps. Sums wrap around as the type does. */
typedef void xc_ac_predictor(void *blocks, uint32_t wide, uint32_t high,
                             xc_ac_prediction ac_prediction);
xc_ac_predictor xc_ac_prediction_add16, xc_ac_prediction_add32;

/* Rounds the DCs to whole steps and subtracts the predictions. */
xc_ac_predictor xc_ac_prediction_remove16, xc_ac_prediction_remove32;

#endif
