/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The region of a picture that a thread block makes, and its planes of samples in shared memory.
 *
 * A plane consists of all blocks that the region's samples depend on. Halved chroma needs one more
 * sample on all sides, lapped transforms the reach of their edge steps. Regions begin in the middle
 * of such blocks, so that a row needs one more block instead of two:
 *
 *	     before          region
 *	  [ . . . . ][ . . . . ][ . . . . ][ . . . . ]     blocks
 *	         |<--------------------------->|           samples needed
 *
 * With the DCT this saving applies vertically only, see xc_gpu_shift().
 */
#ifndef XC_GPU_DECODE_REGION_H
#define XC_GPU_DECODE_REGION_H

#include <math.h>
#include <string.h>

#include "entropy/scan.h"
#include "gpu/decode/job.h"
#include "gpu/decode/jpeg/job.h"
#include "gpu/decode/rans/tables.h"
#include "gpu/runtime/device.h"
#include "gpu/runtime/warp.h"
#include "transform/colour.h"
#include "transform/dct8.h"
#include "transform/lapped8.h"

/* One block by one thread: finding its coefficients, scattering them, and the inverse transform.
 * Called by gpu/decode/pixels.h. */

/* Where coefficients come from: tokens of Huffman codes, symbols of rANS, or blocks of a kept JPEG, in zigzag order.
 * A constant in all functions. */
enum { XC_GPU_TOKENS, XC_GPU_SYMBOLS, XC_GPU_BLOCKS };

XC_GPU_INLINE int xc_gpu_source_of(const xc_gpu_decode_job *p)
{
	return p->coding == XC_GPU_RANS   ? XC_GPU_SYMBOLS
	       : p->coding == XC_GPU_JPEG ? XC_GPU_BLOCKS
	                                  : XC_GPU_TOKENS;
}

/* The source of a block's coefficients. xc_gpu_block_at() issues the loads, and xc_gpu_block_wait()
 * uses them. */
typedef struct xc_gpu_block_source {
	const uint32_t
		*tokens; /* of its segment, NULL if damaged; rANS: xc_gpu_raw_room(); a JPEG's block */
	uint32_t first, end;   /* its words; rANS: first raw bit, block index */
	int32_t dc;            /* in sixteenths of a step */
	uint32_t across, down; /* its AC prediction (entropy/ac_prediction.h), if any */
	/* Used by xc_gpu_block_wait(): */
	uint64_t room; /* from the picture's tokens to those of the segment */
	uint32_t intact;
	int32_t left, right, above, below; /* neighbouring DCs for AC prediction */
} xc_gpu_block_source;

/* The members of a job that locate a block. */
typedef struct xc_gpu_shape {
	uint32_t width, height, h, v, mcus_wide, mcus_high, tile_mcus_wide, tile_mcus_high;
	uint32_t tiles_wide, mcu_blocks, first_segment, predicted;
	uint32_t tile_wide_inverse, tile_high_inverse, regions_inverse;
	const xc_gpu_block_record *records;
	const uint32_t *tokens; /* rANS: raw bits */
} xc_gpu_shape;

XC_GPU_INLINE xc_gpu_shape xc_gpu_shape_of(const xc_gpu_decode_job *p, int rans)
{
	xc_gpu_shape s = {p->width,
	                  p->height,
	                  p->h,
	                  p->v,
	                  p->mcus_wide,
	                  p->mcus_high,
	                  p->tile_mcus_wide,
	                  p->tile_mcus_high,
	                  p->tiles_wide,
	                  p->mcu_blocks,
	                  p->first_segment,
	                  p->predicted,
	                  p->tile_wide_inverse,
	                  p->tile_high_inverse,
	                  p->regions_inverse,
	                  p->records,
	                  rans ? p->raw : p->tokens};
#ifdef __CUDA_ARCH__
	/* Or nvcc would sink the loads to their uses, and one would wait for another. */
	asm volatile(""
	             : "+r"(s.width), "+r"(s.height), "+r"(s.h), "+r"(s.v), "+r"(s.mcus_wide),
	               "+r"(s.mcus_high), "+r"(s.tile_mcus_wide), "+r"(s.tile_mcus_high),
	               "+r"(s.tiles_wide), "+r"(s.mcu_blocks), "+r"(s.first_segment), "+r"(s.predicted),
	               "+r"(s.tile_wide_inverse), "+r"(s.tile_high_inverse), "+r"(s.regions_inverse),
	               "+l"(s.records), "+l"(s.tokens));
#endif
	return s;
}

/* Loads the DCs around a block; left, right, above, below: blocks of its segment on that side; r:
 * its record. */
XC_GPU_INLINE void xc_gpu_load_around(xc_gpu_block_source *s, const xc_gpu_block_record *r,
                                      uint32_t left, uint32_t right, uint32_t above, uint32_t below,
                                      uint32_t wide)
{
	s->left = left ? r[-1].dc : s->dc;
	s->right = right ? r[1].dc : s->dc;
	s->above = above ? (r - wide)->dc : s->dc;
	s->below = below ? r[wide].dc : s->dc;
}

/* Locates block (x, y) of component c. rans, a constant: of the rANS mode. Loads the record before
 * it is known whether the segment is intact. */
XC_GPU_INLINE xc_gpu_block_source xc_gpu_block_at(const xc_gpu_shape *p,
                                                  const xc_gpu_segment *segments,
                                                  const xc_gpu_segment_result *results, uint32_t c,
                                                  uint32_t x, uint32_t y, int rans)
{
	const uint32_t h = c ? 1 : p->h, v = c ? 1 : p->v;
	const uint32_t tx = xc_gpu_divide(x >> (h - 1), p->tile_mcus_wide, p->tile_wide_inverse);
	const uint32_t ty = xc_gpu_divide(y >> (v - 1), p->tile_mcus_high, p->tile_high_inverse);
	const xc_tile_mcus m = xc_tile_mcus_at(tx, ty, p->tile_mcus_wide, p->tile_mcus_high,
	                                       p->mcus_wide, p->mcus_high);
	const uint32_t tile = ty * p->tiles_wide + tx, segment = p->first_segment + tile;
	const uint32_t column = x - m.x * h, row = y - m.y * v, wide = m.wide * h;
	uint32_t in_tile = row * wide + column;

	if (c)
		in_tile += m.wide * m.high * (p->h * p->v + c - 1);
	const uint32_t index = m.before * p->mcu_blocks + in_tile;
	const xc_gpu_block_record *r = p->records + index;
	XC_GPU_GLOBAL(r);
	const uint32_t before = !rans && in_tile ? r[-1].end : 0;
	xc_gpu_block_source s = {NULL,
	                         rans ? r->end : before,
	                         rans ? index : r->end,
	                         r->dc,
	                         0,
	                         0,
	                         rans ? xc_gpu_raw_offset(&segments[segment], tile)
	                              : segments[segment].tokens,
	                         results[segment].intact,
	                         0,
	                         0,
	                         0,
	                         0};
	if (p->predicted)
		xc_gpu_load_around(&s, r, column, wide - 1 - column, row, m.high * v - 1 - row, wide);
	return s;
}

/* Waits for the loads and sets tokens and AC prediction. A block of a damaged segment becomes all
 * zero. */
XC_GPU_INLINE void xc_gpu_block_wait(xc_gpu_block_source *s, const xc_gpu_shape *p,
                                     const xc_ac_prediction *ac_prediction)
{
	s->tokens = p->tokens + s->room;
	if (p->predicted) {
		s->across = xc_ac_predict_between(s->left, s->right, ac_prediction->across);
		s->down = xc_ac_predict_between(s->above, s->below, ac_prediction->down);
	}
	if (!s->intact)
		memset(s, 0, sizeof *s);
}

/* Block (x, y) of component c of a kept JPEG. */
XC_GPU_INLINE xc_gpu_block_source xc_gpu_jpeg_block_at(const xc_gpu_decode_job *p, uint32_t c,
                                                       uint32_t x, uint32_t y)
{
	const xc_gpu_jpeg_job *j = p->jpeg;
	const int16_t *block = j->blocks[c] + 64 * ((size_t)y * j->of.columns[c] + x);
	xc_gpu_block_source s;

	memset(&s, 0, sizeof s);
	s.tokens = (const uint32_t *)(const void *)block;
	return s;
}

enum { XC_GPU_VECS_AHEAD = 4 };

/* The last position in the scan with AC prediction. */
enum { XC_GPU_LAST_PREDICTED = 2 };

/* Scatters a vec16; the first `left` words belong to the block. predicted: AC prediction will be
 * added; the coefficients that it is added to have factor 1 here, and with 16 bits a sample stay
 * integers. */
XC_GPU_INLINE void xc_gpu_scatter_vec(const uint32_t word[XC_GPU_VEC16_WORDS], uint32_t left,
                                      const float steps[64], float *column, uint32_t stride,
                                      int predicted, int depth16)
{
	uint32_t k4[XC_GPU_VEC16_WORDS]; /* positions, in bytes; 64 becomes 0 */
	float value[XC_GPU_VEC16_WORDS];

	XC_UNROLL
	for (uint32_t j = 0; j < XC_GPU_VEC16_WORDS; j += depth16 ? 2 : 1) {
		k4[j] = word[j] & 252;
		XC_OPAQUE(k4[j], "r"); /* or it would be masked out twice */
		value[j] = *(const float *)(const void *)((const char *)steps + k4[j]);
	}
	/* Stores follow in a loop of their own, so that no load waits for one. */
	XC_UNROLL
	for (uint32_t j = 0; j < XC_GPU_VEC16_WORDS; j += depth16 ? 2 : 1) {
		value[j] *= xc_gpu_token_value(word + j, depth16);
		if (depth16 && predicted && k4[j] <= 4 * XC_GPU_LAST_PREDICTED)
			value[j] = xc_gpu_float_of(word[j + 1]);
		xc_gpu_store_if((float *)(void *)((char *)column + k4[j] * stride), value[j],
		                j == 0 || j < left);
	}
}

/* Vec16s of a block that are loaded ahead. */
typedef struct xc_gpu_block_vecs {
	uint32_t word[XC_GPU_VECS_AHEAD][XC_GPU_VEC16_WORDS];
} xc_gpu_block_vecs;

/* Loads the vec16 at word `at` unless it lies past the block. */
XC_GPU_INLINE void xc_gpu_load_block_vec(const xc_gpu_block_source *s, uint32_t at,
                                         uint32_t word[XC_GPU_VEC16_WORDS])
{
	if (at < s->end)
		xc_gpu_load_vec16(s->tokens + at, word);
}

/* The first word of the block's first vec16. */
XC_GPU_INLINE uint32_t xc_gpu_first_vec(const xc_gpu_block_source *s)
{
	return s->first & ~(uint32_t)(XC_GPU_VEC16_WORDS - 1);
}

/* Loads its first vec16s. */
XC_GPU_INLINE void xc_gpu_load_first_vecs(const xc_gpu_block_source *s, xc_gpu_block_vecs *to)
{
	const uint32_t first = xc_gpu_first_vec(s);

	XC_UNROLL
	for (uint32_t g = 0; g < XC_GPU_VECS_AHEAD; g++)
		xc_gpu_load_block_vec(s, first + g * XC_GPU_VEC16_WORDS, to->word[g]);
}

/* Turns the words of the first vec16 that belong to another block into fillers. */
XC_GPU_INLINE void xc_gpu_forget_others(const xc_gpu_block_source *s, xc_gpu_block_vecs *first)
{
	XC_UNROLL
	for (uint32_t j = 0; j < XC_GPU_VEC16_WORDS - 1; j++)
		if (j < s->first % XC_GPU_VEC16_WORDS)
			first->word[0][j] = 0;
}

/* Scatters the block's AC into its column of a zeroed matrix of 64 rows, `stride` floats apart:
 * coefficient k of the scan, multiplied by steps[k], goes to row k. Row 0 becomes undefined. now:
 * its first vec16s; each is reloaded XC_GPU_VECS_AHEAD ahead. A position has 6 bits, so no store
 * leaves the column. */
XC_GPU_INLINE void xc_gpu_block_scatter(const xc_gpu_block_source *s, xc_gpu_block_vecs *now,
                                        const float steps[64], float *column, uint32_t stride,
                                        int predicted, int depth16)
{
	XC_ROLLED
	for (uint32_t at = xc_gpu_first_vec(s); at < s->end;) {
		XC_UNROLL
		for (uint32_t g = 0; g < XC_GPU_VECS_AHEAD; g++, at += XC_GPU_VEC16_WORDS) {
			if (at < s->end)
				xc_gpu_scatter_vec(now->word[g], s->end - at, steps, column, stride, predicted,
				                   depth16);
			/* In flight while the vec16s after it are scattered. */
			xc_gpu_load_block_vec(s, at + XC_GPU_VECS_AHEAD * XC_GPU_VEC16_WORDS, now->word[g]);
		}
	}
	xc_gpu_stored();
}

/* Adds the prediction `slope` to a coefficient and applies its step. */
XC_GPU_INLINE float xc_gpu_with_predicted(float v, uint32_t slope, float step, int depth16)
{
	const uint32_t sum = (depth16 ? xc_gpu_float_bits(v) : (uint32_t)(int32_t)v) + slope;
	return (float)(depth16 ? (int32_t)sum : (int16_t)sum) * step;
}

/* The indices in `steps` of coefficients (1, 0) and (0, 1). */
XC_GPU_INLINE uint32_t xc_gpu_across_step(int rans)
{
	return rans ? 8 : 1;
}

XC_GPU_INLINE uint32_t xc_gpu_down_step(int rans)
{
	return rans ? 1 : 2;
}

/* Adds the AC prediction of a block of class `class_`. */
XC_GPU_INLINE void xc_gpu_add_ac_prediction(const xc_gpu_decode_job *p,
                                            const xc_gpu_block_source *s, uint32_t class_,
                                            float f[64], int depth16, int rans)
{
	const float *steps = p->steps[class_];
	f[8] = xc_gpu_with_predicted(f[8], s->across, steps[xc_gpu_across_step(rans)], depth16);
	f[1] = xc_gpu_with_predicted(f[1], s->down, steps[xc_gpu_down_step(rans)], depth16);
}

/* A block is low if only this number of first coefficients of the scan may be nonzero. */
enum { XC_GPU_LOW = 16 };

/* Whether the block is low, from the OR of its first vec16s. False also if it has more of them, or
 * shares one with a block that is not low. */
XC_GPU_INLINE int xc_gpu_block_is_low(const xc_gpu_block_source *s, const xc_gpu_block_vecs *first)
{
	const uint32_t at = xc_gpu_first_vec(s);
	uint32_t words = 0;

	XC_UNROLL
	for (uint32_t g = 0; g < XC_GPU_VECS_AHEAD; g++)
		if (at + g * XC_GPU_VEC16_WORDS < s->end)
			words |= first->word[g][0] | first->word[g][1] | first->word[g][2] | first->word[g][3];
	return s->end <= at + XC_GPU_VECS_AHEAD * XC_GPU_VEC16_WORDS && (words & 252) < 4 * XC_GPU_LOW;
}

/* Gathers the block's first n coefficients of the scan, in transposed order, from its DC and
 * column. */
XC_GPU_INLINE void xc_gpu_block_gather(const xc_gpu_block_source *s, const float steps[64],
                                       const float *column, uint32_t stride, float f[64],
                                       uint32_t n)
{
#ifdef __CUDA_ARCH__
	constexpr uint8_t order[64] = {XC_SCAN_TABLE};
#else
	static const uint8_t order[64] = {XC_SCAN_TABLE};
#endif
	f[0] = (float)s->dc * steps[0];
	XC_UNROLL
	for (uint32_t k = 1; k < n; k++)
		f[order[k]] = column[k * stride];
}

/* The block step of the LOT, or of the DCT and the TDLT. */
XC_GPU_INLINE void xc_gpu_inverse_step(float x[8], int lot)
{
	if (lot)
		xc_lot8_inverse_block(x);
	else
		xc_dct8_inverse(x);
}

/* Inverse transform of the rows, in place. lot, low: constants; low: the block is low, which only
 * the DCT exploits. */
XC_GPU_INLINE void xc_gpu_inverse_rows(float f[64], int lot, int low)
{
	XC_UNROLL
	for (int v = 0; v < 8; v++) {
		const int n = !low ? 8 : v > 4 ? 0 : v ? 5 - v : 6; /* possibly nonzero, by the scan */
		float x[8] = {0, 0, 0, 0, 0, 0, 0, 0};
		XC_UNROLL
		for (int u = 0; u < n; u++)
			x[u] = f[u * 8 + v];
		if (!low)
			xc_gpu_inverse_step(x, lot);
		else if (n)
			xc_dct8_inverse_first(x, n);
		XC_UNROLL
		for (int u = 0; u < 8; u++)
			f[u * 8 + v] = x[u];
	}
}

/* Then of the first or the last four columns: sample (x, y) is in f[8 x + y]. lot: a constant. */
XC_GPU_INLINE void xc_gpu_inverse_columns(float f[64], int last, int lot)
{
	XC_UNROLL
	for (int x = 4 * last; x < 4 * last + 4; x++)
		xc_gpu_inverse_step(f + x * 8, lot);
}

/* Rounds as JPEG decoders do, see xc_decode_options. */
XC_GPU_INLINE float xc_gpu_round(float sample, int depth16)
{
	const float half = depth16 ? 32768.0f : 128.0f;
	const float v = floorf(sample + 0.5f);
	return v < -half ? -half : v > half - 1 ? half - 1 : v;
}

/* The kinds of pictures, each of which has a kernel for 8 and one for 16 bits.  XC_GPU_LAPPED is
 * added with a lapped transform, XC_GPU_LOWER for lower regions on GPUs with less shared memory. */
enum {
	XC_GPU_GREY,
	XC_GPU_444,
	XC_GPU_422,
	XC_GPU_420,
	XC_GPU_LAPPED,
	XC_GPU_LOWER = 8,
	XC_GPU_KINDS = 16
};

/* The kind of a job's picture. */
XC_GPU_INLINE int xc_gpu_kind_of(const xc_gpu_decode_job *p)
{
	const int base = p->components == 1 ? XC_GPU_GREY
	                 : p->h == 1        ? XC_GPU_444
	                 : p->v == 1        ? XC_GPU_422
	                                    : XC_GPU_420;

	return p->transform == XC_TRANSFORM_DCT ? base : XC_GPU_LAPPED + base;
}

enum { XC_GPU_REGION_WIDTH = 128 };

XC_GPU_CONSTANT int xc_gpu_is_lapped(int kind)
{
	return (kind & XC_GPU_LAPPED) != 0;
}

XC_GPU_CONSTANT int xc_gpu_base_kind(int kind)
{
	return kind % XC_GPU_LAPPED;
}

/* Whether component c is halved across, or down. */
XC_GPU_CONSTANT int xc_gpu_is_halved(int kind, int c, int down)
{
	return c && xc_gpu_base_kind(kind) >= (down ? XC_GPU_420 : XC_GPU_422);
}

XC_GPU_CONSTANT int xc_gpu_components(int kind)
{
	return xc_gpu_base_kind(kind) == XC_GPU_GREY ? 1 : 3;
}

XC_GPU_CONSTANT uint32_t xc_gpu_region_height(int kind)
{
	if (kind == XC_GPU_LAPPED + XC_GPU_420)
		return 96;
	if (kind == XC_GPU_LOWER + XC_GPU_LAPPED + XC_GPU_444)
		return 24;
	if (kind == XC_GPU_LOWER + XC_GPU_LAPPED + XC_GPU_420)
		return 32;
	if (kind == XC_GPU_444)
		return 16;
	return xc_gpu_components(kind) == 1 ? 64 : 32;
}

/* The pixels by which regions begin before multiples of their size, across or down: half a block
 * with a lapped transform, else a luma block if chroma is halved down. Across, a row of halved
 * chroma has two more blocks than the region instead: otherwise idle lanes take them, and rows of
 * pixels begin at multiples of 16 bytes. */
XC_GPU_CONSTANT int xc_gpu_shift(int kind, int down)
{
	if (xc_gpu_is_lapped(kind))
		return 4;
	return down && xc_gpu_is_halved(kind, 1, 1) ? 8 : 0;
}

/* Blocks of component c before that multiple, across or down: 0 or 1. */
XC_GPU_CONSTANT int xc_gpu_before(int kind, int c, int down)
{
	return xc_gpu_shift(kind, down) > 0 || xc_gpu_is_halved(kind, c, down);
}

/* Blocks of component c across, or down. */
XC_GPU_CONSTANT uint32_t xc_gpu_blocks_along(int kind, int c, int down)
{
	const int halved = xc_gpu_is_halved(kind, c, down), lapped = xc_gpu_is_lapped(kind);
	return ((down ? xc_gpu_region_height(kind) : (uint32_t)XC_GPU_REGION_WIDTH) / 8 >> halved) +
	       (uint32_t)(lapped + halved + (halved && !lapped && !down));
}

XC_GPU_CONSTANT uint32_t xc_gpu_blocks_of(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	           ? 0
	           : xc_gpu_blocks_along(kind, c, 0) * xc_gpu_blocks_along(kind, c, 1);
}

/* Whether rows of pixels load aligned vec16s of component c, the first one at column 8. */
XC_GPU_CONSTANT int xc_gpu_is_shifted(int kind, int c)
{
	return !xc_gpu_is_lapped(kind) && xc_gpu_is_halved(kind, c, 0);
}

/* Floats from one row of a plane to the next. In the end the pixels of a row replace its luma; they
 * may need 12 bytes more than 4 each. */
XC_GPU_CONSTANT uint32_t xc_gpu_row_floats(int kind, int c)
{
	return 8 * xc_gpu_blocks_along(kind, c, 0) + (c == 0 || xc_gpu_is_shifted(kind, c) ? 4 : 0);
}

/* Before the samples, the same memory holds coefficients: a matrix for each warp with a column for
 * each of its blocks (xc_gpu_block_scatter()). In these kinds a warp has blocks of one component
 * only, and its matrix lies where their samples go, so the warps need a single barrier, when all
 * samples are stored. */
XC_GPU_CONSTANT int xc_gpu_is_own(int kind)
{
	return kind == XC_GPU_GREY || kind == XC_GPU_444 || kind == XC_GPU_420;
}

enum { XC_GPU_MATRIX_FLOATS = 64 * XC_WARP_LANES };

/* Threads for the blocks of component c. */
XC_GPU_CONSTANT uint32_t xc_gpu_component_threads(int kind, int c)
{
	const uint32_t blocks = xc_gpu_blocks_of(kind, c);
	return xc_gpu_is_own(kind) ? (blocks + XC_WARP_LANES - 1) & ~(XC_WARP_LANES - 1u) : blocks;
}

/* Threads: one a block. */
XC_GPU_CONSTANT uint32_t xc_gpu_pixel_threads(int kind)
{
	const uint32_t threads = xc_gpu_component_threads(kind, 0) +
	                         2 * xc_gpu_component_threads(kind, 1);
	return (threads + XC_WARP_LANES - 1) & ~(XC_WARP_LANES - 1u);
}

XC_GPU_CONSTANT uint32_t xc_gpu_plane_floats(int kind, int c)
{
	const uint32_t samples = c >= xc_gpu_components(kind)
	                             ? 0
	                             : xc_gpu_row_floats(kind, c) * 8 * xc_gpu_blocks_along(kind, c, 1);
	const uint32_t matrices = xc_gpu_component_threads(kind, c) * 64;

	return xc_gpu_is_own(kind) && matrices > samples ? matrices : samples;
}

/* Floats from the start of shared memory to plane c. */
XC_GPU_CONSTANT uint32_t xc_gpu_plane(int kind, int c)
{
	return (c > 0 ? xc_gpu_plane_floats(kind, 0) : 0) + (c > 1 ? xc_gpu_plane_floats(kind, 1) : 0) +
	       (c > 2 ? xc_gpu_plane_floats(kind, 2) : 0);
}

/* The column (or row) of the region's first sample in plane c. */
XC_GPU_CONSTANT uint32_t xc_gpu_first_sample(int kind, int c, int down)
{
	return (uint32_t)(8 * xc_gpu_before(kind, c, down) -
	                  (xc_gpu_shift(kind, down) >> xc_gpu_is_halved(kind, c, down)));
}

/* Tables follow the matrices and samples: 64 steps of a class, and the values of 16 symbols. */
enum { XC_GPU_TABLE_FLOATS = 80 };

/* Each warp has a table if its blocks are of one class, else the region has two. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_tables(int kind)
{
	return xc_gpu_is_own(kind) ? xc_gpu_pixel_threads(kind) / XC_WARP_LANES : 2;
}

/* The index of the first table. */
XC_GPU_CONSTANT uint32_t xc_gpu_region_steps(int kind)
{
	const uint32_t matrices = xc_gpu_pixel_threads(kind) * 64;
	return matrices > xc_gpu_plane(kind, 3) ? matrices : xc_gpu_plane(kind, 3);
}

/* The destination of pixels. It lies in shared memory, after the tables, because registers are too
 * few, and local memory is slower.
 *
 * Bytes first to last - 1 of each row of the region in shared memory belong to the picture. If unit
 * is 16, byte 0 goes to a multiple of 16. */
typedef struct xc_gpu_output {
	uint32_t width, height;
	int32_t x, y; /* of the region */
	xc_colour_gains gains;
	const uint8_t *alpha;
	uint8_t *pixels; /* where byte 0 of the region's first row goes */
	size_t stride;
	uint32_t start; /* byte of the region's first pixel: 0, 4, 8 or 12 */
	uint32_t first, last;
	uint32_t unit;   /* bytes stored at a time: 16, 4 or 1 */
	uint32_t whole;  /* the rows are as in most regions, see xc_gpu_row_start() */
	uint32_t alphas; /* whether pixels have alpha */
	/* Steps that few pictures need; copied here, because loading them from the job after the
	 * barrier would stall all warps. */
	uint32_t rounding, mixed;
	uint32_t border; /* xc_gpu_is_border() */
} xc_gpu_output;

XC_GPU_CONSTANT uint32_t xc_gpu_region_end(int kind)
{
	return xc_gpu_region_steps(kind) + xc_gpu_region_tables(kind) * XC_GPU_TABLE_FLOATS;
}

XC_GPU_CONSTANT size_t xc_gpu_region_bytes(int kind)
{
	return xc_gpu_region_end(kind) * sizeof(float) + sizeof(xc_gpu_output);
}

/* The kind of kernel for a job if a thread block can have `bytes` bytes of shared memory. */
XC_GPU_INLINE int xc_gpu_kind_for(const xc_gpu_decode_job *p, size_t bytes)
{
	const int kind = xc_gpu_kind_of(p);
	return xc_gpu_region_bytes(kind) > bytes ? kind + XC_GPU_LOWER : kind;
}

/* Regions of a picture, in a row and in all. */
XC_GPU_INLINE uint32_t xc_gpu_regions_wide(uint32_t width, int kind)
{
	return (width + (uint32_t)xc_gpu_shift(kind, 0) + XC_GPU_REGION_WIDTH - 1) /
	       XC_GPU_REGION_WIDTH;
}

XC_GPU_INLINE uint64_t xc_gpu_regions(uint32_t width, uint32_t height, int kind)
{
	const uint32_t high = xc_gpu_region_height(kind);
	return (uint64_t)xc_gpu_regions_wide(width, kind) *
	       ((height + (uint32_t)xc_gpu_shift(kind, 1) + high - 1) / high);
}

typedef struct xc_gpu_region {
	const xc_gpu_decode_job *job;
	xc_gpu_shape shape;
	const xc_gpu_segment *segments; /* of all pictures */
	const xc_gpu_segment_result *results;
	int32_t x, y; /* of its first pixel, which may lie before the picture */
	float *shared;
} xc_gpu_region;

XC_GPU_INLINE xc_gpu_output *xc_gpu_region_output(const xc_gpu_region *r, int kind)
{
	return (xc_gpu_output *)(void *)(r->shared + xc_gpu_region_end(kind));
}

/* Region i; its y may lie after the picture. */
XC_GPU_INLINE xc_gpu_region xc_gpu_region_of(const xc_gpu_decode_job *p,
                                             const xc_gpu_segment *segments,
                                             const xc_gpu_segment_result *results, uint32_t i,
                                             float *shared, int kind, int source)
{
	const xc_gpu_shape shape = xc_gpu_shape_of(p, source == XC_GPU_SYMBOLS);
	const uint32_t wide = xc_gpu_regions_wide(shape.width, kind);
	const uint32_t row = xc_gpu_divide(i, wide, shape.regions_inverse);
	const uint32_t x = (i - row * wide) * XC_GPU_REGION_WIDTH, y = row * xc_gpu_region_height(kind);
	const xc_gpu_region r = {p,
	                         shape,
	                         segments,
	                         results,
	                         (int32_t)x - xc_gpu_shift(kind, 0),
	                         (int32_t)y - xc_gpu_shift(kind, 1),
	                         shared};

	return r;
}

/* Whether up-sampling needs chroma from beyond the picture. */
XC_GPU_INLINE int xc_gpu_is_border(const xc_gpu_region *r, int kind)
{
	const xc_gpu_decode_job *p = r->job;

	return xc_gpu_is_halved(kind, 1, 0) &&
	       (r->x <= 0 || r->y < 0 || p->width - (uint32_t)r->x <= XC_GPU_REGION_WIDTH ||
	        p->height - (uint32_t)r->y <= xc_gpu_region_height(kind));
}

/* The column (or row) of the first block of plane c among the picture's blocks. */
XC_GPU_INLINE int32_t xc_gpu_first_block(const xc_gpu_region *r, int kind, int c, int down)
{
	const int halved = xc_gpu_is_halved(kind, c, down);
	return (((down ? r->y : r->x) + xc_gpu_shift(kind, down)) >> (3 + halved)) -
	       xc_gpu_before(kind, c, down);
}

/* The index in its row of column x of component c. Vec16s stay together. In every other 128 bytes
 * the two vec16s of a pair are swapped, so eight lanes that load every second vec16 are
 * conflict-free. Eight lanes that load consecutive vec16s are conflict-free if the first is
 * 128-byte aligned; column 8 is, if the component is shifted. */
XC_GPU_INLINE uint32_t xc_gpu_column(int kind, int c, uint32_t x)
{
	const uint32_t before = xc_gpu_is_shifted(kind, c) ? 24 : 0, at = x + before;
	return (at ^ (at >> 3 & 4)) - before;
}

/* Column x and row y of component c, counted from the region's first. */
typedef struct xc_gpu_xy {
	uint32_t c, x, y;
} xc_gpu_xy;

/* The position of item i of all components; luma, chroma: items of one component; less: items fewer
 * than blocks in a row. All but i are constants. All components take the same path, because a warp
 * may have items of two. */
XC_GPU_INLINE xc_gpu_xy xc_gpu_xy_of(uint32_t i, uint32_t luma, uint32_t chroma, int kind,
                                     uint32_t less)
{
	const uint32_t wide0 = xc_gpu_blocks_along(kind, 0, 0) - less;
	const uint32_t wide1 = xc_gpu_blocks_along(kind, 1, 0) - less;
	xc_gpu_xy s;

	s.c = chroma ? (i >= luma) + (i >= luma + chroma) : 0;
	const uint32_t n = i - (s.c ? luma : 0) - (s.c > 1 ? chroma : 0);
	uint32_t y0 = n / wide0, y1 = n / wide1;
	XC_OPAQUE(y0, "r"); /* or nvcc would merge them into one division by a variable */
	XC_OPAQUE(y1, "r");
	s.y = s.c ? y1 : y0;
	s.x = n - s.y * (s.c ? wide1 : wide0);
	return s;
}

#endif
