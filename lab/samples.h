/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of any precision, one at a time. */
#ifndef XC_LAB_SAMPLES_H
#define XC_LAB_SAMPLES_H

#include <math.h>
#include <stdint.h>
#include <xct.h>

#include "lab/half.h"

static inline size_t xc_precision_bytes(xct_precision precision)
{
	if (precision == XCT_FLOAT16)
		return 2;
	return precision == XCT_LONG_DOUBLE ? sizeof(long double) : 2 * (size_t)precision;
}

/* 16, 32, 64 or 128, as in the data files. */
static inline int xc_precision_bits(xct_precision precision)
{
	return precision == XCT_LONG_DOUBLE ? 128 : 8 * (int)xc_precision_bytes(precision);
}

/* Samples of an array of any precision, one at a time: slow, and exact in long double. */
static inline long double xc_sample_get(const void *samples, xct_precision precision, size_t i)
{
	if (precision == XCT_INT16)
		return ((const int16_t *)samples)[i];
	if (precision == XCT_FLOAT32)
		return (long double)((const float *)samples)[i];
	if (precision == XCT_FLOAT64)
		return (long double)((const double *)samples)[i];
	if (precision == XCT_FLOAT16)
		return (long double)xc_half_to_float(((const uint16_t *)samples)[i]);
	return ((const long double *)samples)[i];
}

/* 16 bits: rounded to a whole number, which must fit. */
static inline void xc_sample_put(void *samples, xct_precision precision, size_t i,
                                 long double value)
{
	if (precision == XCT_INT16)
		((int16_t *)samples)[i] = (int16_t)lrintl(value);
	else if (precision == XCT_FLOAT32)
		((float *)samples)[i] = (float)value;
	else if (precision == XCT_FLOAT64)
		((double *)samples)[i] = (double)value;
	else if (precision == XCT_FLOAT16)
		((uint16_t *)samples)[i] = xc_half_of((float)value);
	else
		((long double *)samples)[i] = value;
}

#endif
