/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coefficients in sixteenths of a step to values, with Huffman codes: AC prediction is subtracted,
 * and magnitudes are rounded or chosen. A thread takes a block, whose coefficients are in its slot
 * in scan order. depth16, a constant: they have 32 bits. Launched by gpu/encode/code.cu.
 */
#ifndef XC_GPU_ENCODE_RDO_H
#define XC_GPU_ENCODE_RDO_H

#include "gpu/encode/tokenize.h"

/* The sums of a tile's offsets and their number, [luma, chroma][values of 1, larger values]. */
typedef struct xc_gpu_tile_offsets {
	int32_t sum[2][2];
	uint32_t count[2][2];
} xc_gpu_tile_offsets;

XC_GPU_INLINE void xc_gpu_load_block(const xc_gpu_vec16 *slot, int depth16, int32_t c[64])
{
	XC_UNROLL
	for (int g = 0; g < (depth16 ? 16 : 8); g++) {
		const xc_gpu_vec16 vec = slot[g * XC_GPU_TOGETHER];
		XC_UNROLL
		for (int i = 0; i < (depth16 ? 4 : 8); i++)
			c[g * (depth16 ? 4 : 8) + i] = depth16 ? (int32_t)vec.depth16[i]
			                                       : (int16_t)vec.plain[i];
	}
}

/* Eight coefficients as they lie in their block's slot. */
typedef struct xc_gpu_packed8 {
	xc_gpu_vec16 of[2]; /* the second with depth16 */
} xc_gpu_packed8;

XC_GPU_INLINE void xc_gpu_load_stored(xc_gpu_packed8 *e, const xc_gpu_vec16 *slot, int number,
                                      int depth16)
{
	e->of[0] = slot[(depth16 ? 2 * number : number) * XC_GPU_TOGETHER];
	if (depth16)
		e->of[1] = slot[(2 * number + 1) * XC_GPU_TOGETHER];
}

XC_GPU_INLINE void xc_gpu_unpack8(const xc_gpu_packed8 *e, int depth16, int32_t c[8])
{
	XC_UNROLL
	for (int i = 0; i < 8; i++)
		c[i] = depth16 ? (int32_t)e->of[i / 4].depth16[i % 4] : (int16_t)e->of[0].plain[i];
}

/* Whether the magnitudes of eight coefficients are all below `limit`, which is at least 2. */
XC_GPU_INLINE int xc_gpu_all_below(const xc_gpu_packed8 *e, int depth16, uint32_t limit)
{
	uint32_t other = 0;
#if defined __CUDA_ARCH__ && __CUDACC_VER_MAJOR__ >= 12
	if (!depth16) {
		/* Two coefficients a word, compared as halves. */
		const uint32_t *const w = e->of[0].depth16, edge = (limit - 1) * 0x10001u;
		const uint32_t top = __vimax3_s16x2(w[0], w[1], __vmaxs2(w[2], w[3]));
		const uint32_t low = __vimin3_s16x2(w[0], w[1], __vmins2(w[2], w[3]));
		return !(__vcmpgts2(top, edge) | __vcmplts2(low, __vneg2(edge)));
	}
#endif
	int32_t c[8];
	xc_gpu_unpack8(e, depth16, c);
	XC_UNROLL
	for (int i = 0; i < 8; i++)
		other |= (uint32_t)c[i] + limit - 1 > 2 * limit - 2;
	return !other;
}

/* A coefficient minus its prediction from two DCs. Everything wraps as coefficients do. */
XC_GPU_INLINE int32_t xc_gpu_less_predicted(int32_t c, int32_t before, int32_t after,
                                            uint32_t slope, int depth16)
{
	const uint32_t a = (uint32_t)before * XC_STEP_PARTS, b = (uint32_t)after * XC_STEP_PARTS;
	const uint32_t left = (uint32_t)c - xc_ac_predict_between(depth16 ? (int32_t)a : (int16_t)a,
	                                                          depth16 ? (int32_t)b : (int16_t)b,
	                                                          slope);

	return depth16 ? (int32_t)left : (int16_t)left;
}

/* Subtracts the AC prediction of a block; n: the DCs around it; c: at least its first three
 * coefficients. */
XC_GPU_INLINE void xc_gpu_remove_ac_prediction(const xc_gpu_encode_job *j, const xc_gpu_near_dcs *n,
                                               uint32_t chroma, int depth16, int32_t *c)
{
	const xc_ac_prediction s = j->ac_prediction[chroma];

	if (!j->predicted)
		return;
	c[1] = xc_gpu_less_predicted(c[1], n->left, n->right, s.across, depth16);
	c[2] = xc_gpu_less_predicted(c[2], n->above, n->below, s.down, depth16);
}

XC_GPU_INLINE uint32_t xc_gpu_magnitude(int32_t v)
{
	return (uint32_t)(v < 0 ? -v : v);
}

/* Sums of a block's offsets, of values of 1 and of larger values: the number of values in the upper
 * half, and the sum in the lower half, which borrows one from the upper half if negative. */
typedef struct xc_gpu_block_offsets {
	uint32_t one, more;
} xc_gpu_block_offsets;

/* Adds up the offset of a coefficient that became a value. */
XC_GPU_INLINE void xc_gpu_note_offset(xc_gpu_block_offsets *o, uint32_t size, uint32_t value)
{
	const uint32_t off = value * XC_STEP_PARTS + 0x10000u - size;
	o->one += value == 1 ? off : 0;
	o->more += value > 1 ? off : 0;
}

/* Adds a block's offsets to its tile's. */
XC_GPU_INLINE void xc_gpu_add_offsets(const xc_gpu_block_offsets *o, uint32_t chroma,
                                      xc_gpu_tile_offsets *offsets)
{
	XC_UNROLL
	for (int m = 0; m < 2; m++) {
		const uint32_t all = m ? o->more : o->one;
		const int32_t sum = (int16_t)all;
		if (!all)
			continue;
		XC_ATOMIC_ADD(&offsets->sum[chroma][m], sum);
		XC_ATOMIC_ADD(&offsets->count[chroma][m], (all - (uint32_t)sum) >> 16);
	}
}

/* The value of a coefficient whose magnitude becomes `value`, and notes the offset. */
XC_GPU_INLINE int32_t xc_gpu_rdo_gain(int32_t c, uint32_t size, uint32_t value,
                                      xc_gpu_block_offsets *o)
{
	xc_gpu_note_offset(o, size, value);
	return c < 0 ? -(int32_t)value : (int32_t)value;
}

XC_GPU_INLINE void xc_gpu_begin_offsets(xc_cta t, xc_gpu_tile_offsets *offsets)
{
	uint32_t *const words = (uint32_t *)(void *)offsets;
	for (uint32_t i = t.rank; i < sizeof *offsets / 4; i += t.size)
		words[i] = 0;
}

/* Adds a tile's offsets to its picture's, after a barrier. */
XC_GPU_INLINE void xc_gpu_end_offsets(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                      uint32_t picture, const xc_gpu_tile_offsets *offsets)
{
	xc_gpu_picture_state *const s = &j->states[picture];

	if (tile >= j->pointed)
		return;
	for (uint32_t i = t.rank; i < 4; i += t.size) {
		const int64_t sum = offsets->sum[i / 2][i % 2];
		XC_ATOMIC_ADD(&s->offset[i / 2][i % 2], (unsigned long long)sum);
		XC_ATOMIC_ADD(&s->offsets[i / 2][i % 2], (unsigned long long)offsets->count[i / 2][i % 2]);
	}
}

/* The point of reconstruction of a class, as the file has it. */
XC_GPU_INLINE uint32_t xc_gpu_stored_points(const xc_gpu_encode_job *j, uint32_t picture,
                                            uint32_t chroma)
{
	const xc_gpu_picture_state *const s = &j->states[picture];
	xc_offsets o;

	for (int m = 0; m < 2; m++) {
		o.sum[m] = (int64_t)s->offset[chroma][m];
		o.count[m] = s->offsets[chroma][m];
	}
	const xc_value_points p = xc_offsets_points(&o);
	return (uint32_t)(p.one + 8) | (uint32_t)(p.more + 8) << 4;
}

/* Rounds the AC coefficients of block i of a tile and writes the nonzero values to a column. Sets
 * the masks of their positions, the first position in the highest bit. */
XC_GPU_INLINE void xc_gpu_round_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *tile,
                                      uint32_t i, void *column, uint32_t cta, int depth16,
                                      xc_gpu_tile_offsets *offsets, uint32_t masks[2])
{
	const xc_gpu_vec16 *const slot = xc_gpu_slot(j, tile->first + i, depth16);
	const uint32_t min_size = XC_STEP_PARTS - j->rounding; /* smaller magnitudes become 0 */
	xc_gpu_block_offsets o = {0, 0};
	xc_gpu_packed8 all[8];

	masks[0] = masks[1] = 0;
	XC_UNROLL
	for (int g = 0; g < 8; g++)
		xc_gpu_load_stored(&all[g], slot, g, depth16);
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(tile, i);
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + tile->first, i);
	XC_UNROLL
	for (int g = 0; g < 8; g++) {
		int32_t c[8];
		/* Few blocks have large coefficients at high frequencies. */
		if (g && xc_gpu_all_below(&all[g], depth16, min_size))
			continue;
		xc_gpu_unpack8(&all[g], depth16, c);
		if (g == 0)
			xc_gpu_remove_ac_prediction(j, &near, p.chroma, depth16, c);
		XC_UNROLL
		for (int n = g ? 0 : 1; n < 8; n++) {
			const int k = 8 * g + n;
			const uint32_t size = xc_gpu_magnitude(c[n]);
			const int32_t v = xc_gpu_rdo_gain(c[n], size, (size + j->rounding) / XC_STEP_PARTS, &o);
			xc_gpu_set_if_other(&masks[k / 32], UINT32_C(1) << (31 - k % 32), (uint32_t)v, 0);
			xc_gpu_set(column, (uint32_t)k * cta, (uint32_t)v, depth16);
		}
	}
	xc_gpu_add_offsets(&o, p.chroma, offsets);
}

/* ------------------------------------------------ decisions for Huffman codes
 *
 * As in src/encode/decide.c, a trellis with a window of three: each coefficient that may become
 * nonzero is a node, and the best path to it comes from one of the last three. */

enum { XC_GPU_WINDOW = 3, XC_GPU_RDO_MAX_MAGNITUDE = 64 * XC_STEP_PARTS };

/* Shared memory of a thread block before its counts and columns. */
typedef struct xc_gpu_rdo_shared {
	xc_gpu_tile_offsets offsets;
	xc_gpu_weights weights;
} xc_gpu_rdo_shared;

typedef struct xc_gpu_node {
	int32_t cost;
	uint32_t position, context;
} xc_gpu_node;

/* The reduction of squared error by a value instead of zero; worth: the block's weight of errors.
 * */
XC_GPU_INLINE int32_t xc_gpu_gain(int32_t size, int32_t value, const int8_t points[2],
                                  int32_t worth)
{
	const int32_t max = size < XC_GPU_RDO_MAX_MAGNITUDE ? size : XC_GPU_RDO_MAX_MAGNITUDE;
	const int32_t error = size - (value * XC_STEP_PARTS - points[value > 1]);
	return (int32_t)((int64_t)(max * max - error * error) * worth >> 8);
}

XC_GPU_INLINE uint32_t xc_gpu_symbol_size(int32_t value)
{
	const uint32_t size = xc_value_size(value);
	return size < 15 ? size : 15;
}

/* The cost of the path to `from` and of zeros before `position`. *weights: of the symbol at
 * `position`, by size. */
XC_GPU_INLINE int32_t xc_gpu_cost_before(const uint16_t (*all)[XC_AC_SYMBOLS],
                                         const xc_gpu_node *from, uint32_t position,
                                         const uint16_t **weights)
{
	uint32_t run = position - from->position - 1;
	const uint16_t *w = all[from->context];
	int32_t cost = from->cost;

	for (; run > 15; run -= 16) {
		cost += w[0xf0];
		w = all[xc_context_after_ac(0xf0)];
	}
	*weights = w + run * 16;
	return cost;
}

/* The best path to a coefficient of this size, over its two values and the last `count` nodes,
 * last[0] the latest. Returns 2 times the number of the node before it, 1 for the latest, plus 1 if
 * the lower value is taken. */
XC_GPU_INLINE uint32_t xc_gpu_find_way(const uint16_t (*all)[XC_AC_SYMBOLS], const int8_t points[2],
                                       int32_t worth, int32_t size,
                                       const xc_gpu_node last[XC_GPU_WINDOW], uint32_t count,
                                       xc_gpu_node *to)
{
	const int32_t nearest = (size + XC_STEP_PARTS / 2) / XC_STEP_PARTS;
	const int32_t lower = nearest > 1 ? nearest - 1 : 1;
	const uint32_t size_a = xc_gpu_symbol_size(nearest), size_b = xc_gpu_symbol_size(lower);
	int32_t min_a = INT32_MAX, min_b = INT32_MAX;
	uint32_t from_a = 1, from_b = 1, run_a = 0, run_b = 0;

	XC_UNROLL
	for (uint32_t n = XC_GPU_WINDOW; n >= 1; n--) {
		const uint16_t *weights;
		if (n > count)
			continue;
		const int32_t before = xc_gpu_cost_before(all, &last[n - 1], to->position, &weights);
		const uint32_t run = to->position - last[n - 1].position - 1;
		const int32_t a = before + weights[size_a], b = before + weights[size_b];
		if (a < min_a) {
			min_a = a;
			from_a = n;
			run_a = run;
		}
		if (b < min_b) {
			min_b = b;
			from_b = n;
			run_b = run;
		}
	}
	min_a -= xc_gpu_gain(size, nearest, points, worth);
	min_b -= xc_gpu_gain(size, lower, points, worth);
	const int best = min_b < min_a;
	to->cost = best ? min_b : min_a;
	to->context = xc_context_after_ac(((best ? run_b : run_a) & 15) << 4 |
	                                  (best ? size_b : size_a));
	return (best ? from_b : from_a) * 2 + (uint32_t)best;
}

/* A column's coefficient k. */
XC_GPU_INLINE int32_t xc_gpu_get(const void *column, uint32_t i, int depth16)
{
	return depth16 ? ((const int32_t *)column)[i] : ((const int16_t *)column)[i];
}

/* Chooses the values of a block whose coefficients are in a column; the masks mark the values then
 * in the column. nodes: another column, of 16 bits. State: last, the window; count, nodes so far,
 * at most 64; min_cost, best: the cheapest end. */
XC_GPU_INLINE void xc_gpu_choose_values(void *column, uint16_t *nodes, uint32_t cta, int depth16,
                                        uint32_t dc_size, int32_t worth, uint32_t chroma,
                                        xc_gpu_rdo_shared *s, uint32_t masks[2])
{
	const uint16_t(*all)[XC_AC_SYMBOLS] = s->weights.of[chroma];
	const int8_t *const points = s->weights.points[chroma];
	xc_gpu_node last[XC_GPU_WINDOW] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
	uint32_t count = 1, best = 0;

	last[0].context = xc_context_after_dc(dc_size);
	int32_t min_cost = all[last[0].context][0];
	for (uint32_t k = 1; k < 64; k++) {
		const int32_t size = (int32_t)xc_gpu_magnitude(xc_gpu_get(column, k * cta, depth16));
		if (size < XC_STEP_PARTS / 2)
			continue;
		xc_gpu_node to = {0, k, 0};
		const uint32_t way = xc_gpu_find_way(all, points, worth, size, last, count, &to);
		nodes[count * cta] = (uint16_t)(way << 8 | k);
		const int32_t end = to.cost + (k < 63 ? all[to.context][0] : 0);
		if (end < min_cost) {
			min_cost = end;
			best = count;
		}
		last[2] = last[1];
		last[1] = last[0];
		last[0] = to;
		count++;
	}
	xc_gpu_block_offsets o = {0, 0};
	masks[0] = masks[1] = 0;
	while (best) {
		const uint32_t node = nodes[best * cta], k = node & 63, way = node >> 8;
		const int32_t c = xc_gpu_get(column, k * cta, depth16);
		const int32_t size = (int32_t)xc_gpu_magnitude(c);
		const int32_t nearest = (size + XC_STEP_PARTS / 2) / XC_STEP_PARTS;
		const int32_t value = way & 1 && nearest > 1 ? nearest - 1 : nearest;
		xc_gpu_note_offset(&o, (uint32_t)size, (uint32_t)value);
		xc_gpu_set(column, k * cta, (uint32_t)(c < 0 ? -value : value), depth16);
		masks[0] |= k < 32 ? UINT32_C(1) << (31 - k) : 0;
		masks[1] |= k < 32 ? 0 : UINT32_C(1) << (63 - k);
		best -= way >> 1;
	}
	xc_gpu_add_offsets(&o, chroma, &s->offsets);
}

/* The factor of a block's bits, from the sum of squares of its coefficients without AC prediction.
 * */
XC_GPU_INLINE uint32_t xc_gpu_factor_of(const xc_gpu_encode_job *j, uint32_t chroma,
                                        uint32_t squares)
{
	const xc_activity *const a = &j->activity;
	return chroma || a->flat ? (uint32_t)XC_FACTOR_ONE : xc_activity_factor(a, squares);
}

/* The share of a magnitude at position k, a constant, in its block's sum of squares. */
XC_GPU_INLINE uint32_t xc_gpu_square(const xc_gpu_encode_job *j, uint32_t size, int k)
{
	const uint32_t max = XC_ACTIVITY_MAX;
	const uint32_t scaled = (size < max ? size : max) * j->ratios[k] >> 8;
	return scaled * scaled;
}

/* The factor of a block with these coefficients. */
XC_GPU_INLINE uint32_t xc_gpu_factor(const xc_gpu_encode_job *j, const int32_t c[64],
                                     uint32_t chroma)
{
	uint32_t squares = 0;
	XC_UNROLL
	for (int k = 1; k < 64; k++)
		squares += xc_gpu_square(j, xc_gpu_magnitude(c[k]), k);
	return xc_gpu_factor_of(j, chroma, squares);
}

/* ------------------------------------------------ the kernels
 *
 * Shared memory holds offsets, weights if values are chosen, counts of symbols, and columns.
 * counting, a constant: symbols are counted, for codes by context. */

/* Turns the values of block i of a tile, which are in a column, into tokens, and stores them in its
 * slot if `leaving`, a constant. */
XC_GPU_INLINE void xc_gpu_make_tokens(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                      uint32_t i, void *column, uint32_t cta, int depth16,
                                      const uint32_t masks[2], uint32_t *counts, int counting,
                                      int leaving)
{
	uint32_t n;

	if (counting) {
		const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
		const xc_gpu_counter counter = xc_gpu_counter_of(counts, p.chroma, depth16);
		const int32_t dc = xc_gpu_tile_difference(&p, j->dc + c->first, i, depth16);
		n = xc_gpu_tokenize(column, cta, depth16, masks, &counter, xc_gpu_count_dc(&counter, dc));
	} else {
		n = xc_gpu_tokenize(column, cta, depth16, masks, NULL, 0);
	}
	if (!leaving)
		return;
	xc_gpu_store_tokens(column, cta, depth16, n, xc_gpu_slot(j, c->first + i, depth16));
	j->counts[c->first + i] = (uint8_t)n;
}

/* Bytes of a thread block's shared memory for rounding. */
XC_GPU_INLINE size_t xc_gpu_round_bytes(uint32_t cta, int depth16)
{
	return sizeof(xc_gpu_tile_offsets) + xc_gpu_count_words(depth16) * 4 +
	       (size_t)cta * 64 * (depth16 ? 4 : 2);
}

/* Rounds the coefficients of a slice of a tile, and replaces them by tokens if `leaving`. */
XC_GPU_INLINE void xc_gpu_round_slice(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                      uint32_t slice, uint32_t picture,
                                      xc_gpu_tile_offsets *offsets, int depth16, int counting,
                                      int leaving)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);
	uint32_t *const counts = (uint32_t *)(void *)(offsets + 1);
	const xc_gpu_counted counted = xc_gpu_counted_in(&c, from, end, depth16);
	char *const columns = (char *)(counts + xc_gpu_count_words(depth16));
	void *const column = columns + t.rank * (depth16 ? 4 : 2);

	xc_gpu_begin_offsets(t, offsets);
	if (counting)
		xc_gpu_begin_counts(t, counts, counted);
	XC_CTA_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size) {
		uint32_t masks[2];
		xc_gpu_round_block(j, &c, i, column, t.size, depth16, offsets, masks);
		xc_gpu_make_tokens(j, &c, i, column, t.size, depth16, masks, counts, counting, leaving);
	}
	XC_CTA_SYNC();
	xc_gpu_end_offsets(j, t, tile, picture, offsets);
	if (counting)
		xc_gpu_end_counts(j, t, picture, counts, counted, depth16);
}

/* The number of sampled tiles. */
XC_GPU_INLINE uint32_t xc_gpu_sampled_tiles(const xc_gpu_encode_job *j)
{
	return (j->piece_tiles + j->sampled - 1) / j->sampled;
}

/* Bytes of a thread block's shared memory for decisions, with two columns a thread. */
XC_GPU_INLINE size_t xc_gpu_rdo_bytes(uint32_t cta, int depth16)
{
	return sizeof(xc_gpu_rdo_shared) + xc_gpu_count_words(depth16) * 4 +
	       (size_t)cta * 64 * ((depth16 ? 4 : 2) + 2);
}

/* Chooses the values of a block. */
XC_GPU_INLINE void xc_gpu_rdo_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                    uint32_t i, void *column, uint16_t *nodes, uint32_t cta,
                                    xc_gpu_rdo_shared *s, int depth16, uint32_t masks[2])
{
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + c->first, i);
	const int32_t difference = xc_gpu_near_difference(&near, depth16);
	int32_t v[64];

	xc_gpu_load_block(xc_gpu_slot(j, c->first + i, depth16), depth16, v);
	xc_gpu_remove_ac_prediction(j, &near, p.chroma, depth16, v);
	const int32_t worth = 256 * XC_FACTOR_ONE / (int32_t)xc_gpu_factor(j, v, p.chroma);
	XC_UNROLL
	for (int k = 1; k < 64; k++)
		xc_gpu_set(column, k * cta, (uint32_t)v[k], depth16);
	xc_gpu_choose_values(column, nodes, cta, depth16, xc_value_size(difference), worth, p.chroma, s,
	                     masks);
}

/* Replaces the coefficients of a slice of a tile by tokens of chosen values. */
XC_GPU_INLINE void xc_gpu_rdo(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile, uint32_t slice,
                              uint32_t picture, xc_gpu_rdo_shared *s, int depth16, int counting)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);
	uint32_t *const counts = (uint32_t *)(void *)(s + 1);
	const xc_gpu_counted counted = xc_gpu_counted_in(&c, from, end, depth16);
	char *const columns = (char *)(counts + xc_gpu_count_words(depth16));
	uint16_t *const nodes = (uint16_t *)(void *)columns + t.rank;
	void *const column = columns + t.size * 128 + t.rank * (depth16 ? 4 : 2);

	xc_gpu_begin_offsets(t, &s->offsets);
	if (counting)
		xc_gpu_begin_counts(t, counts, counted);
	for (uint32_t i = t.rank; i < sizeof s->weights / 4; i += t.size)
		((uint32_t *)(void *)&s->weights)[i] =
			((const uint32_t *)(const void *)&j->weights[picture])[i];
	XC_CTA_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size) {
		uint32_t masks[2] = {0, 0};
		xc_gpu_rdo_block(j, &c, i, column, nodes, t.size, s, depth16, masks);
		xc_gpu_make_tokens(j, &c, i, column, t.size, depth16, masks, counts, counting, 1);
	}
	XC_CTA_SYNC();
	xc_gpu_end_offsets(j, t, tile, picture, &s->offsets);
	if (counting)
		xc_gpu_end_counts(j, t, picture, counts, counted, depth16);
}

#endif
