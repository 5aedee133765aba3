/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of one value of a chunk: residues, values, levels. array/chunk.h and array/grid.h
 * apply it along rows, gpu/array/ by the lanes of a warp; all operations are rounded one by one in
 * the order written.
 */
#ifndef XC_ARRAY_VALUE_H
#define XC_ARRAY_VALUE_H

#include "array/real.h"

#ifdef XC_ARRAY_DOUBLE
typedef uint64_t xc_folded;
#else
typedef uint32_t xc_folded;
#endif

static inline XC_DEVICE xc_folded xc_fold(xc_key r)
{
	return ((xc_folded)r << 1) ^ (xc_folded)(r >> (XC_KEY_BITS - 1));
}

static inline XC_DEVICE xc_key xc_unfold(xc_folded z)
{
	return (xc_key)(z >> 1) ^ -(xc_key)(z & 1);
}

static inline XC_DEVICE float xc_magnitude(xc_key r)
{
	return (float)(r < 0 ? -(xc_ukey)r : (xc_ukey)r);
}

/* A prediction of integers. */
static inline XC_DEVICE xc_real xc_limited(xc_real p, xc_real low, xc_real high)
{
	const xc_real v = p > low ? p : low;
	return xc_whole(v < high ? v : high);
}

/* The value of prediction p and residue r, and of keys. */
static inline XC_DEVICE xc_real xc_rebuilt(xc_real p, xc_key r, xc_real step)
{
	const xc_real v = p + (xc_real)r * step;
	return xc_is_finite(v) ? v : p;
}

static inline XC_DEVICE xc_real xc_rebuilt_key(xc_real p, xc_key r, xc_key step)
{
	const xc_key k = (xc_key)((xc_ukey)xc_key_of(p) + (xc_ukey)r * (xc_ukey)step);
	const xc_real v = xc_real_of(k);
	/* What is not a number stays out of predictions. */
	return xc_is_finite(v) ? v : p;
}

/* The folded residue that brings p nearest to x. */
static inline XC_DEVICE xc_folded xc_residue_of(xc_real x, xc_real p, xc_real inverse)
{
	const xc_real most = (xc_real)(sizeof(xc_real) == 8 ? 4e15 : 1e9);
	xc_real q = (x - p) * inverse;

	q = q > -most ? q : -most; /* NaN becomes this, too */
	q = q < most ? q : most;
	return xc_fold((xc_key)(q + (q < 0 ? (xc_real)-0.5 : (xc_real)0.5)));
}

static inline XC_DEVICE xc_folded xc_residue_of_key(xc_real x, xc_real p, xc_key step)
{
	const xc_key r = (xc_key)((xc_ukey)xc_key_of(x) - (xc_ukey)xc_key_of(p));

	if (step == 1)
		return xc_fold(r);
	const int up = xc_key_of(x) >= xc_key_of(p);
	const xc_ukey by = up ? (xc_ukey)r : (xc_ukey)0 - (xc_ukey)r;
	const xc_key q = (xc_key)(by / (xc_ukey)step + (by % (xc_ukey)step > (xc_ukey)step / 2));
	return xc_fold(up ? q : -q);
}

/*
 * The expected magnitude of a residue is a sum of magnitudes that are known around it. Its weights
 * are of fits to sections, slices and volumes.
 */
#define XC_LEVEL_BASE 0.2F
#define XC_LEVEL_KNOWN 0.03F  /* magnitudes before and after along the pass's dimension */
#define XC_LEVEL_ABOVE 0.17F  /* of the row before along b, */
#define XC_LEVEL_ABOVE_2 0.1F /* of the one before that, */
#define XC_LEVEL_BEHIND 0.06F /* of the row before along a, */
#define XC_LEVEL_ASIDE 0.03F  /* of the two beside the one above, */
#define XC_LEVEL_AROUND 0.01F /* of the four around the one behind, and beside the known ones */
#define XC_LEVEL_SLOPE 0.005F /* the difference of the known values, in steps */
#define XC_LEVEL_BEND 0.1F    /* that of their mean and the prediction */

/* Terms of the sum, in their order. Magnitudes before and after: */
static inline XC_DEVICE float xc_level_known(float before, float after)
{
	return XC_LEVEL_BASE + XC_LEVEL_KNOWN * (before + after);
}

/* Magnitudes beside the known ones. */
static inline XC_DEVICE float xc_level_beside(float p, float q, float u, float v)
{
	return XC_LEVEL_AROUND * ((p + q) + (u + v));
}

/* Values before and after, and the prediction. */
static inline XC_DEVICE float xc_level_bend(xc_real before, xc_real after, xc_real prediction,
                                            xc_real inverse)
{
	const xc_real slope = xc_abs(before - after) * inverse;
	const xc_real middle = (before + after) * (xc_real)0.5;
	const xc_real bend = xc_abs(prediction - middle) * inverse;

	return XC_LEVEL_SLOPE * (float)slope + XC_LEVEL_BEND * (float)bend;
}

/* The row behind gives the magnitude, those before and after it, and those above and below it. */
static inline XC_DEVICE float xc_level_behind(float behind, float before, float after, float up,
                                              float down)
{
	return XC_LEVEL_BEHIND * behind + XC_LEVEL_AROUND * ((before + after) + (up + down));
}

/* The row above gives three. */
static inline XC_DEVICE float xc_level_above(float above, float before, float after)
{
	return XC_LEVEL_ABOVE * above + XC_LEVEL_ASIDE * (before + after);
}

/* A level is half an octave of the expected magnitude, the first one below 2^-6. */
static inline XC_DEVICE uint8_t xc_level_of(float sum, int levels)
{
	uint32_t bits;

	memcpy(&bits, &sum, sizeof bits);
	const int32_t l = (int32_t)(bits - 0x3c800000U) >> 22;
	return (uint8_t)(l < 0 ? 0 : l > levels - 1 ? levels - 1 : l);
}

#endif
