/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/bd.h"

#include <math.h>

void xc_sweep_curve_add(xc_sweep_curve *curve, double rate, double quality)
{
	const int n = curve->count;

	if (n == XC_SWEEP_CURVE_POINTS || !(rate > 0) || !isfinite(quality))
		return;
	if (n && (log(rate) <= curve->log_rate[n - 1] || quality <= curve->quality[n - 1]))
		return;
	curve->log_rate[n] = log(rate);
	curve->quality[n] = quality;
	curve->count++;
}

double xc_sweep_ssim_decibels(double ssim)
{
	return -10 * log10(1 - ssim);
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

/* The cubic between points i and i + 1. */
typedef struct piece {
	double x, width, y[2], slope[2]; /* slopes in units of y a width */
} piece;

static piece piece_of(const double *x, const double *y, int n, int i)
{
	const double width = x[i + 1] - x[i];

	return (piece){x[i],
	               width,
	               {y[i], y[i + 1]},
	               {slope_at(x, y, n, i) * width, slope_at(x, y, n, i + 1) * width}};
}

static double piece_at(const piece *p, double x)
{
	const double t = (x - p->x) / p->width, u = 1 - t;
	return p->y[0] * (1 + 2 * t) * u * u + p->slope[0] * t * u * u + p->y[1] * t * t * (3 - 2 * t) -
	       p->slope[1] * t * t * u;
}

static double interpolate(const double *x, const double *y, int n, double at)
{
	int i = 0;

	while (i < n - 2 && at > x[i + 1])
		i++;
	const piece p = piece_of(x, y, n, i);
	return piece_at(&p, at);
}

/* The mean from low to high, which the points span.  Gauss's formula of two nodes is exact for
 * cubics. */
static double mean(const double *x, const double *y, int n, double low, double high)
{
	double sum = 0;

	for (int i = 0; i < n - 1; i++) {
		const double from = fmax(low, x[i]), to = fmin(high, x[i + 1]);
		const double middle = (from + to) / 2, node = (to - from) / (2 * sqrt(3));
		const piece p = piece_of(x, y, n, i);
		if (from < to)
			sum += (piece_at(&p, middle - node) + piece_at(&p, middle + node)) * (to - from) / 2;
	}
	return sum / (high - low);
}

/* The part of a curve between two rates. */
typedef struct part {
	double first, last; /* log-rates at its ends */
	double low, high;   /* qualities there */
} part;

static part part_of(const xc_sweep_curve *c, double min, double max)
{
	part p = {fmax(log(min), c->log_rate[0]), fmin(log(max), c->log_rate[c->count - 1]), 0, 0};

	if (p.first < p.last) {
		p.low = interpolate(c->log_rate, c->quality, c->count, p.first);
		p.high = interpolate(c->log_rate, c->quality, c->count, p.last);
	}
	return p;
}

/* How much of the range a part spans, on the logarithmic scale. */
static double coverage(const part *p, double min, double max)
{
	return p->first < p->last ? (p->last - p->first) / (log(max) - log(min)) : 0;
}

/* How much more bits the curve takes, in per cent; NAN where the range is empty. */
static double more_bits(const xc_sweep_curve *anchor, const xc_sweep_curve *curve, double low,
                        double high)
{
	if (!(low < high))
		return NAN;
	return 100 * expm1(mean(curve->quality, curve->log_rate, curve->count, low, high) -
	                   mean(anchor->quality, anchor->log_rate, anchor->count, low, high));
}

xc_sweep_delta xc_sweep_compare_between(const xc_sweep_curve *anchor, const xc_sweep_curve *curve,
                                        double low, double high)
{
	xc_sweep_delta delta = {NAN, NAN, 0};

	if (anchor->count < 2 || curve->count < 2)
		return delta;
	const double from = fmax(low, fmax(anchor->quality[0], curve->quality[0]));
	const double to = fmin(high, fmin(anchor->quality[anchor->count - 1],
	                                  curve->quality[curve->count - 1]));
	delta.percent = more_bits(anchor, curve, from, to);
	delta.covered = fmax(0, to - from) / (high - low);
	return delta;
}

xc_sweep_delta xc_sweep_compare(const xc_sweep_curve *anchor, const xc_sweep_curve *curve,
                                double min, double max)
{
	xc_sweep_delta delta = {NAN, NAN, 0};

	if (anchor->count < 2 || curve->count < 2)
		return delta;
	const part a = part_of(anchor, min, max), b = part_of(curve, min, max);
	const double low = fmax(a.low, b.low), high = fmin(a.high, b.high);
	const double first = fmax(a.first, b.first), last = fmin(a.last, b.last);
	delta.covered = fmin(coverage(&a, min, max), coverage(&b, min, max));
	delta.percent = more_bits(anchor, curve, low, high);
	if (first < last)
		delta.quality = mean(curve->log_rate, curve->quality, curve->count, first, last) -
		                mean(anchor->log_rate, anchor->quality, anchor->count, first, last);
	return delta;
}
