/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads XC_LANES interleaved pixels as vectors of float, and stores them. The kind is a constant at
 * every call, so each use is specialised. Loads may read XC_SLACK samples past a row; stores write
 * nothing past the last pixel. */
#ifndef XC_SRC_PIXELS_VEC_PIXELS_H
#define XC_SRC_PIXELS_VEC_PIXELS_H

#include "src/pixels/vec.h"

/* channels: with alpha or X; bgr: B comes first of the colours. */
typedef struct pixel_kind {
	int channels, depth, bgr;
} pixel_kind;

#if XC_LANES > 1
typedef uint8_t vb __attribute__((vector_size(4 * XC_LANES)));
typedef uint8_t v_bytes __attribute__((vector_size(XC_LANES)));
typedef uint16_t v_words __attribute__((vector_size(2 * XC_LANES)));
#else
typedef uint8_t v_bytes;
typedef uint16_t v_words;
#endif

V_INLINE vf load_bytes(const uint8_t *p)
{
	/* One widening at a time, for which there are instructions. */
	v_bytes v;

	memcpy(&v, p, sizeof v);
	return V_CONVERT(vf, V_CONVERT(vi, V_CONVERT(v_words, v)));
}

V_INLINE void store_bytes(uint8_t *p, vi v)
{
#if XC_LANES == 16
	const v_bytes b = V_CONVERT(v_bytes, v);
#else
	const v_bytes b = V_CONVERT(v_bytes, V_CONVERT(v_words, v));
#endif
	memcpy(p, &b, sizeof b);
}

/* Pairs of bytes, the first one in the low byte. */
V_INLINE vu load_pairs(const uint8_t *p)
{
#if XC_LANES == 1
	return p[0] | (vu)p[1] << 8;
#else
	v_words v;
	memcpy(&v, p, sizeof v);
	return V_CONVERT(vu, v);
#endif
}

V_INLINE void store_pairs(uint8_t *p, vi v)
{
#if XC_LANES == 1
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
#else
	const v_words w = V_CONVERT(v_words, v);
	memcpy(p, &w, sizeof w);
#endif
}

/* Samples of 16 bits in native byte order. */
V_INLINE void store_words(uint8_t *p, vi v)
{
	const v_words w = V_CONVERT(v_words, v);
	memcpy(p, &w, sizeof w);
}

/* Indices for V_SHUFFLE of bytes: f(q) gives sixteen, for the sixteen bytes from q on. */
#if XC_LANES == 8
#define V_BYTES(f) f(0), f(16)
#elif XC_LANES == 16
#define V_BYTES(f) f(0), f(16), f(32), f(48)
#endif
#define V_SIXTEEN(q) V_FOUR(q), V_FOUR((q) + 4), V_FOUR((q) + 8), V_FOUR((q) + 12)
#define V_THREES(q) V_FOUR(q), V_FOUR((q) + 3), V_FOUR((q) + 6), V_FOUR((q) + 9)

#if XC_LANES >= 8
typedef uint8_t vb16 __attribute__((vector_size(16)));
typedef uint8_t vb32 __attribute__((vector_size(32)));

/* Loads 12 useful bytes into each 16, so that the next shuffle stays inside 128 bits. They are
 * joined in registers, because joining them in memory would stall the load on the stores. */
V_INLINE vb32 load_12_and_12(const uint8_t *p)
{
	vb16 a, b;

	memcpy(&a, p, 16);
	memcpy(&b, p + 12, 16);
	return V_SHUFFLE(a, b, V_SIXTEEN(0), V_SIXTEEN(16));
}
#endif

/* XC_LANES RGB8 pixels as 32-bit lanes with R in the low byte; the high byte is anything. May read
 * 4 bytes past the last pixel. */
V_INLINE vu load_rgb8(const uint8_t *p)
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
#else
	const vb32 low = load_12_and_12(p), high = load_12_and_12(p + 24);
	const vb b = V_SHUFFLE(low, high, V_BYTES(V_SIXTEEN));
#endif
	return (vu)V_SHUFFLE(b, b, V_BYTES(V_THREES));
#endif
}

/* Packs the 12 bytes that RGB() gives of each 16 of v, and writes 3 * XC_LANES bytes. */
#define STORE_THREES(p, v, RGB) \
	do { \
		const vb threes = V_SHUFFLE(v, v, V_BYTES(RGB), V_BYTES(NO_BYTES)); \
		memcpy(p, &threes, 3 * XC_LANES); \
	} while (0)
#define NO_BYTES(q) -1, -1, -1, -1

/* Writes exactly 3 * XC_LANES bytes. */
V_INLINE void store_rgb8(uint8_t *p, vu w)
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
#else
#define LOW_THREE(q) (q), (q) + 1, (q) + 2
#define LOW_THREES(q) LOW_THREE(q), LOW_THREE((q) + 4), LOW_THREE((q) + 8), LOW_THREE((q) + 12)
	STORE_THREES(p, (vb)w, LOW_THREES);
#endif
}

/* XC_LANES pixels of four bytes as 32-bit lanes with the first byte in the lowest. */
V_INLINE vu load_four8(const uint8_t *p)
{
#if XC_LANES == 1
	return load_rgb8(p) | (vu)p[3] << 24;
#else
	vu w;
	memcpy(&w, p, sizeof w);
	return w;
#endif
}

V_INLINE void store_four8(uint8_t *p, vu w)
{
#if XC_LANES == 1
	store_rgb8(p, w);
	p[3] = (uint8_t)(w >> 24);
#else
	memcpy(p, &w, sizeof w);
#endif
}

/* Sample `offset` of each of XC_LANES pixels, one by one. */
V_INLINE vf load_sample(const void *pixels, pixel_kind kind, int offset)
{
	float f[XC_LANES];

	for (int i = 0; i < XC_LANES; i++)
		f[i] = kind.depth == 8 ? (float)((const uint8_t *)pixels)[i * kind.channels + offset]
		                       : (float)((const uint16_t *)pixels)[i * kind.channels + offset];
	return v_load(f);
}

V_INLINE void store_sample(void *pixels, pixel_kind kind, int offset, vi v)
{
	int32_t n[XC_LANES];

	memcpy(n, &v, sizeof n);
	for (int i = 0; i < XC_LANES; i++) {
		if (kind.depth == 8)
			((uint8_t *)pixels)[i * kind.channels + offset] = (uint8_t)n[i];
		else
			((uint16_t *)pixels)[i * kind.channels + offset] = (uint16_t)n[i];
	}
}

V_INLINE void load_rgb(const void *pixels, pixel_kind kind, vf *r, vf *g, vf *b)
{
	vf *const first = kind.bgr ? b : r, *const last = kind.bgr ? r : b;

	if (kind.depth == 8) {
		const vu w = kind.channels == 3 ? load_rgb8(pixels) : load_four8(pixels);
		*first = V_CONVERT(vf, (vi)(w & 255u));
		*g = V_CONVERT(vf, (vi)(w >> 8 & 255u));
		*last = V_CONVERT(vf, (vi)(w >> 16 & 255u));
	} else {
		*first = load_sample(pixels, kind, 0);
		*g = load_sample(pixels, kind, 1);
		*last = load_sample(pixels, kind, 2);
	}
}

/* Colours in the order that they have in memory. */
V_INLINE void store_three(void *pixels, pixel_kind kind, vi first, vi g, vi last)
{
	if (kind.depth == 8) {
		const vu w = (vu)first | (vu)g << 8 | (vu)last << 16;
		if (kind.channels == 3)
			store_rgb8(pixels, w);
		else
			store_four8(pixels, w | 0xff000000u);
	} else {
		store_sample(pixels, kind, 0, first);
		store_sample(pixels, kind, 1, g);
		store_sample(pixels, kind, 2, last);
		if (kind.channels == 4)
			store_sample(pixels, kind, 3, (vi){0} + 65535);
	}
}

/* Stores grey as any kind. */
V_INLINE void store_grey(void *pixels, pixel_kind kind, vi v)
{
	if (kind.channels >= 3) {
		store_three(pixels, kind, v, v, v);
	} else if (kind.channels == 1 && kind.depth == 8) {
		store_bytes(pixels, v);
	} else if (kind.channels == 1) {
		store_words(pixels, v);
	} else {
		store_sample(pixels, kind, 0, v);
		if (kind.channels == 2)
			store_sample(pixels, kind, 1, (vi){0} + (kind.depth == 8 ? 255 : 65535));
	}
}

#if XC_LANES >= 8 && defined __AVX2__
#if XC_LANES == 8
typedef __m256i integers;
#define TO_INTEGERS(v) _mm256_cvtps_epi32((__m256)v_min(v, v_splat(255.0f)))
#define PACK16 _mm256_packs_epi32
#define PACK8 _mm256_packus_epi16
#else
typedef __m512i integers;
#define TO_INTEGERS(v) _mm512_cvtps_epi32((__m512)v_min(v, v_splat(255.0f)))
#define PACK16 _mm512_packs_epi32
#define PACK8 _mm512_packus_epi16
#endif

/* Rounds, clamps to 0 ... 255 and stores in fewer steps: the packing instructions clamp. The upper
 * end needs a minimum first: conversion turns large floats into the smallest integer. */
V_INLINE void store_three8(void *pixels, pixel_kind kind, vf first, vf g, vf last)
{
	const vi opaque = (vi){0} + 255;
	/* In each 16 bytes: 4 of R, of G, of B and of alpha, if R comes first. */
	const vb q = (vb)PACK8(PACK16(TO_INTEGERS(first), TO_INTEGERS(g)),
	                       PACK16(TO_INTEGERS(last), (integers)opaque));
#define RGB(i) (i), (i) + 4, (i) + 8
#define RGBS(q) RGB(q), RGB((q) + 1), RGB((q) + 2), RGB((q) + 3)
#define RGBA(i) RGB(i), (i) + 12
#define RGBAS(q) RGBA(q), RGBA((q) + 1), RGBA((q) + 2), RGBA((q) + 3)
	if (kind.channels == 4) {
		const vb w = V_SHUFFLE(q, q, V_BYTES(RGBAS));
		memcpy(pixels, &w, sizeof w);
	} else {
		STORE_THREES(pixels, q, RGBS);
	}
}
#define XC_HAVE_STORE_THREE8 1

#if XC_LANES == 16
/* Bytes of 32 pixels, from the two vectors that store_two8() packs: RGB2(i) are those of the pixel
 * that begins at byte i of the first. The pixels of the two vectors r[0], r[1] stand 4 bytes apart;
 * PAIRS takes one of either in turn, HALVES all of r[0] and then all of r[1]. */
#define RGB2(i) (i), (i) + 8, (i) + 64
#define RGBA2(i) RGB2(i), (i) + 72
#define PAIR(pixel, i) pixel(i), pixel((i) + 4)
#define PAIRS(pixel, q) \
	PAIR(pixel, q), PAIR(pixel, (q) + 1), PAIR(pixel, (q) + 2), PAIR(pixel, (q) + 3)
#define HALVES(pixel, q) pixel(q), pixel((q) + 1), pixel((q) + 2), pixel((q) + 3)
#define NO_16 NO_BYTES(0), NO_BYTES(0), NO_BYTES(0), NO_BYTES(0)
/* 64 bytes of RGB end within a pixel, after 21 others. */
#define XC_RGB_PAIRS_FIRST \
	PAIRS(RGB2, 0), PAIRS(RGB2, 16), PAIR(RGB2, 32), PAIR(RGB2, 33), RGB2(34), 38
#define XC_RGB_PAIRS_LAST 46, 102, PAIR(RGB2, 35), PAIRS(RGB2, 48), NO_16, NO_16
#define XC_RGBA_PAIRS_FIRST PAIRS(RGBA2, 0), PAIRS(RGBA2, 16)
#define XC_RGBA_PAIRS_LAST PAIRS(RGBA2, 32), PAIRS(RGBA2, 48)
#define XC_RGB_HALVES_FIRST \
	HALVES(RGB2, 0), HALVES(RGB2, 16), HALVES(RGB2, 32), HALVES(RGB2, 48), HALVES(RGB2, 4), \
		RGB2(20), 21
#define XC_RGB_HALVES_LAST \
	29, 85, RGB2(22), RGB2(23), HALVES(RGB2, 36), HALVES(RGB2, 52), NO_16, NO_16
#define XC_RGBA_HALVES_FIRST \
	HALVES(RGBA2, 0), HALVES(RGBA2, 16), HALVES(RGBA2, 32), HALVES(RGBA2, 48)
#define XC_RGBA_HALVES_LAST \
	HALVES(RGBA2, 4), HALVES(RGBA2, 20), HALVES(RGBA2, 36), HALVES(RGBA2, 52)

V_INLINE integers pack_two(const vf v[2])
{
	return PACK16(TO_INTEGERS(v[0]), TO_INTEGERS(v[1]));
}

/* store_three8() for two vectors of pixels. pairs: one vector has the even and one the odd pixels;
 * two shuffles move every byte to its place in either case. */
V_INLINE void store_two8(uint8_t *pixels, pixel_kind kind, int pairs, const vf r[2], const vf g[2],
                         const vf b[2])
{
	const int channels = kind.channels;
	/* In each quarter: 4 bytes of one colour from either vector, then of another. */
	const vb rg = (vb)PACK8(pack_two(kind.bgr ? b : r), pack_two(g));
	const vb ba = (vb)PACK8(pack_two(kind.bgr ? r : b), _mm512_set1_epi16(255));
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
#define XC_HAVE_STORE_THREE8 0
V_INLINE void store_three8(void *pixels, pixel_kind kind, vf first, vf g, vf last)
{
	(void)pixels, (void)kind, (void)first, (void)g, (void)last;
}
#endif

/* Rounds XC_LANES pixels to the nearest integers, holds them to the range of `depth` bits, whose
 * largest value is given, and stores them. */
V_INLINE void store_colour(void *pixels, pixel_kind kind, float largest, vf r, vf g, vf b)
{
	const vf zero = {0}, max = v_splat(largest);
	const vf first = kind.bgr ? b : r, last = kind.bgr ? r : b;

	if (XC_HAVE_STORE_THREE8 && kind.depth == 8)
		store_three8(pixels, kind, first, g, last);
	else
		store_three(pixels, kind, v_round(v_min(v_max(first, zero), max)),
		            v_round(v_min(v_max(g, zero), max)), v_round(v_min(v_max(last, zero), max)));
}

#endif
