/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers that are coded to values and back. Doubles that hold integers, decimals of few digits,
 * multiples of a power of two or float32 are coded as integers, which a map turns into values
 * (doc/format.md, section 11.8). src/array/encode.c and chunk.c call it.
 */
#include <math.h>
#include <string.h>

#include "array/real.h"
#include "src/array/array.h"

static const double powers[XC_MAP_LAST - XC_MAP_DECIMALS + 1] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,
                                                                 1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
                                                                 1e18, 1e19, 1e20, 1e21, 1e22};

void xc_map_range(int map, double *low, double *high)
{
	*low = map == XC_MAP_FLOATS ? (double)xc_key_of(-FLT_MAX) : -0x1p51;
	*high = map == XC_MAP_FLOATS ? (double)xc_key_of(FLT_MAX) : 0x1p51;
}

/* NaN becomes the smallest. */
static double clamped(int map, double k)
{
	double low, high;

	xc_map_range(map, &low, &high);
	return k > low ? k < high ? k : high : low;
}

double xc_map_number(int map, double value)
{
	const double k = map == XC_MAP_FLOATS ? (double)xc_key_of((float)value)
	                 : map < 0            ? ldexp(value, -map)
	                                      : value * powers[map - XC_MAP_DECIMALS];
	return rint(clamped(map, k));
}

double xc_map_value(int map, double number)
{
	const double k = clamped(map, number);
	return map == XC_MAP_FLOATS ? (double)xc_real_of((xc_key)k)
	       : map < 0            ? k * ldexp(1, map)
	                            : k / powers[map - XC_MAP_DECIMALS];
}

void xc_slab_load(xc_array_type type, const xc_slab_model *m, const void *values, size_t count,
                  void *reals)
{
	if (!m->map)
		xc_array_load(type, m->exponent, values, count, reals);
	for (size_t i = 0; m->map && i < count; i++)
		((double *)reals)[i] = xc_map_number(m->map, ((const double *)values)[i]);
}

void xc_slab_unload(xc_array_type type, const xc_slab_model *m, const void *reals, size_t count,
                    void *values)
{
	if (m->ranks)
		xc_ranks_unload(type, m->rank, m->ranks, reals, count, values);
	else if (!m->map)
		xc_array_unload(type, m->exponent, reals, count, values);
	for (size_t i = 0; m->map && i < count; i++)
		((double *)values)[i] = xc_map_value(m->map, ((const double *)reals)[i]);
}

/* ---------------------------------------------------------------- choosing one */

/* Values, and which of them count: those of kind 0, or all where kinds are NULL. */
typedef struct doubles {
	const double *value;
	const uint8_t *kind;
	uint64_t count;
	double largest; /* magnitude */
} doubles;

/* Whether a map gives all of them but one of 64, which become exceptions. It gives up where there are many
 * more so far. */
static int is_map(const doubles *d, int map)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < d->count; i++) {
		const double v = d->value[i];
		const double back = d->kind && d->kind[i] ? v : xc_map_value(map, xc_map_number(map, v));
		wrong += memcmp(&v, &back, sizeof v) != 0;
		if (wrong > 1024 + i / 64)
			return 0;
	}
	return 64 * wrong <= d->count;
}

/* The exponent of the lowest bit that a number other than 0 has. */
static int lowest_bit(double v)
{
	int e;
	const int64_t bits = (int64_t)ldexp(frexp(v, &e), 53);

	return e - 53 + __builtin_ctzll((uint64_t)bits);
}

/* The map of integers below `end` to what are multiples of a power of two, or decimals; 0: there is none. */
static int map_of_integers(const doubles *d, double end)
{
	int lowest = 0;

	for (uint64_t i = 0; i < d->count && ldexp(d->largest, -lowest) < end; i++) {
		if ((d->kind && d->kind[i]) || d->value[i] == 0)
			continue;
		const int e = lowest_bit(d->value[i]);
		lowest = e < lowest ? e : lowest;
	}
	const int map = lowest ? lowest : XC_MAP_DECIMALS;
	if (ldexp(d->largest, -lowest) < end && is_map(d, map))
		return map;
	for (int i = XC_MAP_DECIMALS; i <= XC_MAP_LAST; i++)
		if (xc_map_number(i, d->largest) < end && is_map(d, i))
			return i;
	return 0;
}

/* Integers that are close come before float32, whose keys jump where the sign changes; those that
 * are far come last. */
void xc_slab_choose_map(const xc_array_header *h, const void *values, const uint8_t *kinds,
                        uint64_t count, xc_array_look *look, xc_slab_model *m)
{
	const doubles d = {values, kinds, count, fmax(fabs(look->low), fabs(look->high))};

	if (h->shape.type != XC_ARRAY_FLOAT64 || m->model.mode != XC_MODE_KEYS || m->model.step > 1 ||
	    look->low >= look->high)
		return;
	m->map = map_of_integers(&d, 0x1p32);
	if (!m->map && is_map(&d, XC_MAP_FLOATS))
		m->map = XC_MAP_FLOATS;
	if (!m->map)
		m->map = map_of_integers(&d, 0x1p51);
	if (!m->map)
		return;
	xc_map_range(m->map, &m->model.low, &m->model.high);
	look->low = xc_map_number(m->map, look->low);
	look->high = xc_map_number(m->map, look->high);
	m->model.mode = XC_MODE_WHOLE;
	m->model.anchor_level = xc_anchor_level((look->high - look->low) / 4);
}
