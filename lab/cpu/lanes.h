/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors of XC_LANES samples of type XC_REAL, in the vector extension of GCC and clang, so that
 * one source serves every SIMD level.  XC_REAL_BITS and XC_VECTOR_BYTES (0: no vectors) are set
 * before.  Instructions are named only where the extension lacks something: fused multiply-adds
 * and stores past the caches.
 */
#ifndef XC_LAB_CPU_LANES_H
#define XC_LAB_CPU_LANES_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "lab/real.h"

#if defined __AVX2__ || defined __AVX512F__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#if XC_VECTOR_BYTES == 0
#define XC_LANES 1
typedef XC_REAL xc_v;
#else
#if XC_REAL_BITS == 32
#define XC_LANES (XC_VECTOR_BYTES / 4)
#else
#define XC_LANES (XC_VECTOR_BYTES / 8)
#endif
typedef XC_REAL xc_v __attribute__((vector_size(XC_VECTOR_BYTES)));
#endif

#define XC_INLINE static inline __attribute__((always_inline, unused))

XC_INLINE xc_v xc_load(const XC_REAL *p)
{
	xc_v v;
	memcpy(&v, p, sizeof v);
	return v;
}

XC_INLINE void xc_store(XC_REAL *p, xc_v v)
{
	memcpy(p, &v, sizeof v);
}

XC_INLINE xc_v xc_splat(XC_REAL x)
{
	return x - (xc_v){0};
}

/* Stores past the caches where the machine can; p is aligned to the vector. */
XC_INLINE void xc_stream(XC_REAL *p, xc_v v)
{
#if XC_VECTOR_BYTES == 64 && defined __AVX512F__
	_mm512_stream_si512((__m512i *)(void *)p, (__m512i)v);
#elif XC_VECTOR_BYTES == 32 && defined __AVX2__
	_mm256_stream_si256((__m256i *)(void *)p, (__m256i)v);
#elif XC_VECTOR_BYTES == 16 && defined __SSE2__
	_mm_stream_si128((__m128i *)(void *)p, (__m128i)v);
#else
	xc_store(p, v);
#endif
}

/* Stores, past the caches or into them. */
XC_INLINE void xc_put(XC_REAL *p, xc_v v, const int streaming)
{
	if (streaming)
		xc_stream(p, v);
	else
		xc_store(p, v);
}

/* Called before another thread reads streamed samples. */
XC_INLINE void xc_stream_end(void)
{
#if defined __SSE2__
	_mm_sfence();
#endif
}

/* a * b + c, rounded once where the level can. */
XC_INLINE xc_v xc_multiply_add(xc_v a, xc_v b, xc_v c)
{
#if XC_VECTOR_BYTES == 64 && defined __AVX512F__ && XC_REAL_BITS == 32
	return (xc_v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif XC_VECTOR_BYTES == 64 && defined __AVX512F__ && XC_REAL_BITS == 64
	return (xc_v)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif XC_VECTOR_BYTES == 32 && defined __FMA__ && XC_REAL_BITS == 32
	return (xc_v)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif XC_VECTOR_BYTES == 32 && defined __FMA__ && XC_REAL_BITS == 64
	return (xc_v)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif XC_VECTOR_BYTES == 16 && defined __aarch64__ && XC_REAL_BITS == 32
	return (xc_v)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif XC_VECTOR_BYTES == 16 && defined __aarch64__ && XC_REAL_BITS == 64
	return (xc_v)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
	return a * b + c;
#endif
}

/* The nearest whole number, halves to even, as rint() has it.  Numbers from `whole` on are whole, and a sum
 * with that is rounded. */
XC_INLINE xc_v xc_to_integer(xc_v v)
{
#if XC_LANES == 1
	return XC_ROUND(v);
#else
	const XC_REAL whole = XC_REAL_BITS == 32 ? (XC_REAL)0x1p23 : (XC_REAL)0x1p52;
	typedef __typeof__(v < v) bits;
	const bits sign = (bits)v & (bits)xc_splat((XC_REAL)-0.0);
	const xc_v magnitude = (xc_v)((bits)v ^ sign);
	const xc_v rounded = (magnitude + whole) - whole;
	const bits small = magnitude < xc_splat(whole);
	return (xc_v)(((bits)rounded & small) | ((bits)magnitude & ~small) | sign);
#endif
}

/* XC_SHUFFLE(a, b, rule): lane i of the result is lane rule(i) of a followed by b. */
#if XC_LANES == 2
#define XC_EVERY_LANE(rule) rule(0), rule(1)
#elif XC_LANES == 4
#define XC_EVERY_LANE(rule) rule(0), rule(1), rule(2), rule(3)
#elif XC_LANES == 8
#define XC_EVERY_LANE(rule) rule(0), rule(1), rule(2), rule(3), rule(4), rule(5), rule(6), rule(7)
#elif XC_LANES == 16
#define XC_EVERY_LANE(rule) \
	rule(0), rule(1), rule(2), rule(3), rule(4), rule(5), rule(6), rule(7), rule(8), rule(9), \
		rule(10), rule(11), rule(12), rule(13), rule(14), rule(15)
#endif
#define XC_SHUFFLE(a, b, rule) __builtin_shufflevector(a, b, XC_EVERY_LANE(rule))

#endif
