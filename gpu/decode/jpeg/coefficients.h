/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coefficients of one or two segments of kept JPEGs, by a warp, which also checks their CRCs. Half a warp has
 * the lanes of a segment, sixteen or fewer; each takes a row of blocks of a bundle, one column after the lane before it
 * (doc/format.md, section 12.2). It is jpeg/coder.c, whose comments say what the steps are for, a lane a thread.
 * Called by gpu/decode/jpeg/jpeg.cu.
 *
 * Both halves go through the same code. One that takes no symbol in a step keeps its states in their turn.
 */
#ifndef XC_GPU_DECODE_JPEG_COEFFICIENTS_H
#define XC_GPU_DECODE_JPEG_COEFFICIENTS_H

#include "gpu/decode/jpeg/symbols.h"
#include "gpu/decode/warp_group.h"
#include "gpu/runtime/warp.h"

/* A segment to decode. */
typedef struct xc_gpu_jpeg_work {
	const xc_gpu_decode_job *job;
	const xc_gpu_segment *segment;
	uint32_t tile; /* of the picture */
	xc_gpu_segment_result *result;
} xc_gpu_jpeg_work;

/* ----------------------------------------------------------------- contexts */

/* The maximum in each half. */
XC_WARP_INLINE void xc_gpu_half_max(const uint32_t v[XC_SLOTS], uint32_t max[XC_SLOTS])
{
	XC_FOR_LANES(lane)
		max[XC_SLOT(lane)] = v[XC_SLOT(lane)];
#ifdef __CUDA_ARCH__
	XC_UNROLL
	for (int d = XC_GPU_JPEG_LANES / 2; d; d /= 2)
		max[0] = xc_gpu_max(max[0], __shfl_xor_sync(XC_ALL_LANES, max[0], d));
#else
	for (int lane = 0; lane < XC_WARP_LANES; lane++)
		max[lane / 16 * 16] = xc_gpu_max(max[lane / 16 * 16], max[lane]);
	for (int lane = 0; lane < XC_WARP_LANES; lane++)
		max[lane] = max[lane / 16 * 16];
#endif
}

/* Twice the logarithm of a number that is not below zero; far below zero for 0. */
XC_GPU_INLINE int32_t xc_gpu_half_octaves(int32_t a)
{
	return (int32_t)(xc_gpu_float_bits((float)a) >> 22);
}

XC_GPU_INLINE uint32_t xc_gpu_jpeg_level(int32_t expected)
{
	const int32_t l = xc_gpu_half_octaves(expected) - XC_JPEG_LEVEL_FIRST;
	return l < 0 ? 0 : xc_gpu_min((uint32_t)l, XC_JPEG_LEVELS - 1);
}

/* Adds the products of four magnitudes, from bit `shift` of the lane's word from[0] on. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_dot(const uint32_t *from, uint32_t shift, uint32_t weights,
                                       uint32_t sum)
{
	return xc_gpu_dot(xc_gpu_funnel(from[0], from[XC_WARP_LANES], shift), weights, sum);
}

/* What is expected of the magnitude of a coefficient. */
XC_GPU_INLINE int32_t xc_gpu_jpeg_expect(const xc_gpu_jpeg_lane *l, const xc_gpu_jpeg_place *p)
{
	enum { ROW = 2 * XC_WARP_LANES };
	uint32_t w[4], n[4];

	xc_gpu_load_words(p->weight, w);
	xc_gpu_load_words(p->weight + 4, n);
	const uint32_t shift = n[3] >> 8 & 255, at = (n[3] >> 16) * XC_WARP_LANES + l->column;
	const uint32_t *own = &l->memory->magnitudes[0][0] + at, *sums = &l->memory->sums[0][0] + at;
	uint32_t e = n[3] & 255;

	e = xc_gpu_jpeg_dot(own - ROW, shift, w[0], e);
	e = xc_gpu_jpeg_dot(own, shift, w[1], e);
	e = xc_gpu_jpeg_dot(own + ROW, shift, w[2], e);
	e = xc_gpu_jpeg_dot(own + 2 * ROW, shift, w[3], e);
	e = xc_gpu_jpeg_dot(sums - ROW, shift, n[0], e);
	e = xc_gpu_jpeg_dot(sums, shift, n[1], e);
	return (int32_t)(e & 0xffff);
}

/* Eight zeros, and eight coefficients from `from`, to a multiple of 16 bytes. */
XC_GPU_INLINE void xc_gpu_jpeg_zero(int16_t *to)
{
#ifdef __CUDA_ARCH__
	*(uint4 *)to = make_uint4(0, 0, 0, 0);
#else
	XC_GPU_ALIGNED(to, 16);
	memset(to, 0, 16);
#endif
}

XC_GPU_INLINE void xc_gpu_jpeg_copy(int16_t *to, const int16_t *from)
{
#ifdef __CUDA_ARCH__
	const uint32_t *w = (const uint32_t *)from;
	*(uint4 *)to = make_uint4(w[0], w[1], w[2], w[3]);
#else
	XC_GPU_ALIGNED(to, 16);
	memcpy(to, from, 16);
#endif
}

/* Where coefficient k of the lane's block is. */
XC_GPU_INLINE int16_t *xc_gpu_jpeg_at(const xc_gpu_jpeg_lane *l, uint32_t k)
{
	return l->memory->values[l->column] + k;
}

XC_GPU_INLINE int32_t xc_gpu_jpeg_value(const xc_gpu_jpeg_lane *l, uint32_t k)
{
	return *xc_gpu_jpeg_at(l, k);
}

/* Sets coefficient k, in zigzag order, which is at place n of its rows. */
XC_GPU_INLINE void xc_gpu_jpeg_set(const xc_gpu_jpeg_lane *l, uint32_t k, uint32_t n, int32_t v)
{
	const uint32_t m = (uint32_t)(v < 0 ? -v : v);
	uint32_t *const word = &l->memory->magnitudes[XC_GPU_JPEG_PAD + n / 4][l->column];

	*xc_gpu_jpeg_at(l, k) = (int16_t)v;
	((uint8_t *)(void *)word)[n % 4] = (uint8_t)xc_gpu_min(m, XC_JPEG_MAGNITUDE);
}

/* Number of the last inner coefficient of a class. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_end(uint32_t class_)
{
	const uint64_t ends = class_ & 8 ? 0x3128201a15110d0a : 0x0806050403020100;
	return (uint32_t)(ends >> 8 * (class_ & 7)) & 255;
}

/* ------------------------------------------------------------------- blocks */

/* Takes a share of the magnitudes of the block above lane 0, which is another bundle's. */
XC_GPU_INLINE void xc_gpu_jpeg_load_above(const xc_gpu_jpeg_lane *l,
                                          const xc_gpu_jpeg_tables *tables)
{
	const int64_t above = 64 * ((int64_t)l->step - (int64_t)(l->lane + 1) * l->stride);
	uint8_t *const to = (uint8_t *)(void *)l->memory->above[l->ring];

	XC_UNROLL
	for (uint32_t k = l->lane; k < 64; k += XC_GPU_JPEG_LANES) {
		const int32_t v = l->first[above + k];
		to[tables->raster[k]] = (uint8_t)xc_gpu_min((uint32_t)(v < 0 ? -v : v), XC_JPEG_MAGNITUDE);
	}
}

/* Sums magnitudes of the blocks to the left and above. */
XC_GPU_INLINE void xc_gpu_jpeg_sum(const xc_gpu_jpeg_lane *l)
{
	xc_gpu_jpeg_memory *const m = l->memory;
	const uint32_t left = l->column, up = l->lane ? left - 1 : left;
	const int over = !l->lane && l->row;

	XC_UNROLL
	for (uint32_t i = 0; i < XC_GPU_JPEG_WORDS; i++) {
		uint32_t *const from = m->magnitudes[XC_GPU_JPEG_PAD + i];
		const uint32_t above = over ? m->above[l->ring][i] : from[up];
		/* In its first column a lane has the block above in place of that to the left. */
		m->sums[XC_GPU_JPEG_PAD + i][left] = above + (l->no_left ? above : from[left]);
	}
}

/* Makes room for the blocks of this step. DC counts nowhere. */
XC_GPU_INLINE void xc_gpu_jpeg_clear_block(const xc_gpu_jpeg_lane *l)
{
	XC_UNROLL
	for (uint32_t i = 0; i < XC_GPU_JPEG_WORDS; i++)
		l->memory->magnitudes[XC_GPU_JPEG_PAD + i][l->column] = 0;
	l->memory->sums[XC_GPU_JPEG_PAD][l->column] &= ~255u;
	XC_UNROLL
	for (uint32_t i = 8 * l->column; i < XC_WARP_LANES * 66; i += 8 * XC_WARP_LANES)
		xc_gpu_jpeg_zero(&l->memory->values[0][0] + i);
}

/* Whether the block above lane 0 is another bundle's. */
XC_GPU_INLINE int xc_gpu_jpeg_has_above(const xc_gpu_jpeg_lane *l)
{
	return l->running && l->row && l->step < l->columns;
}

/* What the lanes know of their neighbours. */
XC_WARP_INLINE void xc_gpu_jpeg_begin_blocks(xc_gpu_jpeg_lane lanes[XC_SLOTS],
                                             const xc_gpu_jpeg_tables *tables)
{
	uint32_t over[XC_SLOTS];

	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		l->active = l->running && l->lane < l->rows && l->step - l->lane < l->columns;
		l->no_left = l->step == l->lane;
		l->no_up = !l->lane && !l->row;
		over[XC_SLOT(lane)] = l->ends;
	}
	xc_warp_up(over);
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const xc_gpu_jpeg_above *a = l->above + l->step;
		uint32_t above = l->lane ? over[XC_SLOT(lane)] : l->ends;
		above = !l->lane && xc_gpu_jpeg_has_above(l) ? a->ends : above;
		l->near_ = above + (l->no_left ? above : l->ends);
	}
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		XC_FOR_LANES(lane)
			over[XC_SLOT(lane)] = (uint32_t)lanes[XC_SLOT(lane)].down[i];
		xc_warp_up(over);
		XC_FOR_LANES(lane) {
			xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
			l->up[i] = l->lane ? (int32_t)over[XC_SLOT(lane)] : 0;
			if (!l->lane && xc_gpu_jpeg_has_above(l))
				l->up[i] = l->above[l->step].down[i];
		}
	}
	XC_FOR_LANES(lane) {
		const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		if (xc_gpu_jpeg_has_above(l))
			xc_gpu_jpeg_load_above(l, tables);
	}
	xc_warp_sync();
	XC_FOR_LANES(lane)
		xc_gpu_jpeg_sum(&lanes[XC_SLOT(lane)]);
	xc_warp_sync();
	XC_FOR_LANES(lane)
		xc_gpu_jpeg_clear_block(&lanes[XC_SLOT(lane)]);
	xc_warp_sync();
}

/* The inner coefficients. Returns the maximum that a block of the warp has of them. */
XC_WARP_INLINE uint32_t xc_gpu_jpeg_inner(xc_gpu_jpeg_lane lanes[XC_SLOTS],
                                          const xc_gpu_jpeg_tables *tables)
{
	uint32_t shape[XC_SLOTS], active[XC_SLOTS], symbol[XC_SLOTS], end[XC_SLOTS], max[XC_SLOTS];
	uint32_t level[XC_SLOTS], flip[XC_SLOTS], turns[XC_SLOTS];
	int32_t value[XC_SLOTS];

	XC_FOR_LANES(lane) {
		const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		shape[XC_SLOT(lane)] = (l->near_ & 255) + 32 * l->chroma;
		active[XC_SLOT(lane)] = l->active;
	}
	xc_gpu_jpeg_symbol(lanes, shape, active, symbol);
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		xc_gpu_jpeg_turn(l, 1);
		l->ends = l->active ? symbol[XC_SLOT(lane)] : 0;
		end[XC_SLOT(lane)] = xc_gpu_jpeg_end(l->ends);
	}
	xc_gpu_half_max(end, max);
	const uint32_t longest = xc_warp_max(end);
	XC_ROLLED
	for (uint32_t i = longest; i-- > 0;) {
		const uint32_t z = tables->inner[i], at = tables->raster[z];
		XC_FOR_LANES(lane) {
			const uint32_t e = end[XC_SLOT(lane)], far = e > i + 1 ? xc_gpu_min(e - i - 1, 15) : 0;
			const uint32_t distance = (far > 0) + (far > 3) + (far > 11);
			const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
			level[XC_SLOT(lane)] = xc_gpu_jpeg_level(
				xc_gpu_jpeg_expect(l, &tables->at[l->chroma][z]));
			shape[XC_SLOT(lane)] = XC_JPEG_INNER_SHAPE + (z > 20 ? 4 * XC_JPEG_LEVELS : 0) +
			                       distance * XC_JPEG_LEVELS + level[XC_SLOT(lane)];
			active[XC_SLOT(lane)] = i < e;
			turns[XC_SLOT(lane)] = i < max[XC_SLOT(lane)];
			flip[XC_SLOT(lane)] = 0;
		}
		xc_gpu_jpeg_number(lanes, tables, 0, shape, level, flip, active, turns, value);
		XC_FOR_LANES(lane)
			if (active[XC_SLOT(lane)])
				xc_gpu_jpeg_set(&lanes[XC_SLOT(lane)], z, at, value[XC_SLOT(lane)]);
	}
	return longest;
}

/* The sums of line i across the upper (up) or the left border, but for the first coefficient: all, and with odd
 * frequencies the other way. up and i are constants. Sums wrap around for coefficients that no JPEG has. */
XC_GPU_INLINE void xc_gpu_jpeg_line(const xc_gpu_jpeg_lane *l, uint32_t up, uint32_t i,
                                    int32_t *own, int32_t *other)
{
	const uint32_t *from = (const uint32_t *)(const void *)l->job->of.across[l->c][up][i];
	uint32_t w[4];

	XC_GPU_GLOBAL(from);
	xc_gpu_load_words(from, w);
#define LINE_VALUE(n) \
	(uint32_t) xc_gpu_jpeg_value(l, up ? xc_gpu_zigzag(n, i) : xc_gpu_zigzag(i, n))
#define LINE_LOW(n) (uint32_t)(int32_t)(int16_t)w[n]
#define LINE_HIGH(n) (uint32_t)((int32_t)w[n] >> 16)
	const uint32_t odd = LINE_VALUE(1) * LINE_LOW(0) + LINE_VALUE(3) * LINE_HIGH(0) +
	                     LINE_VALUE(5) * LINE_LOW(1) + LINE_VALUE(7) * LINE_HIGH(1);
	const uint32_t even = LINE_VALUE(2) * LINE_LOW(2) + LINE_VALUE(4) * LINE_HIGH(2) +
	                      LINE_VALUE(6) * LINE_LOW(3);
#undef LINE_VALUE
#undef LINE_LOW
#undef LINE_HIGH
	*own = (int32_t)(even + odd);
	*other = (int32_t)(even - odd);
}

/* All lines but the first ones, and the predictions that follow. last: the last inner coefficient that a block of the
 * warp may have, in zigzag order. */
XC_GPU_INLINE void xc_gpu_jpeg_lines(xc_gpu_jpeg_lane *l, uint32_t last)
{
	XC_UNROLL
	for (uint32_t i = 1; i < 8; i++) {
		XC_UNROLL
		for (uint32_t up = 0; up < 2; up++) {
			int32_t own = 0;
			l->other[up][i] = 0;
			/* The first inner coefficient of a line is its lowest in zigzag order. */
			if ((up ? xc_gpu_zigzag(1, i) : xc_gpu_zigzag(i, 1)) <= last)
				xc_gpu_jpeg_line(l, up, i, &own, &l->other[up][i]);
			const uint32_t from = (uint32_t)(up ? l->up[i] : l->right[i]);
			const int32_t at = (int32_t)(from - (uint32_t)own);
			l->memory->predicted[up][i][l->column] = (up ? l->no_up : l->no_left) ? 0 : at;
		}
	}
}

/* How far the first row (up) or column goes. */
XC_WARP_INLINE void xc_gpu_jpeg_last(xc_gpu_jpeg_lane lanes[XC_SLOTS], uint32_t up)
{
	uint32_t shape[XC_SLOTS], active[XC_SLOTS], symbol[XC_SLOTS];

	XC_FOR_LANES(lane) {
		const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t class_ = l->ends & 15, shift = up ? 8 : 16;
		const uint32_t group = (class_ > 0) + (class_ > 2) + (class_ > 4) + (class_ > 7) +
		                       (class_ > 10);
		uint32_t predicted = 0;
		XC_UNROLL
		for (uint32_t i = 1; i < 8; i++) {
			const int32_t at = l->memory->predicted[up][i][l->column];
			if (xc_gpu_negate(at, (uint32_t)at >> 31) >= 1 << (XC_JPEG_PREDICTED - 1))
				predicted = i;
		}
		const uint32_t sum = (l->near_ >> shift & 255) + predicted;
		shape[XC_SLOT(lane)] = XC_JPEG_LAST_SHAPE + 72 * l->chroma + 12 * group + ((sum + 1) >> 1);
		active[XC_SLOT(lane)] = l->active;
	}
	xc_gpu_jpeg_symbol(lanes, shape, active, symbol);
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		xc_gpu_jpeg_turn(l, 1);
		l->ends |= l->active ? (symbol[XC_SLOT(lane)] & 7) << (up ? 8 : 16) : 0;
	}
}

/* The first row (up) or column. */
XC_WARP_INLINE void xc_gpu_jpeg_edge(xc_gpu_jpeg_lane lanes[XC_SLOTS],
                                     const xc_gpu_jpeg_tables *tables, uint32_t up)
{
	uint32_t shape[XC_SLOTS], active[XC_SLOTS], last[XC_SLOTS], max[XC_SLOTS];
	uint32_t level[XC_SLOTS], flip[XC_SLOTS], turns[XC_SLOTS];
	int32_t value[XC_SLOTS];

	XC_FOR_LANES(lane)
		last[XC_SLOT(lane)] = lanes[XC_SLOT(lane)].ends >> (up ? 8 : 16) & 255;
	xc_gpu_half_max(last, max);
	XC_ROLLED
	for (uint32_t i = xc_warp_max(last); i > 0; i--) {
		const uint32_t z = up ? xc_gpu_zigzag(0, i) : xc_gpu_zigzag(i, 0);
		XC_FOR_LANES(lane) {
			const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
			const int32_t at = l->memory->predicted[up][i][l->column];
			const int32_t expected = xc_gpu_jpeg_expect(l, &tables->at[l->chroma][z]);
			const uint32_t minus = (uint32_t)at >> 31;
			int32_t ratio = (xc_gpu_half_octaves(xc_gpu_negate(at, minus)) -
			                 xc_gpu_half_octaves(expected)) >>
			                1;
			ratio = ratio < 0 ? 0 : ratio > 5 ? 5 : ratio;
			level[XC_SLOT(lane)] = xc_gpu_jpeg_level(expected);
			shape[XC_SLOT(lane)] = XC_JPEG_EDGE_SHAPE + (uint32_t)ratio * 2 * XC_JPEG_LEVELS +
			                       (last[XC_SLOT(lane)] == i ? XC_JPEG_LEVELS : 0) +
			                       level[XC_SLOT(lane)];
			active[XC_SLOT(lane)] = i <= last[XC_SLOT(lane)];
			turns[XC_SLOT(lane)] = i <= max[XC_SLOT(lane)];
			flip[XC_SLOT(lane)] = minus;
		}
		xc_gpu_jpeg_number(lanes, tables, 1, shape, level, flip, active, turns, value);
		XC_FOR_LANES(lane)
			if (active[XC_SLOT(lane)])
				xc_gpu_jpeg_set(&lanes[XC_SLOT(lane)], z, up ? i : 8 * i, value[XC_SLOT(lane)]);
	}
}

XC_WARP_INLINE void xc_gpu_jpeg_dc(xc_gpu_jpeg_lane lanes[XC_SLOTS],
                                   const xc_gpu_jpeg_tables *tables)
{
	uint32_t shape[XC_SLOTS], active[XC_SLOTS], level[XC_SLOTS], flip[XC_SLOTS], turns[XC_SLOTS];
	int32_t value[XC_SLOTS], at[XC_SLOTS];

	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const xc_gpu_jpeg_place *p = &tables->at[l->chroma][0];
		const uint32_t *own = &l->memory->magnitudes[XC_GPU_JPEG_PAD][l->column];
		const uint32_t *sums = &l->memory->sums[XC_GPU_JPEG_PAD][l->column];
		uint32_t w[4], n[4];
		xc_gpu_load_words(p->weight, w);
		xc_gpu_load_words(p->weight + 4, n);
		int32_t line[2];
		xc_gpu_jpeg_line(l, 0, 0, &line[0], &l->other[0][0]);
		xc_gpu_jpeg_line(l, 1, 0, &line[1], &l->other[1][0]);
		uint32_t left = (uint32_t)l->right[0] - (uint32_t)line[0];
		uint32_t up = (uint32_t)l->up[0] - (uint32_t)line[1];
		left = l->no_left ? up : left;
		up = l->no_up ? left : up;
		at[XC_SLOT(lane)] = (int32_t)(left + up + (1u << XC_JPEG_PREDICTED)) >>
		                    (XC_JPEG_PREDICTED + 1);
		const int32_t apart = (int32_t)(left - up);
		const int32_t far = (int32_t)((uint32_t)xc_gpu_negate(apart, (uint32_t)apart >> 31) >>
		                              (XC_JPEG_PREDICTED - 3));
		uint32_t e = (uint32_t)(far < 4095 ? far : 4095) * (n[3] >> 8) + (n[3] & 255);
		XC_UNROLL
		for (uint32_t i = 0; i < 3; i++) {
			e = xc_gpu_dot(own[2 * XC_WARP_LANES * i], w[i], e);
			e = xc_gpu_dot(sums[2 * XC_WARP_LANES * i], i ? n[i - 1] : w[3], e);
		}
		level[XC_SLOT(lane)] = xc_gpu_jpeg_level((int32_t)e);
		shape[XC_SLOT(lane)] = XC_JPEG_DC_SHAPE + level[XC_SLOT(lane)];
		active[XC_SLOT(lane)] = l->active;
		turns[XC_SLOT(lane)] = 1;
		flip[XC_SLOT(lane)] = 0;
	}
	xc_gpu_jpeg_number(lanes, tables, 0, shape, level, flip, active, turns, value);
	XC_FOR_LANES(lane) {
		enum { SHIFT = 32 - XC_JPEG_ESCAPE_BITS };
		const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t v = (uint32_t)value[XC_SLOT(lane)] + (uint32_t)at[XC_SLOT(lane)];
		*xc_gpu_jpeg_at(l, 0) = (int16_t)((int32_t)(v << SHIFT) >> SHIFT);
	}
}

/* What the blocks predict, and their place in the picture. */
XC_GPU_INLINE void xc_gpu_jpeg_finish_block(xc_gpu_jpeg_lane *l)
{
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++) {
		const uint32_t r = (uint32_t)xc_gpu_jpeg_value(l, xc_gpu_zigzag(i, 0)) << XC_JPEG_PREDICTED;
		const uint32_t d = (uint32_t)xc_gpu_jpeg_value(l, xc_gpu_zigzag(0, i)) << XC_JPEG_PREDICTED;
		l->right[i] = (int32_t)(r + (uint32_t)l->other[0][i]);
		l->down[i] = (int32_t)(d + (uint32_t)l->other[1][i]);
	}
	if (!l->active)
		return;
	int16_t *to = l->first + 64 * (int64_t)(l->step - l->lane);
	XC_GPU_GLOBAL(to);
	XC_UNROLL
	for (uint32_t k = 0; k < 64; k += 8)
		xc_gpu_jpeg_copy(to + k, xc_gpu_jpeg_at(l, k));
	if (l->lane + 1 < l->bundle)
		return;
	xc_gpu_jpeg_above *a = l->above + l->step - l->lane;
	XC_UNROLL
	for (int i = 0; i < 8; i++)
		a->down[i] = l->down[i];
	a->ends = l->ends;
}

/* -------------------------------------------------------------- segments */

/* Begins the bundle of rows at l->row of component l->c. */
XC_GPU_INLINE void xc_gpu_jpeg_begin_bundle(xc_gpu_jpeg_lane *l)
{
	const xc_gpu_jpeg *j = &l->job->of;
	const uint32_t h = j->h[l->c], v = j->v[l->c], rows = l->rows_ * v - l->row;

	l->chroma = l->c > 0;
	l->rows = xc_gpu_min(rows, l->bundle);
	l->columns = l->tile_mcus * h;
	l->steps = l->columns + l->rows - 1;
	l->stride = j->columns[l->c];
	const uint64_t row = (uint64_t)l->band * j->band_rows * v + l->row + l->lane;
	l->first = l->job->planes.of[l->c] +
	           64 * (row * l->stride + (uint64_t)l->tile * j->tile_columns * h);
	XC_GPU_GLOBAL(l->first);
	l->step = l->ends = 0;
	memset(l->right, 0, sizeof l->right);
	memset(l->down, 0, sizeof l->down);
	for (uint32_t i = 0; i < XC_GPU_JPEG_ROOM; i++)
		l->memory->magnitudes[i][l->column] = l->memory->sums[i][l->column] = 0;
}

/* Goes on to the next step, bundle or component. Returns whether any half has one. */
XC_WARP_INLINE int xc_gpu_jpeg_advance(xc_gpu_jpeg_lane lanes[XC_SLOTS])
{
	uint32_t running[XC_SLOTS];

	xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		if (l->running && ++l->step == l->steps) {
			l->row += l->bundle;
			if (l->row >= l->rows_ * l->job->of.v[l->c]) {
				l->row = 0;
				l->running = ++l->c < l->job->of.components;
				l->c = l->running ? l->c : 0; /* an idle half reads lines, too */
			}
			if (l->running)
				xc_gpu_jpeg_begin_bundle(l);
		}
		running[XC_SLOT(lane)] = l->running;
	}
	xc_warp_sync();
	return xc_warp_any(running);
}

XC_WARP_INLINE void xc_gpu_jpeg_blocks(xc_gpu_jpeg_lane lanes[XC_SLOTS],
                                       const xc_gpu_jpeg_tables *tables)
{
	do {
		xc_gpu_jpeg_begin_blocks(lanes, tables);
		const uint32_t inner = xc_gpu_jpeg_inner(lanes, tables);
		XC_FOR_LANES(lane)
			xc_gpu_jpeg_lines(&lanes[XC_SLOT(lane)], inner ? tables->inner[inner - 1] : 0u);
		xc_gpu_jpeg_last(lanes, 1);
		xc_gpu_jpeg_last(lanes, 0);
		xc_gpu_jpeg_edge(lanes, tables, 1);
		xc_gpu_jpeg_edge(lanes, tables, 0);
		xc_gpu_jpeg_dc(lanes, tables);
		XC_FOR_LANES(lane)
			xc_gpu_jpeg_finish_block(&lanes[XC_SLOT(lane)]);
	} while (xc_gpu_jpeg_advance(lanes));
}

/* MCUs across and down of a segment. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_wide(const xc_gpu_jpeg *j, uint32_t segment)
{
	return xc_gpu_min(j->mcu_columns - segment % j->tiles * j->tile_columns, j->tile_columns);
}

XC_GPU_INLINE uint32_t xc_gpu_jpeg_high(const xc_gpu_jpeg *j, uint32_t segment)
{
	return xc_gpu_min(j->mcu_rows - segment / j->tiles * j->band_rows, j->band_rows);
}

/* Rows of a bundle of a segment. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_bundle(const xc_gpu_jpeg *j, uint32_t segment)
{
	const uint64_t mcus = (uint64_t)xc_gpu_jpeg_wide(j, segment) * xc_gpu_jpeg_high(j, segment);
	uint64_t blocks = 0;

	for (uint32_t c = 0; c < j->components; c++)
		blocks += mcus * j->h[c] * j->v[c];
	return XC_JPEG_BUNDLE(blocks);
}

/* The number of its lanes that have states in the file. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_lanes_of(const xc_gpu_jpeg *j, uint32_t segment)
{
	uint32_t v = 0;

	for (uint32_t c = 0; c < j->components; c++)
		v = xc_gpu_max(v, j->v[c]);
	return xc_gpu_min(v * xc_gpu_jpeg_high(j, segment), xc_gpu_jpeg_bundle(j, segment));
}

/* Checks the CRC of a segment. Returns 1 if it matches and the segment holds all states. */
XC_WARP_INLINE uint32_t xc_gpu_jpeg_check(const xc_gpu_jpeg_work *w, const xc_crc_read_tables *crc,
                                          xc_gpu_segment_result *r)
{
	const xc_gpu_jpeg *j = &w->job->jpeg->of;

	return xc_gpu_check_crc(w->job, w->segment, crc, r) &&
	       w->segment->size >= 8 * xc_gpu_jpeg_lanes_of(j, w->tile);
}

/* Sets a lane up for a segment. intact: it may read that. */
XC_GPU_INLINE void xc_gpu_jpeg_begin_lane(xc_gpu_jpeg_lane *l, const xc_gpu_jpeg_work *w,
                                          int intact)
{
	const xc_gpu_jpeg_job *job = w->job->jpeg;
	const xc_gpu_jpeg *j = &job->of;
	const uint8_t *data = w->job->data + w->segment->start;

	XC_GPU_GLOBAL(data);
	l->job = job;
	l->band = w->tile / j->tiles;
	l->tile = w->tile % j->tiles;
	l->rows_ = xc_gpu_jpeg_high(j, w->tile);
	l->tile_mcus = xc_gpu_jpeg_wide(j, w->tile);
	l->bundle = xc_gpu_jpeg_bundle(j, w->tile);
	l->tables = job->tables + (size_t)(w->tile / j->piece) * XC_GPU_JPEG_TABLE;
	l->above = job->above + (size_t)w->tile * job->above_columns;
	l->size = w->segment->size;
	l->bits = xc_gpu_bits_of(data, l->size);
	const uint32_t lanes = xc_gpu_jpeg_lanes_of(j, w->tile);
	l->at = 8 * lanes;
	if (!intact)
		return;
	l->filled = l->at & ~(XC_GPU_JPEG_PIECE - 1);
	l->soon = xc_gpu_jpeg_word(l, l->filled + 4 * l->lane);
	if (l->lane < lanes) {
		l->x = xc_gpu_jpeg_word(l, 4 * l->lane);
		l->y = xc_gpu_jpeg_word(l, 4 * (lanes + l->lane));
	}
}

/* Zeroes the blocks of a segment, by all lanes of a warp. */
XC_GPU_INLINE void xc_gpu_jpeg_clear(const xc_gpu_jpeg_work *w, uint32_t lane)
{
	const xc_gpu_jpeg *j = &w->job->jpeg->of;
	const uint32_t band = w->tile / j->tiles, tile = w->tile % j->tiles;
	const uint32_t rows = xc_gpu_jpeg_high(j, w->tile), mcus = xc_gpu_jpeg_wide(j, w->tile);

	for (uint32_t c = 0; c < j->components; c++)
		for (uint32_t y = 0; y < rows * j->v[c]; y++) {
			const uint64_t row = (uint64_t)band * j->band_rows * j->v[c] + y;
			int16_t *to = w->job->jpeg->planes.of[c] +
			              64 * (row * j->columns[c] + (uint64_t)tile * j->tile_columns * j->h[c]);
			for (uint32_t i = lane; i < 8 * mcus * j->h[c]; i += XC_WARP_LANES)
				xc_gpu_jpeg_zero(to + 8 * i);
		}
}

/* Decodes `count` segments, 1 or 2, and sets their results. Coefficients of damaged ones are zero. */
XC_WARP_INLINE void xc_gpu_decode_jpeg(const xc_gpu_jpeg_work *work, uint32_t count,
                                       xc_gpu_jpeg_memory *memory, const xc_gpu_jpeg_tables *tables,
                                       const xc_crc_read_tables *crc)
{
	xc_gpu_segment_result result[2];
	xc_gpu_jpeg_lane lanes[XC_SLOTS];
	uint32_t wrong[XC_SLOTS];

	result[1].crc = result[1].intact = 0;
	for (uint32_t s = 0; s < count; s++)
		result[s].intact = xc_gpu_jpeg_check(&work[s], crc, &result[s]);
	XC_FOR_LANES(lane) {
		const uint32_t s = (uint32_t)lane / XC_GPU_JPEG_LANES;
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		memset(l, 0, sizeof *l);
		l->lane = (uint32_t)lane % XC_GPU_JPEG_LANES;
		l->bit = 1u << lane;
		l->half = 0xffffu << XC_GPU_JPEG_LANES * s;
		l->lower = l->half & (l->bit - 1);
		l->memory = memory;
		l->column = (uint32_t)lane;
		l->ring = s;
		l->x = l->y = 1u << 16;
		/* An idle half has a job all the same, whose lines it reads. */
		xc_gpu_jpeg_begin_lane(l, &work[s < count ? s : 0], s < count && result[s].intact);
		wrong[XC_SLOT(lane)] = (l->x < 1u << 16) | (l->y < 1u << 16);
	}
	const uint32_t low = xc_warp_ballot(wrong);
	XC_FOR_LANES(lane) {
		xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		const uint32_t s = (uint32_t)lane / XC_GPU_JPEG_LANES;
		l->running = s < count && result[s].intact && !(low & l->half);
		if (!l->running) {
			l->x = l->y = 1u << 16;
			l->filled = UINT32_MAX;
		}
		xc_gpu_jpeg_begin_bundle(l);
		wrong[XC_SLOT(lane)] = l->running;
	}
	xc_warp_sync();
	const uint32_t ran = xc_warp_ballot(wrong);
	if (ran)
		xc_gpu_jpeg_blocks(lanes, tables);
	XC_FOR_LANES(lane) {
		const xc_gpu_jpeg_lane *l = &lanes[XC_SLOT(lane)];
		wrong[XC_SLOT(lane)] = !(ran & l->bit) || l->x != 1u << 16 || l->y != 1u << 16 ||
		                       l->at != l->size;
	}
	const uint32_t bad = xc_warp_ballot(wrong);
	for (uint32_t s = 0; s < count; s++) {
		result[s].intact = !(bad >> XC_GPU_JPEG_LANES * s & 0xffff);
		XC_FOR_LANES(lane) {
			if (!result[s].intact)
				xc_gpu_jpeg_clear(&work[s], (uint32_t)lane);
			if (lane == 0)
				*work[s].result = result[s];
		}
	}
}

#endif
