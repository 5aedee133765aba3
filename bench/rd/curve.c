/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/rd/curve.h"

#include <math.h>

void xc_rd_curve_add(xc_rd_curve *curve, double rate, double quality)
{
	const int n = curve->count;
	if (n == XC_RD_POINTS || !(rate > 0) || !isfinite(quality))
		return;
	if (n && (log(rate) <= curve->log_rate[n - 1] || quality <= curve->quality[n - 1]))
		return;
	curve->log_rate[n] = log(rate);
	curve->quality[n] = quality;
	curve->count++;
}

/* The slope at an end whose own piece is h0 wide with slope s0; h1 and s1 are its neighbour's:
 * that of the parabola through three points, limited so that the cubic stays monotone. */
static double end_slope(double h0, double h1, double s0, double s1)
{
	const double slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
	if (slope * s0 <= 0)
		return 0;
	return s0 * s1 <= 0 && fabs(slope) > 3 * fabs(s0) ? 3 * s0 : slope;
}

/* The slope at point i, after Fritsch and Carlson, "Monotone piecewise cubic interpolation", SIAM
 * J. Numer. Anal. 17 (1980): the weighted harmonic mean of the slopes on both sides. */
static double slope_at(const double *x, const double *y, int n, int i)
{
	if (n == 2)
		return (y[1] - y[0]) / (x[1] - x[0]);
	const int k = i == 0 ? 1 : i == n - 1 ? n - 2 : i;
	const double h0 = x[k] - x[k - 1], h1 = x[k + 1] - x[k];
	const double s0 = (y[k] - y[k - 1]) / h0, s1 = (y[k + 1] - y[k]) / h1;
	if (i < k)
		return end_slope(h0, h1, s0, s1);
	if (i > k)
		return end_slope(h1, h0, s1, s0);
	if (s0 * s1 <= 0)
		return 0;
	return 3 * (h0 + h1) / ((2 * h1 + h0) / s0 + (h1 + 2 * h0) / s1);
}

static double interpolate(const double *x, const double *y, int n, double at)
{
	int i = 0;
	while (i < n - 2 && at > x[i + 1])
		i++;
	const double h = x[i + 1] - x[i], t = (at - x[i]) / h;
	const double d0 = slope_at(x, y, n, i) * h, d1 = slope_at(x, y, n, i + 1) * h;
	return y[i] * (1 + 2 * t) * (1 - t) * (1 - t) + d0 * t * (1 - t) * (1 - t) +
	       y[i + 1] * t * t * (3 - 2 * t) - d1 * t * t * (1 - t);
}

static double log_rate_at(const xc_rd_curve *c, double quality)
{
	return interpolate(c->quality, c->log_rate, c->count, quality);
}

/* The part of a curve between two rates. */
typedef struct part {
	double low, high; /* qualities at its ends */
	double covered;   /* how much of the range the curve spans, on the logarithmic scale */
} part;

static part part_of(const xc_rd_curve *c, double least, double most)
{
	const double first = fmax(log(least), c->log_rate[0]);
	const double last = fmin(log(most), c->log_rate[c->count - 1]);
	if (!(first < last))
		return (part){0, 0, 0};
	return (part){interpolate(c->log_rate, c->quality, c->count, first),
	              interpolate(c->log_rate, c->quality, c->count, last),
	              (last - first) / log(most / least)};
}

xc_rd_delta xc_rd_compare(const xc_rd_curve *anchor, const xc_rd_curve *curve, double least,
                          double most)
{
	enum { STEPS = 1000 };
	if (anchor->count < 2 || curve->count < 2)
		return (xc_rd_delta){NAN, 0};
	const part a = part_of(anchor, least, most), b = part_of(curve, least, most);
	const double low = fmax(a.low, b.low), high = fmin(a.high, b.high);
	double sum = 0;
	if (!(low < high))
		return (xc_rd_delta){NAN, 0};
	for (int i = 0; i < STEPS; i++) {
		const double quality = low + (high - low) * (i + 0.5) / STEPS;
		sum += log_rate_at(curve, quality) - log_rate_at(anchor, quality);
	}
	return (xc_rd_delta){100 * (exp(sum / STEPS) - 1), fmin(a.covered, b.covered)};
}
