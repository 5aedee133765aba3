/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to pixels: a region of 128 pixels in a row and 32 or 64 rows by one
 * block of threads.  First each thread takes blocks (xc_gpu_region_block) and leaves
 * their samples in shared memory; of chroma that was halved, and of lapped transforms,
 * also those of the blocks around the region, as far as they are needed.  Lapped
 * transforms go on with their edge steps (gpu/decode_lapped.h).  Then each warp takes rows
 * of pixels (xc_gpu_region_rows), four pixels a lane.
 */
#ifndef XC_GPU_DECODE_PIXELS_H
#define XC_GPU_DECODE_PIXELS_H

#include <string.h>

#include "gpu/decode_block.h"
#include "gpu/warp.h"
#include "src/colour.h"

/* The kinds of pictures that have a kernel each, for 8 and for 16 bits; with a lapped
 * transform XC_GPU_LAPPED more. */
enum { XC_GPU_GREY, XC_GPU_444, XC_GPU_422, XC_GPU_420, XC_GPU_LAPPED, XC_GPU_KINDS = 8 };

/*
 * Planes in shared memory.  Those of lapped transforms have XC_GPU_RIM samples more on all
 * sides.  Of the others only chroma that was halved has such: its rows end with the
 * sample before and the one behind them, and if it was halved both ways there is a row
 * above and one below.
 */
enum {
	XC_GPU_REGION_WIDTH = 128,
	XC_GPU_RIM = 4,
	XC_GPU_HALF_BEFORE = XC_GPU_REGION_WIDTH / 2,
	XC_GPU_HALF_BEHIND
};

XC_GPU_CONSTANT int xc_gpu_is_lapped(int kind)
{
	return kind >= XC_GPU_LAPPED;
}

XC_GPU_CONSTANT int xc_gpu_base_kind(int kind)
{
	return kind % XC_GPU_LAPPED;
}

/* Whether component c is halved across, and down. */
XC_GPU_CONSTANT int xc_gpu_is_half(int kind, int c)
{
	return c && xc_gpu_base_kind(kind) >= XC_GPU_422;
}

XC_GPU_CONSTANT int xc_gpu_is_low(int kind, int c)
{
	return c && xc_gpu_base_kind(kind) == XC_GPU_420;
}

XC_GPU_CONSTANT int xc_gpu_components(int kind)
{
	return xc_gpu_base_kind(kind) == XC_GPU_GREY ? 1 : 3;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_height(int kind)
{
	return xc_gpu_base_kind(kind) == XC_GPU_GREY || xc_gpu_base_kind(kind) == XC_GPU_420 ? 64
	                                                                                     : 32;
}

/* Samples of component c in the region, across and down. */
XC_GPU_CONSTANT uint32_t xc_gpu_samples_wide(int kind, int c)
{
	return XC_GPU_REGION_WIDTH >> xc_gpu_is_half(kind, c);
}

XC_GPU_CONSTANT uint32_t xc_gpu_samples_high(int kind, int c)
{
	return xc_gpu_region_height(kind) >> xc_gpu_is_low(kind, c);
}

/* 1: blocks around the region are needed as well, on both sides, and above and below. */
XC_GPU_CONSTANT int xc_gpu_beside(int kind, int c)
{
	return xc_gpu_is_lapped(kind) || xc_gpu_is_half(kind, c);
}

XC_GPU_CONSTANT int xc_gpu_above(int kind, int c)
{
	return xc_gpu_is_lapped(kind) || xc_gpu_is_low(kind, c);
}

XC_GPU_CONSTANT uint32_t xc_gpu_blocks_wide(int kind, int c)
{
	return xc_gpu_samples_wide(kind, c) / 8 + 2 * (uint32_t)xc_gpu_beside(kind, c);
}

XC_GPU_CONSTANT uint32_t xc_gpu_blocks_of(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	               ? 0
	               : xc_gpu_blocks_wide(kind, c) * (xc_gpu_samples_high(kind, c) / 8 +
	                                                2 * (uint32_t)xc_gpu_above(kind, c));
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_blocks(int kind)
{
	return xc_gpu_blocks_of(kind, 0) + xc_gpu_blocks_of(kind, 1) + xc_gpu_blocks_of(kind, 2);
}

/* Floats from a row of a plane to the next, of planes, and from the start of shared memory
 * to plane c and to the first sample of the region in it. */
XC_GPU_CONSTANT uint32_t xc_gpu_row_floats(int kind, int c)
{
	return xc_gpu_samples_wide(kind, c) +
	       (xc_gpu_is_lapped(kind) ? 2 * XC_GPU_RIM : xc_gpu_is_half(kind, c) ? 4 : 0);
}

XC_GPU_CONSTANT uint32_t xc_gpu_plane_floats(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	               ? 0
	               : xc_gpu_row_floats(kind, c) *
	                         (xc_gpu_samples_high(kind, c) +
	                          (xc_gpu_is_lapped(kind)   ? 2 * XC_GPU_RIM
	                           : xc_gpu_is_low(kind, c) ? 2
	                                                    : 0));
}

XC_GPU_CONSTANT uint32_t xc_gpu_plane(int kind, int c)
{
	return (c > 0 ? xc_gpu_plane_floats(kind, 0) : 0) +
	       (c > 1 ? xc_gpu_plane_floats(kind, 1) : 0) +
	       (c > 2 ? xc_gpu_plane_floats(kind, 2) : 0);
}

XC_GPU_CONSTANT uint32_t xc_gpu_first_sample(int kind, int c)
{
	return xc_gpu_plane(kind, c) +
	       (xc_gpu_is_lapped(kind) ? XC_GPU_RIM * xc_gpu_row_floats(kind, c) + XC_GPU_RIM
	        : xc_gpu_is_low(kind, c) ? xc_gpu_row_floats(kind, c)
	                                 : 0);
}

/* Threads: one a block. */
XC_GPU_CONSTANT uint32_t xc_gpu_pixel_threads(int kind)
{
	return (xc_gpu_region_blocks(kind) + 31) / 32 * 32;
}

/* Before there are samples, the same memory has the coefficients: a column for each
 * thread, see xc_gpu_block_scatter(). */
XC_GPU_CONSTANT uint32_t xc_gpu_coefficient_floats(int kind)
{
	return 64 * xc_gpu_pixel_threads(kind);
}

/* Behind both: steps, and a row of pixels for each warp. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_steps(int kind)
{
	return xc_gpu_plane(kind, 3) > xc_gpu_coefficient_floats(kind)
	               ? xc_gpu_plane(kind, 3)
	               : xc_gpu_coefficient_floats(kind);
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
	const xc_gpu_segment *segments;       /* of all pictures */
	const xc_gpu_segment_result *results;
	uint32_t x, y; /* of its first pixel */
	float *shared;
} xc_gpu_region;

XC_GPU_INLINE xc_gpu_output xc_gpu_output_of(const xc_gpu_decode_plan *p)
{
	const xc_gpu_output o = {p->width,  p->height, p->channels, p->gains,
	                         p->pixels, p->stride, p->alpha};
	return o;
}

/* Where four samples that belong together are in a row: without a lapped transform,
 * groups of 32 bytes that lie 256 bytes apart change halves, so that eight lanes that store
 * such groups meet no bank twice. */
XC_GPU_INLINE uint32_t xc_gpu_four(uint32_t i, int kind)
{
	return 4 * (xc_gpu_is_lapped(kind) ? i : i ^ (i >> 3 & 1));
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

/* A block that the region needs: of component c, (x, y) counted from the region's first. */
typedef struct xc_gpu_region_block {
	int c, x, y;
	int there; /* 0: it lies outside of the picture */
	xc_gpu_block_source source;
} xc_gpu_region_block;

XC_GPU_INLINE xc_gpu_region_block xc_gpu_block_of(const xc_gpu_region *r, uint32_t i, int kind)
{
	const xc_gpu_decode_plan *p = r->plan;
	const uint32_t luma = xc_gpu_blocks_of(kind, 0), chroma = xc_gpu_blocks_of(kind, 1);
	xc_gpu_region_block b;
	b.c = i < luma ? 0 : i < luma + chroma ? 1 : 2;
	i -= b.c == 0 ? 0 : b.c == 1 ? luma : luma + chroma;
	const uint32_t across = xc_gpu_blocks_wide(kind, b.c);
	b.x = (int)(i % across) - xc_gpu_beside(kind, b.c);
	b.y = (int)(i / across) - xc_gpu_above(kind, b.c);
	const uint32_t x = (r->x >> (3 + xc_gpu_is_half(kind, b.c))) + (uint32_t)b.x;
	const uint32_t y = (r->y >> (3 + xc_gpu_is_low(kind, b.c))) + (uint32_t)b.y;
	b.there = x < p->mcus_wide * (b.c ? 1 : p->h) && y < p->mcus_high * (b.c ? 1 : p->v);
	if (b.there)
		b.source = xc_gpu_block_at(p, r->segments, r->results, (uint32_t)b.c, x, y);
	return b;
}

/* Copies the steps, and makes all coefficients zero, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_region_begin(const xc_gpu_region *r, int kind, uint32_t worker,
                                       uint32_t workers)
{
	float *steps = r->shared + xc_gpu_region_steps(kind);
	for (uint32_t i = worker; i < 128; i += workers)
		steps[i] = r->plan->steps[i / 64][i % 64];
	for (uint32_t i = worker; i < xc_gpu_coefficient_floats(kind) / 4; i += workers)
		xc_gpu_store_four(r->shared + 4 * i, 0.0f, 0.0f, 0.0f, 0.0f);
}

/* The coefficients of block `i`, by way of its column. */
XC_GPU_INLINE void xc_gpu_region_load(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                      uint32_t i, int kind, float f[64], int deep)
{
	const float *steps = r->shared + xc_gpu_region_steps(kind) + (b->c ? 64 : 0);
	float *column = r->shared + i;
	if (!b->there)
		return;
	xc_gpu_block_scatter(&b->source, steps, column, xc_gpu_pixel_threads(kind), deep);
	xc_gpu_block_gather(r->plan, &b->source, steps, column, xc_gpu_pixel_threads(kind), f);
}

/* Stores what the region keeps of block (bx, by), counted from the region's first. */
XC_GPU_INLINE void xc_gpu_store_block(float *first, int bx, int by, const float f[64], int kind,
                                      int c)
{
	const int wide = (int)xc_gpu_samples_wide(kind, c), high = (int)xc_gpu_samples_high(kind, c);
	const int rim = xc_gpu_is_lapped(kind) ? XC_GPU_RIM : 0;
	const int border = xc_gpu_is_lapped(kind) ? XC_GPU_RIM : xc_gpu_is_low(kind, c);
	XC_UNROLL
	for (int y = 0; y < 8; y++) {
		const int row = by * 8 + y;
		if (row < -border || row >= high + border)
			continue;
		float *to = first + row * (int)xc_gpu_row_floats(kind, c);
		if (!rim && bx < 0) {
			to[XC_GPU_HALF_BEFORE] = f[56 + y];
			continue;
		}
		if (!rim && bx * 8 >= wide) {
			to[XC_GPU_HALF_BEHIND] = f[y];
			continue;
		}
		XC_UNROLL
		for (int half = 0; half < 2; half++) {
			const int x = bx * 8 + half * 4;
			const float *from = f + half * 32 + y;
			if (x < -rim || x >= wide + rim)
				continue;
			xc_gpu_store_four(rim ? to + x : to + xc_gpu_four((uint32_t)x / 4, kind),
			                  from[0], from[8], from[16], from[24]);
		}
	}
}

/* Its samples, when no coefficients are needed any more. */
XC_GPU_INLINE void xc_gpu_region_store(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                       float f[64], int kind, int deep)
{
	const xc_gpu_decode_plan *p = r->plan;
	if (!b->there)
		return;
	if (xc_gpu_is_lapped(kind) && p->transform == XC_TRANSFORM_LOT)
		xc_gpu_block_inverse(f, 1);
	else
		xc_gpu_block_inverse(f, 0);
	if (p->rounding && !xc_gpu_is_lapped(kind))
		xc_gpu_block_round(f, deep);
	/* Cb and Cr are laid out alike. */
	if (b->c == 0)
		xc_gpu_store_block(r->shared + xc_gpu_first_sample(kind, 0), b->x, b->y, f, kind, 0);
	else
		xc_gpu_store_block(r->shared + xc_gpu_first_sample(kind, b->c), b->x, b->y, f, kind, 1);
}

/* ------------------------------------------------------------------ pixels */

/* v rounded to the nearest integer, ties to even, in the lowest 16 bits. */
XC_GPU_INLINE uint32_t xc_gpu_sample(float v, float largest)
{
	return xc_gpu_float_bits(fminf(fmaxf(v, 0.0f), largest) + 12582912.0f);
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
		XC_UNROLL
		for (uint32_t i = 0; i < n; i += 2)
			to[i / 2] = (samples[i] & 0xffff) | samples[i + 1] << 16;
	} else {
		XC_UNROLL
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
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		float rgb[3];
		xc_colour_inverse(luma[i] + middle, cb[i], cr[i], &p->gains, &rgb[0], &rgb[1], &rgb[2]);
		XC_UNROLL
		for (int j = 0; j < 3; j++)
			s[i][j] = xc_gpu_sample(rgb[j], largest);
	}
	if (p->channels == 3) {
		uint32_t flat[12];
		XC_UNROLL
		for (int i = 0; i < 12; i++)
			flat[i] = s[i / 3][i % 3];
		xc_gpu_pack(to, flat, 3, deep);
	} else {
		uint32_t flat[16], a[4];
		xc_gpu_alpha(p, x, y, deep, a);
		XC_UNROLL
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

XC_WARP_INLINE void xc_gpu_half_load(const float *row, xc_gpu_half *h, int kind)
{
	const int lapped = xc_gpu_is_lapped(kind);
	XC_FOR_LANES(lane) {
		const int s = XC_SLOT(lane);
		const float *two = row + xc_gpu_four((uint32_t)lane / 2, kind) + lane % 2 * 2;
#ifdef __CUDA_ARCH__
		const float2 v = *(const float2 *)two;
		h->a[s] = v.x, h->b[s] = v.y;
#else
		h->a[s] = two[0], h->b[s] = two[1];
#endif
		h->end[s] = row[lane ? (lapped ? XC_GPU_REGION_WIDTH / 2 : XC_GPU_HALF_BEHIND)
		                     : (lapped ? -1 : XC_GPU_HALF_BEFORE)];
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
		const uint32_t at = row * xc_gpu_row_floats(kind, 0) +
		                    xc_gpu_four((uint32_t)lane, kind);
		uint32_t *to = words + (uint32_t)lane * p->channels * (deep ? 2 : 1);
		float luma[4];
		xc_gpu_load_four(r->shared + xc_gpu_first_sample(kind, 0) + at, luma);
		if (xc_gpu_components(kind) == 1) {
			xc_gpu_pack_grey(p, x, y, luma, to, deep);
		} else if (!xc_gpu_is_half(kind, 1)) {
			float b[4], c[4];
			xc_gpu_load_four(r->shared + xc_gpu_first_sample(kind, 1) + at, b);
			xc_gpu_load_four(r->shared + xc_gpu_first_sample(kind, 2) + at, c);
			xc_gpu_pack_colour(p, x, y, luma, b, c, to, deep);
		} else {
			xc_gpu_pack_colour(p, x, y, luma, cb[XC_SLOT(lane)], cr[XC_SLOT(lane)], to, deep);
		}
	}
	xc_gpu_store_row(p, r->x, r->y + row, words, deep);
}

XC_WARP_INLINE void xc_gpu_row_422(const xc_gpu_region *r, const xc_gpu_output *p, uint32_t row,
                                   uint32_t *words, int kind, int deep)
{
	const uint32_t last = (p->width + 1) / 2 - 1;
	float wide[2][XC_SLOTS][4];
	for (int c = 0; c < 2; c++) {
		xc_gpu_half h;
		xc_gpu_half_load(r->shared + xc_gpu_first_sample(kind, c + 1) +
		                         row * xc_gpu_row_floats(kind, c + 1), &h, kind);
		xc_gpu_widen(&h, r->x / 2, last, wide[c]);
	}
	xc_gpu_row_out(r, p, row, words, wide[0], wide[1], kind, deep);
}

/* Row `row` of chroma and the two of pixels that lie in it. */
XC_WARP_INLINE void xc_gpu_rows_420(const xc_gpu_region *r, const xc_gpu_output *p, uint32_t row,
                                    uint32_t *words, int kind, int deep)
{
	const uint32_t last = (p->width + 1) / 2 - 1;
	const uint32_t low = (p->height + 1) / 2 - 1, y = r->y / 2 + row;
	float wide[2][2][XC_SLOTS][4];
	for (int c = 0; c < 2; c++) {
		const uint32_t stride = xc_gpu_row_floats(kind, c + 1);
		const float *at = r->shared + xc_gpu_first_sample(kind, c + 1) + row * stride;
		xc_gpu_half here, above, below, sum;
		xc_gpu_half_load(at, &here, kind);
		xc_gpu_half_load(y ? at - stride : at, &above, kind);
		xc_gpu_half_load(y < low ? at + stride : at, &below, kind);
		xc_gpu_half_times3(&here, &here);
		xc_gpu_half_add(&here, &above, &sum);
		xc_gpu_widen(&sum, r->x / 2, last, wide[0][c]);
		xc_gpu_half_add(&here, &below, &sum);
		xc_gpu_widen(&sum, r->x / 2, last, wide[1][c]);
	}
	xc_gpu_row_out(r, p, 2 * row, words, wide[0][0], wide[0][1], kind, deep);
	if (r->y + 2 * row + 1 < p->height)
		xc_gpu_row_out(r, p, 2 * row + 1, words, wide[1][0], wide[1][1], kind, deep);
}

/* The region's pixels, as warp `warp` of `warps`, when all blocks are there. */
XC_WARP_INLINE void xc_gpu_region_rows(const xc_gpu_region *r, const xc_gpu_output *p,
                                       uint32_t warp, uint32_t warps, int kind, int deep)
{
	const uint32_t step = xc_gpu_is_low(kind, 1) ? 2 : 1;
	const uint32_t rows = xc_gpu_smaller(xc_gpu_region_height(kind), p->height - r->y);
	uint32_t *words = (uint32_t *)(void *)(r->shared + xc_gpu_region_steps(kind) + 128) +
	                  warp * xc_gpu_row_words(deep);
	for (uint32_t row = warp; row * step < rows; row += warps) {
		if (xc_gpu_is_low(kind, 1))
			xc_gpu_rows_420(r, p, row, words, kind, deep);
		else if (xc_gpu_is_half(kind, 1))
			xc_gpu_row_422(r, p, row, words, kind, deep);
		else
			xc_gpu_row_out(r, p, row, words, 0, 0, kind, deep);
	}
}

#endif
