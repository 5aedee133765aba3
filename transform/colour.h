/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JFIF's YCbCr (ITU-T T.871), in float without rounding between the steps, and mixtures of the
 * three by a matrix.
 *
 * Include with XC_V as the value type, as transform/dct8.h. The order of operations is part of the
 * format.
 */
#ifndef XC_TRANSFORM_COLOUR_H
#define XC_TRANSFORM_COLOUR_H

#include "transform/colour_gains.h"

#ifndef XC_SUM
#define XC_SUM(a, b) ((a) + (b))
#endif

/* Multipliers of (B - Y) and (R - Y): half the inverse of 1 - 0.114 and 1 - 0.299. */
#define XC_KCB 0.564334085778781f
#define XC_KCR 0.713266761768902f

static inline XC_DEVICE XC_V xc_luma(XC_V r, XC_V g, XC_V b)
{
	return (r * 0.299f + g * 0.587f) + b * 0.114f;
}

static inline XC_DEVICE void xc_colour_inverse(XC_V y, XC_V cb, XC_V cr, const xc_colour_gains *k,
                                               XC_V *r, XC_V *g, XC_V *b)
{
	*r = XC_SUM(y, cr * k->r_cr);
	*g = XC_SUM(XC_SUM(y, cb * k->g_cb), cr * k->g_cr);
	*b = XC_SUM(y, cb * k->b_cb);
}

/* The product of a row of a matrix with (a, b, c). */
static inline XC_DEVICE XC_V xc_colour_mix(XC_V a, XC_V b, XC_V c, const float row[3])
{
	return XC_SUM(XC_SUM(a * row[0], b * row[1]), c * row[2]);
}

#endif
