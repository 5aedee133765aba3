/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tools/rate.h"

#include <math.h>

void xc_bench_curve_add(xc_bench_curve *c, double rate, double quality)
{
	const int n = c->count;
	if (n == XC_BENCH_POINTS || !(rate > 0) || !isfinite(quality))
		return;
	if (n && (rate <= c->rate[n - 1] || quality <= c->quality[n - 1]))
		return;
	c->rate[n] = rate;
	c->quality[n] = quality;
	c->count++;
}

/* Slope at point i by Fritsch and Carlson, "Monotone piecewise cubic interpolation", SIAM
 * J. Numer. Anal. 17 (1980): the weighted harmonic mean of its neighbours' slopes; at an
 * end the slope of the end's own piece. */
static double slope(const double *x, const double *y, int n, int i)
{
	if (i == 0 || i == n - 1) {
		const int k = i ? n - 2 : 0;
		return (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
	}
	const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
	const double s0 = (y[i] - y[i - 1]) / h0, s1 = (y[i + 1] - y[i]) / h1;
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
	const double d0 = slope(x, y, n, i) * h, d1 = slope(x, y, n, i + 1) * h;
	return y[i] * (1 + 2 * t) * (1 - t) * (1 - t) + d0 * t * (1 - t) * (1 - t) +
	       y[i + 1] * t * t * (3 - 2 * t) - d1 * t * t * (1 - t);
}

double xc_bench_delta_rate(const xc_bench_curve *a, const xc_bench_curve *b, double least,
                           double most)
{
	enum { STEPS = 1000 };
	const xc_bench_curve *const curves[2] = {a, b};
	double rate[2][XC_BENCH_POINTS], low = -INFINITY, high = INFINITY, sum = 0;
	for (int i = 0; i < 2; i++) {
		const xc_bench_curve *c = curves[i];
		if (c->count < 2)
			return NAN;
		for (int k = 0; k < c->count; k++)
			rate[i][k] = log(c->rate[k]);
		const double first = fmax(log(least), rate[i][0]);
		const double last = fmin(log(most), rate[i][c->count - 1]);
		low = fmax(low, interpolate(rate[i], c->quality, c->count, first));
		high = fmin(high, interpolate(rate[i], c->quality, c->count, last));
	}
	if (!(low < high))
		return NAN;
	for (int i = 0; i < STEPS; i++) {
		const double q = low + (high - low) * (i + 0.5) / STEPS;
		sum += interpolate(b->quality, rate[1], b->count, q) -
		       interpolate(a->quality, rate[0], a->count, q);
	}
	return 100 * (exp(sum / STEPS) - 1);
}
