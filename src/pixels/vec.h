/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lanes: the little that the kernels need beyond + - * on values, for 1, 4, 8 or
 * 16 of them side by side.  XC_LANES is set by the stub that instantiates the
 * kernels for one SIMD level; with 1 everything is plain C.
 *
 * Vectors are GCC's and clang's vector extension, so one source serves SSE2,
 * AVX2, AVX-512 and NEON.  Only minimum and maximum, which the extension lacks in
 * C, name instructions.
 */
#ifndef XC_SRC_PIXELS_VEC_H
#define XC_SRC_PIXELS_VEC_H

#include <stdint.h>
#include <string.h>

#if XC_LANES == 1
typedef float vf;
typedef int32_t vi;
typedef uint32_t vu;
typedef int16_t vs;
#else
typedef float vf __attribute__((vector_size(4 * XC_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * XC_LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * XC_LANES)));
typedef int16_t vs __attribute__((vector_size(2 * XC_LANES)));
#endif

/* How many vectors make a row of 8 columns, and how many 8x8 blocks lie side by
 * side in one vector. */
#define XC_GROUPS (XC_LANES < 8 ? 8 / XC_LANES : 1)
#define XC_BLOCKS (XC_LANES < 8 ? 1 : XC_LANES / 8)

#define XC_INLINE static inline __attribute__((always_inline, unused))

XC_INLINE vf v_load(const float *p)
{
	vf v;
	memcpy(&v, p, sizeof v);
	return v;
}

XC_INLINE void v_store(float *p, vf v)
{
	memcpy(p, &v, sizeof v);
}

XC_INLINE vf v_splat(float x)
{
	return x - (vf){0};
}

#if XC_LANES == 1
#define V_CONVERT(type, v) ((type)(v))
#else
#define V_CONVERT(type, v) __builtin_convertvector(v, type)
#endif

/* To the nearest integer, ties to even, for |x| < 2^22: adding 1.5 * 2^23 leaves
 * the integer in the low bits of the representation.  One definition for all
 * lanes and for the GPU, independent of any conversion instruction. */
XC_INLINE vi v_round(vf x)
{
	const vf t = x + 12582912.0f;
	vi i;
	memcpy(&i, &t, sizeof i);
	return i - 0x4B400000;
}

/* Narrows to 16 bits; the caller knows that the values fit. */
XC_INLINE void v_store16(int16_t *p, vi v)
{
	const vs s = V_CONVERT(vs, v);
	memcpy(p, &s, sizeof s);
}

XC_INLINE vi v_load16(const int16_t *p)
{
	vs s;
	memcpy(&s, p, sizeof s);
	return V_CONVERT(vi, s);
}

XC_INLINE vi v_load32(const int32_t *p)
{
	vi i;
	memcpy(&i, p, sizeof i);
	return i;
}

/* clang-format off */
#if XC_LANES == 1
XC_INLINE vf v_min(vf a, vf b) { return a < b ? a : b; }
XC_INLINE vf v_max(vf a, vf b) { return a > b ? a : b; }
#elif defined __AVX512F__ && XC_LANES == 16
#include <immintrin.h>
XC_INLINE vf v_min(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
XC_INLINE vf v_max(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
#elif defined __AVX__ && XC_LANES == 8
#include <immintrin.h>
XC_INLINE vf v_min(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
XC_INLINE vf v_max(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
#elif defined __SSE2__ && XC_LANES == 4
#include <emmintrin.h>
XC_INLINE vf v_min(vf a, vf b) { return (vf)_mm_min_ps((__m128)a, (__m128)b); }
XC_INLINE vf v_max(vf a, vf b) { return (vf)_mm_max_ps((__m128)a, (__m128)b); }
#elif defined __ARM_NEON && XC_LANES == 4
#include <arm_neon.h>
XC_INLINE vf v_min(vf a, vf b) { return (vf)vminq_f32((float32x4_t)a, (float32x4_t)b); }
XC_INLINE vf v_max(vf a, vf b) { return (vf)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
#else
#error "no minimum and maximum for this number of lanes"
#endif
/* clang-format on */

/* a + b, rounded once as ever, but as a multiply-add by 1: work for the multipliers,
 * which would idle while the adders limit how fast colours are made.
 * (Zen has two units of each kind; where one unit does both nothing is lost.) */
#if defined __AVX512F__ && XC_LANES == 16
#define V_ONE(one) \
	vf one = v_splat(1.0f); \
	__asm__("" : "+v"(one))
XC_INLINE vf v_sum(vf a, vf b)
{
	V_ONE(one);
	return (vf)_mm512_fmadd_ps((__m512)a, (__m512)one, (__m512)b);
}
#else
XC_INLINE vf v_sum(vf a, vf b)
{
	return a + b;
}
#endif

/* 1: some bit is set. */
XC_INLINE int v_any(vi v)
{
#if XC_LANES == 1
	return v != 0;
#elif defined __AVX512F__ && XC_LANES == 16
	return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined __AVX__ && XC_LANES == 8
	return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif defined __SSE2__ && XC_LANES == 4
	return _mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)v, _mm_setzero_si128())) != 0xffff;
#else
	return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}

#define V_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Transposes XC_BLOCKS 8x8 blocks.  r[g * 8 + y] holds columns g * XC_LANES ... of
 * row y before and after. */
#if XC_LANES == 1
XC_INLINE void v_transpose8(vf r[64])
{
	for (int y = 0; y < 8; y++) {
		for (int x = y + 1; x < 8; x++) {
			const vf t = r[x * 8 + y];
			r[x * 8 + y] = r[y * 8 + x];
			r[y * 8 + x] = t;
		}
	}
}
#elif XC_LANES == 4
XC_INLINE void v_transpose4(vf *a, vf *b, vf *c, vf *d)
{
	const vf ab0 = V_SHUFFLE(*a, *b, 0, 4, 1, 5), ab1 = V_SHUFFLE(*a, *b, 2, 6, 3, 7);
	const vf cd0 = V_SHUFFLE(*c, *d, 0, 4, 1, 5), cd1 = V_SHUFFLE(*c, *d, 2, 6, 3, 7);
	*a = V_SHUFFLE(ab0, cd0, 0, 1, 4, 5);
	*b = V_SHUFFLE(ab0, cd0, 2, 3, 6, 7);
	*c = V_SHUFFLE(ab1, cd1, 0, 1, 4, 5);
	*d = V_SHUFFLE(ab1, cd1, 2, 3, 6, 7);
}

XC_INLINE void v_transpose8(vf r[16])
{
	v_transpose4(&r[0], &r[1], &r[2], &r[3]);
	v_transpose4(&r[4], &r[5], &r[6], &r[7]);
	v_transpose4(&r[8], &r[9], &r[10], &r[11]);
	v_transpose4(&r[12], &r[13], &r[14], &r[15]);
	for (int i = 0; i < 4; i++) {
		const vf t = r[4 + i];
		r[4 + i] = r[8 + i];
		r[8 + i] = t;
	}
}
#else
#if XC_LANES == 8
#define V_LOW(a, b) V_SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define V_HIGH(a, b) V_SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define V_LOW2(a, b) V_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define V_HIGH2(a, b) V_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define V_LOW4(a, b) V_SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define V_HIGH4(a, b) V_SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define V_LOW(a, b) V_SHUFFLE(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define V_HIGH(a, b) V_SHUFFLE(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define V_LOW2(a, b) V_SHUFFLE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define V_HIGH2(a, b) V_SHUFFLE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define V_LOW4(a, b) V_SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define V_HIGH4(a, b) V_SHUFFLE(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#endif
XC_INLINE void v_transpose8(vf r[8])
{
	const vf a0 = V_LOW(r[0], r[1]), a1 = V_HIGH(r[0], r[1]);
	const vf a2 = V_LOW(r[2], r[3]), a3 = V_HIGH(r[2], r[3]);
	const vf a4 = V_LOW(r[4], r[5]), a5 = V_HIGH(r[4], r[5]);
	const vf a6 = V_LOW(r[6], r[7]), a7 = V_HIGH(r[6], r[7]);
	const vf b0 = V_LOW2(a0, a2), b1 = V_HIGH2(a0, a2);
	const vf b2 = V_LOW2(a1, a3), b3 = V_HIGH2(a1, a3);
	const vf b4 = V_LOW2(a4, a6), b5 = V_HIGH2(a4, a6);
	const vf b6 = V_LOW2(a5, a7), b7 = V_HIGH2(a5, a7);
	r[0] = V_LOW4(b0, b4);
	r[1] = V_LOW4(b1, b5);
	r[2] = V_LOW4(b2, b6);
	r[3] = V_LOW4(b3, b7);
	r[4] = V_HIGH4(b0, b4);
	r[5] = V_HIGH4(b1, b5);
	r[6] = V_HIGH4(b2, b6);
	r[7] = V_HIGH4(b3, b7);
}
#endif

/* All lanes moved up by one, the first from the end of the vector before; and down by
 * one, the last from the start of the vector after. */
#if XC_LANES == 1
/* clang-format off */
XC_INLINE vf v_before(vf before, vf v) { (void)v; return before; }
XC_INLINE vf v_after(vf v, vf after) { (void)v; return after; }
/* clang-format on */
#elif XC_LANES == 4
#define v_before(before, v) V_SHUFFLE(before, v, 3, 4, 5, 6)
#define v_after(v, after) V_SHUFFLE(v, after, 1, 2, 3, 4)
#elif XC_LANES == 8
#define v_before(before, v) V_SHUFFLE(before, v, 7, 8, 9, 10, 11, 12, 13, 14)
#define v_after(v, after) V_SHUFFLE(v, after, 1, 2, 3, 4, 5, 6, 7, 8)
#else
#define v_before(before, v) \
	V_SHUFFLE(before, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define v_after(v, after) V_SHUFFLE(v, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#endif

/* Even and odd elements of the 2 * XC_LANES values a, b; and the way back. */
#if XC_LANES == 1
/* clang-format off */
XC_INLINE vf v_even(vf a, vf b) { (void)b; return a; }
XC_INLINE vf v_odd(vf a, vf b) { (void)a; return b; }
XC_INLINE vf v_zip_low(vf a, vf b) { (void)b; return a; }
XC_INLINE vf v_zip_high(vf a, vf b) { (void)a; return b; }
/* clang-format on */
#elif XC_LANES == 4
#define v_even(a, b) V_SHUFFLE(a, b, 0, 2, 4, 6)
#define v_odd(a, b) V_SHUFFLE(a, b, 1, 3, 5, 7)
#define v_zip_low(a, b) V_SHUFFLE(a, b, 0, 4, 1, 5)
#define v_zip_high(a, b) V_SHUFFLE(a, b, 2, 6, 3, 7)
#elif XC_LANES == 8
#define v_even(a, b) V_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define v_odd(a, b) V_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define v_zip_low(a, b) V_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define v_zip_high(a, b) V_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
#define v_even(a, b) V_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define v_odd(a, b) V_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define v_zip_low(a, b) V_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define v_zip_high(a, b) \
	V_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#endif

#endif
