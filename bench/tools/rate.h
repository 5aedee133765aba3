/* SPDX-License-Identifier: BSD-2-Clause */
/* Bjontegaard's delta rate, with monotone piecewise cubics through the points. */
#ifndef XC_BENCH_TOOLS_RATE_H
#define XC_BENCH_TOOLS_RATE_H

enum { XC_BENCH_POINTS = 32 };

/* How a codec does on one picture.  Quality (in dB) and rate rise from point to point. */
typedef struct xc_bench_curve {
	int count;
	double rate[XC_BENCH_POINTS]; /* bits a pixel */
	double quality[XC_BENCH_POINTS];
} xc_bench_curve;

/* Adds a point, unless it does not rise in both. */
void xc_bench_curve_add(xc_bench_curve *curve, double rate, double quality);

/* How many per cent more bits `curve` takes than `anchor` at equal quality, on average
 * over the qualities that both have between the rates least and most. */
double xc_bench_delta_rate(const xc_bench_curve *anchor, const xc_bench_curve *curve, double least,
                           double most);

#endif
