/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/arrays.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "src/array/array.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

/* ------------------------------------------------------------------ values */

static const struct {
	double low, high;
	int least, most; /* exponents of magnitudes */
} types[XC_ARRAY_TYPES] = {
	{-FLT_MAX, FLT_MAX, -149, 128}, {-DBL_MAX, DBL_MAX, -1074, 1024}, {INT8_MIN, INT8_MAX, 0, 7},
	{INT16_MIN, INT16_MAX, 0, 15},  {INT32_MIN, INT32_MAX, 0, 31},    {0, UINT8_MAX, 0, 8},
	{0, UINT16_MAX, 0, 16},         {0, UINT32_MAX, 0, 32},
};

static void set(xc_made_array *a, size_t i, double v)
{
	const xc_array_type t = a->shape.type;

	v = v > types[t].low ? v < types[t].high ? v : types[t].high : types[t].low;
	if (t == XC_ARRAY_FLOAT64)
		((double *)a->values)[i] = v;
	else if (t == XC_ARRAY_FLOAT32)
		((float *)a->values)[i] = (float)v;
	else
		xc_array_set_bits(t, a->values, i, (uint64_t)(int64_t)v);
}

static double unit(uint64_t *s)
{
	return (double)check_below(s, 1U << 31) * 0x1p-30 - 1;
}

/* The field, about -1 to 1, at a place. */
enum { SMOOTH, NOISE, CONSTANT, STEPS, FEW, WALK, ROUGH, WIDE, BITS, CONTENTS };

static double wave(const double slope[4], const uint64_t at[4])
{
	double sum = 0;

	for (int k = 0; k < 4; k++) {
		const double t = (double)at[k] * slope[k], u = t - floor(t);
		sum += (8 * u * (1 - u) - 1) * 0.3;
	}
	return sum;
}

static void fill_values(xc_made_array *a, uint64_t *s)
{
	const int n = a->shape.dimensions, content = (int)check_below(s, CONTENTS);
	const int least = types[a->shape.type].least, most = types[a->shape.type].most;
	const uint32_t where = check_below(s, 8);
	const int scale = where < 3    ? (int)check_below(s, 16) - 3
	                  : where == 3 ? most
	                  : where == 4 ? most - 1 - (int)check_below(s, 3)
	                  : where == 5 ? least + (int)check_below(s, 14)
	                               : least + (int)check_below(s, (uint32_t)(most - least + 1));
	const double offset = check_below(s, 3) ? 0 : unit(s) * (1 << check_below(s, 20));
	double slope[4], few[9], v = 0;
	uint64_t at[4] = {0};

	for (int k = 0; k < 4; k++)
		slope[k] = (unit(s) + 1) / (check_below(s, 2) ? 64 : 8);
	for (int k = 0; k < 9; k++)
		few[k] = unit(s);
	for (size_t i = 0; i < a->count; i++) {
		const double noise = unit(s);
		v = content == SMOOTH     ? wave(slope, at)
		    : content == NOISE    ? noise
		    : content == STEPS    ? (check_below(s, 40) ? v : noise)
		    : content == FEW      ? few[check_below(s, 9)]
		    : content == WALK     ? v * 0.99 + noise * 0.1
		    : content == ROUGH    ? wave(slope, at) + noise * 0.01
		    : content == WIDE     ? ldexp(noise, -(int)check_below(s, 120))
		    : content == CONSTANT ? few[0]
		                          : 0;
		if (content == BITS)
			xc_array_set_bits(a->shape.type, a->values, i, check_random(s));
		else
			set(a, i, ldexp(v + offset, scale));
		for (int k = n; k-- > 0 && ++at[k] == a->shape.size[k];)
			at[k] = 0;
	}
}

/* ---------------------------------------------------------------- unusual */

static uint64_t unusual(const xc_made_array *a, uint64_t *s)
{
	const int wide = a->shape.type == XC_ARRAY_FLOAT64;
	const uint64_t sign = check_below(s, 2) ? 1ULL << (wide ? 63 : 31) : 0;
	const uint64_t infinite = wide ? 0x7ff0000000000000ULL : 0x7f800000;

	if (a->shape.type > XC_ARRAY_FLOAT64)
		return check_random(s);
	switch (check_below(s, 8)) {
	case 0:
		return infinite | (infinite >> 1); /* the usual NaN */
	case 1:
		return sign | infinite | (check_random(s) & (wide ? 0xfffffffffffffULL : 0x7fffff));
	case 2:
		return sign | infinite;
	case 3:
		return sign; /* zero */
	case 4:
		return sign | (infinite - 1); /* the largest */
	case 5:
		return sign | 1; /* the least */
	case 6:
		return sign | (check_random(s) & (infinite >> 4 | 1)); /* tiny */
	default:
		return sign | infinite | 1; /* a signalling NaN */
	}
}

static void set_unusual(xc_made_array *a, uint64_t *s)
{
	static const double fills[] = {-999.25, 0, -1, 255, 32767, 1e20, 1e300, 4294967295.0};
	const uint32_t rare = 1U << check_below(s, 12);

	if (!check_below(s, 3)) {
		a->options.has_fill = 1;
		a->options.fill = check_below(s, 2) ? fills[check_below(s, COUNT(fills))]
		                                    : xc_array_value(a->shape.type, a->values, 0);
		for (size_t i = check_below(s, (uint32_t)a->count),
		            n = check_below(s, 1 + (uint32_t)a->count / 2);
		     n-- > 0 && i < a->count; i++)
			set(a, i, a->options.fill);
	}
	for (size_t i = 0; check_below(s, 2) == 0 && i < a->count; i += 1 + check_below(s, 2 * rare))
		xc_array_set_bits(a->shape.type, a->values, i, unusual(a, s));
	/* One special value alone. */
	const uint64_t one = unusual(a, s);
	const int often = check_below(s, 5) == 0;
	for (size_t i = 0; often && i < a->count; i += 1 + check_below(s, 2 * rare))
		xc_array_set_bits(a->shape.type, a->values, i, one);
}

/* A fill value of float32 is the nearest one. */
static int is_fill(const xc_made_array *a, double x)
{
	const double fill = a->options.fill;

	return a->options.has_fill &&
	       (x == fill || (a->shape.type == XC_ARRAY_FLOAT32 && (float)x == (float)fill && x != 0));
}

void xc_made_array_look(xc_made_array *a)
{
	a->low = 1;
	a->high = 0;
	for (size_t i = 0; i < a->count; i++) {
		const double v = xc_array_value(a->shape.type, a->values, i);
		if (!isfinite(v) || is_fill(a, v))
			continue;
		const int first = a->low > a->high;
		a->low = first || v < a->low ? v : a->low;
		a->high = first || v > a->high ? v : a->high;
	}
	if (a->options.kind == XC_BOUND_RELATIVE) {
		const int some = a->low <= a->high;
		a->options.has_range = 1;
		a->options.low = some ? a->low : 0;
		a->options.high = some ? a->high : 0;
	}
}

/* ---------------------------------------------------------------- options */

static void set_bound(xc_made_array *a, uint64_t *s)
{
	static const double absurd[] = {0,   4.9e-324, 1e-300, 1e-40, 1e-16,
	                                0.5, 1,        1e20,   1e300, DBL_MAX};
	const double range = a->low < a->high ? a->high / 4 - a->low / 4 : 1;
	const double share = (1 + unit(s)) * ldexp(1, -(int)check_below(s, 30));

	a->options.kind = (xc_array_bound)check_below(s, XC_BOUND_SNR + 1);
	if (!check_below(s, 4))
		a->options.bound = absurd[check_below(s, COUNT(absurd))];
	else if (a->options.kind >= XC_BOUND_PSNR)
		a->options.bound = check_below(s, 8) ? (1 + unit(s)) * 80 : (1 + unit(s)) * 4000;
	else
		a->options.bound = a->options.kind == XC_BOUND_ABSOLUTE ? fmin(share * range, DBL_MAX)
		                                                        : share;
}

static void set_shape(xc_made_array *a, size_t most, uint64_t *s)
{
	const int n = 1 + (int)check_below(s, XC_ARRAY_DIMENSIONS), from = (int)check_below(s, 4);

	a->shape.type = (xc_array_type)check_below(s, XC_ARRAY_TYPES);
	a->each = xc_array_type_size(a->shape.type);
	a->shape.dimensions = n;
	a->count = 1;
	if (check_below(s, 4))
		most = 1 + most / (1 + check_below(s, 200));
	for (int k = 0; k < n; k++) {
		const size_t left = most / a->count, size = 1 + check_below(s, check_below(s, 4) ? 70 : 4);
		a->shape.size[(k + from) % n] = size < left ? size : left;
		a->count *= size < left ? size : left;
	}
	a->options.effort = check_below(s, 2) ? 0 : check_below(s, 2) ? 1 : 2 + (int)check_below(s, 2);
	for (int k = 0; k < 3; k++)
		a->options.chunk[k] = check_below(s, 2) ? 0
		                                        : 1 + check_below(s, check_below(s, 2) ? 80 : 9);
}

void xc_made_array_make(uint64_t seed, size_t most, xc_made_array *a)
{
	uint64_t s = seed * 0x9e3779b97f4a7c15u + 44;

	memset(a, 0, sizeof *a);
	xc_array_options_default(&a->options);
	set_shape(a, most, &s);
	a->values = xc_test_malloc(a->count * a->each);
	fill_values(a, &s);
	set_unusual(a, &s);
	xc_made_array_look(a);
	set_bound(a, &s);
	xc_made_array_look(a);
	if (check_below(&s, 2))
		a->options.way = (xc_array_way)(1 + check_below(&s, 3));
}

/* ----------------------------------------------------------------- judging */

/* |a - b| <= share (r + s), where s is what r lacks by rounding: what the operations round off is
 * added up itself. */
static int within(long double a, long double b, long double share, long double r, long double s)
{
	const long double d = b - a, part = d + a;
	const long double off = (b - part) - (a - (part - d)); /* Knuth's sum of two */
	const long double by = fabsl(d), more = d < 0 ? -off : off;
	const long double limit = share * r, rest = fmal(share, r, -limit) + share * s;

	return !isfinite(limit) || (isfinite(by) && (by - limit) + (more - rest) <= 0);
}

/* PSNR and SNR keep to 10^-9 dB, as the library adds up in double. */
static ptrdiff_t low_ratio(const xc_made_array *a, const void *decoded)
{
	const long double range = (long double)a->high - a->low;
	long double squares = 0, energy = 0, n = 0;

	for (size_t i = 0; i < a->count; i++) {
		const long double x = xc_array_value(a->shape.type, a->values, i),
						  y = xc_array_value(a->shape.type, decoded, i);
		if (!isfinite((double)x) || is_fill(a, (double)x))
			continue;
		squares += (y - x) * (y - x);
		energy += x * x;
		n++;
	}
	const long double peak = a->options.kind == XC_BOUND_SNR ? energy : range * range * n;
	return squares == 0 || 10 * log10l(peak / squares) >= a->options.bound - 1e-9L ? -1 : -2;
}

ptrdiff_t xc_made_array_wrong(const xc_made_array *a, const void *decoded)
{
	const xc_array_options *o = &a->options;
	const double bound = o->bound;
	const long double range = (long double)a->high - a->low, back = range + a->low;
	const long double off = (a->high - back) - (a->low - (back - range));

	for (size_t i = 0; i < a->count; i++) {
		const double x = xc_array_value(a->shape.type, a->values, i),
					 y = xc_array_value(a->shape.type, decoded, i);
		if (!memcmp((const char *)a->values + i * a->each, (const char *)decoded + i * a->each,
		            a->each))
			continue;
		if (!isfinite(x) || !isfinite(y) || o->kind == XC_BOUND_LOSSLESS)
			return (ptrdiff_t)i;
		if (is_fill(a, x))
			return (ptrdiff_t)i;
		if ((o->kind == XC_BOUND_ABSOLUTE && !within(x, y, bound, 1, 0)) ||
		    (o->kind == XC_BOUND_RELATIVE && !within(x, y, bound, range, off)) ||
		    (o->kind == XC_BOUND_POINTWISE && !within(x, y, bound, fabs(x), 0)))
			return (ptrdiff_t)i;
	}
	return o->kind >= XC_BOUND_PSNR ? low_ratio(a, decoded) : -1;
}

static ptrdiff_t read_at(void *user, uint64_t offset, void *to, size_t size)
{
	memcpy(to, (const char *)user + offset, size);
	return (ptrdiff_t)size;
}

xc_source xc_made_source(const void *file, size_t size, int functions)
{
	if (!functions)
		return (xc_source){.memory = file, .size = size};
	return (xc_source){.read_at = read_at, .user = (void *)(uintptr_t)file, .size = size};
}
