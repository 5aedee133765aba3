/* SPDX-License-Identifier: BSD-2-Clause */
/* How far two arrays are apart: xc_array_compare(). */
#include <float.h>
#include <math.h>

#include "src/array/array.h"

/* Sums that lose little: by blocks, which are added up, of values less the first one. */
typedef struct sums {
	double a, b, aa, bb, ab, squares, energy;
} sums;

static void add(sums *to, const sums *from)
{
	to->a += from->a;
	to->b += from->b;
	to->aa += from->aa;
	to->bb += from->bb;
	to->ab += from->ab;
	to->squares += from->squares;
	to->energy += from->energy;
}

/* Two values of which one is no finite number. */
static void take_unusual(xc_array_difference *d, double a, double b)
{
	if (a == b || (isnan(a) && isnan(b)))
		return;
	d->error = INFINITY;
	d->relative = INFINITY;
}

static void finish(xc_array_difference *d, const sums *s, double n)
{
	if (!n)
		return;
	const double mean_a = s->a / n, mean_b = s->b / n;
	const double va = s->aa / n - mean_a * mean_a, vb = s->bb / n - mean_b * mean_b;

	d->rmse = sqrt(s->squares / n);
	d->psnr = d->rmse > 0 ? 20 * log10((d->high - d->low) / d->rmse) : INFINITY;
	d->snr = d->rmse > 0 ? 10 * log10(s->energy / s->squares) : INFINITY;
	d->correlation = va > 0 && vb > 0 ? (s->ab / n - mean_a * mean_b) / sqrt(va * vb) : NAN;
}

xc_status xc_array_compare(xc_context *c, const xc_array_shape *shape, const void *a, const void *b,
                           xc_array_difference *d)
{
	enum { BLOCK = 4096 };
	xc_array_options o;
	xc_array_header h;
	sums all = {0}, block = {0};
	uint64_t values = 1, finite = 0;
	double origin = 0;
	xc_status s = xc_begin_result(c, d);

	if (s)
		return s;
	*d = (xc_array_difference){.low = 1, .high = 0};
	if (!shape || !a || !b)
		return xc_fail(c, XC_ERR_ARGUMENT, "no arrays");
	xc_array_options_default(&o);
	s = xc_array_header_make(c, shape, &o, &h);
	if (s)
		return s;
	for (int k = 0; k < shape->dimensions; k++)
		values *= shape->size[k];
	d->values = values;
	for (uint64_t i = 0; i < values; i++) {
		const double x = xc_array_value(shape->type, a, (size_t)i);
		const double y = xc_array_value(shape->type, b, (size_t)i);
		const int same = xc_array_bits(shape->type, a, (size_t)i) ==
		                 xc_array_bits(shape->type, b, (size_t)i);
		d->different += !same;
		if (!isfinite(x) || !isfinite(y)) {
			take_unusual(d, x, y);
			continue;
		}
		const double by = fabs(y - x);
		origin = finite++ ? origin : x; /* moments about a value lose less */
		d->low = d->low > d->high ? x : x < d->low ? x : d->low;
		d->high = finite == 1 || x > d->high ? x : d->high;
		d->error = by > d->error ? by : d->error;
		const double share = by == 0 ? 0 : x == 0 ? INFINITY : by / fabs(x);
		d->relative = share > d->relative ? share : d->relative;
		const double p = x - origin, q = y - origin;
		block.a += p;
		block.b += q;
		block.aa += p * p;
		block.bb += q * q;
		block.ab += p * q;
		block.energy += x * x;
		block.squares += by * by;
		if (finite % BLOCK == 0) {
			add(&all, &block);
			block = (sums){0};
		}
	}
	add(&all, &block);
	if (!finite)
		d->low = d->high = 0;
	finish(d, &all, (double)finite);
	return XC_OK;
}
