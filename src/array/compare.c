/* SPDX-License-Identifier: BSD-2-Clause */
/* How far two arrays are apart: xc_array_compare(). */
#include <float.h>
#include <math.h>

#include "src/array/array.h"
#include "src/core/floats.h"

static void add(xc_array_sums *to, const xc_array_sums *from)
{
	to->a += from->a;
	to->b += from->b;
	to->aa += from->aa;
	to->bb += from->bb;
	to->ab += from->ab;
	to->squares += from->squares;
	to->energy += from->energy;
}

/* Two values of which one is no finite number, or the first is the fill value. */
static void take_unusual(xc_array_difference *d, xc_array_sums *sums, double a, double b)
{
	if (a == b || (isnan(a) && isnan(b)))
		return;
	sums->unmatched = 1;
	d->error = INFINITY;
	d->relative = INFINITY;
}

/* Sums lose little: by blocks, which are added up, of values less the first one, which are scaled
 * where their squares might be none. */
xc_status xc_array_sum(xc_context *c, xc_array_type type, const void *a, const void *b, double fill,
                       uint64_t count, xc_array_difference *d, xc_array_sums *all)
{
	enum { BLOCK = 4096, FAR = 300, REPORT = 64 * BLOCK };
	xc_array_look look = {.low = 1, .high = 0};
	xc_array_sums block = {0};
	double origin = 0;
	int e = 0;

	*all = block;
	xc_array_look_at_some(type, a, NULL, fill, count, &look);
	if (look.low <= look.high)
		frexp(fmax(fabs(look.low), fabs(look.high)), &e);
	else
		look.low = look.high = 0;
	e = e > FAR || e < -FAR ? e : 0;
	const double half = ldexp(1, -e / 2), scale = ldexp(1, -e + e / 2);
	*d = (xc_array_difference){.values = count, .low = look.low, .high = look.high};
	all->exponent = e;
	all->range = look.high * half * scale - look.low * half * scale;
	xc_status s = XC_OK;
	for (uint64_t i = 0; i < count && !s; i++) {
		if (i % REPORT == 0)
			s = xc_report_progress(c, (double)i / (double)count);
		const double x = xc_array_value(type, a, (size_t)i);
		const double y = xc_array_value(type, b, (size_t)i);
		d->different += xc_array_bits(type, a, (size_t)i) != xc_array_bits(type, b, (size_t)i);
		if (!isfinite(x) || !isfinite(y) || x == fill) {
			take_unusual(d, all, x, y);
			continue;
		}
		const double by = fabs(y - x), u = x * half * scale, v = y * half * scale;
		origin = all->finite++ > 0 ? origin : u; /* moments about a value lose less */
		d->error = by > d->error ? by : d->error;
		const double share = by == 0 ? 0 : x == 0 ? INFINITY : by / fabs(x);
		d->relative = share > d->relative ? share : d->relative;
		const double p = u - origin, q = v - origin;
		block.a += p;
		block.b += q;
		block.aa += p * p;
		block.bb += q * q;
		block.ab += p * q;
		block.energy += u * u;
		block.squares += (v - u) * (v - u);
		if (i % BLOCK == BLOCK - 1) {
			add(all, &block);
			block = (xc_array_sums){0};
		}
	}
	add(all, &block);
	return s;
}

/* The mean squared error, scaled by 2^-*e so that none that counts is lost, by the largest one, where
 * the scale of the values is far from it: among them is one near the largest or least number of the type. */
static double mean_square(xc_array_type type, const void *a, const void *b, double fill,
                          const xc_array_difference *d, const xc_array_sums *sums, int *e)
{
	double squares = 0;

	*e = sums->exponent;
	const double scaled = ldexp(d->error, -*e);
	if (sums->unmatched || d->error == 0 || (scaled > 0x1p-300 && scaled < 0x1p300))
		return sums->squares / sums->finite;
	*e = 1024; /* of a difference that is no number */
	if (d->error <= DBL_MAX)
		frexp(d->error, e);
	for (uint64_t i = 0; i < d->values; i++) {
		const double x = xc_array_value(type, a, (size_t)i), y = xc_array_value(type, b, (size_t)i);
		if (!isfinite(x) || !isfinite(y) || x == fill)
			continue;
		const double by = d->error <= DBL_MAX ? ldexp(y - x, -*e) : ldexp(y, -*e) - ldexp(x, -*e);
		squares += by * by;
	}
	return squares / sums->finite;
}

xc_status xc_array_compare(xc_context *c, const xc_array_shape *shape, const void *a, const void *b,
                           const double *fill, xc_array_difference *d)
{
	XC_DEFAULT_FLOATS;
	xc_array_options o;
	xc_array_header h;
	xc_array_sums sums;
	uint64_t values = 1;
	xc_status s = XC_BEGIN_RESULT(c, d);

	if (s)
		return s;
	if (!shape || !a || !b)
		return xc_fail(c, XC_ERR_ARGUMENT, "no arrays");
	xc_array_options_default(&o);
	o.has_fill = fill != NULL;
	o.fill = fill ? *fill : 0;
	s = xc_array_header_make(c, shape, &o, &h);
	if (s)
		return s;
	for (int k = 0; k < shape->dimensions; k++)
		values *= shape->size[k];
	const double fill_value = xc_array_fill(shape->type, &o);
	s = xc_array_sum(c, shape->type, a, b, fill_value, values, d, &sums);
	if (s) {
		*d = (xc_array_difference){.values = 0};
		return s;
	}
	int scale;
	const double n = sums.finite; /* perhaps 0 */
	const double mean_a = sums.a / n, mean_b = sums.b / n;
	const double va = sums.aa / n - mean_a * mean_a, vb = sums.bb / n - mean_b * mean_b;
	const double square = mean_square(shape->type, a, b, fill_value, d, &sums, &scale);
	/* Those of the values have another scale than the error. */
	const double octaves = 20 * log10(2) * (sums.exponent - scale);
	const int equal = d->error == 0 || n == 0;
	d->rmse = n > 0 ? ldexp(sqrt(square), scale) : 0;
	d->psnr = equal ? INFINITY : 20 * log10(sums.range / sqrt(square)) + octaves;
	d->snr = equal ? INFINITY : 10 * log10(sums.energy / n / square) + octaves;
	const double covariance = sums.ab / n - mean_a * mean_b;
	/* Where the second array has values far above the first one's, sums of it may be no numbers. */
	d->correlation = va > 0 && vb > 0 && vb <= DBL_MAX ? covariance / sqrt(va) / sqrt(vb) : NAN;
	if (sums.unmatched) { /* figures of the other places would look like those of all */
		d->rmse = INFINITY;
		d->psnr = d->snr = -INFINITY;
		d->correlation = NAN;
	}
	return XC_OK;
}
