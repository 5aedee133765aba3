/* SPDX-License-Identifier: BSD-2-Clause */
/* IEEE binary16, kept in an integer, and float. */
#ifndef XC_LAB_HALF_H
#define XC_LAB_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float xc_half_to_float(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
	/* The exponents of finite numbers differ by 112. */
	const uint32_t bits = rest >= 0x7c00 ? 0x7f800000 | rest << 13 : rest << 13;
	float value;

	memcpy(&value, &bits, sizeof value);
	if (rest < 0x7c00)
		value *= 0x1p112f;
	return sign ? -value : value;
}

/* To the nearest, ties to even. */
static inline uint16_t xc_half_of(float value)
{
	const float size = fabsf(value);
	const uint16_t sign = signbit(value) ? 0x8000 : 0;
	uint32_t bits;

	if (!(size < 65520))
		return (uint16_t)(sign | (size >= 65520 ? 0x7c00 : 0x7e00));
	if (size < 0x1p-14f)
		return (uint16_t)(sign | lrintf(size * 0x1p24f));
	memcpy(&bits, &size, sizeof bits);
	bits += 0xfff + (bits >> 13 & 1);
	return (uint16_t)(sign | (bits - (112u << 23)) >> 13);
}

#endif
