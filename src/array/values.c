/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the eight types: as numbers, as bits, as what is coded, and held against a bound. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "src/array/array.h"

/* X(number of the type, C's type, what it is coded as) */
#define TYPES(X) \
	X(XC_ARRAY_FLOAT32, float, float) \
	X(XC_ARRAY_FLOAT64, double, double) \
	X(XC_ARRAY_INT8, int8_t, float) \
	X(XC_ARRAY_INT16, int16_t, float) \
	X(XC_ARRAY_INT32, int32_t, double) \
	X(XC_ARRAY_UINT8, uint8_t, float) \
	X(XC_ARRAY_UINT16, uint16_t, float) \
	X(XC_ARRAY_UINT32, uint32_t, double)

static const struct {
	const char *name;
	size_t size;
	double low, high;
} types[XC_ARRAY_TYPES] = {
	[XC_ARRAY_FLOAT32] = {"float32", 4, 0, 0},
	[XC_ARRAY_FLOAT64] = {"float64", 8, 0, 0},
	[XC_ARRAY_INT8] = {"int8", 1, -128, 127},
	[XC_ARRAY_INT16] = {"int16", 2, -32768, 32767},
	[XC_ARRAY_INT32] = {"int32", 4, -2147483648.0, 2147483647.0},
	[XC_ARRAY_UINT8] = {"uint8", 1, 0, 255},
	[XC_ARRAY_UINT16] = {"uint16", 2, 0, 65535},
	[XC_ARRAY_UINT32] = {"uint32", 4, 0, 4294967295.0},
};

size_t xc_array_type_size(xc_array_type type)
{
	return (unsigned)type < XC_ARRAY_TYPES ? types[type].size : 0;
}

const char *xc_array_type_name(xc_array_type type)
{
	return (unsigned)type < XC_ARRAY_TYPES ? types[type].name : NULL;
}

void xc_array_type_range(xc_array_type type, double *low, double *high)
{
	*low = types[type].low;
	*high = types[type].high;
}

double xc_array_value(xc_array_type type, const void *values, size_t i)
{
	switch (type) {
#define X(number, own, real) \
	case number: \
		return (double)((const own *)values)[i];
		TYPES(X)
#undef X
	}
	return 0;
}

uint64_t xc_array_bits(xc_array_type type, const void *values, size_t i)
{
	const char *at = (const char *)values + i * types[type].size;
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (types[type].size) {
	case 1:
		memcpy(&one, at, 1);
		return one;
	case 2:
		memcpy(&two, at, 2);
		return two;
	case 4:
		memcpy(&four, at, 4);
		return four;
	default:
		memcpy(&eight, at, 8);
		return eight;
	}
}

void xc_array_set_bits(xc_array_type type, void *values, size_t i, uint64_t bits)
{
	char *at = (char *)values + i * types[type].size;
	const uint8_t one = (uint8_t)bits;
	const uint16_t two = (uint16_t)bits;
	const uint32_t four = (uint32_t)bits;

	switch (types[type].size) {
	case 1:
		memcpy(at, &one, 1);
		return;
	case 2:
		memcpy(at, &two, 2);
		return;
	case 4:
		memcpy(at, &four, 4);
		return;
	default:
		memcpy(at, &bits, 8);
	}
}

/* ---------------------------------------------------------------- looking */

#define LOOK(own) \
	static void look_##own(const own *v, uint64_t n, xc_array_look *l) \
	{ \
		own low = l->low <= l->high ? (own)l->low : (own)0; \
		own high = l->low <= l->high ? (own)l->high : (own)0; \
		int any = l->low <= l->high; \
		for (uint64_t i = 0; i < n; i++) { \
			if (!isfinite(v[i])) { \
				l->unusual++; \
				continue; \
			} \
			if (!any) { \
				low = high = v[i]; \
				any = 1; \
			} \
			low = v[i] < low ? v[i] : low; \
			high = v[i] > high ? v[i] : high; \
			l->whole &= xc_array_is_whole((double)v[i]); \
		} \
		if (any) { \
			l->low = (double)low; \
			l->high = (double)high; \
		} \
	}
LOOK(float)
LOOK(double)

#define LOOK_WHOLE(own) \
	static void look_##own(const own *v, uint64_t n, xc_array_look *l) \
	{ \
		own low = v[0], high = v[0]; \
		for (uint64_t i = 1; i < n; i++) { \
			low = v[i] < low ? v[i] : low; \
			high = v[i] > high ? v[i] : high; \
		} \
		const int any = l->low <= l->high; \
		l->low = any && l->low < (double)low ? l->low : (double)low; \
		l->high = any && l->high > (double)high ? l->high : (double)high; \
	}
LOOK_WHOLE(int8_t)
LOOK_WHOLE(int16_t)
LOOK_WHOLE(int32_t)
LOOK_WHOLE(uint8_t)
LOOK_WHOLE(uint16_t)
LOOK_WHOLE(uint32_t)

void xc_array_look_at(xc_array_type type, const void *values, uint64_t count, xc_array_look *look)
{
	if (!count)
		return;
	switch (type) {
#define X(number, own, real) \
	case number: \
		look_##own(values, count, look); \
		return;
		TYPES(X)
#undef X
	}
}

double xc_array_fill(xc_array_type type, const xc_array_options *o)
{
	if (!o->has_fill || !(fabs(o->fill) <= DBL_MAX))
		return NAN;
	return type == XC_ARRAY_FLOAT32 ? (double)(float)o->fill : o->fill;
}

void xc_array_look_at_some(xc_array_type type, const void *values, const uint8_t *kinds,
                           double fill, uint64_t count, xc_array_look *look)
{
	const char *const v = values;
	const int some = kinds || !isnan(fill);
	uint64_t first = 0; /* of a run of values that count */

	for (uint64_t i = 0; some && i < count; i++)
		if ((kinds && kinds[i]) || xc_array_value(type, values, (size_t)i) == fill) {
			xc_array_look_at(type, v + first * types[type].size, i - first, look);
			first = i + 1;
		}
	xc_array_look_at(type, v + first * types[type].size, count - first, look);
}

/* --------------------------------------------------------- as it is coded */

#define LOAD(own, real) \
	static void load_##own(const own *v, size_t n, int exponent, real *to) \
	{ \
		if (!exponent) { \
			for (size_t i = 0; i < n; i++) \
				to[i] = (real)v[i]; \
			return; \
		} \
		/* Two factors, since one may be out of range. */ \
		const real a = (real)ldexp(1, -exponent / 2), \
				   b = (real)ldexp(1, -exponent + exponent / 2); \
		for (size_t i = 0; i < n; i++) \
			to[i] = (real)v[i] * a * b; \
	}
#define LOAD_X(number, own, real) LOAD(own, real)
TYPES(LOAD_X)

void xc_array_load(xc_array_type type, int exponent, const void *values, size_t count, void *reals)
{
	switch (type) {
#define X(number, own, real) \
	case number: \
		load_##own(values, count, exponent, reals); \
		return;
		TYPES(X)
#undef X
	}
}

#define UNLOAD_REAL(own) \
	static void unload_##own(const own *v, size_t n, int exponent, own *to) \
	{ \
		if (!exponent) { \
			memcpy(to, v, n * sizeof *to); \
			return; \
		} \
		const own a = (own)ldexp(1, exponent / 2), b = (own)ldexp(1, exponent - exponent / 2); \
		for (size_t i = 0; i < n; i++) \
			to[i] = v[i] * a * b; \
	}
UNLOAD_REAL(float)
UNLOAD_REAL(double)

/* Coded integers are integers, but may lie beyond their type. */
#define UNLOAD_WHOLE(own, real, low, high) \
	static void unload_##own(const real *v, size_t n, int exponent, own *to) \
	{ \
		(void)exponent; \
		for (size_t i = 0; i < n; i++) \
			to[i] = (own)(v[i] > (real)(low) ? v[i] < (real)(high) ? v[i] : (real)(high) \
			                                 : (real)(low)); \
	}
UNLOAD_WHOLE(int8_t, float, -128, 127)
UNLOAD_WHOLE(int16_t, float, -32768, 32767)
UNLOAD_WHOLE(int32_t, double, -2147483648.0, 2147483647.0)
UNLOAD_WHOLE(uint8_t, float, 0, 255)
UNLOAD_WHOLE(uint16_t, float, 0, 65535)
UNLOAD_WHOLE(uint32_t, double, 0, 4294967295.0)

void xc_array_unload(xc_array_type type, int exponent, const void *reals, size_t count,
                     void *values)
{
	switch (type) {
#define X(number, own, real) \
	case number: \
		unload_##own(reals, count, exponent, values); \
		return;
		TYPES(X)
#undef X
	}
}

/* ------------------------------------------------------------------ bounds */

/* Whether |y - x| is not above what it is rounded to. */
static int is_below(double x, double y)
{
	const double d = y - x, back = d + x, off = (y - back) - (x - (back - d));
	return (d < 0 ? -off : off) <= 0;
}

#define BREAKS(own) \
	static size_t breaks_##own(const own *v, const own *w, size_t n, double error, double share, \
	                           uint32_t *list, size_t room) \
	{ \
		size_t found = 0; \
		for (size_t i = 0; i < n; i++) { \
			const double x = (double)v[i], y = (double)w[i], by = fabs(y - x); \
			/* False for NaN. What is below a rounded bound is below the exact one. */ \
			if (by < error + share * fabs(x) || x == y || (by == error && is_below(x, y))) \
				continue; \
			if (found < room) \
				list[found] = (uint32_t)i; \
			found++; \
		} \
		return found; \
	}
#define BREAKS_X(number, own, real) BREAKS(own)
TYPES(BREAKS_X)

static size_t differing(size_t bytes, const char *v, const char *w, size_t n, uint32_t *list,
                        size_t room)
{
	size_t found = 0;

	if (!memcmp(v, w, n * bytes))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!memcmp(v + i * bytes, w + i * bytes, bytes))
			continue;
		if (found < room)
			list[found] = (uint32_t)i;
		found++;
	}
	return found;
}

size_t xc_array_breaks(const xc_array_check *check, const void *values, const void *decoded,
                       size_t count, uint32_t *list, size_t room)
{
	const int pointwise = check->kind == XC_BOUND_POINTWISE;
	const double error = pointwise ? 0 : check->error, share = pointwise ? check->bound : 0;

	if (error == 0 && share == 0)
		return differing(types[check->type].size, values, decoded, count, list, room);
	switch (check->type) {
#define X(number, own, real) \
	case number: \
		return breaks_##own(values, decoded, count, error, share, list, room);
		TYPES(X)
#undef X
	}
	return 0;
}

/* ------------------------------------------------------------------ boxes */

/* Words stand for numbers of any type. */
typedef uint8_t word8;
typedef uint16_t word16 __attribute__((may_alias));
typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));

#define MOVE(own) \
	static void gather_##own(const uint32_t n[3], const own *from, const size_t s[3], own *to) \
	{ \
		for (uint32_t a = 0; a < n[0]; a++) \
			for (uint32_t b = 0; b < n[1]; b++) { \
				const own *v = from + a * s[0] + b * s[1]; \
				for (uint32_t c = 0; c < n[2]; c++) \
					*to++ = v[c * s[2]]; \
			} \
	} \
	static void scatter_##own(const uint32_t n[3], const own *from, own *to, const size_t s[3]) \
	{ \
		for (uint32_t a = 0; a < n[0]; a++) \
			for (uint32_t b = 0; b < n[1]; b++) { \
				own *v = to + a * s[0] + b * s[1]; \
				for (uint32_t c = 0; c < n[2]; c++) \
					v[c * s[2]] = *from++; \
			} \
	}
MOVE(word8)
MOVE(word16)
MOVE(word32)
MOVE(word64)

static void turn(const uint32_t n[3], const uint8_t axis[3], const size_t stride[3], uint32_t m[3],
                 size_t s[3])
{
	for (int k = 0; k < 3; k++) {
		m[k] = n[axis[k]];
		s[k] = stride[axis[k]];
	}
}

void xc_array_gather(size_t bytes, const uint32_t n[3], const uint8_t axis[3], const void *from,
                     const size_t stride[3], void *to)
{
	uint32_t m[3];
	size_t s[3];

	turn(n, axis, stride, m, s);
	if (bytes == 1)
		gather_word8(m, from, s, to);
	else if (bytes == 2)
		gather_word16(m, from, s, to);
	else if (bytes == 4)
		gather_word32(m, from, s, to);
	else
		gather_word64(m, from, s, to);
}

void xc_array_scatter(size_t bytes, const uint32_t n[3], const uint8_t axis[3], const void *from,
                      void *to, const size_t stride[3])
{
	uint32_t m[3];
	size_t s[3];

	turn(n, axis, stride, m, s);
	if (bytes == 1)
		scatter_word8(m, from, to, s);
	else if (bytes == 2)
		scatter_word16(m, from, to, s);
	else if (bytes == 4)
		scatter_word32(m, from, to, s);
	else
		scatter_word64(m, from, to, s);
}
