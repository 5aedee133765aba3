/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slopes: what the DCs of the blocks on either side say about the two lowest AC coefficients
 * of a block (doc/format.md, 6.2.5).  A segment holds the differences alone.
 */
#ifndef XC_ENTROPY_SLOPES_H
#define XC_ENTROPY_SLOPES_H

#include <stdint.h>

enum {
	XC_SLOPE_BITS = 16,
	XC_SLOPE = 6554, /* a tenth: ITU-T T.81, K.8 has 0.142, which is too much for noisy DCs */
	XC_MAX_SLOPE = 1 << 18
};

/* How much of the difference between two DCs coefficients (1, 0) and (0, 1) take, in parts of
 * 2^XC_SLOPE_BITS, steps included. */
typedef struct xc_slopes {
	uint32_t across, down;
} xc_slopes;

static inline uint32_t xc_slope(uint32_t dc_step, uint32_t step)
{
	const uint32_t slope = (dc_step * XC_SLOPE + step / 2) / step;
	return slope < XC_MAX_SLOPE ? slope : (uint32_t)XC_MAX_SLOPE;
}

/* steps: row by row, below 2^16. */
static inline xc_slopes xc_slopes_of(const uint32_t steps[64])
{
	const xc_slopes slopes = {xc_slope(steps[0], steps[1]), xc_slope(steps[0], steps[8])};
	return slopes;
}

/* What the DCs before and after a block make likely, modulo 2^32; all in sixteenths of a step. */
static inline XC_DEVICE uint32_t xc_slope_between(int32_t before, int32_t after, uint32_t slope)
{
	const int64_t part = ((int64_t)before - after) * slope;
	return (uint32_t)((part + (1 << (XC_SLOPE_BITS - 1))) >> XC_SLOPE_BITS);
}

/* Adds slopes to the coefficients of a component, which are in sixteenths of a step and in
 * transposed order; the DCs are whole steps.  Sums are reduced as the type is. */
void xc_slopes_add16(void *blocks, uint32_t wide, uint32_t high, xc_slopes slopes);
void xc_slopes_add32(void *blocks, uint32_t wide, uint32_t high, xc_slopes slopes);

/* Rounds the DCs to whole steps and takes the slopes away. */
void xc_slopes_remove16(void *blocks, uint32_t wide, uint32_t high, xc_slopes slopes);
void xc_slopes_remove32(void *blocks, uint32_t wide, uint32_t high, xc_slopes slopes);

#endif
