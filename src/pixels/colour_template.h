/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels to planes and planes to pixels, for one SIMD level: a part of kernels_level.c. */
#ifndef XC_SRC_PIXELS_COLOUR_TEMPLATE_H
#define XC_SRC_PIXELS_COLOUR_TEMPLATE_H

#include "src/pixels/kernels.h"
#include "src/pixels/vec_pixels.h"

#define XC_V vf
#define XC_SUM v_sum
#include "transform/colour.h"

#define MIDDLE(depth) ((depth) == 8 ? 128.0f : 32768.0f)
#define LARGEST(depth) ((depth) == 8 ? 255.0f : 65535.0f)

V_INLINE const char *pixel_at(const void *pixels, size_t i, pixel_kind kind)
{
	return (const char *)pixels + i * (size_t)(kind.channels * (kind.depth / 8));
}

V_INLINE void luma_row(const void *pixels, size_t n, pixel_kind kind, float *y)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		const char *p = pixel_at(pixels, i, kind);
		vf grey;
		if (kind.channels >= 3) {
			vf r, g, b;
			load_rgb(p, kind, &r, &g, &b);
			grey = xc_luma(r, g, b);
		} else {
			grey = kind.channels == 1 && kind.depth == 8 ? load_bytes((const uint8_t *)p)
			                                             : load_sample(p, kind, 0);
		}
		v_store(y + i, grey - MIDDLE(kind.depth));
	}
}

V_INLINE void rows_444(const void *pixels, size_t n, pixel_kind kind, float *y, float *cb,
                       float *cr)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		vf r, g, b;
		load_rgb(pixel_at(pixels, i, kind), kind, &r, &g, &b);
		const vf l = xc_luma(r, g, b);
		v_store(y + i, l - MIDDLE(kind.depth));
		v_store(cb + i, (b - l) * XC_KCB);
		v_store(cr + i, (r - l) * XC_KCR);
	}
}

/* Stores luma of 2 * XC_LANES pixels; *sb, *sr: sums of B - Y and R - Y over pairs. */
V_INLINE void pair_sums(const void *pixels, size_t i, pixel_kind kind, float *y, vf *sb, vf *sr)
{
	vf r0, g0, b0, r1, g1, b1;

	load_rgb(pixel_at(pixels, i, kind), kind, &r0, &g0, &b0);
	load_rgb(pixel_at(pixels, i + XC_LANES, kind), kind, &r1, &g1, &b1);
	const vf l0 = xc_luma(r0, g0, b0), l1 = xc_luma(r1, g1, b1);
	v_store(y + i, l0 - MIDDLE(kind.depth));
	v_store(y + i + XC_LANES, l1 - MIDDLE(kind.depth));
	b0 = b0 - l0;
	b1 = b1 - l1;
	r0 = r0 - l0;
	r1 = r1 - l1;
	*sb = v_even(b0, b1) + v_odd(b0, b1);
	*sr = v_even(r0, r1) + v_odd(r0, r1);
}

V_INLINE void rows_422(const void *pixels, size_t n, pixel_kind kind, float *y, float *cb,
                       float *cr)
{
	for (size_t i = 0; i < n; i += 2 * XC_LANES) {
		vf sb, sr;
		pair_sums(pixels, i, kind, y, &sb, &sr);
		v_store(cb + i / 2, sb * (XC_KCB * 0.5f));
		v_store(cr + i / 2, sr * (XC_KCR * 0.5f));
	}
}

V_INLINE void rows_420(const void *row0, const void *row1, size_t n, pixel_kind kind, float *y0,
                       float *y1, float *cb, float *cr)
{
	for (size_t i = 0; i < n; i += 2 * XC_LANES) {
		vf sb0, sr0, sb1, sr1;
		pair_sums(row0, i, kind, y0, &sb0, &sr0);
		pair_sums(row1, i, kind, y1, &sb1, &sr1);
		v_store(cb + i / 2, (sb0 + sb1) * (XC_KCB * 0.25f));
		v_store(cr + i / 2, (sr0 + sr1) * (XC_KCR * 0.25f));
	}
}

static void mix(const float *const from[3], size_t n, const float matrix[9], float *const to[3])
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		const vf a = v_load(from[0] + i), b = v_load(from[1] + i), c = v_load(from[2] + i);
		for (size_t j = 0; j < 3; j++)
			v_store(to[j] + i, xc_colour_mix(a, b, c, matrix + 3 * j));
	}
}

/* Writes n pixels, at most XC_LANES. */
V_INLINE void colour_out(const float *y, vf cb, vf cr, size_t n, pixel_kind kind,
                         const xc_colour_gains *k, void *pixels)
{
	vf r, g, b;

	xc_colour_inverse(v_load(y) + MIDDLE(kind.depth), cb, cr, k, &r, &g, &b);
	if (n >= XC_LANES) {
		store_colour(pixels, kind, LARGEST(kind.depth), r, g, b);
	} else {
		uint8_t t[XC_LANES * 8];
		store_colour(t, kind, LARGEST(kind.depth), r, g, b);
		memcpy(pixels, t, n * (size_t)(kind.channels * (kind.depth / 8)));
	}
}

V_INLINE void out_444(const float *y, const float *cb, const float *cr, size_t n, pixel_kind kind,
                      const xc_colour_gains *gains, void *pixels)
{
	const xc_colour_gains k = *gains; /* a copy that no store can alias */
	const size_t bytes = (size_t)(kind.channels * (kind.depth / 8));
	size_t i = 0;
#if XC_LANES == 16
	for (; kind.depth == 8 && i + 2 * XC_LANES <= n; i += 2 * XC_LANES) {
		vf r[2], g[2], b[2];
		for (size_t j = 0; j < 2; j++)
			xc_colour_inverse(v_load(y + i + j * XC_LANES) + MIDDLE(kind.depth),
			                  v_load(cb + i + j * XC_LANES), v_load(cr + i + j * XC_LANES), &k,
			                  &r[j], &g[j], &b[j]);
		store_two8((uint8_t *)pixels + i * bytes, kind, 0, r, g, b);
	}
#endif
	for (; i < n; i += XC_LANES)
		colour_out(y + i, v_load(cb + i), v_load(cr + i), n - i, kind, &k,
		           (char *)pixels + i * bytes);
}

/* A row of halved chroma, which is read from left to right. */
typedef struct chroma {
	const float *near, *far; /* far NULL: no vertical filter */
	vf before, here;
} chroma;

/* The vertical half of the triangle filter: 3/4 of the nearer and 1/4 of the farther row, times 4.
 * The gains divide by the 4. */
V_INLINE vf chroma_load(const chroma *c, size_t i)
{
	const vf near = v_load(c->near + i);
	return c->far ? near * 3.0f + v_load(c->far + i) : near;
}

V_INLINE chroma chroma_begin(const float *near, const float *far)
{
	chroma c = {.near = near, .far = far};

	c.before = v_splat(far ? near[-1] * 3.0f + far[-1] : near[-1]);
	c.here = chroma_load(&c, 0);
	return c;
}

/* The horizontal half: the next XC_LANES even and odd samples, from sample i on. */
V_INLINE void chroma_next(chroma *c, size_t i, vf out[2])
{
	const vf after = chroma_load(c, i + XC_LANES);
	const vf three = c->here * 3.0f;

	out[0] = three + v_before(c->before, c->here);
	out[1] = three + v_after(c->here, after);
	c->before = c->here;
	c->here = after;
}

/* Writes n pixels, at most 2 * XC_LANES. */
V_INLINE void pairs_out(const float *y, const vf cb[2], const vf cr[2], size_t n, pixel_kind kind,
                        const xc_colour_gains *k, void *pixels)
{
#if XC_LANES == 16
	if (kind.depth == 8 && n >= 2 * XC_LANES) {
		const vf y0 = v_load(y) + MIDDLE(kind.depth),
				 y1 = v_load(y + XC_LANES) + MIDDLE(kind.depth);
		vf r[2], g[2], b[2];
		xc_colour_inverse(v_even(y0, y1), cb[0], cr[0], k, &r[0], &g[0], &b[0]);
		xc_colour_inverse(v_odd(y0, y1), cb[1], cr[1], k, &r[1], &g[1], &b[1]);
		store_two8(pixels, kind, 1, r, g, b);
		return;
	}
#endif
	const size_t pixel_bytes = (size_t)(kind.channels * (kind.depth / 8));
	colour_out(y, v_zip_low(cb[0], cb[1]), v_zip_low(cr[0], cr[1]), n, kind, k, pixels);
	if (n > XC_LANES)
		colour_out(y + XC_LANES, v_zip_high(cb[0], cb[1]), v_zip_high(cr[0], cr[1]), n - XC_LANES,
		           kind, k, (char *)pixels + XC_LANES * pixel_bytes);
}

V_INLINE void out_2(const float *y, chroma cb, chroma cr, size_t n, pixel_kind kind,
                    const xc_colour_gains *gains, void *pixels)
{
	const xc_colour_gains k = *gains; /* a copy that no store can alias */
	const size_t bytes = (size_t)(kind.channels * (kind.depth / 8));

	for (size_t i = 0; i < n; i += 2 * XC_LANES) {
		vf b[2], r[2];
		chroma_next(&cb, i / 2, b);
		chroma_next(&cr, i / 2, r);
		pairs_out(y + i, b, r, n - i, kind, &k, (char *)pixels + i * bytes);
	}
}

V_INLINE vi grey_of(const float *y, int depth)
{
	const vf zero = {0}, v = v_load(y) + MIDDLE(depth);
	return v_round(v_min(v_max(v, zero), v_splat(LARGEST(depth))));
}

V_INLINE void out_grey(const float *y, size_t n, pixel_kind kind, void *pixels)
{
	const size_t bytes = (size_t)(kind.channels * (kind.depth / 8));
	char *p = pixels;
	size_t i = 0;

	for (; i + XC_LANES <= n; i += XC_LANES)
		store_grey(p + i * bytes, kind, grey_of(y + i, kind.depth));
	if (i < n) {
		uint8_t t[XC_LANES * 8];
		store_grey(t, kind, grey_of(y + i, kind.depth));
		memcpy(p + i * bytes, t, (n - i) * bytes);
	}
}

static void pairs_in(const void *pairs, size_t n, float *a, float *b)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		const vu w = load_pairs((const uint8_t *)pairs + 2 * i);
		v_store(a + i, V_CONVERT(vf, (vi)(w & 255u)) - MIDDLE(8));
		v_store(b + i, V_CONVERT(vf, (vi)(w >> 8)) - MIDDLE(8));
	}
}

static void two_out(const float *a, const float *b, size_t n, void *pairs)
{
	for (size_t i = 0; i < n; i += XC_LANES) {
		const vi w = grey_of(a + i, 8) | grey_of(b + i, 8) << 8;
		uint8_t *to = (uint8_t *)pairs + 2 * i, t[XC_LANES * 2];
		store_pairs(n - i >= XC_LANES ? to : t, w);
		if (n - i < XC_LANES)
			memcpy(to, t, 2 * (n - i));
	}
}

#endif
