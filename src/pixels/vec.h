/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors of 1, 4, 8 or 16 floats, and the few operations that the kernels need beyond + - *. The
 * makefile sets XC_LANES for each SIMD level; with 1 everything is plain C.
 *
 * Vectors are GCC's and clang's vector extension, so one source serves SSE2, AVX2, AVX-512 and
 * NEON. Only minimum, maximum and square root, which the extension lacks in C, name instructions.
 */
#ifndef XC_SRC_PIXELS_VEC_H
#define XC_SRC_PIXELS_VEC_H

#include <float.h>
#include <stdint.h>
#include <string.h>

/* With excess precision files would differ from those of other machines. */
_Static_assert(FLT_EVAL_METHOD == 0, "floats are not rounded after each operation: on a 32-bit x86 "
                                     "compile with -msse2 -mfpmath=sse");

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

/* Vectors in a row of 8 columns, and 8x8 blocks side by side in one vector. */
#define V_GROUPS (XC_LANES < 8 ? 8 / XC_LANES : 1)
#define V_BLOCKS (XC_LANES < 8 ? 1 : XC_LANES / 8)

#define V_INLINE static inline __attribute__((always_inline, unused))

V_INLINE vf v_load(const float *p)
{
	vf v;
	memcpy(&v, p, sizeof v);
	return v;
}

V_INLINE void v_store(float *p, vf v)
{
	memcpy(p, &v, sizeof v);
}

V_INLINE vf v_splat(float x)
{
	return x - (vf){0};
}

#if XC_LANES == 1
#define V_CONVERT(type, v) ((type)(v))
#else
#define V_CONVERT(type, v) __builtin_convertvector(v, type)
#endif

/* Rounds to the nearest integer, ties to even, for |x| < 2^22: adding 1.5 * 2^23 leaves the integer
 * in the low bits of the representation. All levels and the GPU do the same, without conversion
 * instructions. */
V_INLINE vi v_round(vf x)
{
	const vf t = x + 12582912.0f;
	vi i;

	memcpy(&i, &t, sizeof i);
	return i - 0x4B400000;
}

/* The same for |x| < 2^23, where 1.5 * 2^23 is too small for a negative x and too large for a
 * positive one: 2^23 is added to the magnitude. */
V_INLINE vi v_round_depth16(vf x)
{
	vi bits, i;

	memcpy(&bits, &x, sizeof bits);
	const vi sign = bits >> 31;
	bits &= INT32_MAX;
	memcpy(&x, &bits, sizeof bits);
	const vf t = x + 8388608.0f;
	memcpy(&i, &t, sizeof i);
	return ((i - 0x4B000000) ^ sign) - sign;
}

/* Narrows to 16 bits; the caller knows that the values fit. */
V_INLINE void v_store16(int16_t *p, vi v)
{
	const vs s = V_CONVERT(vs, v);
	memcpy(p, &s, sizeof s);
}

V_INLINE vi v_load16(const int16_t *p)
{
	vs s;
	memcpy(&s, p, sizeof s);
	vi i = V_CONVERT(vi, s);
#if defined __wasm_simd128__ && XC_LANES == 4
	/* clang would make floats of the 16 bits at once, lane by lane. */
	__asm__("" : "+r"(i));
#endif
	return i;
}

V_INLINE vi v_load32(const int32_t *p)
{
	vi i;
	memcpy(&i, p, sizeof i);
	return i;
}

/* clang-format off */
#if XC_LANES == 1
V_INLINE vf v_min(vf a, vf b) { return a < b ? a : b; }
V_INLINE vf v_max(vf a, vf b) { return a > b ? a : b; }
V_INLINE vf v_sqrt(vf a) { return __builtin_sqrtf(a); }
#elif defined __AVX512F__ && XC_LANES == 16
#include <immintrin.h>
V_INLINE vf v_min(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
V_INLINE vf v_max(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
V_INLINE vf v_sqrt(vf a) { return (vf)_mm512_sqrt_ps((__m512)a); }
#elif defined __AVX__ && XC_LANES == 8
#include <immintrin.h>
V_INLINE vf v_min(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
V_INLINE vf v_max(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
V_INLINE vf v_sqrt(vf a) { return (vf)_mm256_sqrt_ps((__m256)a); }
#elif defined __SSE2__ && XC_LANES == 4
#include <emmintrin.h>
V_INLINE vf v_min(vf a, vf b) { return (vf)_mm_min_ps((__m128)a, (__m128)b); }
V_INLINE vf v_max(vf a, vf b) { return (vf)_mm_max_ps((__m128)a, (__m128)b); }
V_INLINE vf v_sqrt(vf a) { return (vf)_mm_sqrt_ps((__m128)a); }
#elif defined __ARM_NEON && XC_LANES == 4
#include <arm_neon.h>
V_INLINE vf v_min(vf a, vf b) { return (vf)vminq_f32((float32x4_t)a, (float32x4_t)b); }
V_INLINE vf v_max(vf a, vf b) { return (vf)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
V_INLINE vf v_sqrt(vf a) { return (vf)vsqrtq_f32((float32x4_t)a); }
#elif defined __wasm_simd128__ && XC_LANES == 4
#include <wasm_simd128.h>
/* pmin(b, a) is a < b ? a : b, as the other levels have it. */
V_INLINE vf v_min(vf a, vf b) { return (vf)wasm_f32x4_pmin((v128_t)b, (v128_t)a); }
V_INLINE vf v_max(vf a, vf b) { return (vf)wasm_f32x4_pmax((v128_t)b, (v128_t)a); }
V_INLINE vf v_sqrt(vf a) { return (vf)wasm_f32x4_sqrt((v128_t)a); }
#else
#error "no minimum, maximum and square root for this number of lanes"
#endif
/* clang-format on */

/* a + b, rounded once, as a multiply-add by 1. It uses the multipliers, which would idle while the
 * adders limit the speed of colours. (Zen has two units of each kind; where one unit does both,
 * nothing is lost.) */
#if defined __AVX512F__ && XC_LANES == 16
#define V_ONE(one) \
	vf one = v_splat(1.0f); \
	__asm__("" : "+v"(one))
V_INLINE vf v_sum(vf a, vf b)
{
	V_ONE(one);
	return (vf)_mm512_fmadd_ps((__m512)a, (__m512)one, (__m512)b);
}
#else
V_INLINE vf v_sum(vf a, vf b)
{
	return a + b;
}
#endif

/* 1: some bit is set. */
V_INLINE int v_any(vi v)
{
#if XC_LANES == 1
	return v != 0;
#elif defined __AVX512F__ && XC_LANES == 16
	return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined __AVX__ && XC_LANES == 8
	return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#elif defined __SSE2__ && XC_LANES == 4
	return _mm_movemask_epi8(_mm_cmpeq_epi32((__m128i)v, _mm_setzero_si128())) != 0xffff;
#elif defined __wasm_simd128__
	return wasm_v128_any_true((v128_t)v);
#else
	return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}

#define V_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Indices for V_SHUFFLE: f(q) gives four indices, for the four lanes from q on, and f(h) eight, for
 * the eight lanes from h on. Lanes of the second vector begin at XC_LANES. */
#if XC_LANES == 4
#define V_QUADS(f) f(0)
#elif XC_LANES == 8
#define V_QUADS(f) f(0), f(4)
#define V_OCTETS(f) f(0)
#elif XC_LANES == 16
#define V_QUADS(f) f(0), f(4), f(8), f(12)
#define V_OCTETS(f) f(0), f(8)
#endif
#define V_FOUR(q) (q), (q) + 1, (q) + 2, (q) + 3
#define V_PAIR_ONES(q) (q), XC_LANES + (q), (q) + 1, XC_LANES + (q) + 1
#define V_PAIR_TWOS(q) (q), (q) + 1, XC_LANES + (q), XC_LANES + (q) + 1
#define V_PAIR_FOURS(h) V_FOUR(h), V_FOUR(XC_LANES + (h))

/* Transposes V_BLOCKS 8x8 blocks. r[g * 8 + y]: columns g * XC_LANES ... of row y. */
#if XC_LANES == 1
V_INLINE void v_transpose8(vf r[64])
{
	for (int y = 0; y < 8; y++) {
		for (int x = y + 1; x < 8; x++) {
			const vf t = r[x * 8 + y];
			r[x * 8 + y] = r[y * 8 + x];
			r[y * 8 + x] = t;
		}
	}
}
#else
#define V_HIGH_ONES(q) V_PAIR_ONES((q) + 2)
#define V_HIGH_TWOS(q) V_PAIR_TWOS((q) + 2)
#define V_HIGH_FOURS(h) V_PAIR_FOURS((h) + 4)

/* Transposes the 4x4 values of each four lanes of r[0..3]. */
V_INLINE void v_transpose4(vf r[4])
{
	const vf a0 = V_SHUFFLE(r[0], r[1], V_QUADS(V_PAIR_ONES));
	const vf a1 = V_SHUFFLE(r[0], r[1], V_QUADS(V_HIGH_ONES));
	const vf a2 = V_SHUFFLE(r[2], r[3], V_QUADS(V_PAIR_ONES));
	const vf a3 = V_SHUFFLE(r[2], r[3], V_QUADS(V_HIGH_ONES));

	r[0] = V_SHUFFLE(a0, a2, V_QUADS(V_PAIR_TWOS));
	r[1] = V_SHUFFLE(a0, a2, V_QUADS(V_HIGH_TWOS));
	r[2] = V_SHUFFLE(a1, a3, V_QUADS(V_PAIR_TWOS));
	r[3] = V_SHUFFLE(a1, a3, V_QUADS(V_HIGH_TWOS));
}

V_INLINE void v_transpose8(vf r[8 * V_GROUPS])
{
	for (int i = 0; i < 2 * V_GROUPS; i++)
		v_transpose4(r + 4 * i);
	for (int i = 0; i < 4; i++) {
#if XC_LANES == 4
		const vf t = r[4 + i];
		r[4 + i] = r[8 + i];
		r[8 + i] = t;
#else
		const vf low = r[i], high = r[4 + i];
		r[i] = V_SHUFFLE(low, high, V_OCTETS(V_PAIR_FOURS));
		r[4 + i] = V_SHUFFLE(low, high, V_OCTETS(V_HIGH_FOURS));
#endif
	}
}
#endif

/* v_before: all lanes moved up by one, the first from the end of the vector before; v_after: down
 * by one, the last from the start of the vector after. v_even, v_odd: the even and odd elements of
 * the 2 * XC_LANES values a, b; v_zip_low, v_zip_high: the way back. */
#if XC_LANES == 1
/* clang-format off */
V_INLINE vf v_before(vf before, vf v) { (void)v; return before; }
V_INLINE vf v_after(vf v, vf after) { (void)v; return after; }
V_INLINE vf v_even(vf a, vf b) { (void)b; return a; }
V_INLINE vf v_odd(vf a, vf b) { (void)a; return b; }
V_INLINE vf v_zip_low(vf a, vf b) { (void)b; return a; }
V_INLINE vf v_zip_high(vf a, vf b) { (void)a; return b; }
/* clang-format on */
#else
#define V_UP(q) V_FOUR(XC_LANES - 1 + (q))
#define V_DOWN(q) V_FOUR((q) + 1)
#define V_EVEN(q) 2 * (q), 2 * (q) + 2, 2 * (q) + 4, 2 * (q) + 6
#define V_ODD(q) 2 * (q) + 1, 2 * (q) + 3, 2 * (q) + 5, 2 * (q) + 7
#define V_ZIP_LOW(q) V_PAIR_ONES((q) / 2)
#define V_ZIP_HIGH(q) V_PAIR_ONES(((q) + XC_LANES) / 2)
#define v_before(before, v) V_SHUFFLE(before, v, V_QUADS(V_UP))
#define v_after(v, after) V_SHUFFLE(v, after, V_QUADS(V_DOWN))
#define v_even(a, b) V_SHUFFLE(a, b, V_QUADS(V_EVEN))
#define v_odd(a, b) V_SHUFFLE(a, b, V_QUADS(V_ODD))
#define v_zip_low(a, b) V_SHUFFLE(a, b, V_QUADS(V_ZIP_LOW))
#define v_zip_high(a, b) V_SHUFFLE(a, b, V_QUADS(V_ZIP_HIGH))
#endif

#endif
