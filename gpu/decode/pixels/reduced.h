/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to pixels of reduced size (doc/reduced.md): one thread block makes the reduced pixels of a region of
 * 128x32 pixels, component by component. Called by gpu/decode/pixels/reduced.cu.
 *
 *	xc_gpu_reduced_blocks()   a thread a block: its coefficients, in a slot of shared memory
 *	xc_gpu_reduced_across()   a thread the columns that depend on the same blocks: means across, of frequencies down
 *	xc_gpu_reduced_down()     a thread the rows of a column that depend on the same blocks: samples
 *	xc_gpu_reduced_pixels()   a thread a pixel, of all components
 *
 * Between two of these for one component is a barrier. With a lapped transform the blocks around the region have slots,
 * too. A mean is added up in the CPU's order (src/pixels/reduced.c), so that it has the same bits; which additions of
 * zeros are left out does not matter, because no sum is ever -0.
 */
#ifndef XC_GPU_DECODE_PIXELS_REDUCED_H
#define XC_GPU_DECODE_PIXELS_REDUCED_H

#include "gpu/decode/job.h"
#include "gpu/decode/pixels/block.h"
#include "gpu/runtime/device.h"
#include "gpu/runtime/warp.h"
#include "transform/colour.h"
#include "transform/mean8.h"

enum {
	/* The region, in pixels of the whole picture and in blocks of luma. */
	XC_GPU_REDUCED_WIDTH = 128,
	XC_GPU_REDUCED_HEIGHT = 32,
	XC_GPU_REDUCED_COLUMNS = XC_GPU_REDUCED_WIDTH / 8,
	XC_GPU_REDUCED_ROWS = XC_GPU_REDUCED_HEIGHT / 8,
	/* A block's slot: 64 coefficients in transposed order, the number of columns of them that may be other than zero,
	 * and room so that eight lanes that load from neighbouring slots meet no bank conflict. */
	XC_GPU_SLOT_FLOATS = 68,
	XC_GPU_SLOT_COLUMNS = 64,
	XC_GPU_REDUCED_TABLE = 80, /* floats: xc_gpu_load_block() */
	XC_GPU_REDUCED_MAX_THREADS = 128
};

XC_GPU_INLINE uint32_t xc_gpu_reduced_laps(const xc_gpu_decode_job *p)
{
	return p->transform != XC_TRANSFORM_DCT;
}

/* Threads for the blocks of luma, whole warps. */
XC_GPU_INLINE uint32_t xc_gpu_reduced_threads(const xc_gpu_decode_job *p)
{
	const uint32_t lap = 2 * xc_gpu_reduced_laps(p);
	const uint32_t blocks = (XC_GPU_REDUCED_COLUMNS + lap) * (XC_GPU_REDUCED_ROWS + lap);

	return (blocks + XC_WARP_LANES - 1) & ~(XC_WARP_LANES - 1u);
}

XC_GPU_INLINE uint32_t xc_gpu_reduced_regions_wide(const xc_gpu_decode_job *p)
{
	return (p->width + XC_GPU_REDUCED_WIDTH - 1) / XC_GPU_REDUCED_WIDTH;
}

XC_GPU_INLINE uint64_t xc_gpu_reduced_regions(const xc_gpu_decode_job *p)
{
	return (uint64_t)xc_gpu_reduced_regions_wide(p) *
	       ((p->height + XC_GPU_REDUCED_HEIGHT - 1) / XC_GPU_REDUCED_HEIGHT);
}

typedef struct xc_gpu_reduced {
	const xc_gpu_decode_job *job;
	const xc_gpu_segment *segments; /* of all pictures */
	const xc_gpu_segment_result *results;
	uint32_t block_x, block_y; /* its first block of luma */
	uint32_t x, y;             /* its first reduced pixel, */
	uint32_t wide, high;       /* and how many it has */
	uint32_t lap;              /* blocks around it */
	/* In shared memory: a table for luma and one for chroma; slots; means across of a component, [row of blocks][8] and
	 * up to wide + 8 a row; [component][high][wide] samples. */
	float *tables, *slots, *means, *samples;
} xc_gpu_reduced;

/* The bytes of shared memory. */
XC_GPU_INLINE size_t xc_gpu_reduced_bytes(const xc_gpu_decode_job *p)
{
	const uint32_t wide = XC_GPU_REDUCED_WIDTH / p->scale, high = XC_GPU_REDUCED_HEIGHT / p->scale;
	const uint32_t rows = XC_GPU_REDUCED_ROWS + 2 * xc_gpu_reduced_laps(p);

	return sizeof(float) *
	       (2 * XC_GPU_REDUCED_TABLE + (size_t)xc_gpu_reduced_threads(p) * XC_GPU_SLOT_FLOATS +
	        8 * rows * (wide + 8) + 3 * wide * high);
}

/* Region i, in shared memory aligned to 64 bytes. */
XC_GPU_INLINE xc_gpu_reduced xc_gpu_reduced_of(const xc_gpu_decode_job *p,
                                               const xc_gpu_segment *segments,
                                               const xc_gpu_segment_result *results, uint32_t i,
                                               float *shared)
{
	const uint32_t regions = xc_gpu_reduced_regions_wide(p);
	const uint32_t row = xc_gpu_divide(i, regions, p->regions_inverse), column = i - row * regions;
	xc_gpu_reduced r;

	r.job = p;
	r.segments = segments;
	r.results = results;
	r.block_x = column * XC_GPU_REDUCED_COLUMNS;
	r.block_y = row * XC_GPU_REDUCED_ROWS;
	r.wide = XC_GPU_REDUCED_WIDTH / p->scale;
	r.high = XC_GPU_REDUCED_HEIGHT / p->scale;
	r.x = column * r.wide;
	r.y = row * r.high;
	r.lap = xc_gpu_reduced_laps(p);
	r.tables = shared;
	r.slots = r.tables + 2 * XC_GPU_REDUCED_TABLE;
	r.means = r.slots + xc_gpu_reduced_threads(p) * XC_GPU_SLOT_FLOATS;
	r.samples = r.means + 8 * (XC_GPU_REDUCED_ROWS + 2 * r.lap) * (r.wide + 8);
	return r;
}

/* The components that the pixels need. */
XC_GPU_INLINE uint32_t xc_gpu_reduced_components(const xc_gpu_reduced *r)
{
	return r->job->channels < 3 && !r->job->mixed ? 1 : r->job->components;
}

/* The slots of a component. */
typedef struct xc_gpu_reduced_slots {
	uint32_t wide, high; /* of them */
	int32_t x, y;        /* block of the first one, which may lie before the picture */
	uint32_t blocks_wide, blocks_high; /* of the picture */
} xc_gpu_reduced_slots;

XC_GPU_INLINE xc_gpu_reduced_slots xc_gpu_reduced_slots_of(const xc_gpu_reduced *r, uint32_t c)
{
	const uint32_t h = r->job->h, v = r->job->v, across = c ? h : 1, down = c ? v : 1;
	const xc_gpu_reduced_slots s = {XC_GPU_REDUCED_COLUMNS / across + 2 * r->lap,
	                                XC_GPU_REDUCED_ROWS / down + 2 * r->lap,
	                                (int32_t)(r->block_x / across) - (int32_t)r->lap,
	                                (int32_t)(r->block_y / down) - (int32_t)r->lap,
	                                r->job->mcus_wide * (c ? 1 : h),
	                                r->job->mcus_high * (c ? 1 : v)};

	return s;
}

/* Fills both tables, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_reduced_begin(const xc_gpu_reduced *r, uint32_t worker, uint32_t workers,
                                        int source)
{
	for (uint32_t i = worker; i < 2 * XC_GPU_REDUCED_TABLE; i += workers) {
		const uint32_t c = i / XC_GPU_REDUCED_TABLE, k = i % XC_GPU_REDUCED_TABLE;
		if (k < 64)
			r->tables[i] = xc_gpu_first_step(r->job, r->job->predicted, c, k,
			                                 source == XC_GPU_SYMBOLS);
		else if (source == XC_GPU_SYMBOLS)
			r->tables[i] = xc_gpu_symbol_value(k - 64, r->job->points[c]);
	}
}

/* ------------------------------------------------------------------- blocks */

/* Locates block (x, y) of component c. */
XC_GPU_INLINE xc_gpu_block_source xc_gpu_reduced_find(const xc_gpu_reduced *r,
                                                      const xc_gpu_shape *shape, uint32_t c,
                                                      uint32_t x, uint32_t y, int source)
{
	xc_gpu_block_source s;

	if (source == XC_GPU_BLOCKS)
		return xc_gpu_jpeg_block_at(r->job, c, x, y);
	s = xc_gpu_block_at(shape, r->segments, r->results, c, x, y, source);
	xc_gpu_block_wait(&s, shape, &r->job->ac_prediction[c != 0], source);
	return s;
}

/* Stores coefficients in a slot, and how many columns have any. */
XC_GPU_INLINE void xc_gpu_fill_slot(const float f[64], float *slot)
{
	uint32_t columns = 0;

	XC_UNROLL
	for (uint32_t u = 0; u < 8; u++) {
		uint32_t some = 0;
		XC_UNROLL
		for (uint32_t v = 0; v < 8; v++)
			some |= xc_gpu_float_bits(f[8 * u + v]);
		columns = some << 1 ? u + 1 : columns; /* without the sign of zero */
		xc_gpu_store_four(slot + 8 * u, f + 8 * u);
		xc_gpu_store_four(slot + 8 * u + 4, f + 8 * u + 4);
	}
	slot[XC_GPU_SLOT_COLUMNS] = xc_gpu_float_of(columns);
}

/* Fills the slots of component c of which `warp` has a block a lane. Tokens go through a matrix in their place, with a
 * column for each lane. */
XC_WARP_INLINE void xc_gpu_reduced_blocks(const xc_gpu_reduced *r, uint32_t warp, uint32_t c,
                                          int depth16, int source)
{
	const xc_gpu_reduced_slots slots = xc_gpu_reduced_slots_of(r, c);
	const float *table = r->tables + (c != 0) * XC_GPU_REDUCED_TABLE;
	float *const first = r->slots + warp * XC_WARP_LANES * XC_GPU_SLOT_FLOATS;
	const xc_gpu_shape shape = xc_gpu_shape_of(r->job, source);
	const int predicted = shape.predicted != 0;
	xc_gpu_block_source block[XC_SLOTS];
	int inside[XC_SLOTS];
	float f[XC_SLOTS][64];

	XC_FOR_LANES(lane) {
		const uint32_t i = warp * XC_WARP_LANES + (uint32_t)lane, row = i / slots.wide;
		const int32_t x = slots.x + (int32_t)(i - row * slots.wide), y = slots.y + (int32_t)row;
		inside[XC_SLOT(lane)] = row < slots.high && (uint32_t)x < slots.blocks_wide &&
		                        (uint32_t)y < slots.blocks_high;
		if (inside[XC_SLOT(lane)])
			block[XC_SLOT(lane)] = xc_gpu_reduced_find(r, &shape, c, (uint32_t)x, (uint32_t)y,
			                                           source);
		if (source == XC_GPU_TOKENS)
			xc_gpu_clear_rows(first + lane, 0, 64, (uint32_t)lane);
	}
	xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_block_source *s = &block[XC_SLOT(lane)];
		float *slot = first + (uint32_t)lane * XC_GPU_SLOT_FLOATS;
		float *column = (float *)xc_gpu_opaque_shared_ptr(first + lane);
		const xc_gpu_block_room room = {slot, slot + 4, 8};
		if (!inside[XC_SLOT(lane)])
			continue;
		if (source == XC_GPU_TOKENS) {
			xc_gpu_block_vecs vecs;
			xc_gpu_load_first_vecs(s, &vecs);
			xc_gpu_forget_others(s, &vecs);
			xc_gpu_block_scatter(s, &vecs, table, column, XC_WARP_LANES, predicted, depth16);
		}
		xc_gpu_load_block(r->job, s, c != 0, table, column, &room, predicted, f[XC_SLOT(lane)], 0,
		                  depth16, source);
	}
	xc_warp_sync();
	XC_FOR_LANES(lane) {
		float *slot = (float *)xc_gpu_opaque_shared_ptr(first +
		                                                (uint32_t)lane * XC_GPU_SLOT_FLOATS);
		if (inside[XC_SLOT(lane)])
			xc_gpu_fill_slot(f[XC_SLOT(lane)], slot);
		else
			slot[XC_GPU_SLOT_COLUMNS] = 0;
	}
}

/* -------------------------------------------------------------------- means */

/*
 * Along one direction the means that depend on the same blocks are a *zone*: with a lapped transform those around the
 * edge between two blocks (three blocks, if a mean is as long as one), otherwise those of a block. Mean j of zone z is
 * mean j + (z - b) * hop of the ones that block b adds to.
 */
typedef struct xc_gpu_zones {
	const xc_mean_side *side;
	uint32_t hop, before; /* means of a zone; blocks that it depends on, less one */
	uint32_t first, count;
	int32_t start; /* the first mean of the first zone, from the region's first one on; 0 or less */
} xc_gpu_zones;

/* The zones of a region's means from `from` on, across or down. */
XC_GPU_INLINE xc_gpu_zones xc_gpu_zones_of(const xc_gpu_reduced *r, uint32_t c, int down)
{
	const xc_mean_side *side = r->job->sides[c != 0][down];
	const uint32_t from = down ? r->y : r->x, n = down ? r->high : r->wide;
	xc_gpu_zones z;

	XC_GPU_GLOBAL(side);
	const uint32_t half = (side->span - side->hop) / 2;
	z.side = side;
	z.hop = side->hop;
	z.before = (side->span - 1) >> side->shift;
	z.first = (from + half) >> side->shift;
	z.count = ((from + n - 1 + half) >> side->shift) - z.first + 1;
	z.start = (int32_t)((z.first << side->shift) - half - from);
	return z;
}

/* Loads n floats, 1, 2, 4 or 8, aligned to that or to 16 bytes. */
XC_GPU_INLINE void xc_gpu_load_some(const float *from, float *to, uint32_t n)
{
	if (n < 4) {
#ifdef __CUDA_ARCH__
		if (n == 2) {
			const float2 two = *(const float2 *)from;
			to[0] = two.x, to[1] = two.y;
			return;
		}
#endif
		XC_GPU_ALIGNED(from, n * sizeof *from);
		memcpy(to, from, n * sizeof *from);
		return;
	}
	xc_gpu_load_four(from, to);
	if (n == 8)
		xc_gpu_load_four(from + 4, to + 4);
}

/* Means across, of n frequencies down from v on, of zone z.first + zone and a row of slots. hop, n: constants. Columns
 * are stored by their places in a zone, so that the zones of neighbouring lanes lie side by side. */
XC_GPU_INLINE void xc_gpu_zone_across(const xc_gpu_reduced *r, const xc_gpu_reduced_slots *slots,
                                      const xc_gpu_zones *z, uint32_t zone, uint32_t row,
                                      uint32_t v, uint32_t hop, uint32_t n)
{
	const float *slot = r->slots + row * slots->wide * XC_GPU_SLOT_FLOATS;
	const uint32_t stride = hop * z->count;
	float *to = r->means + (8 * row + v) * stride + zone;
	float mean[16];

	XC_UNROLL
	for (uint32_t i = 0; i < hop * n; i++)
		mean[i] = 0;
	XC_ROLLED
	for (uint32_t back = z->before + 1; back-- > 0;) {
		const uint32_t b = z->first + zone - back;
		const float *f = slot + (b - (uint32_t)slots->x) * XC_GPU_SLOT_FLOATS;
		float sum[16];
		if (b >= slots->blocks_wide)
			continue;
		const float *weight = &z->side->weight[xc_mean_at(b, slots->blocks_wide)][0][back * hop];
		const uint32_t columns = xc_gpu_float_bits(f[XC_GPU_SLOT_COLUMNS]);
		XC_UNROLL
		for (uint32_t i = 0; i < hop * n; i++)
			sum[i] = 0;
		f += v;
		XC_ROLLED
		for (uint32_t u = 0; u < columns; u++, f += 8, weight += 16) {
			float x[8], w[8];
			xc_gpu_load_some(f, x, n);
			xc_gpu_load_some(weight, w, hop);
			XC_UNROLL
			for (uint32_t i = 0; i < hop * n; i++)
				sum[i] = sum[i] + x[i % n] * w[i / n];
		}
		XC_UNROLL
		for (uint32_t i = 0; i < hop * n; i++)
			mean[i] = mean[i] + sum[i];
	}
	XC_UNROLL
	for (uint32_t i = 0; i < hop * n; i++)
		to[i % n * stride + i / n * z->count] = mean[i];
}

/* All of them, of as many frequencies at a time as registers allow. */
XC_GPU_INLINE void xc_gpu_zones_across(const xc_gpu_reduced *r, const xc_gpu_reduced_slots *slots,
                                       const xc_gpu_zones *z, uint32_t worker, uint32_t workers,
                                       uint32_t hop, uint32_t n)
{
	const uint32_t shares = 8 / n, items = z->count * slots->high * shares;

	XC_ROLLED
	for (uint32_t i = worker; i < items; i += workers) {
		const uint32_t k = xc_gpu_quotient(i, z->count), zone = i - k * z->count;
		xc_gpu_zone_across(r, slots, z, zone, k / shares, k % shares * n, hop, n);
	}
}

XC_GPU_INLINE void xc_gpu_reduced_across(const xc_gpu_reduced *r, uint32_t c, uint32_t worker,
                                         uint32_t workers)
{
	const xc_gpu_reduced_slots slots = xc_gpu_reduced_slots_of(r, c);
	const xc_gpu_zones z = xc_gpu_zones_of(r, c, 0);

	if (z.hop == 8)
		xc_gpu_zones_across(r, &slots, &z, worker, workers, 8, 2);
	else if (z.hop == 4)
		xc_gpu_zones_across(r, &slots, &z, worker, workers, 4, 4);
	else if (z.hop == 2)
		xc_gpu_zones_across(r, &slots, &z, worker, workers, 2, 8);
	else
		xc_gpu_zones_across(r, &slots, &z, worker, workers, 1, 8);
}

/* The samples of a column, the means across at place `at` of a row of them, in a zone down. */
XC_GPU_INLINE void xc_gpu_zone_down(const xc_gpu_reduced *r, const xc_gpu_reduced_slots *slots,
                                    const xc_gpu_zones *down, uint32_t zone, uint32_t at,
                                    uint32_t stride, float *to)
{
	float mean[3][8];

	XC_UNROLL
	for (uint32_t back = 0; back < 3; back++) {
		const uint32_t row = down->first + zone - back - (uint32_t)slots->y;
		XC_UNROLL
		for (uint32_t v = 0; v < 8; v++)
			mean[back][v] = back > down->before ? 0 : r->means[(8 * row + v) * stride + at];
	}
	XC_ROLLED
	for (uint32_t j = 0; j < down->hop; j++) {
		const int32_t y = down->start + (int32_t)(zone * down->hop + j);
		float sum = 0;
		if ((uint32_t)y >= r->high)
			continue;
		XC_UNROLL
		for (uint32_t back = 3; back-- > 0;) {
			const uint32_t b = down->first + zone - back;
			float w[8];
			if (back > down->before || b >= slots->blocks_high)
				continue;
			xc_gpu_load_some(down->side
			                     ->by_mean[xc_mean_at(b, slots->blocks_high)][back * down->hop + j],
			                 w, 8);
			sum = sum + mean[back][0] * w[0];
			XC_UNROLL
			for (uint32_t v = 1; v < 8; v++)
				sum = down->side->flat ? sum : sum + mean[back][v] * w[v];
		}
		to[(uint32_t)y * r->wide] = sum;
	}
}

XC_GPU_INLINE void xc_gpu_reduced_down(const xc_gpu_reduced *r, uint32_t c, uint32_t worker,
                                       uint32_t workers)
{
	const xc_gpu_reduced_slots slots = xc_gpu_reduced_slots_of(r, c);
	const xc_gpu_zones across = xc_gpu_zones_of(r, c, 0), down = xc_gpu_zones_of(r, c, 1);
	const uint32_t stride = across.hop * across.count;
	float *to = r->samples + c * r->wide * r->high;

	XC_ROLLED
	for (uint32_t i = worker; i < stride * down.count; i += workers) {
		const uint32_t zone = xc_gpu_quotient(i, stride), at = i - zone * stride;
		const uint32_t j = xc_gpu_quotient(at, across.count), k = at - j * across.count;
		const int32_t x = across.start + (int32_t)(k * across.hop + j);
		if ((uint32_t)x < r->wide)
			xc_gpu_zone_down(r, &slots, &down, zone, at, stride, to + x);
	}
}

/* Whether the samples of component c are means of whole DCT blocks. */
XC_GPU_INLINE int xc_gpu_reduced_is_flat(const xc_gpu_reduced *r, uint32_t c)
{
	return r->job->sides[c != 0][0]->flat && r->job->sides[c != 0][1]->flat;
}

/* These, from DCs alone. */
XC_GPU_INLINE void xc_gpu_reduced_flat(const xc_gpu_reduced *r, uint32_t c, uint32_t worker,
                                       uint32_t workers, int source)
{
	const xc_gpu_reduced_slots slots = xc_gpu_reduced_slots_of(r, c);
	const float across = r->job->steps[c != 0][0] * r->job->sides[c != 0][0]->weight[0][0][0];
	const float down = r->job->sides[c != 0][1]->weight[0][0][0];
	const xc_gpu_shape shape = xc_gpu_shape_of(r->job, source);
	float *to = r->samples + c * r->wide * r->high;

	for (uint32_t i = worker; i < r->wide * r->high; i += workers) {
		const uint32_t row = xc_gpu_quotient(i, r->wide);
		const uint32_t x = r->x + i - row * r->wide, y = r->y + row;
		if (x >= slots.blocks_wide || y >= slots.blocks_high)
			continue;
		const xc_gpu_block_source s = xc_gpu_reduced_find(r, &shape, c, x, y, source);
		const float dc = source == XC_GPU_BLOCKS ? xc_gpu_jpeg_coefficient(s.coefficients[0])
		                                         : (float)s.dc;
		to[i] = across * dc * down;
	}
}

/* ------------------------------------------------------------------- pixels */

/* Rounds a sample to the nearest integer, ties to even, and holds it to its range. */
XC_GPU_INLINE uint32_t xc_gpu_whole_sample(float v, int depth16)
{
	const float largest = depth16 ? 65535.0f : 255.0f;
	const float held = v < 0 ? 0 : v > largest ? largest : v;
#ifdef __CUDA_ARCH__
	return (uint32_t)__float2int_rn(held);
#else
	return (uint32_t)nearbyintf(held);
#endif
}

XC_GPU_INLINE void xc_gpu_put_sample(uint8_t *to, uint32_t i, uint32_t v, int depth16)
{
	if (depth16)
		((uint16_t *)(void *)to)[i] = (uint16_t)v;
	else
		to[i] = (uint8_t)v;
}

/* Pixel (x, y), whose samples are s[]. */
XC_GPU_INLINE void xc_gpu_put_pixel(const xc_gpu_decode_job *p, const float s[3], uint32_t x,
                                    uint32_t y, int depth16)
{
	const uint32_t channels = p->channels, bytes = depth16 ? 2 : 1;
	const float luma = s[0] + (depth16 ? 32768.0f : 128.0f);
	uint8_t *to = p->pixels + y * p->stride + (size_t)x * channels * bytes;

	XC_GPU_GLOBAL(to);
	if (channels < 3) {
		xc_gpu_put_sample(to, 0, xc_gpu_whole_sample(luma, depth16), depth16);
	} else {
		float rgb[3];
		xc_colour_inverse(luma, s[1], s[2], &p->gains, &rgb[0], &rgb[1], &rgb[2]);
		XC_UNROLL
		for (uint32_t i = 0; i < 3; i++)
			xc_gpu_put_sample(to, i, xc_gpu_whole_sample(rgb[i], depth16), depth16);
	}
	if (channels % 2 == 0) {
		const size_t at = (size_t)y * p->reduced_width + x;
		const uint32_t alpha = !p->alpha ? depth16 ? 65535 : 255
		                       : depth16 ? ((const uint16_t *)(const void *)p->alpha)[at]
		                                 : p->alpha[at];
		xc_gpu_put_sample(to, channels - 1, alpha, depth16);
	}
}

XC_GPU_INLINE void xc_gpu_reduced_pixels(const xc_gpu_reduced *r, uint32_t worker, uint32_t workers,
                                         int depth16)
{
	const xc_gpu_decode_job *p = r->job;
	const uint32_t n = r->wide * r->high, components = xc_gpu_reduced_components(r);

	for (uint32_t i = worker; i < n; i += workers) {
		const uint32_t row = xc_gpu_quotient(i, r->wide);
		const uint32_t x = r->x + i - row * r->wide, y = r->y + row;
		float s[3] = {0, 0, 0};
		if (x >= p->reduced_width || y >= p->reduced_height)
			continue;
		XC_UNROLL
		for (uint32_t c = 0; c < 3; c++)
			s[c] = c < components ? r->samples[c * n + i] : 0;
		if (p->mixed) {
			const float a = s[0], b = s[1], c = s[2];
			XC_UNROLL
			for (int j = 0; j < 3; j++)
				s[j] = xc_colour_mix(a, b, c, p->colours + 3 * j);
		}
		xc_gpu_put_pixel(p, s, x, y, depth16);
	}
}

#endif
