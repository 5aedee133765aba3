/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to pixels: a region of 128 pixels in a row and 32 or 64 rows by one
 * block of threads.  First each thread takes blocks (xc_gpu_region_block) and leaves
 * their samples in shared memory; of chroma that was halved also those of the blocks
 * around the region, of which one row or column of samples is kept.  Then each warp
 * takes rows of pixels (xc_gpu_region_rows), four pixels a lane.
 */
#ifndef XC_GPU_DECODE_PIXELS_H
#define XC_GPU_DECODE_PIXELS_H

#include <string.h>

#include "gpu/decode_block.h"
#include "gpu/warp.h"
#include "src/colour.h"

/* The kinds of pictures that have a kernel each, for 8 and for 16 bits. */
enum { XC_GPU_GREY, XC_GPU_444, XC_GPU_422, XC_GPU_420, XC_GPU_KINDS };

enum {
	XC_GPU_REGION_WIDTH = 128,
	XC_GPU_HALF_STRIDE = XC_GPU_REGION_WIDTH / 2 + 4, /* floats; the samples at both ends */
	XC_GPU_HALF_BEFORE = XC_GPU_REGION_WIDTH / 2,     /* come behind the others */
	XC_GPU_HALF_BEHIND
};

XC_GPU_CONSTANT uint32_t xc_gpu_region_height(int kind)
{
	return kind == XC_GPU_GREY || kind == XC_GPU_420 ? 64 : 32;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_luma_blocks(int kind)
{
	return XC_GPU_REGION_WIDTH / 8 * xc_gpu_region_height(kind) / 8;
}

/* Blocks of Cb that a region needs, across and down. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_chroma_wide(int kind)
{
	return kind == XC_GPU_GREY ? 0 : kind == XC_GPU_444 ? 16 : 10;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_chroma_high(int kind)
{
	return kind == XC_GPU_GREY ? 0 : kind == XC_GPU_420 ? 6 : 4;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_blocks(int kind)
{
	return xc_gpu_region_luma_blocks(kind) +
	       2 * xc_gpu_region_chroma_wide(kind) * xc_gpu_region_chroma_high(kind);
}

/* Rows and floats of a chroma plane in shared memory. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_chroma_rows(int kind)
{
	return kind == XC_GPU_GREY ? 0 : kind == XC_GPU_420 ? 34 : 32;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_chroma_stride(int kind)
{
	return kind == XC_GPU_444 ? XC_GPU_REGION_WIDTH : XC_GPU_HALF_STRIDE;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_plane(int kind, int c)
{
	return !c ? 0 : XC_GPU_REGION_WIDTH * xc_gpu_region_height(kind) +
	                (uint32_t)(c - 1) * xc_gpu_region_chroma_rows(kind) *
	                        xc_gpu_region_chroma_stride(kind);
}

/* All that is shared, in floats: planes, steps, and a row of pixels for each warp. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_steps(int kind)
{
	return xc_gpu_region_plane(kind, 3);
}

XC_GPU_CONSTANT uint32_t xc_gpu_row_words(int deep)
{
	return XC_GPU_REGION_WIDTH * (deep ? 2 : 1);
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_floats(int kind, int deep, uint32_t warps)
{
	return xc_gpu_region_steps(kind) + 128 + warps * xc_gpu_row_words(deep);
}

/* Where pixels go: of the plan, but copies that no store can alias.  (Not part of the
 * region: nvcc 13.0 then took the pixels for shared memory, as the samples are.) */
typedef struct xc_gpu_output {
	uint32_t width, height, channels;
	xc_colour_gains gains;
	uint8_t *pixels;
	size_t stride;
	const uint8_t *alpha;
} xc_gpu_output;

typedef struct xc_gpu_region {
	const xc_gpu_decode_plan *plan;
	const xc_gpu_segment_result *results; /* of all pictures */
	uint32_t x, y; /* of its first pixel */
	float *shared;
} xc_gpu_region;

XC_GPU_INLINE xc_gpu_output xc_gpu_output_of(const xc_gpu_decode_plan *p)
{
	const xc_gpu_output o = {p->width,  p->height, p->channels, p->gains,
	                         p->pixels, p->stride, p->alpha};
	return o;
}

/* Where four samples that belong together are in a row: groups of 32 bytes that lie 256
 * bytes apart change halves, so that eight lanes that store such groups meet no bank
 * twice. */
XC_GPU_INLINE uint32_t xc_gpu_four(uint32_t i)
{
	return i ^ (i >> 3 & 1);
}

XC_GPU_INLINE void xc_gpu_store_four(float *to, float a, float b, float c, float d)
{
#ifdef __CUDA_ARCH__
	*(float4 *)to = make_float4(a, b, c, d);
#else
	to[0] = a, to[1] = b, to[2] = c, to[3] = d;
#endif
}

XC_GPU_INLINE void xc_gpu_load_four(const float *from, float v[4])
{
#ifdef __CUDA_ARCH__
	const float4 f = *(const float4 *)from;
	v[0] = f.x, v[1] = f.y, v[2] = f.z, v[3] = f.w;
#else
	memcpy(v, from, 4 * sizeof *v);
#endif
}

/* ------------------------------------------------------------------ blocks */

/* Copies the steps, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_region_begin(const xc_gpu_region *r, int kind, uint32_t worker,
                                       uint32_t workers)
{
	float *steps = r->shared + xc_gpu_region_steps(kind);
	for (uint32_t i = worker; i < 128; i += workers)
		steps[i] = r->plan->steps[i / 64][i % 64];
}

XC_GPU_INLINE void xc_gpu_store_full(float *plane, uint32_t stride, uint32_t bx, uint32_t row,
                                     const float f[64])
{
	XC_GPU_UNROLL
	for (int y = 0; y < 8; y++, row++) {
		float *to = plane + row * stride;
		xc_gpu_store_four(to + xc_gpu_four(2 * bx) * 4, f[y], f[8 + y], f[16 + y], f[24 + y]);
		xc_gpu_store_four(to + xc_gpu_four(2 * bx + 1) * 4, f[32 + y], f[40 + y], f[48 + y],
		                  f[56 + y]);
	}
}

/* Block bx of a row from -1 to 8 of halved chroma; its first row of samples is `row`,
 * which may lie outside the rows that are kept. */
XC_GPU_INLINE void xc_gpu_store_half(float *plane, int bx, int row, uint32_t rows,
                                     const float f[64])
{
	XC_GPU_UNROLL
	for (int y = 0; y < 8; y++, row++) {
		if ((uint32_t)row >= rows)
			continue;
		float *to = plane + (uint32_t)row * XC_GPU_HALF_STRIDE;
		if (bx < 0) {
			to[XC_GPU_HALF_BEFORE] = f[56 + y];
		} else if (bx > 7) {
			to[XC_GPU_HALF_BEHIND] = f[y];
		} else {
			xc_gpu_store_four(to + xc_gpu_four(2 * (uint32_t)bx) * 4, f[y], f[8 + y],
			                  f[16 + y], f[24 + y]);
			xc_gpu_store_four(to + xc_gpu_four(2 * (uint32_t)bx + 1) * 4, f[32 + y],
			                  f[40 + y], f[48 + y], f[56 + y]);
		}
	}
}

/* Block `i` of those that the region needs. */
XC_GPU_INLINE void xc_gpu_region_block(const xc_gpu_region *r, uint32_t i, int kind, int deep)
{
	const xc_gpu_decode_plan *p = r->plan;
	const uint32_t luma = xc_gpu_region_luma_blocks(kind);
	const uint32_t wide = i < luma ? XC_GPU_REGION_WIDTH / 8 : xc_gpu_region_chroma_wide(kind);
	const uint32_t chroma = xc_gpu_region_chroma_wide(kind) * xc_gpu_region_chroma_high(kind);
	const uint32_t c = i < luma ? 0 : i < luma + chroma ? 1 : 2;
	const uint32_t n = i - (c ? luma : 0) - (c == 2 ? chroma : 0);
	const int half = c && kind != XC_GPU_444, quarter = c && kind == XC_GPU_420;
	const int bx = (int)(n % wide) - half, by = (int)(n / wide) - quarter;
	const uint32_t x = r->x / (half ? 16 : 8) + (uint32_t)bx;
	const uint32_t y = r->y / (quarter ? 16 : 8) + (uint32_t)by;
	if (x >= p->mcus_wide * (c ? 1 : p->h) || y >= p->mcus_high * (c ? 1 : p->v))
		return;
	uint32_t tile;
	const uint32_t place = xc_gpu_block_place(p, c, x, y, &tile);
	float f[64];
	xc_gpu_block_load(p, place, r->results[p->first_segment + tile].intact != 0,
	                  r->shared + xc_gpu_region_steps(kind) + (c ? 64 : 0), f, deep);
	xc_gpu_block_inverse(f);
	if (p->rounding)
		xc_gpu_block_round(f, deep);
	float *plane = r->shared + xc_gpu_region_plane(kind, (int)c);
	if (half)
		xc_gpu_store_half(plane, bx, by * 8 + quarter, xc_gpu_region_chroma_rows(kind), f);
	else
		xc_gpu_store_full(plane, XC_GPU_REGION_WIDTH, (uint32_t)bx, (uint32_t)by * 8, f);
}

/* ------------------------------------------------------------------ pixels */

/* v rounded to the nearest integer, ties to even, in the lowest 16 bits. */
XC_GPU_INLINE uint32_t xc_gpu_sample(float v, float largest)
{
	const float t = fminf(fmaxf(v, 0.0f), largest) + 12582912.0f;
#ifdef __CUDA_ARCH__
	return __float_as_uint(t);
#else
	uint32_t bits;
	memcpy(&bits, &t, sizeof bits);
	return bits;
#endif
}

/* The alpha of four pixels of a row from x on. */
XC_GPU_INLINE void xc_gpu_alpha(const xc_gpu_output *p, uint32_t x, uint32_t y, int deep,
                                uint32_t a[4])
{
	for (uint32_t i = 0; i < 4; i++) {
		const size_t at = (size_t)y * p->width + x + i;
		a[i] = deep ? 65535 : 255;
		if (p->alpha && x + i < p->width)
			a[i] = deep ? ((const uint16_t *)(const void *)p->alpha)[at] : p->alpha[at];
	}
}

/* Four pixels of `channels` samples each, packed. */
XC_GPU_INLINE void xc_gpu_pack(uint32_t *to, const uint32_t *samples, uint32_t channels, int deep)
{
	const uint32_t n = 4 * channels;
	if (deep) {
		XC_GPU_UNROLL
		for (uint32_t i = 0; i < n; i += 2)
			to[i / 2] = (samples[i] & 0xffff) | samples[i + 1] << 16;
	} else {
		XC_GPU_UNROLL
		for (uint32_t i = 0; i < n; i += 4)
			to[i / 4] = (samples[i] & 255) | (samples[i + 1] & 255) << 8 |
			            (samples[i + 2] & 255) << 16 | samples[i + 3] << 24;
	}
}

XC_GPU_INLINE void xc_gpu_pack_grey(const xc_gpu_output *p, uint32_t x, uint32_t y,
                                    const float luma[4], uint32_t *to, int deep)
{
	const float middle = deep ? 32768.0f : 128.0f, largest = deep ? 65535.0f : 255.0f;
	uint32_t s[8], a[4];
	for (int i = 0; i < 4; i++)
		s[i] = xc_gpu_sample(luma[i] + middle, largest);
	if (p->channels == 1) {
		xc_gpu_pack(to, s, 1, deep);
		return;
	}
	xc_gpu_alpha(p, x, y, deep, a);
	for (int i = 3; i >= 0; i--) {
		s[2 * i] = s[i];
		s[2 * i + 1] = a[i];
	}
	xc_gpu_pack(to, s, 2, deep);
}

XC_GPU_INLINE void xc_gpu_pack_colour(const xc_gpu_output *p, uint32_t x, uint32_t y,
                                      const float luma[4], const float cb[4], const float cr[4],
                                      uint32_t *to, int deep)
{
	const float middle = deep ? 32768.0f : 128.0f, largest = deep ? 65535.0f : 255.0f;
	uint32_t s[4][3];
	XC_GPU_UNROLL
	for (int i = 0; i < 4; i++) {
		float rgb[3];
		xc_colour_inverse(luma[i] + middle, cb[i], cr[i], &p->gains, &rgb[0], &rgb[1], &rgb[2]);
		XC_GPU_UNROLL
		for (int j = 0; j < 3; j++)
			s[i][j] = xc_gpu_sample(rgb[j], largest);
	}
	if (p->channels == 3) {
		uint32_t flat[12];
		XC_GPU_UNROLL
		for (int i = 0; i < 12; i++)
			flat[i] = s[i / 3][i % 3];
		xc_gpu_pack(to, flat, 3, deep);
	} else {
		uint32_t flat[16], a[4];
		xc_gpu_alpha(p, x, y, deep, a);
		XC_GPU_UNROLL
		for (int i = 0; i < 16; i++)
			flat[i] = i % 4 == 3 ? a[i / 4] : s[i / 4][i % 4];
		xc_gpu_pack(to, flat, 4, deep);
	}
}

/* A row of pixels from the words of the warp's lanes to the picture. */
XC_WARP_INLINE void xc_gpu_store_row(const xc_gpu_output *p, uint32_t x, uint32_t y,
                                     const uint32_t *words, int deep)
{
	const uint32_t pixel = p->channels * (deep ? 2 : 1);
	const uint32_t n = xc_gpu_smaller(XC_GPU_REGION_WIDTH, p->width - x) * pixel;
	uint8_t *to = p->pixels + (size_t)y * p->stride + (size_t)x * pixel;
	const uint8_t *from = (const uint8_t *)words;
	uint32_t bulk = 0; /* bytes that aligned stores take care of */
	xc_warp_sync();
	XC_FOR_LANES(lane) {
#ifdef __CUDA_ARCH__
		if (!((uintptr_t)to & 15)) {
			bulk = n & ~15u;
			for (uint32_t i = (uint32_t)lane * 16; i < bulk; i += XC_WARP_LANES * 16)
				*(uint4 *)(to + i) = *(const uint4 *)(from + i);
		} else if (!((uintptr_t)to & 3)) {
			bulk = n & ~3u;
			for (uint32_t i = (uint32_t)lane * 4; i < bulk; i += XC_WARP_LANES * 4)
				*(uint32_t *)(to + i) = *(const uint32_t *)(from + i);
		}
#endif
		for (uint32_t i = bulk + (uint32_t)lane; i < n; i += XC_WARP_LANES)
			to[i] = from[i];
	}
	xc_warp_sync();
}

/* Halved chroma, already filtered vertically or not to be: two samples of each lane, and
 * the one before or behind them all for the first or last lane.  i is the place of
 * the lane's first one in its plane, `last` that of the last that counts. */
typedef struct xc_gpu_half {
	float a[XC_SLOTS], b[XC_SLOTS], end[XC_SLOTS];
} xc_gpu_half;

XC_WARP_INLINE void xc_gpu_widen(const xc_gpu_half *h, uint32_t i0, uint32_t last,
                                 float out[XC_SLOTS][4])
{
	float before[XC_SLOTS], behind[XC_SLOTS];
	XC_FOR_LANES(lane) {
		before[XC_SLOT(lane)] = h->b[XC_SLOT(lane)];
		behind[XC_SLOT(lane)] = h->a[XC_SLOT(lane)];
	}
	xc_warp_up_f(before);
	xc_warp_down_f(behind);
	XC_FOR_LANES(lane) {
		const int s = XC_SLOT(lane);
		const uint32_t i = i0 + 2 * (uint32_t)lane;
		const float a = h->a[s], b = h->b[s];
		const float left = i == 0 ? a : lane == 0 ? h->end[s] : before[s];
		const float right = lane == XC_WARP_LANES - 1 ? h->end[s] : behind[s];
		const float a3 = a * 3.0f, b3 = b * 3.0f;
		out[s][0] = a3 + left;
		out[s][1] = a3 + (i < last ? b : a);
		out[s][2] = b3 + a;
		out[s][3] = b3 + (i + 1 < last ? right : b);
	}
}

XC_WARP_INLINE void xc_gpu_half_load(const float *row, xc_gpu_half *h)
{
	XC_FOR_LANES(lane) {
		const int s = XC_SLOT(lane);
		const float *two = row + xc_gpu_four((uint32_t)lane / 2) * 4 + (uint32_t)lane % 2 * 2;
#ifdef __CUDA_ARCH__
		const float2 v = *(const float2 *)two;
		h->a[s] = v.x, h->b[s] = v.y;
#else
		h->a[s] = two[0], h->b[s] = two[1];
#endif
		h->end[s] = row[lane ? XC_GPU_HALF_BEHIND : XC_GPU_HALF_BEFORE];
	}
}

XC_WARP_INLINE void xc_gpu_half_times3(const xc_gpu_half *h, xc_gpu_half *out)
{
	XC_FOR_LANES(lane) {
		const int s = XC_SLOT(lane);
		out->a[s] = h->a[s] * 3.0f;
		out->b[s] = h->b[s] * 3.0f;
		out->end[s] = h->end[s] * 3.0f;
	}
}

XC_WARP_INLINE void xc_gpu_half_add(const xc_gpu_half *x, const xc_gpu_half *y, xc_gpu_half *out)
{
	XC_FOR_LANES(lane) {
		const int s = XC_SLOT(lane);
		out->a[s] = x->a[s] + y->a[s];
		out->b[s] = x->b[s] + y->b[s];
		out->end[s] = x->end[s] + y->end[s];
	}
}

/* A row of luma and, at full width, its chroma to pixels. */
XC_WARP_INLINE void xc_gpu_row_out(const xc_gpu_region *r, const xc_gpu_output *p, uint32_t row, uint32_t *words,
                                   float (*cb)[4], float (*cr)[4], int kind, int deep)
{
	XC_FOR_LANES(lane) {
		const uint32_t x = r->x + 4 * (uint32_t)lane, y = r->y + row;
		const uint32_t at = row * XC_GPU_REGION_WIDTH + xc_gpu_four((uint32_t)lane) * 4;
		uint32_t *to = words + (uint32_t)lane * p->channels * (deep ? 2 : 1);
		float luma[4];
		xc_gpu_load_four(r->shared + at, luma);
		if (kind == XC_GPU_GREY) {
			xc_gpu_pack_grey(p, x, y, luma, to, deep);
		} else if (kind == XC_GPU_444) {
			float b[4], c[4];
			xc_gpu_load_four(r->shared + xc_gpu_region_plane(kind, 1) + at, b);
			xc_gpu_load_four(r->shared + xc_gpu_region_plane(kind, 2) + at, c);
			xc_gpu_pack_colour(p, x, y, luma, b, c, to, deep);
		} else {
			xc_gpu_pack_colour(p, x, y, luma, cb[XC_SLOT(lane)], cr[XC_SLOT(lane)], to, deep);
		}
	}
	xc_gpu_store_row(p, r->x, r->y + row, words, deep);
}

XC_WARP_INLINE void xc_gpu_row_422(const xc_gpu_region *r, const xc_gpu_output *p, uint32_t row,
                                   uint32_t *words, int deep)
{
	const uint32_t last = (p->width + 1) / 2 - 1;
	float wide[2][XC_SLOTS][4];
	for (int c = 0; c < 2; c++) {
		xc_gpu_half h;
		xc_gpu_half_load(r->shared + xc_gpu_region_plane(XC_GPU_422, c + 1) +
		                 row * XC_GPU_HALF_STRIDE, &h);
		xc_gpu_widen(&h, r->x / 2, last, wide[c]);
	}
	xc_gpu_row_out(r, p, row, words, wide[0], wide[1], XC_GPU_422, deep);
}

/* Row `row` of chroma and the two of pixels that lie in it. */
XC_WARP_INLINE void xc_gpu_rows_420(const xc_gpu_region *r, const xc_gpu_output *p, uint32_t row,
                                    uint32_t *words, int deep)
{
	const uint32_t last = (p->width + 1) / 2 - 1;
	const uint32_t low = (p->height + 1) / 2 - 1, y = r->y / 2 + row;
	float wide[2][2][XC_SLOTS][4];
	for (int c = 0; c < 2; c++) {
		/* The first row in shared memory is the one above the region. */
		const float *at = r->shared + xc_gpu_region_plane(XC_GPU_420, c + 1) +
		                  (row + 1) * XC_GPU_HALF_STRIDE;
		xc_gpu_half here, above, below, sum;
		xc_gpu_half_load(at, &here);
		xc_gpu_half_load(y ? at - XC_GPU_HALF_STRIDE : at, &above);
		xc_gpu_half_load(y < low ? at + XC_GPU_HALF_STRIDE : at, &below);
		xc_gpu_half_times3(&here, &here);
		xc_gpu_half_add(&here, &above, &sum);
		xc_gpu_widen(&sum, r->x / 2, last, wide[0][c]);
		xc_gpu_half_add(&here, &below, &sum);
		xc_gpu_widen(&sum, r->x / 2, last, wide[1][c]);
	}
	xc_gpu_row_out(r, p, 2 * row, words, wide[0][0], wide[0][1], XC_GPU_420, deep);
	if (r->y + 2 * row + 1 < p->height)
		xc_gpu_row_out(r, p, 2 * row + 1, words, wide[1][0], wide[1][1], XC_GPU_420, deep);
}

/* The region's pixels, as warp `warp` of `warps`, when all blocks are there. */
XC_WARP_INLINE void xc_gpu_region_rows(const xc_gpu_region *r, const xc_gpu_output *p,
                                       uint32_t warp, uint32_t warps, int kind, int deep)
{
	const uint32_t step = kind == XC_GPU_420 ? 2 : 1;
	const uint32_t rows = xc_gpu_smaller(xc_gpu_region_height(kind), p->height - r->y);
	uint32_t *words = (uint32_t *)(void *)(r->shared + xc_gpu_region_steps(kind) + 128) +
	                  warp * xc_gpu_row_words(deep);
	for (uint32_t row = warp; row * step < rows; row += warps) {
		if (kind == XC_GPU_420)
			xc_gpu_rows_420(r, p, row, words, deep);
		else if (kind == XC_GPU_422)
			xc_gpu_row_422(r, p, row, words, deep);
		else
			xc_gpu_row_out(r, p, row, words, 0, 0, kind, deep);
	}
}

#endif
