/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One block by one thread: where its coefficients lie (gpu/decode/buffers.h), its 64 coefficients in registers, and its
 * inverse transform. For the two kinds of pixels, whole (gpu/decode/pixels/samples.h) and reduced
 * (gpu/decode/pixels/reduced.h).
 *
 * Finding a block is one chain of loads, from the job to the record and from there to tokens or raw bits. All that can
 * be loaded at once is, before it is known whether the segment is intact.
 */
#ifndef XC_GPU_DECODE_PIXELS_BLOCK_H
#define XC_GPU_DECODE_PIXELS_BLOCK_H

#include <math.h>
#include <string.h>

#include "entropy/scan.h"
#include "gpu/decode/buffers.h"
#include "gpu/decode/job.h"
#include "gpu/runtime/device.h"
#include "gpu/runtime/warp.h"
#include "transform/dct8.h"
#include "transform/lapped8.h"

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
	/* Huffman codes: the tokens of its segment, and its own words of these. */
	const uint32_t *tokens;
	uint32_t first, end;
	/* rANS: the raw bits of its segment (xc_gpu_raw_room()), its first one, and the block's number; NULL: damaged. */
	const uint32_t *raw;
	uint32_t first_bit, index;
	/* A kept JPEG: in zigzag order. */
	const int16_t *coefficients;
	int32_t dc;            /* in sixteenths of a step */
	uint32_t across, down; /* its AC prediction (entropy/ac_prediction.h), if any */
	/* Used by xc_gpu_block_wait(): */
	uint64_t room; /* from the picture's tokens or raw bits to those of the segment */
	uint32_t intact;
	int32_t left, right, above, below; /* neighbouring DCs for AC prediction */
} xc_gpu_block_source;

/* The members of a job that locate a block. */
typedef struct xc_gpu_shape {
	uint32_t width, height, h, v, mcus_wide, mcus_high, tile_mcus_wide, tile_mcus_high;
	uint32_t tiles_wide, mcu_blocks, first_segment, predicted;
	uint32_t tile_wide_inverse, tile_high_inverse, regions_inverse;
	const xc_gpu_block_record *records;
	const uint32_t *words; /* tokens, or raw bits of rANS */
} xc_gpu_shape;

XC_GPU_INLINE xc_gpu_shape xc_gpu_shape_of(const xc_gpu_decode_job *p, int source)
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
	                  source == XC_GPU_SYMBOLS ? p->raw : p->tokens};
#ifdef __CUDA_ARCH__
	/* Or nvcc would sink the loads to their uses, and one would wait for another. */
	asm volatile(""
	             : "+r"(s.width), "+r"(s.height), "+r"(s.h), "+r"(s.v), "+r"(s.mcus_wide),
	               "+r"(s.mcus_high), "+r"(s.tile_mcus_wide), "+r"(s.tile_mcus_high),
	               "+r"(s.tiles_wide), "+r"(s.mcu_blocks), "+r"(s.first_segment), "+r"(s.predicted),
	               "+r"(s.tile_wide_inverse), "+r"(s.tile_high_inverse), "+r"(s.regions_inverse),
	               "+l"(s.records), "+l"(s.words));
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

/* Locates block (x, y) of component c. source, a constant: tokens or symbols. Loads the record before it is known
 * whether the segment is intact. */
XC_GPU_INLINE xc_gpu_block_source xc_gpu_block_at(const xc_gpu_shape *p,
                                                  const xc_gpu_segment *segments,
                                                  const xc_gpu_segment_result *results, uint32_t c,
                                                  uint32_t x, uint32_t y, int source)
{
	const uint32_t h = c ? 1 : p->h, v = c ? 1 : p->v;
	const uint32_t tx = xc_gpu_divide(x >> (h - 1), p->tile_mcus_wide, p->tile_wide_inverse);
	const uint32_t ty = xc_gpu_divide(y >> (v - 1), p->tile_mcus_high, p->tile_high_inverse);
	const xc_tile_mcus m = xc_tile_mcus_at(tx, ty, p->tile_mcus_wide, p->tile_mcus_high,
	                                       p->mcus_wide, p->mcus_high);
	const uint32_t tile = ty * p->tiles_wide + tx, segment = p->first_segment + tile;
	const uint32_t column = x - m.x * h, row = y - m.y * v, wide = m.wide * h;
	uint32_t in_tile = row * wide + column;
	xc_gpu_block_source s;

	memset(&s, 0, sizeof s);
	if (c)
		in_tile += m.wide * m.high * (p->h * p->v + c - 1);
	const uint32_t index = m.before * p->mcu_blocks + in_tile;
	const xc_gpu_block_record *r = p->records + index;
	XC_GPU_GLOBAL(r);
	if (source == XC_GPU_SYMBOLS) {
		s.first_bit = r->first_bit;
		s.index = index;
		s.room = xc_gpu_raw_offset(&segments[segment], tile);
	} else {
		s.first = in_tile ? r[-1].end : 0;
		s.end = r->end;
		s.room = segments[segment].tokens;
	}
	s.dc = r->dc;
	s.intact = results[segment].intact;
	if (p->predicted)
		xc_gpu_load_around(&s, r, column, wide - 1 - column, row, m.high * v - 1 - row, wide);
	return s;
}

/* Waits for the loads and sets tokens or raw bits, and AC prediction. A block of a damaged segment becomes all zero. */
XC_GPU_INLINE void xc_gpu_block_wait(xc_gpu_block_source *s, const xc_gpu_shape *p,
                                     const xc_ac_prediction *ac_prediction, int source)
{
	if (source == XC_GPU_SYMBOLS)
		s->raw = p->words + s->room;
	else
		s->tokens = p->words + s->room;
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
	const xc_gpu_jpeg_planes *j = &p->jpeg_planes;
	xc_gpu_block_source s;

	memset(&s, 0, sizeof s);
	s.coefficients = j->of[c] + 64 * ((size_t)y * j->columns[c] + x);
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

/* The coefficient, in sixteenths of a step, of a symbol without class bits; 0 for the others. */
enum { XC_GPU_SYMBOL_VALUES = 16 };

XC_GPU_INLINE float xc_gpu_symbol_value(uint32_t symbol, xc_value_points points)
{
	return symbol < XC_RANS_FIRST_CLASS ? (float)xc_reconstruct((int32_t)symbol, points) : 0.0f;
}

/* Shared by the blocks of a class. */
typedef struct xc_gpu_rans_class {
	/* In shared memory, aligned to 64 bytes: 64 steps in transposed order, then 16 symbol values.
	 * */
	const float *steps;
	xc_value_points points;
	int predicted, depth16;
} xc_gpu_rans_class;

/* Whether AC prediction is added to coefficient k with 16 bits a sample: it then stays an integer.
 * */
XC_GPU_INLINE int xc_gpu_is_whole(const xc_gpu_rans_class *c, uint32_t k)
{
	return c->depth16 && c->predicted && (k == 1 || k == 8);
}

/* The lowest address bytes of four symbols' values, less 64 floats; symbols: each in bits 2 to 5 of
 * a byte. */
XC_GPU_INLINE uint32_t xc_gpu_value_bytes(const float *steps, uint32_t symbols)
{
	const uint32_t four = symbols & 0x3c3c3c3c;
#ifdef __CUDA_ARCH__
	return four | (xc_gpu_shared_address(steps) & 0xc0) * 0x01010101;
#else
	(void)steps;
	return four;
#endif
}

/* The value of symbol i of the four. */
XC_GPU_INLINE float xc_gpu_value_of(const float *steps, uint32_t bytes, uint32_t i)
{
#ifdef __CUDA_ARCH__
	const uint32_t at = __byte_perm(bytes, xc_gpu_shared_address(steps), 0x7650 | i);
	float value;
	asm("ld.shared.f32 %0, [%1 + 256];" : "=f"(value) : "r"(at));
	return value;
#else
	return steps[64 + (bytes >> 8 * i & 60) / 4];
#endif
}

/* Eight coefficients from position `first` on. Symbols with class bits give 0 with their sign;
 * symbols that are 0 give 0 with any sign. signs: of the nonzero symbols from here on, the first
 * one highest. */
XC_GPU_INLINE void xc_gpu_load_values8(const xc_gpu_rans_class *c, uint32_t word, uint32_t first,
                                       uint32_t *signs, float f[8])
{
	const uint32_t even = xc_gpu_value_bytes(c->steps, word << 2);
	const uint32_t odd = xc_gpu_value_bytes(c->steps, word >> 2);

	XC_UNROLL
	for (uint32_t four = 0; four < 8; four += 4) {
		float step[4];
		xc_gpu_load_four(c->steps + first + four, step);
		XC_UNROLL
		for (uint32_t i = four; i < four + 4; i++) {
			const uint32_t present = word & 15u << 4 * i, sign = *signs & 1u << 31;
			const float size = xc_gpu_value_of(c->steps, i % 2 ? odd : even, i / 2);
			const float value = xc_gpu_float_of(xc_gpu_float_bits(size) ^ sign);
			*signs = present ? *signs << 1 : *signs;
			f[i] = value * step[i - four];
			if (xc_gpu_is_whole(c, first + i))
				f[i] = xc_gpu_float_of((uint32_t)(int32_t)value |
				                       (present && size == 0 ? sign : 0));
		}
	}
}

/* Where a thread stores magnitudes of symbols with class bits: the place of its block's samples, in
 * rows of two vec16s (left, right), `apart` floats from row to row. */
typedef struct xc_gpu_block_room {
	float *left, *right;
	uint32_t apart;
} xc_gpu_block_room;

XC_GPU_INLINE float *xc_gpu_room_at(const xc_gpu_block_room *room, uint32_t row, uint32_t i)
{
	return (i < 4 ? room->left : room->right) + row * room->apart + i % 4;
}

/* Fetches the stored magnitudes of eight coefficients from position k on; large: see
 * xc_gpu_large_symbols(). */
XC_GPU_INLINE void xc_gpu_take_large(const xc_gpu_rans_class *c, uint32_t large, uint32_t k,
                                     const xc_gpu_block_room *room, float f[8])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++) {
		if (!(large >> 4 * i & 1))
			continue;
		const uint32_t sign = xc_gpu_float_bits(f[i]) & 1u << 31;
		const uint32_t size = xc_gpu_float_bits(*xc_gpu_room_at(room, k / 8, i));
		f[i] = xc_gpu_float_of(!xc_gpu_is_whole(c, k + i) ? size | sign : sign ? 0 - size : size);
	}
}

/* The coefficients of four words of symbols. */
XC_GPU_INLINE void xc_gpu_many_values(const xc_gpu_rans_class *c, const uint32_t word[4],
                                      uint32_t first, uint32_t signs, const xc_gpu_block_room *room,
                                      float f[32])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		if (word[i]) {
			/* The DC is set elsewhere. */
			const uint32_t large = xc_gpu_large_symbols(word[i]) & ~(first + i ? 0u : 1u);
			xc_gpu_load_values8(c, word[i], first + 8 * i, &signs, f + 8 * i);
			if (large)
				xc_gpu_take_large(c, large, first + 8 * i, room, f + 8 * i);
			continue;
		}
		XC_UNROLL
		for (uint32_t j = 0; j < 8; j++)
			f[8 * i + j] = 0;
	}
}

/* Stores the magnitudes of the AC symbols with class bits, which begin at bit `at`, in the room:
 * times the steps, or as integers. words: a bit for each of the block's words that has any. */
XC_GPU_INLINE void xc_gpu_leave_large(const uint32_t *symbols, const xc_gpu_raw_window *window,
                                      const xc_gpu_rans_class *c, uint32_t words, uint32_t at,
                                      const xc_gpu_block_room *room)
{
	XC_ROLLED
	for (; words; words &= words - 1) {
		const uint32_t i = (uint32_t)xc_gpu_lowest(words), word = symbols[i];
		uint32_t left = xc_gpu_large_symbols(word) & ~(i ? 0u : 1u);
		XC_ROLLED
		for (; left; left &= left - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(left), k = 8 * i + shift / 4;
			const uint32_t size = xc_gpu_window_magnitude(window, word >> shift & 15, &at);
			const int32_t value = xc_reconstruct((int32_t)size, c->points);
			*xc_gpu_room_at(room, i, shift / 4) = xc_gpu_is_whole(c, k)
			                                          ? xc_gpu_float_of((uint32_t)value)
			                                          : (float)value * c->steps[k];
		}
	}
}

XC_GPU_INLINE uint32_t xc_gpu_reversed(uint32_t w)
{
#ifdef __CUDA_ARCH__
	return __brev(w);
#else
	uint32_t r = 0;
	for (int i = 0; i < 32; i++)
		r |= (w >> i & 1) << (31 - i);
	return r;
#endif
}

/* The 32 bits from bit n on, 0 to 32, of two words, the first one lower. */
XC_GPU_INLINE uint32_t xc_gpu_bits_from(uint32_t low, uint32_t high, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_rc(low, high, n);
#else
	return (uint32_t)(((uint64_t)high << 32 | low) >> n);
#endif
}

/* The number of nonzero symbols in four words. */
XC_GPU_INLINE uint32_t xc_gpu_count_some(const uint32_t word[4])
{
	uint32_t some = 0;

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		some += xc_gpu_count_bits(xc_gpu_some_symbols(word[i]));
	return some;
}

/* Bit i: word i of four has symbols with class bits. */
XC_GPU_INLINE uint32_t xc_gpu_find_large(const uint32_t word[4])
{
	uint32_t large = 0;

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		large |= xc_gpu_large_symbols(word[i]) ? 1u << i : 0u;
	return large;
}

/* Sets f to the block's AC in transposed order; f[0] becomes undefined. */
XC_GPU_INLINE void xc_gpu_rans_coefficients(const xc_gpu_block_source *b, const uint32_t *symbols,
                                            const xc_gpu_rans_class *c,
                                            const xc_gpu_block_room *room, float f[64])
{
	const xc_gpu_raw_window window = xc_gpu_raw_window_at(b->raw + 1, b->first_bit);
	uint32_t low[4], high[4];

	xc_gpu_load_vec16(symbols, low);
	xc_gpu_load_vec16(symbols + 4, high);
	const uint32_t signs = xc_gpu_funnel(window.word[0], window.word[1], b->first_bit);
	const uint32_t more = xc_gpu_funnel(window.word[1], window.word[2], b->first_bit);
	const uint32_t lower = low[0] | low[1] | low[2] | low[3];
	const uint32_t upper = high[0] | high[1] | high[2] | high[3];
	const uint32_t some = xc_gpu_count_some(low);
	if ((lower | upper) & 0x88888888) {
		const uint32_t dc = low[0] & 15;
		uint32_t classes = b->first_bit + some + xc_gpu_count_some(high);
		if (dc >= XC_RANS_FIRST_CLASS)
			(void)xc_gpu_window_magnitude(&window, dc, &classes);
		xc_gpu_leave_large(symbols, &window, c,
		                   xc_gpu_find_large(low) | xc_gpu_find_large(high) << 4, classes, room);
	}
	xc_gpu_many_values(c, low, 0, xc_gpu_reversed(signs), room, f);
	if (upper) {
		/* Loaded again, so that no registers hold them meanwhile. */
		XC_OPAQUE(symbols, "l");
		xc_gpu_load_vec16(symbols + 4, high);
		xc_gpu_many_values(c, high, 32, xc_gpu_reversed(xc_gpu_bits_from(signs, more, some)), room,
		                   f + 32);
		return;
	}
	XC_UNROLL
	for (int k = 32; k < 64; k++)
		f[k] = 0;
}

/* The first factor of coefficient k of a class, see xc_gpu_scatter_vec(). */
XC_GPU_INLINE float xc_gpu_first_step(const xc_gpu_decode_job *p, uint32_t predicted,
                                      uint32_t class_, uint32_t k, int rans)
{
	const int affected = k == xc_gpu_across_step(rans) || k == xc_gpu_down_step(rans);
	float step = p->steps[class_][k];

	XC_OPAQUE_AGAIN(step, "f"); /* the load does not wait for `predicted` */
	return predicted && affected ? 1.0f : step;
}

/* Zeroes rows `first` to end - 1 of a matrix, with the other lanes; column: of this lane. */
XC_GPU_INLINE void xc_gpu_clear_rows(float *column, uint32_t first, uint32_t end, uint32_t lane)
{
	const float zeros[4] = {0, 0, 0, 0};

	XC_UNROLL
	for (uint32_t row = first; row < end; row += 4)
		xc_gpu_store_four(column - lane + row * XC_WARP_LANES + 4 * lane, zeros);
}

/* A coefficient of a kept JPEG. Those that sixteenths of a step in 16 bits do not hold, as the CPU has them
 * (src/decode/coded_decode.c), become the largest ones. */
XC_GPU_INLINE float xc_gpu_jpeg_coefficient(int32_t v)
{
	enum { MAX = INT16_MAX / XC_STEP_PARTS };

	return (float)(v > MAX ? MAX : v < -MAX ? -MAX : v);
}

/* Loads a block of a kept JPEG. */
XC_GPU_INLINE void xc_gpu_load_jpeg_block(const int16_t *from, const float steps[64], float f[64])
{
#ifdef __CUDA_ARCH__
	constexpr uint8_t order[64] = {XC_SCAN_TABLE};
#else
	static const uint8_t order[64] = {XC_SCAN_TABLE};
#endif

	XC_UNROLL
	for (uint32_t k = 0; k < 64; k += 8) {
		uint32_t word[XC_GPU_VEC16_WORDS];
		float step[8];
		xc_gpu_load_vec16((const uint32_t *)(const void *)(from + k), word);
		xc_gpu_load_four(steps + k, step);
		xc_gpu_load_four(steps + k + 4, step + 4);
		XC_UNROLL
		for (uint32_t i = 0; i < 8; i++) {
			const int32_t v = (int16_t)(word[i / 2] >> 16 * (i % 2));
			f[order[k + i]] = xc_gpu_jpeg_coefficient(v) * step[i];
		}
	}
}

/* Loads the coefficients of a block, from its column of the matrix (tokens), from symbols with the help of its room, or
 * as they are. table: xc_gpu_first_step() of its class, and with symbols the values of these after it. low, a
 * constant: the block is low, and only the first ones are set. */
XC_GPU_INLINE void xc_gpu_load_block(const xc_gpu_decode_job *p, const xc_gpu_block_source *s,
                                     uint32_t class_, const float *table, const float *column,
                                     const xc_gpu_block_room *room, int predicted, float f[64],
                                     int low, int depth16, int source)
{
	if (source == XC_GPU_BLOCKS) {
		xc_gpu_load_jpeg_block(s->coefficients, table, f);
		return;
	}
	if (source == XC_GPU_SYMBOLS) {
		const xc_gpu_rans_class c = {table, p->points[class_], predicted, depth16};
		XC_UNROLL
		for (int k = 0; k < 64; k++)
			f[k] = 0;
		if (s->raw)
			xc_gpu_rans_coefficients(s, p->symbols[s->index].word, &c, room, f);
		f[0] = (float)s->dc * table[0];
	} else {
		xc_gpu_block_gather(s, table, column, XC_WARP_LANES, f, low ? (uint32_t)XC_GPU_LOW : 64);
	}
	if (predicted)
		xc_gpu_add_ac_prediction(p, s, class_, f, depth16, source == XC_GPU_SYMBOLS);
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
