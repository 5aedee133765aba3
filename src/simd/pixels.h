/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading XC_LANES interleaved pixels as vectors of float, and storing them.
 * channels and depth are constants at every call, so each use is specialised.
 */
#ifndef XC_SIMD_PIXELS_H
#define XC_SIMD_PIXELS_H

#include "src/simd/vec.h"

#if XC_LANES > 1
typedef uint8_t vb __attribute__((vector_size(4 * XC_LANES)));
#endif

#if XC_LANES >= 8
typedef uint8_t vb16 __attribute__((vector_size(16)));
typedef uint8_t vb32 __attribute__((vector_size(32)));

/* 12 useful bytes in each 16, so that the shuffle after it stays inside 128 bits.
 * Joined in registers: pieces put together in memory would have to be stored before
 * they can be loaded as one. */
XC_INLINE vb32 load_12_and_12(const uint8_t *p)
{
	vb16 a, b;
	memcpy(&a, p, 16);
	memcpy(&b, p + 12, 16);
	return V_SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
	                 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
#endif

/* XC_LANES RGB8 pixels as 32-bit lanes with R in the low byte; the high byte is
 * anything.  May read 4 bytes past the last pixel. */
XC_INLINE vu load_rgb8(const uint8_t *p)
{
#if XC_LANES == 1
	return p[0] | (vu)p[1] << 8 | (vu)p[2] << 16;
#elif XC_LANES == 4
	uint32_t w[4];
	for (int i = 0; i < 4; i++)
		memcpy(&w[i], p + 3 * i, 4);
	return (vu){w[0], w[1], w[2], w[3]};
#else
#if XC_LANES == 8
	const vb b = load_12_and_12(p);
	return (vu)V_SHUFFLE(b, b, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12, 16, 17, 18, 19,
	                     19, 20, 21, 22, 22, 23, 24, 25, 25, 26, 27, 28);
#else
	const vb32 low = load_12_and_12(p), high = load_12_and_12(p + 24);
	const vb b = V_SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
	                       19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,
	                       38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
	                       57, 58, 59, 60, 61, 62, 63);
	return (vu)V_SHUFFLE(b, b, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12, 16, 17, 18, 19,
	                     19, 20, 21, 22, 22, 23, 24, 25, 25, 26, 27, 28, 32, 33, 34, 35, 35, 36,
	                     37, 38, 38, 39, 40, 41, 41, 42, 43, 44, 48, 49, 50, 51, 51, 52, 53, 54,
	                     54, 55, 56, 57, 57, 58, 59, 60);
#endif
#endif
}

/* Writes exactly 3 * XC_LANES bytes. */
XC_INLINE void store_rgb8(uint8_t *p, vu w)
{
#if XC_LANES == 1
	p[0] = (uint8_t)w;
	p[1] = (uint8_t)(w >> 8);
	p[2] = (uint8_t)(w >> 16);
#elif XC_LANES == 4
	uint8_t bytes[16];
	for (int i = 0; i < 4; i++) {
		const uint32_t one = w[i];
		memcpy(bytes + 3 * i, &one, 4);
	}
	memcpy(p, bytes, 12);
#elif XC_LANES == 8
	const vb b = (vb)w;
	const vb s = V_SHUFFLE(b, b, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22,
	                       24, 25, 26, 28, 29, 30, -1, -1, -1, -1, -1, -1, -1, -1);
	memcpy(p, &s, 24);
#else
	const vb b = (vb)w;
	const vb s = V_SHUFFLE(b, b, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22,
	                       24, 25, 26, 28, 29, 30, 32, 33, 34, 36, 37, 38, 40, 41, 42, 44, 45,
	                       46, 48, 49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62, -1, -1, -1, -1,
	                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
	memcpy(p, &s, 48);
#endif
}

/* Sample `offset` of each of XC_LANES pixels, the long way. */
XC_INLINE vf load_sample(const void *pixels, int channels, int depth, int offset)
{
	float f[XC_LANES];
	for (int i = 0; i < XC_LANES; i++)
		f[i] = depth == 8 ? (float)((const uint8_t *)pixels)[i * channels + offset]
		                  : (float)((const uint16_t *)pixels)[i * channels + offset];
	return v_load(f);
}

XC_INLINE void store_sample(void *pixels, int channels, int depth, int offset, vi v)
{
	int32_t n[XC_LANES];
	memcpy(n, &v, sizeof n);
	for (int i = 0; i < XC_LANES; i++) {
		if (depth == 8)
			((uint8_t *)pixels)[i * channels + offset] = (uint8_t)n[i];
		else
			((uint16_t *)pixels)[i * channels + offset] = (uint16_t)n[i];
	}
}

XC_INLINE void load_rgb(const void *pixels, int channels, int depth, vf *r, vf *g, vf *b)
{
	if (depth == 8) {
		vu w;
		if (channels == 3)
			w = load_rgb8(pixels);
		else
			memcpy(&w, pixels, sizeof w);
		*r = V_CONVERT(vf, (vi)(w & 255u));
		*g = V_CONVERT(vf, (vi)(w >> 8 & 255u));
		*b = V_CONVERT(vf, (vi)(w >> 16 & 255u));
	} else {
		*r = load_sample(pixels, channels, depth, 0);
		*g = load_sample(pixels, channels, depth, 1);
		*b = load_sample(pixels, channels, depth, 2);
	}
}

XC_INLINE void store_rgb(void *pixels, int channels, int depth, vi r, vi g, vi b)
{
	if (depth == 8) {
		const vu w = (vu)r | (vu)g << 8 | (vu)b << 16;
		if (channels == 3) {
			store_rgb8(pixels, w);
		} else {
			const vu a = w | 0xff000000u;
			memcpy(pixels, &a, sizeof a);
		}
	} else {
		store_sample(pixels, channels, depth, 0, r);
		store_sample(pixels, channels, depth, 1, g);
		store_sample(pixels, channels, depth, 2, b);
		if (channels == 4)
			store_sample(pixels, channels, depth, 3, (vi){0} + 65535);
	}
}

#endif
