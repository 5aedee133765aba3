/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of reconstruction: where in its interval of quantization an AC coefficient is restored
 * (doc/format.md, 6.2.3). Coefficients are in sixteenths of a step here. */
#ifndef XC_ENTROPY_POINTS_H
#define XC_ENTROPY_POINTS_H

#include <stdint.h>

enum {
	XC_STEP_PARTS = 16,
	XC_MAX_POINT = 7,
	/* Added to a magnitude before truncation, with a dead zone: a third of a step, because
	 * coefficients within an interval are more often small than large. */
	XC_DEAD_ZONE_ROUNDING = 5
};

/* The decoder subtracts this from the magnitude of a coefficient, in sixteenths of a step,
 * -XC_MAX_POINT to XC_MAX_POINT: for magnitude 1, and for all larger ones. */
typedef struct xc_value_points {
	int8_t one, more;
} xc_value_points;

/* The coefficient of a quantized value. */
static inline XC_DEVICE int32_t xc_reconstruct(int32_t value, xc_value_points p)
{
	const int32_t whole = value * XC_STEP_PARTS;

	if (value > 0)
		return whole - (value == 1 ? p.one : p.more);
	return value < 0 ? whole + (value == -1 ? p.one : p.more) : 0;
}

/* The quantized value of a coefficient, whatever the points. */
static inline XC_DEVICE int32_t xc_quantized_value(int32_t coefficient)
{
	const int32_t half = XC_STEP_PARTS / 2;
	return coefficient < 0 ? -((half - coefficient) / XC_STEP_PARTS)
	                       : (half + coefficient) / XC_STEP_PARTS;
}

/* How far the coefficients lie below the values that they became, in sixteenths of a step: for
 * magnitude 1 and for larger ones. */
typedef struct xc_offsets {
	int64_t sum[2];
	uint64_t count[2];
} xc_offsets;

/* Adds a coefficient of magnitude `size`, in sixteenths of a step, that became `value`. */
static inline void xc_offsets_add(xc_offsets *o, int32_t size, int32_t value)
{
	o->sum[value > 1] += value * XC_STEP_PARTS - size;
	o->count[value > 1]++;
}

static inline XC_DEVICE int8_t xc_offset_point(int64_t sum, uint64_t count)
{
	const int64_t n = (int64_t)count;
	const int64_t p = !n ? 0 : sum < 0 ? -((n / 2 - sum) / n) : (n / 2 + sum) / n;
	const int64_t max = XC_MAX_POINT;

	return (int8_t)(p > max ? max : p < -max ? -max : p);
}

/* The points of reconstruction with the least error. */
static inline XC_DEVICE xc_value_points xc_offsets_points(const xc_offsets *o)
{
	const xc_value_points p = {xc_offset_point(o->sum[0], o->count[0]),
	                           xc_offset_point(o->sum[1], o->count[1])};
	return p;
}

#endif
