/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of src/pixels/kernels.h for one SIMD level.  The makefile compiles this file once
 * a level and sets
 *   XC_LANES    floats in a vector: 1, 4, 8 or 16
 *   XC_KERNELS  the name of the table that it defines
 * Samples are independent of each other, and every operation is one rounded float operation
 * in the order written, so the number of lanes cannot change a result.
 */
#include "src/pixels/kernels.h"

#include "src/pixels/vec_pixels.h"

#define XC_V vf
#define XC_SUM v_sum
#include "transform/colour.h"
#include "transform/dct8.h"

#define MIDDLE(depth) ((depth) == 8 ? 128.0f : 32768.0f)
#define LARGEST(depth) ((depth) == 8 ? 255.0f : 65535.0f)

/* ------------------------------------------------------ pixels to planes */

XC_INLINE const char *pixel_at(const void *pixels, size_t i, int channels, int depth)
{
	return (const char *)pixels + i * (size_t)(channels * (depth / 8));
}

XC_INLINE void luma_row(const void *pixels, size_t n, int channels, int depth, float *y)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		const char *p = pixel_at(pixels, i, channels, depth);
		vf grey;
		if (channels >= 3) {
			vf r, g, b;
			load_rgb(p, channels, depth, &r, &g, &b);
			grey = xc_luma(r, g, b);
		} else {
			grey = load_sample(p, channels, depth, 0);
		}
		v_store(y + i, grey - MIDDLE(depth));
	}
}

XC_INLINE void rows_444(const void *pixels, size_t n, int channels, int depth, float *y, float *cb,
                        float *cr)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		vf r, g, b;
		load_rgb(pixel_at(pixels, i, channels, depth), channels, depth, &r, &g, &b);
		const vf l = xc_luma(r, g, b);
		v_store(y + i, l - MIDDLE(depth));
		v_store(cb + i, (b - l) * XC_KCB);
		v_store(cr + i, (r - l) * XC_KCR);
	}
}

/* Stores the luma of 2 * XC_LANES pixels and gives the sums of B - Y and R - Y over
 * neighbouring pairs. */
XC_INLINE void pair_sums(const void *pixels, size_t i, int channels, int depth, float *y, vf *sb,
                         vf *sr)
{
	vf r0, g0, b0, r1, g1, b1;
	load_rgb(pixel_at(pixels, i, channels, depth), channels, depth, &r0, &g0, &b0);
	load_rgb(pixel_at(pixels, i + XC_LANES, channels, depth), channels, depth, &r1, &g1, &b1);
	const vf l0 = xc_luma(r0, g0, b0), l1 = xc_luma(r1, g1, b1);
	v_store(y + i, l0 - MIDDLE(depth));
	v_store(y + i + XC_LANES, l1 - MIDDLE(depth));
	b0 = b0 - l0;
	b1 = b1 - l1;
	r0 = r0 - l0;
	r1 = r1 - l1;
	*sb = v_even(b0, b1) + v_odd(b0, b1);
	*sr = v_even(r0, r1) + v_odd(r0, r1);
}

XC_INLINE void rows_422(const void *pixels, size_t n, int channels, int depth, float *y, float *cb,
                        float *cr)
{
	for (size_t i = 0; i < n; i += 2 * XC_LANES) {
		vf sb, sr;
		pair_sums(pixels, i, channels, depth, y, &sb, &sr);
		v_store(cb + i / 2, sb * (XC_KCB * 0.5f));
		v_store(cr + i / 2, sr * (XC_KCR * 0.5f));
	}
}

XC_INLINE void rows_420(const void *row0, const void *row1, size_t n, int channels, int depth,
                        float *y0, float *y1, float *cb, float *cr)
{
	for (size_t i = 0; i < n; i += 2 * XC_LANES) {
		vf sb0, sr0, sb1, sr1;
		pair_sums(row0, i, channels, depth, y0, &sb0, &sr0);
		pair_sums(row1, i, channels, depth, y1, &sb1, &sr1);
		v_store(cb + i / 2, (sb0 + sb1) * (XC_KCB * 0.25f));
		v_store(cr + i / 2, (sr0 + sr1) * (XC_KCR * 0.25f));
	}
}

/* ------------------------------------------------ planes to coefficients */

/* Eight table entries, once for each block in a vector. */
XC_INLINE vf load_table(const float *table)
{
#if XC_LANES <= 8
	return v_load(table);
#elif defined __AVX512DQ__
	return (vf)_mm512_broadcast_f32x8(_mm256_loadu_ps(table));
#else
#error "no broadcast of half a vector"
#endif
}

XC_INLINE void fdct_vectors(const float *plane, size_t stride, const float *table,
                            vi out[8 * XC_GROUPS])
{
	vf r[8 * XC_GROUPS];
	for (int g = 0; g < XC_GROUPS; g++) {
		for (size_t y = 0; y < 8; y++)
			r[(size_t)g * 8 + y] = v_load(plane + y * stride + (size_t)g * XC_LANES);
		xc_dct8_forward(r + g * 8);
	}
	v_transpose8(r);
	for (int g = 0; g < XC_GROUPS; g++) {
		xc_dct8_forward(r + g * 8);
		for (int u = 0; u < 8; u++)
			out[g * 8 + u] = v_round(r[g * 8 + u] * load_table(table + u * 8 + g * XC_LANES));
	}
}

/* Row u of one block, or of two that fill a vector, of which only the first may be
 * wanted. */
#if XC_LANES <= 8
XC_INLINE void store_row16(int16_t *out, int u, int g, vi v, size_t blocks)
{
	(void)blocks;
	v_store16(out + u * 8 + g * XC_LANES, v);
}
XC_INLINE void store_row32(int32_t *out, int u, int g, vi v, size_t blocks)
{
	(void)blocks;
	memcpy(out + u * 8 + g * XC_LANES, &v, sizeof v);
}
#else
XC_INLINE void store_row16(int16_t *out, int u, int g, vi v, size_t blocks)
{
	(void)g;
	const __m256i n = _mm512_cvtepi32_epi16((__m512i)v);
	_mm_storeu_si128((void *)(out + u * 8), _mm256_castsi256_si128(n));
	if (blocks > 1)
		_mm_storeu_si128((void *)(out + 64 + u * 8), _mm256_extracti128_si256(n, 1));
}
XC_INLINE void store_row32(int32_t *out, int u, int g, vi v, size_t blocks)
{
	(void)g;
	_mm256_storeu_si256((void *)(out + u * 8), _mm512_castsi512_si256((__m512i)v));
	if (blocks > 1)
		_mm256_storeu_si256((void *)(out + 64 + u * 8), _mm512_extracti64x4_epi64((__m512i)v, 1));
}
#endif

#define DEFINE_FDCT(name, type, store_row) \
	static void name(const float *plane, size_t stride, const float table[64], size_t blocks, \
	                 type *out) \
	{ \
		for (size_t i = 0; i < blocks; i += XC_BLOCKS) { \
			vi q[8 * XC_GROUPS]; \
			fdct_vectors(plane + i * 8, stride, table, q); \
			for (int g = 0; g < XC_GROUPS; g++) \
				for (int u = 0; u < 8; u++) \
					store_row(out + i * 64, u, g, q[g * 8 + u], blocks - i); \
		} \
	}

DEFINE_FDCT(fdct16, int16_t, store_row16)
DEFINE_FDCT(fdct32, int32_t, store_row32)

/* ------------------------------------------------ coefficients to planes */

XC_INLINE void idct_vectors(vf r[8 * XC_GROUPS], const float *table, float *plane, size_t stride,
                            size_t blocks)
{
	for (int g = 0; g < XC_GROUPS; g++) {
		for (int u = 0; u < 8; u++)
			r[g * 8 + u] = r[g * 8 + u] * load_table(table + u * 8 + g * XC_LANES);
		xc_dct8_inverse(r + g * 8);
	}
	v_transpose8(r);
	for (int g = 0; g < XC_GROUPS; g++) {
		xc_dct8_inverse(r + g * 8);
		for (size_t y = 0; y < 8; y++) {
			float *row = plane + y * stride + (size_t)g * XC_LANES;
			if (blocks >= XC_BLOCKS)
				v_store(row, r[(size_t)g * 8 + y]);
			else
				memcpy(row, &r[(size_t)g * 8 + y], 32);
		}
	}
}

/* With only its DC both passes of the transform copy that value, exactly. */
XC_INLINE void fill_block(float *plane, size_t stride, float value)
{
	for (size_t y = 0; y < 8; y++)
		for (size_t x = 0; x < 8; x++)
			plane[y * stride + x] = value;
}

/* Row u of one block, or of two that fill a vector (of the one twice if there is only
 * one). */
#if XC_LANES <= 8
XC_INLINE vi load_row16(const int16_t *in, int u, int g, size_t blocks)
{
	(void)blocks;
	return v_load16(in + u * 8 + g * XC_LANES);
}
XC_INLINE vi load_row32(const int32_t *in, int u, int g, size_t blocks)
{
	(void)blocks;
	return v_load32(in + u * 8 + g * XC_LANES);
}
#else
XC_INLINE vi load_row16(const int16_t *in, int u, int g, size_t blocks)
{
	(void)g;
	const __m128i a = _mm_loadu_si128((const void *)(in + u * 8));
	const __m128i b = _mm_loadu_si128((const void *)(in + u * 8 + (blocks > 1 ? 64 : 0)));
	return (vi)_mm512_cvtepi16_epi32(_mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1));
}
XC_INLINE vi load_row32(const int32_t *in, int u, int g, size_t blocks)
{
	(void)g;
	const __m256i a = _mm256_loadu_si256((const void *)(in + u * 8));
	const __m256i b = _mm256_loadu_si256((const void *)(in + u * 8 + (blocks > 1 ? 64 : 0)));
	return (vi)_mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}
#endif

/* All but the DC of row 0. */
XC_INLINE vi without_dc(vi row, int g)
{
	if (g == 0) {
		vi mask = (vi){0} - 1;
#if XC_LANES == 1
		mask = 0;
#else
		mask[0] = 0;
#endif
#if XC_LANES == 16
		mask[8] = 0;
#endif
		row &= mask;
	}
	return row;
}

#define DEFINE_IDCT(name, type, load_row) \
	static void name(const type *in, const float table[64], size_t blocks, float *plane, \
	                 size_t stride) \
	{ \
		for (size_t i = 0; i < blocks; i += XC_BLOCKS) { \
			const size_t n = blocks - i < XC_BLOCKS ? 1 : XC_BLOCKS; \
			float *out = plane + i * 8; \
			const type *block = in + i * 64; \
			vi q[8 * XC_GROUPS], ac = {0}; \
			for (int g = 0; g < XC_GROUPS; g++) { \
				for (int u = 0; u < 8; u++) { \
					q[g * 8 + u] = load_row(block, u, g, n); \
					ac |= u ? q[g * 8 + u] : without_dc(q[g * 8], g); \
				} \
			} \
			if (!v_any(ac)) { \
				fill_block(out, stride, (float)block[0] * table[0]); \
				if (n > 1) \
					fill_block(out + 8, stride, (float)block[64] * table[0]); \
				continue; \
			} \
			vf r[8 * XC_GROUPS]; \
			for (int j = 0; j < 8 * XC_GROUPS; j++) \
				r[j] = V_CONVERT(vf, q[j]); \
			idct_vectors(r, table, out, stride, n); \
		} \
	}

DEFINE_IDCT(idct16, int16_t, load_row16)
DEFINE_IDCT(idct32, int32_t, load_row32)

/* ------------------------------------------------------ planes to pixels */

/* Writes n pixels, XC_LANES at most. */
XC_INLINE void colour_out(const float *y, vf cb, vf cr, size_t n, int channels, int depth,
                          const xc_colour_gains *k, void *pixels)
{
	vf r, g, b;
	xc_colour_inverse(v_load(y) + MIDDLE(depth), cb, cr, k, &r, &g, &b);
	if (n >= XC_LANES) {
		store_colour(pixels, channels, depth, LARGEST(depth), r, g, b);
	} else {
		uint8_t t[XC_LANES * 8];
		store_colour(t, channels, depth, LARGEST(depth), r, g, b);
		memcpy(pixels, t, n * (size_t)(channels * (depth / 8)));
	}
}

XC_INLINE void out_444(const float *y, const float *cb, const float *cr, size_t n, int channels,
                       int depth, const xc_colour_gains *gains, void *pixels)
{
	const xc_colour_gains k = *gains; /* a copy that no store can alias */
	const size_t bytes = (size_t)(channels * (depth / 8));
	size_t i = 0;
#if XC_LANES == 16
	for (; depth == 8 && i + 2 * XC_LANES <= n; i += 2 * XC_LANES) {
		vf r[2], g[2], b[2];
		for (size_t j = 0; j < 2; j++)
			xc_colour_inverse(v_load(y + i + j * XC_LANES) + MIDDLE(depth),
			                  v_load(cb + i + j * XC_LANES), v_load(cr + i + j * XC_LANES), &k,
			                  &r[j], &g[j], &b[j]);
		store_two8((uint8_t *)pixels + i * bytes, channels, 0, r, g, b);
	}
#endif
	for (; i < n; i += XC_LANES)
		colour_out(y + i, v_load(cb + i), v_load(cr + i), n - i, channels, depth, &k,
		           (char *)pixels + i * bytes);
}

/* A row of halved chroma walked through from left to right. */
typedef struct chroma {
	const float *near, *far; /* far NULL: the row itself, no vertical filter */
	vf before, here;
} chroma;

/* Vertical half of the triangle filter: 3/4 of the nearer and 1/4 of the farther row,
 * times 4.  The gains carry the weight. */
XC_INLINE vf chroma_load(const chroma *c, size_t i)
{
	const vf near = v_load(c->near + i);
	return c->far ? near * 3.0f + v_load(c->far + i) : near;
}

XC_INLINE chroma chroma_begin(const float *near, const float *far)
{
	chroma c = {.near = near, .far = far};
	c.before = v_splat(far ? near[-1] * 3.0f + far[-1] : near[-1]);
	c.here = chroma_load(&c, 0);
	return c;
}

/* Horizontal half, likewise: the next XC_LANES even and as many odd samples; the walk is
 * at sample i. */
XC_INLINE void chroma_next(chroma *c, size_t i, vf out[2])
{
	const vf after = chroma_load(c, i + XC_LANES);
	const vf three = c->here * 3.0f;
	out[0] = three + v_before(c->before, c->here);
	out[1] = three + v_after(c->here, after);
	c->before = c->here;
	c->here = after;
}

/* Writes n pixels, 2 * XC_LANES at most. */
XC_INLINE void pairs_out(const float *y, const vf cb[2], const vf cr[2], size_t n, int channels,
                         int depth, const xc_colour_gains *k, void *pixels)
{
#if XC_LANES == 16
	if (depth == 8 && n >= 2 * XC_LANES) {
		const vf y0 = v_load(y) + MIDDLE(depth), y1 = v_load(y + XC_LANES) + MIDDLE(depth);
		vf r[2], g[2], b[2];
		xc_colour_inverse(v_even(y0, y1), cb[0], cr[0], k, &r[0], &g[0], &b[0]);
		xc_colour_inverse(v_odd(y0, y1), cb[1], cr[1], k, &r[1], &g[1], &b[1]);
		store_two8(pixels, channels, 1, r, g, b);
		return;
	}
#endif
	const size_t pixel_bytes = (size_t)(channels * (depth / 8));
	colour_out(y, v_zip_low(cb[0], cb[1]), v_zip_low(cr[0], cr[1]), n, channels, depth, k, pixels);
	if (n > XC_LANES)
		colour_out(y + XC_LANES, v_zip_high(cb[0], cb[1]), v_zip_high(cr[0], cr[1]), n - XC_LANES,
		           channels, depth, k, (char *)pixels + XC_LANES * pixel_bytes);
}

XC_INLINE void out_2(const float *y, chroma cb, chroma cr, size_t n, int channels, int depth,
                     const xc_colour_gains *gains, void *pixels)
{
	const xc_colour_gains k = *gains; /* a copy that no store can alias */
	const size_t bytes = (size_t)(channels * (depth / 8));
	for (size_t i = 0; i < n; i += 2 * XC_LANES) {
		vf b[2], r[2];
		chroma_next(&cb, i / 2, b);
		chroma_next(&cr, i / 2, r);
		pairs_out(y + i, b, r, n - i, channels, depth, &k, (char *)pixels + i * bytes);
	}
}

XC_INLINE void out_grey(const float *y, size_t n, int channels, int depth, void *pixels)
{
	for (size_t i = 0; i < n; i++) {
		float v = y[i] + MIDDLE(depth);
		v = v > 0.0f ? v : 0.0f;
		v = v < LARGEST(depth) ? v : LARGEST(depth);
		const float t = v + 12582912.0f;
		int32_t s;
		memcpy(&s, &t, sizeof s);
		s -= 0x4B400000;
		if (depth == 8) {
			uint8_t *p = (uint8_t *)pixels + i * (size_t)channels;
			p[0] = (uint8_t)s;
			if (channels == 2)
				p[1] = 255;
		} else {
			uint16_t *p = (uint16_t *)pixels + i * (size_t)channels;
			p[0] = (uint16_t)s;
			if (channels == 2)
				p[1] = 65535;
		}
	}
}

/* ------------------------------------------------------ lapped transforms */

#include "src/pixels/lapped_template.h"

/* -------------------------------------------------------------- the table */

#define DEFINE_LUMA(name, channels, depth) \
	static void luma_##name(const void *p, size_t n, float *y) \
	{ \
		luma_row(p, n, channels, depth, y); \
	}

#define DEFINE_GREY(name, channels, depth) \
	DEFINE_LUMA(name, channels, depth) \
	static void output_##name(const float *y, size_t n, void *p) \
	{ \
		out_grey(y, n, channels, depth, p); \
	}

#define DEFINE_COLOUR(name, channels, depth) \
	DEFINE_LUMA(name, channels, depth) \
	static void forward_444_##name(const void *p, size_t n, float *y, float *cb, float *cr) \
	{ \
		rows_444(p, n, channels, depth, y, cb, cr); \
	} \
	static void forward_422_##name(const void *p, size_t n, float *y, float *cb, float *cr) \
	{ \
		rows_422(p, n, channels, depth, y, cb, cr); \
	} \
	static void forward_420_##name(const void *p, const void *q, size_t n, float *y0, float *y1, \
	                               float *cb, float *cr) \
	{ \
		rows_420(p, q, n, channels, depth, y0, y1, cb, cr); \
	} \
	static void output_444_##name(const float *y, const float *cb, const float *cr, size_t n, \
	                              const xc_colour_gains *gains, void *p) \
	{ \
		out_444(y, cb, cr, n, channels, depth, gains, p); \
	} \
	static void output_422_##name(const float *y, const float *cb, const float *cr, size_t n, \
	                              const xc_colour_gains *gains, void *p) \
	{ \
		out_2(y, chroma_begin(cb, NULL), chroma_begin(cr, NULL), n, channels, depth, gains, p); \
	} \
	static void output_420_##name(const float *y, const xc_chroma_rows *near, \
	                              const xc_chroma_rows *far, size_t n, \
	                              const xc_colour_gains *gains, void *p) \
	{ \
		out_2(y, chroma_begin(near->cb, far->cb), chroma_begin(near->cr, far->cr), n, channels, \
		      depth, gains, p); \
	}

DEFINE_GREY(g8, 1, 8)
DEFINE_GREY(ga8, 2, 8)
DEFINE_COLOUR(rgb8, 3, 8)
DEFINE_COLOUR(rgba8, 4, 8)
DEFINE_GREY(g16, 1, 16)
DEFINE_GREY(ga16, 2, 16)
DEFINE_COLOUR(rgb16, 3, 16)
DEFINE_COLOUR(rgba16, 4, 16)

#define EIGHT(f) \
	{ \
		f##g8, f##ga8, f##rgb8, f##rgba8, f##g16, f##ga16, f##rgb16, f##rgba16 \
	}
#define COLOURS(f) \
	{ \
		0, 0, f##rgb8, f##rgba8, 0, 0, f##rgb16, f##rgba16 \
	}
#define GREYS(f) \
	{ \
		f##g8, f##ga8, 0, 0, f##g16, f##ga16, 0, 0 \
	}

const xc_kernels XC_KERNELS = {
	.luma = EIGHT(luma_),
	.forward_444 = COLOURS(forward_444_),
	.forward_422 = COLOURS(forward_422_),
	.forward_420 = COLOURS(forward_420_),
	.fdct16 = fdct16,
	.fdct32 = fdct32,
	.idct16 = idct16,
	.idct32 = idct32,
	.lapped = {0, &lot_kernels, &tdlt_kernels},
	.output_444 = COLOURS(output_444_),
	.output_422 = COLOURS(output_422_),
	.output_420 = COLOURS(output_420_),
	.output_grey = GREYS(output_),
};
