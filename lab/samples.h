/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of an array of any precision, one at a time: slow, and exact in long double. */
#ifndef XC_LAB_SAMPLES_H
#define XC_LAB_SAMPLES_H

#include <math.h>
#include <stdint.h>

#include "lab/registry.h"

static inline long double xc_sample_get(const void *samples, xc_precision precision, size_t i)
{
	if (precision == XC_PRECISION_16)
		return ((const int16_t *)samples)[i];
	if (precision == XC_PRECISION_32)
		return (long double)((const float *)samples)[i];
	if (precision == XC_PRECISION_64)
		return (long double)((const double *)samples)[i];
	return ((const long double *)samples)[i];
}

/* 16 bits: rounded to a whole number, which must fit. */
static inline void xc_sample_put(void *samples, xc_precision precision, size_t i, long double value)
{
	if (precision == XC_PRECISION_16)
		((int16_t *)samples)[i] = (int16_t)lrintl(value);
	else if (precision == XC_PRECISION_32)
		((float *)samples)[i] = (float)value;
	else if (precision == XC_PRECISION_64)
		((double *)samples)[i] = (double)value;
	else
		((long double *)samples)[i] = value;
}

#endif
