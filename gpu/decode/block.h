/* SPDX-License-Identifier: BSD-2-Clause */
/* One block by one thread: finding its coefficients, scattering them, and the inverse transform.
 * Called by gpu/decode/pixels.h. */
#ifndef XC_GPU_DECODE_BLOCK_H
#define XC_GPU_DECODE_BLOCK_H

#include <math.h>
#include <string.h>

#include "entropy/scan.h"
#include "gpu/decode/job.h"
#include "gpu/decode/rans/tables.h"
#include "gpu/runtime/device.h"
#include "transform/dct8.h"
#include "transform/lapped8.h"

/* The source of a block's coefficients. xc_gpu_block_at() issues the loads, and xc_gpu_block_wait()
 * uses them. */
typedef struct xc_gpu_block_source {
	const uint32_t *tokens; /* of its segment, NULL if damaged; rANS: xc_gpu_raw_room() */
	uint32_t first,
		end;    /* range of its words; rANS: its first raw bit, and its index in the picture */
	int32_t dc; /* in sixteenths of a step */
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

#endif
