/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bjontegaard's delta rate, with monotone piecewise cubics (PCHIP) through the points, as in
 * his improved method: the logarithm of the rate as a function of quality.
 */
#ifndef XC_BENCH_RD_CURVE_H
#define XC_BENCH_RD_CURVE_H

enum { XC_RD_POINTS = 64 };

/* How a codec does on one picture.  Both rise from point to point. */
typedef struct xc_rd_curve {
	int count;
	double log_rate[XC_RD_POINTS]; /* natural logarithm of bits a pixel */
	double quality[XC_RD_POINTS];  /* in dB, or on any other scale */
} xc_rd_curve;

typedef struct xc_rd_delta {
	double percent; /* more bits than the anchor takes; NAN if no quality is common to both */
	double covered; /* part of the range of rates that both curves span, 0 to 1 */
} xc_rd_delta;

/* Adds a point unless it does not rise in both, is no number, or finds no room. */
void xc_rd_curve_add(xc_rd_curve *curve, double rate, double quality);

/* The mean over the qualities that both have at `least` to `most` bits a pixel. */
xc_rd_delta xc_rd_compare(const xc_rd_curve *anchor, const xc_rd_curve *curve, double least,
                          double most);

#endif
