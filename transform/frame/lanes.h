/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors of XC_LANES samples of type XC_REAL, in GCC's and clang's vector
 * extension, and the few shuffles that FFT data need.  XC_VECTOR_BYTES is set by
 * the stub that instantiates the kernels; 0 means none: XC_LANES is then 1 and
 * only the scalar loops are compiled.
 */
#ifndef XC_FRAME_LANES_H
#define XC_FRAME_LANES_H

#include <stddef.h>
#include <string.h>

#include "transform/frame/real.h"

#define XC_INLINE static inline __attribute__((always_inline, unused))

#if XC_VECTOR_BYTES == 0
#define XC_LANES 1
#elif XC_REAL_BITS == 32
#define XC_LANES (XC_VECTOR_BYTES / 4)
#else
#define XC_LANES (XC_VECTOR_BYTES / 8)
#endif

#if XC_LANES > 1

#if defined __SSE2__
#include <immintrin.h>
#endif

typedef XC_REAL vec __attribute__((vector_size(XC_VECTOR_BYTES)));

XC_INLINE vec load(const XC_REAL *p)
{
	vec v;
	memcpy(&v, p, sizeof v);
	return v;
}

XC_INLINE void store(XC_REAL *p, vec v)
{
	memcpy(p, &v, sizeof v);
}

XC_INLINE vec splat(XC_REAL x)
{
	return x - (vec){0};
}

/* Past the caches where the machine can; p is aligned to the vector. */
XC_INLINE void stream(XC_REAL *p, vec v)
{
#if defined __SSE2__ && XC_REAL_BITS == 32 && XC_VECTOR_BYTES == 16
	_mm_stream_ps(p, (__m128)v);
#elif defined __SSE2__ && XC_REAL_BITS == 64 && XC_VECTOR_BYTES == 16
	_mm_stream_pd(p, (__m128d)v);
#elif defined __AVX__ && XC_REAL_BITS == 32 && XC_VECTOR_BYTES == 32
	_mm256_stream_ps(p, (__m256)v);
#elif defined __AVX__ && XC_REAL_BITS == 64 && XC_VECTOR_BYTES == 32
	_mm256_stream_pd(p, (__m256d)v);
#elif defined __AVX512F__ && XC_REAL_BITS == 32 && XC_VECTOR_BYTES == 64
	_mm512_stream_ps(p, (__m512)v);
#elif defined __AVX512F__ && XC_REAL_BITS == 64 && XC_VECTOR_BYTES == 64
	_mm512_stream_pd(p, (__m512d)v);
#else
	store(p, v);
#endif
}

/* a * b + c, fused where the level has it. */
XC_INLINE vec multiply_add(vec a, vec b, vec c)
{
#if defined __FMA__ && XC_REAL_BITS == 32 && XC_VECTOR_BYTES == 32
	return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined __FMA__ && XC_REAL_BITS == 64 && XC_VECTOR_BYTES == 32
	return (vec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined __AVX512F__ && XC_REAL_BITS == 32 && XC_VECTOR_BYTES == 64
	return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined __AVX512F__ && XC_REAL_BITS == 64 && XC_VECTOR_BYTES == 64
	return (vec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#else
	return a * b + c;
#endif
}

/* A shuffle is a rule from the lane i of the result to a lane of a followed by b. */
#if XC_LANES == 2
#define XC_ALL_LANES(rule) rule(0), rule(1)
#elif XC_LANES == 4
#define XC_ALL_LANES(rule) rule(0), rule(1), rule(2), rule(3)
#elif XC_LANES == 8
#define XC_ALL_LANES(rule) \
	rule(0), rule(1), rule(2), rule(3), rule(4), rule(5), rule(6), rule(7)
#else
#define XC_ALL_LANES(rule) \
	rule(0), rule(1), rule(2), rule(3), rule(4), rule(5), rule(6), rule(7), rule(8), rule(9), \
		rule(10), rule(11), rule(12), rule(13), rule(14), rule(15)
#endif
#define XC_SHUFFLE(a, b, rule) __builtin_shufflevector(a, b, XC_ALL_LANES(rule))

#define XC_RULE_EVEN(i) (2 * (i))
#define XC_RULE_ODD(i) (2 * (i) + 1)
#define XC_RULE_ODD_BACK(i) (2 * XC_LANES - 1 - 2 * (i))
#define XC_RULE_BACK(i) (XC_LANES - 1 - (i))
#define XC_RULE_SWAP(i) ((i) ^ 1)
#define XC_RULE_PAIRS_BACK(i) (XC_LANES - 2 - ((i) & ~1) + ((i) & 1))
#define XC_RULE_REAL(i) ((i) & ~1)
#define XC_RULE_IMAGINARY(i) ((i) | 1)
#define XC_RULE_ZIP_LOW(i) (((i) & 1) * XC_LANES + (i) / 2)
#define XC_RULE_ZIP_HIGH(i) (((i) & 1) * XC_LANES + XC_LANES / 2 + (i) / 2)
#define XC_RULE_TWICE_LOW(i) ((i) / 2)
#define XC_RULE_TWICE_HIGH(i) (XC_LANES / 2 + (i) / 2)
/* Even samples of a and b side by side: a0 b0 a2 b2 ...; and the odd ones from
 * the last to the first: a[last] b[last] a[last-2] ... */
#define XC_RULE_PAIR_EVEN(i) (((i) & 1) * XC_LANES + ((i) & ~1))
#define XC_RULE_PAIR_ODD_BACK(i) (((i) & 1) * XC_LANES + XC_LANES - 1 - ((i) & ~1))
/* The reverse of both: of z and of the mirrored w, the first (second) of each
 * pair, taken in turn. */
#define XC_RULE_UNPAIR_FIRST(i) (((i) & 1) ? 2 * XC_LANES - 1 - (i) : (i))
#define XC_RULE_UNPAIR_SECOND(i) (((i) & 1) ? 2 * XC_LANES - (i) : (i) + 1)
/* One sample of b in front of all but the last of a. */
#define XC_RULE_SHIFT_IN(i) ((i) ? (i) - 1 : XC_LANES)

XC_INLINE vec swap(vec a) { return XC_SHUFFLE(a, a, XC_RULE_SWAP); }
XC_INLINE vec pairs_back(vec a) { return XC_SHUFFLE(a, a, XC_RULE_PAIRS_BACK); }
XC_INLINE vec back(vec a) { return XC_SHUFFLE(a, a, XC_RULE_BACK); }

/* +1 -1 +1 -1 ...: conjugates complex numbers. */
#define XC_SIGN_RULE(i) ((i) & 1 ? -1 : 1)
XC_INLINE vec conjugation(void)
{
	return (vec){XC_ALL_LANES(XC_SIGN_RULE)};
}

XC_INLINE vec times_i(vec a) { return swap(a) * -conjugation(); }
XC_INLINE vec times_minus_i(vec a) { return swap(a) * conjugation(); }

XC_INLINE vec complex_product(vec a, vec b)
{
	const vec re = XC_SHUFFLE(b, b, XC_RULE_REAL);
	const vec im = XC_SHUFFLE(b, b, XC_RULE_IMAGINARY);
	return a * re + times_i(a) * im;
}

/* a times the conjugate of b. */
XC_INLINE vec conjugate_product(vec a, vec b)
{
	const vec re = XC_SHUFFLE(b, b, XC_RULE_REAL);
	const vec im = XC_SHUFFLE(b, b, XC_RULE_IMAGINARY);
	return a * re + times_minus_i(a) * im;
}

#endif
#endif
