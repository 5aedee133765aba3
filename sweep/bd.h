/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bjontegaard's deltas of rate and of quality (VCEG-M33), with monotone piecewise cubics (PCHIP)
 * through the points in place of one polynomial, as in the common test conditions of JCT-VC: the
 * logarithm of the rate as a function of quality, and quality as a function of that.
 */
#ifndef XC_SWEEP_BD_H
#define XC_SWEEP_BD_H

enum { XC_SWEEP_CURVE_POINTS = 128 };

/* How a codec does on one picture.  Both rise from point to point. */
typedef struct xc_sweep_curve {
	int count;
	double log_rate[XC_SWEEP_CURVE_POINTS]; /* natural logarithm of bits a pixel */
	double quality[XC_SWEEP_CURVE_POINTS];  /* in dB, or on any other scale */
} xc_sweep_curve;

typedef struct xc_sweep_delta {
	double percent; /* more bits than the anchor takes; NAN if no quality is common to both */
	double quality; /* more than the anchor's; NAN if no rate is common to both */
	double covered; /* part of the range of rates that both curves span, 0 to 1 */
} xc_sweep_delta;

/* Adds a point unless it does not rise in both, is no number, or finds no room. */
void xc_sweep_curve_add(xc_sweep_curve *curve, double rate, double quality);

/* SSIM and MS-SSIM on a scale on which equal steps are about equally visible: dB of 1 - ssim. */
double xc_sweep_ssim_decibels(double ssim);

/* The means over the qualities, and over the rates, that both have at `min` to `max` bits a
 * pixel, which may be 0 and INFINITY (`covered` is then 0). */
xc_sweep_delta xc_sweep_compare(const xc_sweep_curve *anchor, const xc_sweep_curve *curve,
                                double min, double max);

/* The mean over the qualities from low to high that both have, whatever their rates; `covered` is
 * the part of them, and `quality` is not told. */
xc_sweep_delta xc_sweep_compare_between(const xc_sweep_curve *anchor, const xc_sweep_curve *curve,
                                        double low, double high);

#endif
