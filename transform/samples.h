/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the integer samples of pictures to the floats of arrays (xc_sample_type in xcodec_batch.h),
 * once for processor and GPU, so that both give the same bits. src/pixels/ and gpu/decode/ use it.
 * float32 must be rounded after each operation, as everywhere in the codec.
 */
#ifndef XC_TRANSFORM_SAMPLES_H
#define XC_TRANSFORM_SAMPLES_H

#include <stdint.h>
#include <string.h>

static inline XC_DEVICE float xc_sample_float(float sample, float largest, float mean,
                                              float deviation)
{
	return (sample / largest - mean) / deviation;
}

/* The bits of the binary16 number nearest to v, ties to even; infinite from 65520 on. Without
 * branches, so that compilers make vectors of it. */
static inline XC_DEVICE uint16_t xc_half_bits(float v)
{
	uint32_t bits, small_bits;

	memcpy(&bits, &v, sizeof bits);
	const uint32_t sign = bits >> 16 & 0x8000;
	bits &= 0x7fffffff;
	/* Below 2^-14 a binary16 number is a multiple of 2^-24, the last place of floats from 0.5 to 1. */
	float magnitude;
	memcpy(&magnitude, &bits, sizeof magnitude);
	const float small = magnitude + 0.5f;
	memcpy(&small_bits, &small, sizeof small_bits);
	const uint32_t below = small_bits - 0x3f000000;
	/* Moves the exponent's bias from 127 to 15, and rounds at bit 13. */
	const uint32_t normal = (bits - (112u << 23) + 0xfff + (bits >> 13 & 1)) >> 13;
	const uint32_t finite = bits < 0x38800000 ? below : normal;
	const uint32_t large = bits > 0x7f800000 ? 0x7e00 : 0x7c00;

	return (uint16_t)(sign | (bits >= 0x477ff000 ? large : finite));
}

#endif
