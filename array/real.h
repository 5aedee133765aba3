/* SPDX-License-Identifier: BSD-2-Clause */
/* The type in which a chunk is predicted: float, or double where XC_ARRAY_DOUBLE is defined. Values
 * of 8 and 16 bits and float32 are float, the others double. */
#ifndef XC_ARRAY_REAL_H
#define XC_ARRAY_REAL_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#ifdef XC_ARRAY_DOUBLE
typedef double xc_real;
typedef int64_t xc_key;
typedef uint64_t xc_ukey;
#define XC_REAL_NAME(name) name##_double
#else
typedef float xc_real;
typedef int32_t xc_key;
typedef uint32_t xc_ukey;
#define XC_REAL_NAME(name) name##_float
#endif

enum {
	XC_KEY_BITS = 8 * (int)sizeof(xc_key),
	XC_REAL_LEVELS = 2 * XC_KEY_BITS /* half octaves of residues (array/code.h) */
};

static inline XC_DEVICE xc_real xc_abs(xc_real v)
{
	return v < 0 ? -v : v;
}

static inline XC_DEVICE int xc_is_finite(xc_real v)
{
	return xc_abs(v) <= (xc_real)(sizeof(xc_real) == 8 ? DBL_MAX : FLT_MAX);
}

/* Bits as integers in the order of the numbers, and back. */
static inline XC_DEVICE xc_key xc_key_of(xc_real v)
{
	xc_key k;
	memcpy(&k, &v, sizeof k);
	return k ^ (xc_key)((xc_ukey)(k >> (XC_KEY_BITS - 1)) >> 1);
}

static inline XC_DEVICE xc_real xc_real_of(xc_key k)
{
	xc_real v;
	k ^= (xc_key)((xc_ukey)(k >> (XC_KEY_BITS - 1)) >> 1);
	memcpy(&v, &k, sizeof v);
	return v;
}

/* To the nearest integer, ties to even, for magnitudes below a quarter of the mantissa's range. */
static inline XC_DEVICE xc_real xc_whole(xc_real v)
{
	const xc_real magic = (xc_real)(sizeof(xc_real) == 8 ? 6755399441055744.0 : 12582912.0);
	return v + magic - magic;
}

#endif
