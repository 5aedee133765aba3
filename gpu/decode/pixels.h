/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to pixels: a region of a picture (gpu/decode/region.h) by one block of threads.
 * Each thread makes the samples of one block in shared memory.  Then come the edge steps of lapped
 * transforms (gpu/decode/lapped.h), samples of halved chroma around the picture
 * (xc_gpu_region_extend()), and rows of pixels, by warps (gpu/decode/rows.h).
 */
#ifndef XC_GPU_DECODE_PIXELS_H
#define XC_GPU_DECODE_PIXELS_H

#include "gpu/decode/block.h"
#include "gpu/decode/rans/block.h"
#include "gpu/decode/region.h"
#include "transform/colour.h"

/* A block that the region needs. */
typedef struct xc_gpu_region_block {
	xc_gpu_spot spot;
	int there; /* 0: it lies outside of the picture */
	xc_gpu_block_source source;
	xc_gpu_groups groups; /* the first ones; rANS: none */
} xc_gpu_region_block;

/* Block `i` of those that the region needs; rans: of the rANS mode, a constant. */
XC_GPU_INLINE xc_gpu_region_block xc_gpu_region_block_of(const xc_gpu_region *r, uint32_t i,
                                                         int kind, int rans)
{
	const xc_gpu_shape *p = &r->shape;
	const xc_gpu_spot spot = xc_gpu_spot_of(i, kind, 0);
	const uint32_t c = spot.c;
	const uint32_t x = (uint32_t)xc_gpu_first_block(r, kind, (int)c, 0) + spot.x;
	const uint32_t y = (uint32_t)xc_gpu_first_block(r, kind, (int)c, 1) + spot.y;
	const uint32_t wide = p->mcus_wide * (c ? 1 : p->h), high = p->mcus_high * (c ? 1 : p->v);
	xc_gpu_region_block b;
	b.spot = spot;
	b.there = i < xc_gpu_region_blocks(kind) && x < wide && y < high;
	/* Those that are not there load something too: with a branch, loads before it would be moved to
	 * where their numbers are needed, and one would wait for another. */
	b.source = xc_gpu_block_at(p, r->segments, r->results, c, xc_gpu_smaller(x, wide - 1),
	                           xc_gpu_smaller(y, high - 1), rans);
	return b;
}

/* Waits for what says where its coefficients are, and begins to load them. */
XC_GPU_INLINE void xc_gpu_region_settle(const xc_gpu_region *r, xc_gpu_region_block *b, int rans)
{
	if (!b->there)
		return;
	xc_gpu_block_settle(&b->source, &r->shape, &r->job->slopes[b->spot.c != 0]);
	if (!rans)
		xc_gpu_load_groups(&b->source, xc_gpu_first_group(&b->source), &b->groups);
}

/* What coefficient i % 64 of a class is multiplied by at first, see xc_gpu_scatter_group(). */
XC_GPU_INLINE float xc_gpu_first_step(const xc_gpu_region *r, uint32_t i, int rans)
{
	const uint32_t k = i % 64;
	const int sloped = k == xc_gpu_across_step(rans) || k == xc_gpu_down_step(rans);
	float step = r->job->steps[i / 64 % 2][k];
	XC_OPAQUE_AGAIN(step, "f"); /* the load does not wait for `sloped` */
	return r->shape.sloped && sloped ? 1.0f : step;
}

/* The steps of a class. */
XC_GPU_INLINE float *xc_gpu_class_steps(const xc_gpu_region *r, uint32_t class_, int kind)
{
	return r->shared + xc_gpu_region_steps(kind) + class_ * XC_GPU_CLASS_FLOATS;
}

/* Copies the steps, and makes all coefficients zero, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_region_begin(const xc_gpu_region *r, int kind, int rans, uint32_t worker,
                                       uint32_t workers)
{
	const float zeros[4] = {0, 0, 0, 0};
	const uint32_t fours = xc_gpu_region_steps(kind) / 4;
	/* A thread has one or two of the steps, which come while it makes zeros. */
	const float first = xc_gpu_first_step(r, worker, rans);
	XC_UNROLL
	for (uint32_t i = 0; !rans && i < fours; i += workers)
		if (fours % workers == 0 || i + worker < fours)
			xc_gpu_store_four(r->shared + 4 * (i + worker), zeros);
	XC_UNROLL
	for (uint32_t i = 0; i < 128; i += workers) {
		const uint32_t at = i + worker;
		const float step = i ? xc_gpu_first_step(r, at, rans) : first;
		if (at < 128)
			xc_gpu_class_steps(r, at / 64, kind)[at % 64] = step;
	}
	XC_UNROLL
	for (uint32_t i = 0; rans && i < 2 * XC_GPU_SYMBOL_VALUES; i += workers) {
		const uint32_t at = i + worker, class_ = at / XC_GPU_SYMBOL_VALUES;
		const uint32_t symbol = at % XC_GPU_SYMBOL_VALUES;
		if (class_ < 2)
			xc_gpu_class_steps(r, class_,
			                   kind)[64 + symbol] = xc_gpu_symbol_value(symbol,
			                                                            r->job->points[class_]);
	}
}

/* Where the column of block `i` begins. */
XC_GPU_INLINE float *xc_gpu_block_column(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                         uint32_t i, int kind)
{
	const uint32_t matrix = xc_gpu_is_own(kind) ? xc_gpu_plane(kind, (int)b->spot.c) +
	                                                  (b->spot.y & ~1u) * 8 *
	                                                      xc_gpu_row_floats(kind, (int)b->spot.c)
	                                            : i / XC_WARP_LANES * XC_GPU_MATRIX_FLOATS;
	return r->shared + matrix + i % XC_WARP_LANES;
}

/* Where the block's samples are. */
XC_GPU_INLINE xc_gpu_block_room xc_gpu_room_of(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                               int kind)
{
	const int c = (int)b->spot.c;
	const uint32_t apart = xc_gpu_row_floats(kind, c);
	float *rows = r->shared + xc_gpu_plane(kind, c) + 8 * b->spot.y * apart;
	const xc_gpu_block_room room = {rows + xc_gpu_column(kind, c, 8 * b->spot.x),
	                                rows + xc_gpu_column(kind, c, 8 * b->spot.x + 4), apart};
	return room;
}

/* The coefficients of block `i`, by way of its column, or straight from symbols of rANS. */
XC_GPU_INLINE void xc_gpu_region_load(const xc_gpu_region *r, xc_gpu_region_block *b, uint32_t i,
                                      int kind, float f[64], int deep, int rans)
{
	const xc_gpu_decode_job *p = r->job;
	const float *steps = xc_gpu_class_steps(r, b->spot.c != 0, kind);
	const int sloped = r->shape.sloped != 0;
	if (!b->there)
		return;
	if (rans) {
		XC_OPAQUE(steps, "l"); /* or it would be found again and again */
		XC_GPU_SHARED(steps);
		const xc_gpu_rans_class c = {steps, p->points[b->spot.c != 0], sloped, deep};
		const xc_gpu_block_room room = xc_gpu_room_of(r, b, kind);
		XC_UNROLL
		for (int k = 0; k < 64; k++)
			f[k] = 0;
		if (b->source.tokens)
			xc_gpu_rans_coefficients(&b->source,
			                         p->tokens + (size_t)b->source.end * XC_GPU_SYMBOL_WORDS, &c,
			                         &room, f);
		f[0] = (float)b->source.dc * steps[0];
	} else {
		float *column = xc_gpu_block_column(r, b, i, kind);
		xc_gpu_block_scatter(&b->source, &b->groups, steps, column, XC_WARP_LANES, sloped, deep);
		xc_gpu_block_gather(&b->source, steps, column, XC_WARP_LANES, f);
	}
	if (sloped)
		xc_gpu_add_slopes(p, &b->source, b->spot.c != 0, f, deep, rans);
}

/* Leaves a block's samples where it lies in its plane. */
XC_GPU_INLINE void xc_gpu_store_block(const xc_gpu_block_room *room, const float f[64])
{
	XC_UNROLL
	for (uint32_t y = 0; y < 8; y++) {
		const float left[4] = {f[y], f[8 + y], f[16 + y], f[24 + y]};
		const float right[4] = {f[32 + y], f[40 + y], f[48 + y], f[56 + y]};
		xc_gpu_store_four(room->left + y * room->apart, left);
		xc_gpu_store_four(room->right + y * room->apart, right);
	}
}

/* From its coefficients to its samples. */
XC_GPU_INLINE void xc_gpu_region_inverse(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                         float f[64], int kind)
{
	if (!b->there)
		return;
	if (xc_gpu_is_lapped(kind) && r->job->transform == XC_TRANSFORM_LOT)
		xc_gpu_block_inverse(f, 1);
	else
		xc_gpu_block_inverse(f, 0);
}

/* Leaves them in shared memory.  No warp that has its matrix there may need it any more. */
XC_GPU_INLINE void xc_gpu_region_store(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                       const float f[64], int kind)
{
	const xc_gpu_block_room room = xc_gpu_room_of(r, b, kind);
	if (b->there)
		xc_gpu_store_block(&room, f);
}

/* All samples as JPEG decoders round them, see xc_decode_options. */
XC_GPU_INLINE void xc_gpu_region_round(const xc_gpu_region *r, int kind, int deep, uint32_t worker,
                                       uint32_t workers)
{
	for (uint32_t i = worker; i < xc_gpu_plane(kind, 3); i += workers)
		r->shared[i] = xc_gpu_round(r->shared[i], deep);
}

/* Components that were made for the picture become Y, Cb and Cr, which only 4:4:4 can have. */
XC_GPU_INLINE void xc_gpu_region_mix(const xc_gpu_region *r, int kind, uint32_t worker,
                                     uint32_t workers)
{
	const uint32_t fours = 2 * xc_gpu_blocks_along(kind, 0, 0);
	const uint32_t items = fours * 8 * xc_gpu_blocks_along(kind, 0, 1);
	for (uint32_t i = worker; i < items; i += workers) {
		float v[3][4], mixed[4];
		float *at[3];
		XC_UNROLL
		for (int c = 0; c < 3; c++) {
			at[c] = r->shared + xc_gpu_plane(kind, c) + i / fours * xc_gpu_row_floats(kind, c) +
			        4 * (i % fours);
			xc_gpu_load_four(at[c], v[c]);
		}
		XC_UNROLL
		for (int c = 0; c < 3; c++) {
			XC_UNROLL
			for (int j = 0; j < 4; j++)
				mixed[j] = xc_colour_mix(v[0][j], v[1][j], v[2][j], r->job->colours + 3 * c);
			xc_gpu_store_four(at[c], mixed);
		}
	}
}

/* ---------------------------------------------------------------- around it */

/* Samples of a plane that count: the first and the last one, across and down. */
typedef struct xc_gpu_inside {
	int32_t x[2], y[2];
} xc_gpu_inside;

/* Sample (x, y) becomes the nearest one that counts. */
XC_GPU_INLINE void xc_gpu_extend(float *plane, int kind, int c, int32_t x, int32_t y,
                                 const xc_gpu_inside *in)
{
	const uint32_t row = xc_gpu_row_floats(kind, c);
	const int32_t sx = x < in->x[0] ? in->x[0] : x > in->x[1] ? in->x[1] : x;
	const int32_t sy = y < in->y[0] ? in->y[0] : y > in->y[1] ? in->y[1] : y;
	plane[(uint32_t)y * row + xc_gpu_column(kind, c, (uint32_t)x)] =
		plane[(uint32_t)sy * row + xc_gpu_column(kind, c, (uint32_t)sx)];
}

/* A column on either side of the picture, and rows above and below. */
XC_GPU_INLINE void xc_gpu_plane_extend(const xc_gpu_region *r, int kind, int c, uint32_t worker,
                                       uint32_t workers)
{
	const int low = xc_gpu_is_halved(kind, c, 1);
	const int32_t x0 = -8 * xc_gpu_first_block(r, kind, c, 0);
	const int32_t y0 = -8 * xc_gpu_first_block(r, kind, c, 1);
	const xc_gpu_inside in = {{x0, x0 + (int32_t)((r->job->width - 1) / 2)},
	                          {y0, y0 + (int32_t)((r->job->height - 1) >> low)}};
	const int32_t wide = 8 * (int32_t)xc_gpu_blocks_along(kind, c, 0);
	const int32_t high = 8 * (int32_t)xc_gpu_blocks_along(kind, c, 1);
	float *plane = r->shared + xc_gpu_plane(kind, c);
	for (int side = 0; side < 2; side++) {
		const int32_t x = side ? in.x[1] + 1 : in.x[0] - 1, y = side ? in.y[1] + 1 : in.y[0] - 1;
		if (x >= 0 && x < wide)
			for (int32_t i = (int32_t)worker; i < high; i += (int32_t)workers)
				xc_gpu_extend(plane, kind, c, x, i, &in);
		if (low && y >= 0 && y < high)
			for (int32_t i = (int32_t)worker; i < wide; i += (int32_t)workers)
				if (i >= in.x[0] && i <= in.x[1])
					xc_gpu_extend(plane, kind, c, i, y, &in);
	}
}

XC_GPU_INLINE void xc_gpu_region_extend(const xc_gpu_region *r, int kind, uint32_t worker,
                                        uint32_t workers)
{
	for (int c = 1; c < xc_gpu_components(kind); c++)
		xc_gpu_plane_extend(r, kind, c, worker, workers);
}

#endif
