/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions by rate and distortion in the rANS mode, as in entropy/rans/decide.h: two kernels.
 *
 * sizes: a team takes a slice of a tile, a thread a block.  It takes slopes off the coefficients and
 * leaves what decisions need: magnitudes as bytes where contexts will be noted later, and a word.
 *
 * decide: half a warp takes a bundle of rows, a lane each row, along the walk of the coder.  Bundles
 * do not know of each other here, so those of luma and of chroma go side by side.  A lane has a column
 * of shared memory: the symbols that it has decided for its block up to where it is, and from there on
 * those of the block to the left.  The lane above is a block ahead, so its column has just what
 * contexts see of the upper block.
 */
#ifndef XC_GPU_ENCODE_DECIDE_H
#define XC_GPU_ENCODE_DECIDE_H

#include "gpu/encode/push.h"

enum {
	XC_GPU_DECIDE_TEAM = 64,
	XC_GPU_LAST_CHOICE = 7, /* larger magnitudes are rounded to the nearest */
	XC_GPU_MOST_NET = 16000
};

/* ------------------------------------------------------------------ sizes */

/* The word of a block: its factor, 8 bits; groups that rounding leaves something of, 3 bits. */
XC_GPU_INLINE uint32_t xc_gpu_size_word(uint32_t factor, const uint32_t most[3])
{
	uint32_t word = factor;
	XC_UNROLL for (int g = 0; g < 3; g++) word |= (uint32_t)(most[g] >= XC_STEP_PARTS / 2)
	                                              << (8 + g);
	return word;
}

XC_GPU_INLINE void xc_gpu_size_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                     uint32_t i, int deep)
{
	const size_t block = c->first + i;
	const xc_gpu_tile_place p = xc_gpu_tile_place_of(c, i);
	const int32_t *const dc = j->dc + c->first;
	xc_gpu_token_group *const slot = xc_gpu_slot(j, block, deep);
	uint32_t bytes[16], most[3] = {0, 0, 0};
	int32_t v[64];
	xc_gpu_load_block(slot, deep, v);
	xc_gpu_remove_slopes(j, c, dc, i, deep, v);
	xc_gpu_set(slot, 1, (uint32_t)v[1], deep);
	xc_gpu_set(slot, 2, (uint32_t)v[2], deep);
	XC_UNROLL for (int w = 0; w < 16; w++) bytes[w] = 0;
	XC_UNROLL for (int k = 1; k < 64; k++)
	{
		const uint32_t size = xc_gpu_least(xc_gpu_magnitude(v[k]), XC_ACTIVITY_MOST);
		bytes[k / 4] |= size << 8 * (k % 4);
		most[XC_GPU_RANS_GROUP(k)] = most[XC_GPU_RANS_GROUP(k)] > size ? most[XC_GPU_RANS_GROUP(k)]
		                                                               : size;
	}
	bytes[0] |= xc_rans_symbol(
		xc_gpu_magnitude(xc_gpu_dc_difference(dc + p.start, i - p.start, p.wide, deep)));
	XC_UNROLL for (int part = 0; part < 4; part++)
	{
		xc_gpu_token_group group;
		XC_UNROLL for (int w = 0; w < 4; w++) group.deep[w] = bytes[4 * part + w];
		j->records[4 * block + (uint32_t)part] = group;
	}
	j->flags[block] = xc_gpu_size_word(xc_gpu_factor(j, v, p.chroma), most);
}

XC_GPU_INLINE void xc_gpu_make_sizes(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                     uint32_t slice, uint32_t picture, int deep)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);
	for (uint32_t i = from + t.rank; i < end; i += t.size)
		xc_gpu_size_block(j, &c, i, deep);
}

/* ------------------------------------------------------------------ decide */

/* What a warp has in shared memory: columns of lanes, the last row for XC_RANS_NOWHERE. */
typedef struct xc_gpu_decide_columns {
	uint8_t symbol[65][XC_WARP_LANES];
} xc_gpu_decide_columns;

/* What a team has. */
typedef struct xc_gpu_decide_shared {
	xc_gpu_rans_contexts contexts;
	xc_gpu_rans_decisions decisions;
	xc_gpu_decide_columns columns[XC_GPU_DECIDE_TEAM / XC_WARP_LANES];
} xc_gpu_decide_shared;

/* A lane on its way. */
typedef struct xc_gpu_decide_lane {
	uint32_t listed, lag, across, chroma; /* as in xc_gpu_push_lane; of luma or of chroma */
	size_t block;                         /* the row's first */
	uint8_t *own;                         /* columns: its own, */
	const uint8_t *left, *up;             /* and where the neighbours' are at this time */
	uint32_t active, word, factor;
	uint32_t sums, left_sums, up_sums; /* of groups, four bits each */
	const xc_gpu_token_group *sizes;
	/* Of the group: the symbol before; the sum of symbols; costs less what they save. */
	uint32_t before, sum;
	int32_t net, empty;
} xc_gpu_decide_lane;

/* Bundles of a whole tile: those of luma, then those of chroma. */
XC_GPU_INLINE uint32_t xc_gpu_bundles(const xc_gpu_encode_job *j, uint32_t chroma)
{
	const uint32_t rows = !chroma ? j->tile_high * j->v : j->components > 1 ? 2 * j->tile_high : 0;
	return (rows + XC_RANS_LANES - 1) / XC_RANS_LANES;
}

/* Takes the lane's row of bundle number `item` of a picture, if that exists.  All first bundles come
 * first, so those of a warp take about as long.  Returns the times that it takes. */
XC_GPU_INLINE uint32_t xc_gpu_decide_begin(const xc_gpu_encode_job *j, uint32_t lane, uint32_t item,
                                           uint32_t picture, uint8_t *column, xc_gpu_decide_lane *l)
{
	const uint32_t row = lane % XC_RANS_LANES, tile = item % j->tiles;
	const uint32_t luma = xc_gpu_bundles(j, 0), bundle = item / j->tiles;
	l->chroma = bundle >= luma;
	l->own = column;
	l->sums = l->listed = l->lag = l->across = 0;
	if (bundle >= luma + xc_gpu_bundles(j, 1))
		return 0;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t own = (bundle - (l->chroma ? luma : 0)) * XC_RANS_LANES + row;
	l->across = l->chroma ? c.wide : c.luma_wide;
	const uint32_t high = (l->chroma ? c.chroma_blocks : c.luma_blocks) / l->across;
	l->listed = own < high << l->chroma;
	const uint32_t y = own % high;
	l->lag = row < y ? row : y;
	l->block = c.first + (l->chroma ? c.luma_blocks : 0) + (size_t)own * l->across;
	return l->listed ? l->across + l->lag : 0;
}

/* What is expected at position k. */
XC_GPU_INLINE uint32_t xc_gpu_decide_expect(const xc_gpu_decide_lane *l,
                                            const xc_gpu_decide_shared *s, uint32_t k)
{
	const uint8_t *const at = s->decisions.look[k];
	const xc_gpu_context_weights *const w = &s->contexts.ac[l->chroma][at[6]];
	const uint32_t here = k * XC_WARP_LANES;
	const uint32_t right = at[4] * XC_WARP_LANES, below = at[5] * XC_WARP_LANES;
	const uint32_t dc = k < 3 ? l->own[0] : 0;
	uint32_t sum = s->contexts.constant[l->chroma][k];
	sum = xc_gpu_rans_dot(l->left[here] | (uint32_t)l->left[right] << 8,
	                      l->left[below] | l->before << 8, w->left, sum);
	sum = xc_gpu_rans_dot(l->up[here] | (uint32_t)l->up[right] << 8, l->up[below] | dc << 8, w->up,
	                      sum);
	return xc_gpu_rans_dot(l->own[at[0] * XC_WARP_LANES] | (uint32_t)l->own[at[1] * XC_WARP_LANES]
	                                                           << 8,
	                       l->own[at[2] * XC_WARP_LANES] | (uint32_t)l->own[at[3] * XC_WARP_LANES]
	                                                           << 8,
	                       w->own, sum);
}

/* The cost of a magnitude below XC_GPU_NEAREST, less what it saves of the error of 0. */
XC_GPU_INLINE int32_t xc_gpu_weigh(const xc_gpu_decide_lane *l, const xc_gpu_decide_shared *s,
                                   const uint16_t *costs, int32_t size, int32_t magnitude)
{
	const int32_t restored = magnitude * XC_STEP_PARTS -
	                         s->decisions.points[l->chroma][magnitude > 1];
	return (int32_t)(costs[magnitude] * l->factor >> 4) -
	       (magnitude ? restored * (2 * size - restored) : 0);
}

/* Decides about position k, whose magnitude is `size`; returns what is chosen. */
XC_GPU_INLINE uint32_t xc_gpu_decide_position(xc_gpu_decide_lane *l, const xc_gpu_decide_shared *s,
                                              uint32_t k, uint32_t size)
{
	const uint8_t *const levels = s->contexts.level[l->chroma][k >= 10];
	const uint32_t level = xc_gpu_rans_level(levels, xc_gpu_decide_expect(l, s, k)) >> 4;
	const uint16_t *const costs = s->decisions.cost[l->chroma][k >= 10][level];
	const int32_t nearest = (int32_t)(size + 8) >> 4;
	int32_t best = (int32_t)(costs[0] * l->factor >> 4);
	uint32_t chosen = 0;
	for (int32_t m = nearest > 1 ? nearest - 1 : 1; m <= nearest && nearest <= XC_GPU_LAST_CHOICE;
	     m++) {
		const int32_t net = xc_gpu_weigh(l, s, costs, (int32_t)size, m);
		chosen = net < best ? (uint32_t)m : chosen;
		best = net < best ? net : best;
	}
	if (nearest > XC_GPU_LAST_CHOICE) {
		best = -XC_GPU_MOST_NET;
		chosen = XC_GPU_NEAREST;
	}
	const int32_t net = l->net + best;
	l->net = net < -XC_GPU_MOST_NET  ? -XC_GPU_MOST_NET
	         : net > XC_GPU_MOST_NET ? XC_GPU_MOST_NET
	                                 : net;
	return chosen;
}

/* Begins group g: what its flag costs. */
XC_GPU_INLINE void xc_gpu_decide_flag(xc_gpu_decide_lane *l, const xc_gpu_decide_shared *s, int g,
                                      uint32_t first)
{
	const uint32_t *const w = s->contexts.flag[l->chroma][g];
	uint32_t sum = w[5] + xc_gpu_least(l->left_sums >> 4 * g & 15, 2) * w[0] +
	               xc_gpu_least(l->up_sums >> 4 * g & 15, 2) * w[1];
	if (g == 0) {
		sum += l->own[0] * w[2];
	} else {
		uint32_t some = 0;
		for (uint32_t k = first - 5; k < first; k++)
			some += l->own[k * XC_WARP_LANES] != 0;
		sum += (l->sums >> 4 * (g - 1) & 15) * w[2] + some * w[3];
	}
	if (g < XC_RANS_GROUPS - 1)
		sum += xc_gpu_least((l->left_sums >> 4 * (g + 1) & 15) + (l->up_sums >> 4 * (g + 1) & 15),
		                    2) *
		       w[4];
	const uint32_t level = xc_gpu_rans_level(s->contexts.level[l->chroma][XC_RANS_FLAG_SET + g],
	                                         sum) >>
	                       4;
	const uint16_t *const costs = s->decisions.flag[l->chroma][g][level];
	l->empty = (int32_t)(costs[0] * l->factor >> 4);
	l->net = (int32_t)(costs[1] * l->factor >> 4);
	l->before = g ? l->own[(first - 1) * XC_WARP_LANES] : 0;
	l->sum = 0;
}

/* Sets a lane's symbols of a group to zero. */
XC_GPU_INLINE void xc_gpu_decide_clear(xc_gpu_decide_lane *l, uint32_t first, uint32_t end)
{
	for (uint32_t k = first; k < end; k++)
		l->own[k * XC_WARP_LANES] = 0;
}

/* Decides about positions `first` to `end` - 1 of all lanes' blocks. */
XC_WARP_INLINE void xc_gpu_decide_positions(xc_gpu_decide_lane l[XC_SLOTS],
                                            const xc_gpu_decide_shared *s, int g, uint32_t first,
                                            uint32_t end)
{
	uint32_t size[XC_SLOTS], chosen[XC_SLOTS];
	XC_FOR_LANES(lane)
		size[XC_SLOT(lane)] = 0;
	XC_ROLLED for (uint32_t k = first; k < end; k++)
	{
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			chosen[i] = 0;
			if (!(l[i].active & l[i].word >> (8 + g) & 1))
				continue;
			if (k == first || k % 4 == 0)
				size[i] = l[i].sizes[k / 16].deep[k / 4 % 4];
			chosen[i] = xc_gpu_decide_position(&l[i], s, k, size[i] >> 8 * (k % 4) & 255);
		}
		xc_warp_sync(); /* the lane below has read this column */
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			if (l[i].active)
				l[i].own[k * XC_WARP_LANES] = (uint8_t)chosen[i];
			l[i].before = chosen[i];
			l[i].sum += chosen[i];
		}
		xc_warp_sync();
	}
}

XC_WARP_INLINE void xc_gpu_decide_group(xc_gpu_decide_lane l[XC_SLOTS],
                                        const xc_gpu_decide_shared *s, int g)
{
	const uint32_t first = g == 0 ? 1 : g == 1 ? 10 : 28, end = g == 0 ? 10 : g == 1 ? 28 : 64;
	uint32_t some[XC_SLOTS];
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		some[i] = l[i].active & l[i].word >> (8 + g) & 1;
		if (some[i])
			xc_gpu_decide_flag(&l[i], s, g, first);
		l[i].sum = some[i] ? l[i].sum : 0;
	}
	const int any = xc_warp_ballot(some) != 0;
	xc_warp_sync();
	if (any)
		xc_gpu_decide_positions(l, s, g, first, end);
	XC_FOR_LANES(lane) {
		xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
		const int kept = some[XC_SLOT(lane)] && own->net < own->empty;
		/* What the block to the left had is there if nothing was decided. */
		if (own->active && (any ? own->sum && !kept : own->sums >> 4 * g & 15))
			xc_gpu_decide_clear(own, first, end);
		if (own->active)
			own->sums = (own->sums & ~(15u << 4 * g)) |
			            (kept ? xc_gpu_least(own->sum, XC_GPU_RANS_MOST_SUM) : 0) << 4 * g;
	}
	xc_warp_sync();
}

/* Lanes move on by a block. */
XC_WARP_INLINE void xc_gpu_decide_move(const xc_gpu_encode_job *j, xc_gpu_decide_lane l[XC_SLOTS],
                                       uint32_t time)
{
	uint32_t above[XC_SLOTS];
	XC_FOR_LANES(lane)
		above[XC_SLOT(lane)] = l[XC_SLOT(lane)].sums;
	xc_warp_up(above);
	XC_FOR_LANES(lane) {
		xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
		const int top = !own->lag, start = time == own->lag;
		own->up = own->own - !top;
		own->up_sums = top ? own->sums : above[XC_SLOT(lane)];
		own->left = start ? own->up : own->own;
		own->left_sums = start ? own->up_sums : own->sums;
		own->active = own->listed && time - own->lag < own->across;
		own->word = 0;
		if (own->active) {
			const size_t block = own->block + (time - own->lag);
			own->word = j->flags[block];
			own->factor = own->word & 255;
			own->sizes = j->records + 4 * block;
		}
	}
	xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
		if (own->active)
			own->own[0] = (uint8_t)(own->sizes[0].deep[0] & 255);
	}
	xc_warp_sync();
}

/* What was chosen for a block, as nibbles in place of its symbols. */
XC_GPU_INLINE void xc_gpu_store_choice(const xc_gpu_encode_job *j, const xc_gpu_decide_lane *l,
                                       uint32_t time)
{
	if (!l->active)
		return;
	xc_gpu_token_group *const to = j->symbols + 2 * (l->block + (time - l->lag));
	XC_UNROLL for (int half = 0; half < 2; half++)
	{
		xc_gpu_token_group group;
		XC_UNROLL for (int w = 0; w < 4; w++)
		{
			group.deep[w] = 0;
			XC_UNROLL for (int n = 0; n < 8; n++)
				group.deep[w] |= (uint32_t)l->own[(32 * half + 8 * w + n) * XC_WARP_LANES] << 4 * n;
		}
		to[half] = group;
	}
}

/* Decides about the bundles `item` and `item` + 1 of a picture. */
XC_WARP_INLINE void xc_gpu_decide(const xc_gpu_encode_job *j, uint32_t item, uint32_t picture,
                                  const xc_gpu_decide_shared *s, xc_gpu_decide_columns *columns)
{
	xc_gpu_decide_lane l[XC_SLOTS];
	uint32_t times[XC_SLOTS];
	XC_FOR_LANES(lane) {
		for (int k = 0; k < 65; k++)
			columns->symbol[k][lane] = 0;
		times[XC_SLOT(lane)] = xc_gpu_decide_begin(j, (uint32_t)lane,
		                                           item + (uint32_t)lane / XC_RANS_LANES, picture,
		                                           &columns->symbol[0][lane], &l[XC_SLOT(lane)]);
	}
	xc_warp_sync();
	const uint32_t end = xc_warp_most(times);
	for (uint32_t time = 0; time < end; time++) {
		xc_gpu_decide_move(j, l, time);
		for (int g = 0; g < XC_RANS_GROUPS; g++)
			xc_gpu_decide_group(l, s, g);
		XC_FOR_LANES(lane)
			xc_gpu_store_choice(j, &l[XC_SLOT(lane)], time);
	}
}

#endif
