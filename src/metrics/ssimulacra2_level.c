/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The makefile compiles this file once per SIMD level; XC_LANES: floats in a vector, and
 * XC_SSIMULACRA2: the name of the table.
 *
 * The reference program blurs with recursions that never forget a rounding, so in flat areas the
 * score depends on them (by up to 4 near 90). These loops therefore round as it does: the same
 * factors, four outputs of a row at a time, the same fused operations.
 */
#include <string.h>

#include "src/metrics/ssimulacra2.h"

#if XC_LANES >= 8
#include <immintrin.h>
enum { LANES = XC_LANES };
#else
enum { LANES = 4 };
#if defined __ARM_NEON
#include <arm_neon.h>
#endif
#endif

/* Every processor of this level has fused operations; compilers may use them only where told. */
#if XC_LANES == 8
#define LEVEL __attribute__((target("fma")))
#else
#define LEVEL
#endif

typedef float vector __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t integers __attribute__((vector_size(LANES * sizeof(float))));

static inline LEVEL vector load(const float *from)
{
	vector v;

	memcpy(&v, from, sizeof v);
	return v;
}

static inline LEVEL void store(float *to, vector v)
{
	memcpy(to, &v, sizeof v);
}

static inline LEVEL vector all(float value)
{
	return (vector){0} + value;
}

static inline LEVEL vector choose(integers where, vector a, vector b)
{
	return (vector)((where & (integers)a) | (~where & (integers)b));
}

#if XC_LANES < 8 && !defined __ARM_NEON
/* a b + c, rounded once. The product is exact in double precision. If the sum is not, its last bit
 * is set, which keeps the second rounding from falling to the wrong side of a middle. */
static inline float fused_one(float a, float b, float c)
{
	const double product = (double)a * b, sum = product + c;
	const double part = sum - product, error = (product - (sum - part)) + (c - part);
	uint64_t bits;
	double odd;

	memcpy(&bits, &sum, sizeof bits);
	if (error != 0 && !(bits & 1))
		bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
	memcpy(&odd, &bits, sizeof odd);
	return (float)odd;
}
#endif

static inline LEVEL vector fused(vector a, vector b, vector c)
{
#if XC_LANES == 16
	return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif XC_LANES == 8
	return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined __ARM_NEON
	return (vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
	vector v;
	for (int i = 0; i < LANES; i++)
		v[i] = fused_one(a[i], b[i], c[i]);
	return v;
#endif
}

/* ------------------------------------------------------------------- colour */

/* The curve of IEC 61966-2-1 as a quotient of polynomials, as the reference program has it; below
 * 0.04045 it is a line. */
static LEVEL void linear(float *samples, uint32_t n)
{
	static const float p[] = {2.200248328e-04f, 1.043637593e-02f, 1.624820318e-01f,
	                          7.961564959e-01f, 8.210152774e-01f};
	static const float q[] = {2.631846970e-01f, 1.076976492e+00f, 4.987528350e-01f,
	                          -5.512498495e-02f, 6.521209011e-03f};

	for (uint32_t i = 0; i < n; i += LANES) {
		const vector x = load(samples + i);
		vector above = all(p[4]), below = all(q[4]);
		for (int k = 3; k >= 0; k--) {
			above = fused(above, x, all(p[k]));
			below = fused(below, x, all(q[k]));
		}
		store(samples + i, choose(x > 0.04045f, above / below, x * (1 / 12.92f)));
	}
}

static LEVEL void halve(const float *upper, const float *lower, float *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = (upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1]) * 0.25f;
}

/* The cube root of x >= 0, plus `add`: a guess of x^(-1/3) from the exponent, four steps of
 * Newton's method, and x times its square. */
static inline LEVEL vector cube_root(vector x, vector add)
{
	const integers bits = (integers)x;
	vector r = (vector)((0x54800000 - (bits >> 23) * 0x2aaaaa) & (bits != 0));
	const vector third = x * (1.0f / 3);

	for (int i = 0; i < 3; i++) {
		const vector square = r * r;
		r = fused(-third, square * square, r * (4.0f / 3));
	}
	const vector square = r * r;
	r = fused(all(1.0f / 3), fused(-x, square * square, r), r);
	return fused(r * r, x, add);
}

/* XYB of libjxl's opsin absorbance, moved into 0 to 1; B is less Y. */
static inline LEVEL void xyb_of(float *red, float *green, float *blue)
{
	static const float matrix[3][3] = {{0.3f, 0.622f, 0.078f},
	                                   {0.23f, 0.692f, 0.078f},
	                                   {0.24342268924547819f, 0.20476744424496821f,
	                                    0.5518098665095536f}};
	const vector bias = all(0.0037930732552754493f), less = all(-0.155954197f);
	const vector r = load(red), g = load(green), b = load(blue);
	vector mixed[3];

	for (int i = 0; i < 3; i++)
		mixed[i] = cube_root(fused(all(matrix[i][0]), r,
		                           fused(all(matrix[i][1]), g, fused(all(matrix[i][2]), b, bias))),
		                     less);
	const vector x = (mixed[0] - mixed[1]) * 0.5f, y = (mixed[0] + mixed[1]) * 0.5f;
	store(red, x * 14.0f + 0.42f);
	store(green, y + 0.01f);
	store(blue, mixed[2] - y + 0.55f);
}

static LEVEL void xyb(xc_strip_input input, uint32_t n)
{
	for (int picture = 0; picture < 6; picture += 3)
		for (uint32_t i = 0; i < n; i += LANES)
			xyb_of(input[picture] + i, input[picture + 1] + i, input[picture + 2] + i);
}

/* ------------------------------------------------------------ the blur across */

/* Four outputs of each of LANES / 4 rows. */
enum { ROWS = LANES / 4 };

typedef float four __attribute__((vector_size(16)));

static inline LEVEL four load_four(const float *from)
{
	four v;

	memcpy(&v, from, sizeof v);
	return v;
}

#if XC_LANES >= 8
typedef float eight __attribute__((vector_size(32)));

static inline LEVEL eight load_two(const float (*rows)[XC_STRIP_INPUT], uint32_t at)
{
	return __builtin_shufflevector(load_four(rows[0] + at), load_four(rows[1] + at), 0, 1, 2, 3, 4,
	                               5, 6, 7);
}
#endif

static inline LEVEL vector load_rows(const float (*rows)[XC_STRIP_INPUT], uint32_t at)
{
#if XC_LANES == 16
	return __builtin_shufflevector(load_two(rows, at), load_two(rows + 2, at), 0, 1, 2, 3, 4, 5, 6,
	                               7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif XC_LANES == 8
	return load_two(rows, at);
#else
	return load_four(rows[0] + at);
#endif
}

/* Element `i` of four, in all four, for each row. */
#if XC_LANES == 16
#define SAME(v, i) \
	__builtin_shufflevector(v, v, i, i, i, i, i + 4, i + 4, i + 4, i + 4, i + 8, i + 8, i + 8, \
	                        i + 8, i + 12, i + 12, i + 12, i + 12)
#elif XC_LANES == 8
#define SAME(v, i) __builtin_shufflevector(v, v, i, i, i, i, i + 4, i + 4, i + 4, i + 4)
#else
#define SAME(v, i) __builtin_shufflevector(v, v, i, i, i, i)
#endif

/* Element 0 of each four from an element of each row, and back. */
static inline LEVEL vector spread(const float *rows)
{
	vector v;

	for (int i = 0; i < LANES; i++)
		v[i] = rows[i / 4];
	return v;
}

static inline LEVEL void gather(vector v, float *rows)
{
	for (int i = 0; i < ROWS; i++)
		rows[i] = v[4 * i];
}

/* Steps of four outputs, from index `at` of the input to index `end`, of ROWS rows. Each step reads
 * the inputs at - 6 to at + 7, which the input has on both sides of a strip. */
static inline LEVEL void across_rows(const xc_blur *blur, const float (*in)[XC_STRIP_INPUT],
                                     uint32_t at, uint32_t end,
                                     float state[2][XC_BLUR_TERMS][XC_BLURRED_PADDED], int row,
                                     float (*to)[XC_STRIP])
{
	vector last[XC_BLUR_TERMS], second[XC_BLUR_TERMS];
	vector by_input[XC_BLUR_TERMS][4], by_last[XC_BLUR_TERMS], by_second[XC_BLUR_TERMS];

	for (int t = 0; t < XC_BLUR_TERMS; t++) {
		last[t] = spread(&state[0][t][row]);
		second[t] = spread(&state[1][t][row]);
		for (int i = 0; i < 4; i++)
			by_input[t][i] = load(blur->input[t][i]);
		by_last[t] = load(blur->last[t]);
		by_second[t] = load(blur->second[t]);
	}
	for (; at < end; at += 4) {
		const vector sum = load_rows(in, at - XC_BLUR_BEHIND) + load_rows(in, at + XC_BLUR_AHEAD);
		const vector s[4] = {SAME(sum, 0), SAME(sum, 1), SAME(sum, 2), SAME(sum, 3)};
		vector out[XC_BLUR_TERMS];
		for (int t = 0; t < XC_BLUR_TERMS; t++) {
			vector v = s[0] * by_input[t][0];
			for (int i = 1; i < 4; i++)
				v = fused(by_input[t][i], s[i], v);
			v = fused(by_second[t], second[t], v);
			v = fused(by_last[t], last[t], v);
			second[t] = SAME(v, 2);
			last[t] = SAME(v, 3);
			out[t] = v;
		}
		const vector all_terms = out[0] + (out[1] + out[2]);
		for (int i = 0; i < ROWS; i++)
			memcpy(to[i] + (at - XC_STRIP_BEFORE), (const char *)&all_terms + 16 * i, 16);
	}
	for (int t = 0; t < XC_BLUR_TERMS; t++) {
		gather(last[t], &state[0][t][row]);
		gather(second[t], &state[1][t][row]);
	}
}

/* One output of each row at index `at`; none is written before the first column. */
static inline LEVEL void across_one(const xc_blur *blur, xc_strip_input in, int at,
                                    xc_row_state state, float to[XC_BLURRED_PADDED][XC_STRIP])
{
	float sums[XC_BLURRED_PADDED], out[XC_BLUR_TERMS][XC_BLURRED_PADDED];

	for (int i = 0; i < XC_BLURRED_PADDED; i++)
		sums[i] = (at < XC_BLUR_BEHIND ? 0 : in[i][at - XC_BLUR_BEHIND]) +
		          in[i][at + XC_BLUR_AHEAD];
	for (int t = 0; t < XC_BLUR_TERMS; t++)
		for (int i = 0; i < XC_BLURRED_PADDED; i += LANES) {
			const vector last = load(&state[0][t][i]);
			vector v = load(sums + i) * blur->input[t][0][0];
			v = fused(all(blur->second[t][0]), load(&state[1][t][i]), v);
			v = fused(all(blur->last[t][0]), last, v);
			store(&state[1][t][i], last);
			store(&state[0][t][i], v);
			store(out[t] + i, v);
		}
	if (at >= XC_STRIP_BEFORE)
		for (int i = 0; i < XC_BLURRED; i++)
			to[i][at - XC_STRIP_BEFORE] = out[0][i] + (out[1][i] + out[2][i]);
}

/* The moments' rows, for n columns of the strip. */
static inline LEVEL void multiply(xc_strip_input in, uint32_t n)
{
	for (int c = 0; c < 3; c++)
		for (uint32_t i = 0; i < n + 2 * XC_STRIP_BEFORE; i += LANES) {
			const vector a = load(in[c] + i), b = load(in[3 + c] + i);
			store(in[6 + c] + i, a * a);
			store(in[9 + c] + i, b * b);
			store(in[12 + c] + i, a * b);
		}
}

static LEVEL void across(const xc_blur *blur, xc_strip_input in, uint32_t x, uint32_t n,
                         uint32_t width, xc_row_state state, float to[XC_BLURRED_PADDED][XC_STRIP])
{
	/* The reference program's: alone up to column 7, and from where four would look too far. */
	const uint32_t first = x ? 0 : width < 8 ? width : 8, stop = width < x + 7 ? 0 : width - x - 7;
	uint32_t i = first;

	multiply(in, n);
	for (int at = x ? XC_STRIP_BEFORE : XC_STRIP_BEFORE - 4; at < (int)(XC_STRIP_BEFORE + i); at++)
		across_one(blur, in, at, state, to);
	while (i < n && i < stop)
		i += 4;
	for (int row = 0; row < XC_BLURRED && i > first; row += ROWS)
		across_rows(blur, &in[row], XC_STRIP_BEFORE + first, XC_STRIP_BEFORE + i, state, row,
		            to + row);
	for (; i < n; i++)
		across_one(blur, in, (int)(XC_STRIP_BEFORE + i), state, to);
}

/* -------------------------------------------------------------- the blur down */

/* The next output of a column's recursions; `newest`: which of two earlier outputs is the last. */
static inline LEVEL vector down_one(const xc_blur *blur, float state[XC_BLUR_TERMS][2][XC_STRIP],
                                    int newest, uint32_t at, vector sum)
{
	vector v[XC_BLUR_TERMS];

	for (int t = 0; t < XC_BLUR_TERMS; t++) {
		const vector before = fused(all(blur->last[t][0]), load(state[t][newest] + at),
		                            -load(state[t][!newest] + at));
		v[t] = fused(all(blur->input[t][0][0]), sum, before);
		store(state[t][!newest] + at, v[t]);
	}
	return v[0] + (v[1] + v[2]);
}

static inline LEVEL vector absolute(vector v)
{
	return (vector)((integers)v & INT32_MAX);
}

static inline LEVEL vector positive(vector v)
{
	return choose(v > 0, v, (vector){0});
}

typedef struct errors {
	vector of[XC_ERROR_SUMS];
} errors;

/* m: the blurred moments of one plane. */
static inline LEVEL void add_errors(errors *e, const vector m[5], vector a, vector b, vector inside)
{
	const float c2 = 0.0009f;
	const vector luminance = 1.0f - (m[0] - m[1]) * (m[0] - m[1]);
	const vector covariance = 2.0f * (m[4] - m[0] * m[1]) + c2;
	const vector variances = m[2] - m[0] * m[0] + (m[3] - m[1] * m[1]) + c2;
	const vector d = positive(1.0f - luminance * covariance / variances) * inside;
	const vector edge = absolute(a - m[0]), distorted = absolute(b - m[1]);
	const vector change = (distorted - edge) / (1.0f + edge) * inside;
	const vector maps[XC_ERROR_MAPS] = {d, positive(change), positive(-change)};

	for (int i = 0; i < XC_ERROR_MAPS; i++) {
		const vector square = maps[i] * maps[i];
		e->of[i] += maps[i];
		e->of[XC_ERROR_MAPS + i] += square * square;
	}
}

static inline LEVEL void down_plane(const xc_blur *blur, xc_strip *strip,
                                    const float (*above)[XC_STRIP], const float (*below)[XC_STRIP],
                                    const float (*plain)[XC_STRIP], int newest, int c)
{
	for (int slot = 0; slot < XC_SUM_SLOTS; slot += LANES) {
		errors e = {{{0}}};
		for (uint32_t i = (uint32_t)slot; i < strip->columns; i += XC_SUM_SLOTS) {
			vector m[5];
			for (int k = 0; k < 5; k++) {
				const vector a = above ? load(above[3 * k + c] + i) : (vector){0};
				const vector b = below ? load(below[3 * k + c] + i) : (vector){0};
				m[k] = down_one(blur, strip->down[3 * k + c], newest, i, a + b);
			}
			if (plain)
				add_errors(&e, m, load(plain[c] + i), load(plain[3 + c] + i),
				           load(strip->inside + i));
		}
		for (int k = 0; k < XC_ERROR_SUMS; k++)
			for (int i = 0; i < LANES; i++)
				strip->sums[c][k][slot + i] += e.of[k][i];
	}
}

static LEVEL void down(const xc_blur *blur, xc_strip *strip, const float (*above)[XC_STRIP],
                       const float (*below)[XC_STRIP], const float (*plain)[XC_STRIP], int64_t n)
{
	for (int c = 0; c < 3; c++)
		down_plane(blur, strip, above, below, n < 0 ? NULL : plain, n & 1, c);
}

const xc_ssimulacra2_level XC_SSIMULACRA2 = {linear, halve, xyb, across, down};
