/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading XC_LANES interleaved pixels as vectors of float, and storing them.
 * channels and depth are constants at every call, so each use is specialised.
 */
#ifndef XC_SRC_PIXELS_VEC_PIXELS_H
#define XC_SRC_PIXELS_VEC_PIXELS_H

#include "src/pixels/vec.h"

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
	const vb b = V_SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
	                       18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
	                       36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
	                       54, 55, 56, 57, 58, 59, 60, 61, 62, 63);
	return (vu)V_SHUFFLE(b, b, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12, 16, 17, 18, 19,
	                     19, 20, 21, 22, 22, 23, 24, 25, 25, 26, 27, 28, 32, 33, 34, 35, 35, 36, 37,
	                     38, 38, 39, 40, 41, 41, 42, 43, 44, 48, 49, 50, 51, 51, 52, 53, 54, 54, 55,
	                     56, 57, 57, 58, 59, 60);
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
	const vb s = V_SHUFFLE(b, b, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24,
	                       25, 26, 28, 29, 30, -1, -1, -1, -1, -1, -1, -1, -1);
	memcpy(p, &s, 24);
#else
	const vb b = (vb)w;
	const vb s = V_SHUFFLE(b, b, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24,
	                       25, 26, 28, 29, 30, 32, 33, 34, 36, 37, 38, 40, 41, 42, 44, 45, 46, 48,
	                       49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62, -1, -1, -1, -1, -1, -1, -1,
	                       -1, -1, -1, -1, -1, -1, -1, -1, -1);
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

#if XC_LANES >= 8 && defined __AVX2__
/* The same as rounding, holding to 0 ... 255 and storing, in fewer steps: the packing
 * instructions hold the range.  Only the upper end needs a minimum first, because
 * conversion turns what is too large for an integer into the smallest one. */
XC_INLINE void store_colour8(void *pixels, int channels, vf r, vf g, vf b)
{
	const vf most = v_splat(255.0f);
#if XC_LANES == 8
	const __m256i ri = _mm256_cvtps_epi32((__m256)v_min(r, most));
	const __m256i gi = _mm256_cvtps_epi32((__m256)v_min(g, most));
	const __m256i bi = _mm256_cvtps_epi32((__m256)v_min(b, most));
	/* In each half: 4 bytes of R, of G, of B and of alpha. */
	const vb q = (vb)_mm256_packus_epi16(_mm256_packs_epi32(ri, gi),
	                                     _mm256_packs_epi32(bi, _mm256_set1_epi32(255)));
	if (channels == 4) {
		const vb w = V_SHUFFLE(q, q, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 16, 20,
		                       24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31);
		memcpy(pixels, &w, 32);
	} else {
		const vb w = V_SHUFFLE(q, q, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 16, 20, 24, 17, 21, 25,
		                       18, 22, 26, 19, 23, 27, -1, -1, -1, -1, -1, -1, -1, -1);
		memcpy(pixels, &w, 24);
	}
#else
	const __m512i ri = _mm512_cvtps_epi32((__m512)v_min(r, most));
	const __m512i gi = _mm512_cvtps_epi32((__m512)v_min(g, most));
	const __m512i bi = _mm512_cvtps_epi32((__m512)v_min(b, most));
	const vb q = (vb)_mm512_packus_epi16(_mm512_packs_epi32(ri, gi),
	                                     _mm512_packs_epi32(bi, _mm512_set1_epi32(255)));
	if (channels == 4) {
		const vb w = V_SHUFFLE(q, q, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 16, 20,
		                       24, 28, 17, 21, 25, 29, 18, 22, 26, 30, 19, 23, 27, 31, 32, 36, 40,
		                       44, 33, 37, 41, 45, 34, 38, 42, 46, 35, 39, 43, 47, 48, 52, 56, 60,
		                       49, 53, 57, 61, 50, 54, 58, 62, 51, 55, 59, 63);
		memcpy(pixels, &w, 64);
	} else {
		const vb w = V_SHUFFLE(q, q, 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 16, 20, 24, 17, 21, 25,
		                       18, 22, 26, 19, 23, 27, 32, 36, 40, 33, 37, 41, 34, 38, 42, 35, 39,
		                       43, 48, 52, 56, 49, 53, 57, 50, 54, 58, 51, 55, 59, -1, -1, -1, -1,
		                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
		memcpy(pixels, &w, 48);
	}
#endif
}
#define XC_HAVE_STORE_COLOUR8 1

#if XC_LANES == 16
/* Bytes of 32 pixels, from the two vectors that store_two8() packs, of even and odd pixels
 * or of the first and the last ones. */
#define XC_RGB_PAIRS_FIRST \
	0, 8, 64, 4, 12, 68, 1, 9, 65, 5, 13, 69, 2, 10, 66, 6, 14, 70, 3, 11, 67, 7, 15, 71, 16, 24, \
		80, 20, 28, 84, 17, 25, 81, 21, 29, 85, 18, 26, 82, 22, 30, 86, 19, 27, 83, 23, 31, 87, \
		32, 40, 96, 36, 44, 100, 33, 41, 97, 37, 45, 101, 34, 42, 98, 38
#define XC_RGB_PAIRS_LAST \
	46, 102, 35, 43, 99, 39, 47, 103, 48, 56, 112, 52, 60, 116, 49, 57, 113, 53, 61, 117, 50, 58, \
		114, 54, 62, 118, 51, 59, 115, 55, 63, 119, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, \
		-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
#define XC_RGBA_PAIRS_FIRST \
	0, 8, 64, 72, 4, 12, 68, 76, 1, 9, 65, 73, 5, 13, 69, 77, 2, 10, 66, 74, 6, 14, 70, 78, 3, 11, \
		67, 75, 7, 15, 71, 79, 16, 24, 80, 88, 20, 28, 84, 92, 17, 25, 81, 89, 21, 29, 85, 93, 18, \
		26, 82, 90, 22, 30, 86, 94, 19, 27, 83, 91, 23, 31, 87, 95
#define XC_RGBA_PAIRS_LAST \
	32, 40, 96, 104, 36, 44, 100, 108, 33, 41, 97, 105, 37, 45, 101, 109, 34, 42, 98, 106, 38, 46, \
		102, 110, 35, 43, 99, 107, 39, 47, 103, 111, 48, 56, 112, 120, 52, 60, 116, 124, 49, 57, \
		113, 121, 53, 61, 117, 125, 50, 58, 114, 122, 54, 62, 118, 126, 51, 59, 115, 123, 55, 63, \
		119, 127
#define XC_RGB_HALVES_FIRST \
	0, 8, 64, 1, 9, 65, 2, 10, 66, 3, 11, 67, 16, 24, 80, 17, 25, 81, 18, 26, 82, 19, 27, 83, 32, \
		40, 96, 33, 41, 97, 34, 42, 98, 35, 43, 99, 48, 56, 112, 49, 57, 113, 50, 58, 114, 51, 59, \
		115, 4, 12, 68, 5, 13, 69, 6, 14, 70, 7, 15, 71, 20, 28, 84, 21
#define XC_RGB_HALVES_LAST \
	29, 85, 22, 30, 86, 23, 31, 87, 36, 44, 100, 37, 45, 101, 38, 46, 102, 39, 47, 103, 52, 60, \
		116, 53, 61, 117, 54, 62, 118, 55, 63, 119, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, \
		-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1
#define XC_RGBA_HALVES_FIRST \
	0, 8, 64, 72, 1, 9, 65, 73, 2, 10, 66, 74, 3, 11, 67, 75, 16, 24, 80, 88, 17, 25, 81, 89, 18, \
		26, 82, 90, 19, 27, 83, 91, 32, 40, 96, 104, 33, 41, 97, 105, 34, 42, 98, 106, 35, 43, 99, \
		107, 48, 56, 112, 120, 49, 57, 113, 121, 50, 58, 114, 122, 51, 59, 115, 123
#define XC_RGBA_HALVES_LAST \
	4, 12, 68, 76, 5, 13, 69, 77, 6, 14, 70, 78, 7, 15, 71, 79, 20, 28, 84, 92, 21, 29, 85, 93, \
		22, 30, 86, 94, 23, 31, 87, 95, 36, 44, 100, 108, 37, 45, 101, 109, 38, 46, 102, 110, 39, \
		47, 103, 111, 52, 60, 116, 124, 53, 61, 117, 125, 54, 62, 118, 126, 55, 63, 119, 127

XC_INLINE __m512i pack_two(const vf v[2])
{
	const vf most = v_splat(255.0f);
	return _mm512_packs_epi32(_mm512_cvtps_epi32((__m512)v_min(v[0], most)),
	                          _mm512_cvtps_epi32((__m512)v_min(v[1], most)));
}

/* The same for two vectors of pixels; `pairs`: one has the even and one the odd ones, which
 * need not be put in order before, because two shuffles find every byte its place. */
XC_INLINE void store_two8(uint8_t *pixels, int channels, int pairs, const vf r[2], const vf g[2],
                          const vf b[2])
{
	/* In each quarter: 4 bytes of one colour from either vector, then of another. */
	const vb rg = (vb)_mm512_packus_epi16(pack_two(r), pack_two(g));
	const vb ba = (vb)_mm512_packus_epi16(pack_two(b), _mm512_set1_epi16(255));
	vb first, last;
	if (channels == 4 && pairs) {
		first = V_SHUFFLE(rg, ba, XC_RGBA_PAIRS_FIRST);
		last = V_SHUFFLE(rg, ba, XC_RGBA_PAIRS_LAST);
	} else if (channels == 4) {
		first = V_SHUFFLE(rg, ba, XC_RGBA_HALVES_FIRST);
		last = V_SHUFFLE(rg, ba, XC_RGBA_HALVES_LAST);
	} else if (pairs) {
		first = V_SHUFFLE(rg, ba, XC_RGB_PAIRS_FIRST);
		last = V_SHUFFLE(rg, ba, XC_RGB_PAIRS_LAST);
	} else {
		first = V_SHUFFLE(rg, ba, XC_RGB_HALVES_FIRST);
		last = V_SHUFFLE(rg, ba, XC_RGB_HALVES_LAST);
	}
	memcpy(pixels, &first, 64);
	memcpy(pixels + 64, &last, channels == 4 ? 64 : 32);
}
#endif
#else
#define XC_HAVE_STORE_COLOUR8 0
XC_INLINE void store_colour8(void *pixels, int channels, vf r, vf g, vf b)
{
	(void)pixels, (void)channels, (void)r, (void)g, (void)b;
}
#endif

/* Rounds XC_LANES pixels to the nearest integers, holds them to the range of `depth`
 * bits, whose largest value is given, and stores them. */
XC_INLINE void store_colour(void *pixels, int channels, int depth, float largest, vf r, vf g, vf b)
{
	const vf zero = {0}, most = v_splat(largest);
	if (XC_HAVE_STORE_COLOUR8 && depth == 8)
		store_colour8(pixels, channels, r, g, b);
	else
		store_rgb(pixels, channels, depth, v_round(v_min(v_max(r, zero), most)),
		          v_round(v_min(v_max(g, zero), most)), v_round(v_min(v_max(b, zero), most)));
}

#endif
