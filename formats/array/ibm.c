/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IBM System/360 floats of 32 bits, which SEG-Y has: a sign, e of 7 bits, f of 24 bits, for
 * f x 16^(e - 64) / 2^24.
 *
 * To float32 nothing is rounded where the exponent allows: f is an integer below 2^24, and float32
 * has every such integer times 2^k for k from -149 to 104. So all numbers of e - 64 from -31 to 32
 * are exact; above, they are infinite here; below, they are the nearest float32. Back, f of a
 * normalized number is from 2^20 to 2^24 - 1, so it has 21 to 24 bits. A float32 that came from such a
 * number has it again, bit by bit, for there is one normalized form only; any other float32 is
 * rounded to the nearest, by at most half of a unit of f: 2^-21 of the value.
 */
#include "formats/array/segy.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "float is IEEE 754's binary32");

/* 2^k, which is a normal double for these exponents: -280 to 228 */
static double power(int k)
{
	const uint64_t bits = (uint64_t)(1023 + k) << 52;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static float from_ibm(uint32_t bits, uint64_t *changed)
{
	const uint32_t f = bits & 0xffffff, e = bits >> 24 & 0x7f;
	const float sign = bits >> 31 ? -1.0f : 1.0f;

	if (!f) {
		*changed += e != 0;
		return sign * 0.0f;
	}
	const double x = (double)f * power(4 * ((int)e - 64) - 24);
	const float value = x > (double)FLT_MAX ? INFINITY : (float)x;
	*changed += f < 0x100000 || (double)value != x;
	return sign * value;
}

static uint32_t to_ibm(float value, segy_counts *counts)
{
	uint32_t bits, m;
	int q;

	memcpy(&bits, &value, sizeof bits);
	const uint32_t sign = bits & UINT32_C(0x80000000);
	const int exponent = (int)(bits >> 23 & 0xff);
	m = bits & 0x7fffff;
	if (!exponent && !m)
		return sign;
	if (exponent == 255) {
		counts->infinite++;
		return sign | 0x7fffffff;
	}
	/* value = m x 2^q, m from 2^23 to 2^24 - 1 */
	q = exponent ? exponent - 150 : -149;
	for (m |= exponent ? 0x800000 : 0; m < 0x800000; m <<= 1)
		q--;
	/* f x 2^(4 e - 24) with e such that 0 to 3 bits are lost; q + 172 is not negative */
	int e = (q + 23 + 4 * 64) / 4 - 64 + 1;
	const int shift = 4 * e - 24 - q;
	uint32_t f = m >> shift;
	const uint32_t lost = m & ((1u << shift) - 1), half = 1u << shift >> 1;
	if (lost) {
		counts->rounded++;
		f += lost > half || (lost == half && (f & 1));
	}
	if (f >> 24) {
		f >>= 4;
		e++;
	}
	return sign | (uint32_t)(e + 64) << 24 | f;
}

void xc_ibm_to_floats(void *values, uint64_t count, segy_counts *counts)
{
	uint8_t *p = values;

	for (uint64_t i = 0; i < count; i++, p += 4) {
		uint32_t bits;
		memcpy(&bits, p, 4);
		const float value = from_ibm(bits, &counts->changed);
		memcpy(p, &value, 4);
	}
}

void xc_ibm_from_floats(void *values, uint64_t count, segy_counts *counts)
{
	uint8_t *p = values;

	for (uint64_t i = 0; i < count; i++, p += 4) {
		float value;
		memcpy(&value, p, 4);
		const uint32_t bits = to_ibm(value, counts);
		memcpy(p, &bits, 4);
	}
}
