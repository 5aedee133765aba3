/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions by rate and distortion in the rANS mode, as in entropy/rans/decide.h: two kernels.
 *
 * sizes: a team takes a slice of a tile, a thread a block.  It takes slopes off the coefficients and
 * leaves what decisions need: magnitudes as bytes where contexts will be noted later, and a word.
 *
 * decide: half a warp takes a bundle of rows, a lane each row, along the walk of the coder
 * (gpu/rans/columns.h).  Bundles do not know of each other here, so those of luma and of chroma go
 * side by side.
 */
#ifndef XC_GPU_ENCODE_DECIDE_H
#define XC_GPU_ENCODE_DECIDE_H

#include "gpu/encode/push.h"
#include "gpu/rans/columns.h"

enum {
	XC_GPU_DECIDE_TEAM = 128, /* threads of a team, */
	XC_GPU_DECIDE_FEW = 64,   /* or of one that hurries */
	XC_GPU_LAST_CHOICE = 7,   /* larger magnitudes are rounded to the nearest */
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
	bytes[0] |= xc_rans_symbol(xc_gpu_magnitude(xc_gpu_tile_difference(&p, dc, i, deep)));
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

/* What a team has. */
typedef struct xc_gpu_decide_shared {
	xc_gpu_rans_contexts contexts;
	xc_gpu_rans_decisions decisions;
	xc_gpu_columns columns[XC_GPU_DECIDE_TEAM / XC_WARP_LANES];
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
	int32_t one, more; /* points of reconstruction */
	/* Of the group: is something decided; four magnitudes, and the next four; what is expected but for
	 * what the symbol before adds; that symbol; the sum of symbols; costs less what they save. */
	uint32_t some, size, next, part, before, sum;
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

/* What bits are worth in the lane's block. */
XC_GPU_INLINE int32_t xc_gpu_worth(const xc_gpu_decide_lane *l, uint32_t bits)
{
	return (int32_t)(bits * l->factor >> 4);
}

/* The cost of a magnitude from 1 to XC_GPU_LAST_CHOICE, less what it saves of the error of 0. */
XC_GPU_INLINE int32_t xc_gpu_weigh(const xc_gpu_decide_lane *l, const uint16_t *costs, int32_t size,
                                   int32_t magnitude)
{
	const int32_t restored = magnitude * XC_STEP_PARTS - (magnitude > 1 ? l->more : l->one);
	return xc_gpu_worth(l, costs[magnitude]) - restored * (2 * size - restored);
}

/* The magnitude at this position. */
XC_GPU_INLINE int32_t xc_gpu_decide_size(const xc_gpu_decide_lane *l)
{
	return (int32_t)(l->size & 255);
}

/* Whether another value than 0 comes into question. */
XC_GPU_INLINE uint32_t xc_gpu_has_choice(const xc_gpu_decide_lane *l)
{
	return xc_gpu_decide_size(l) >= XC_STEP_PARTS / 2;
}

/* Chooses a value.  *best: the cost of 0, which becomes that of the choice.  All that might be chosen is
 * weighed, so that lanes do not part. */
XC_GPU_INLINE uint32_t xc_gpu_choose(const xc_gpu_decide_lane *l, const uint16_t *costs,
                                     int32_t *best)
{
	const int32_t size = xc_gpu_decide_size(l), last = XC_GPU_LAST_CHOICE, none = *best;
	const int32_t nearest = (size + XC_STEP_PARTS / 2) / XC_STEP_PARTS;
	const int32_t high = nearest < 1 ? 1 : nearest > last ? last : nearest;
	const int32_t low = high > 1 ? high - 1 : 1;
	const int32_t fewer = xc_gpu_weigh(l, costs, size, low),
				  more = xc_gpu_weigh(l, costs, size, high);
	int32_t least = fewer < none ? fewer : none;
	uint32_t chosen = fewer < none ? (uint32_t)low : 0;
	chosen = more < least ? (uint32_t)high : chosen;
	least = more < least ? more : least;
	*best = nearest > last ? -XC_GPU_MOST_NET : nearest ? least : none;
	return nearest > last ? (uint32_t)XC_GPU_NEAREST : nearest ? chosen : 0;
}

/* Adds what a position costs. */
XC_GPU_INLINE void xc_gpu_add_net(xc_gpu_decide_lane *l, int32_t cost)
{
	const int32_t net = l->net + cost;
	l->net = net < -XC_GPU_MOST_NET  ? -XC_GPU_MOST_NET
	         : net > XC_GPU_MOST_NET ? XC_GPU_MOST_NET
	                                 : net;
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
		XC_UNROLL for (uint32_t k = first - 5; k < first; k++)
			some += l->own[xc_gpu_place_of(k)] != 0;
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
	l->empty = xc_gpu_worth(l, costs[0]);
	l->net = xc_gpu_worth(l, costs[1]);
	l->before = l->own[g ? xc_gpu_place_of(first - 1) : 0];
	l->sum = 0;
}

/* Sets a lane's symbols of a group to zero. */
XC_GPU_INLINE void xc_gpu_decide_clear(xc_gpu_decide_lane *l, uint32_t first, uint32_t end)
{
	XC_UNROLL for (uint32_t k = first; k < end; k++) l->own[xc_gpu_place_of(k)] = 0;
}

/* The magnitudes of positions 4 i to 4 i + 3. */
XC_GPU_INLINE uint32_t xc_gpu_four_sizes(const xc_gpu_decide_lane *l, uint32_t i)
{
	return l->some && i < 16 ? l->sizes[i / 4].deep[i % 4] : 0;
}

/* Decides about positions `first` to `end` - 1 of all lanes' blocks; set: of contexts.  hurry: a constant, whether
 * few warps share a multiprocessor, so that steps are to be short and not few. */
XC_WARP_INLINE void xc_gpu_decide_positions(xc_gpu_decide_lane l[XC_SLOTS],
                                            const xc_gpu_decide_shared *s, uint32_t set,
                                            uint32_t first, uint32_t end, int hurry)
{
	XC_FOR_LANES(lane) {
		xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
		own->part = xc_gpu_expect_part(own->own, own->left, own->up,
		                               &s->decisions.at[own->chroma][first]);
		own->size = xc_gpu_four_sizes(own, first / 4) >> 8 * (first % 4);
		own->next = xc_gpu_four_sizes(own, first / 4 + 1);
	}
	XC_ROLLED for (uint32_t k = first; k < end; k++)
	{
		uint32_t chosen[XC_SLOTS], place[XC_SLOTS], choice[XC_SLOTS];
		const uint16_t *costs[XC_SLOTS];
		int32_t cost[XC_SLOTS];
		XC_FOR_LANES(lane) {
			xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
			const xc_gpu_rans_weights *const w = &s->decisions.at[own->chroma][k];
			const uint32_t bin = xc_gpu_rans_bin(
				xc_gpu_expect_high(own->part, own->before, w->last));
			place[XC_SLOT(lane)] = xc_gpu_weights_place(w);
			costs[XC_SLOT(lane)] = s->decisions.cost[own->chroma][set][bin];
			cost[XC_SLOT(lane)] = xc_gpu_worth(own, costs[XC_SLOT(lane)][0]);
			own->part = xc_gpu_expect_part(own->own, own->left, own->up, w + 1);
			chosen[XC_SLOT(lane)] = 0;
			choice[XC_SLOT(lane)] = xc_gpu_has_choice(own);
		}
		/* Where magnitudes are small in all lanes, nothing is weighed. */
		if (hurry || xc_warp_any(choice)) {
			XC_FOR_LANES(lane)
				chosen[XC_SLOT(lane)] = xc_gpu_choose(&l[XC_SLOT(lane)], costs[XC_SLOT(lane)],
				                                      &cost[XC_SLOT(lane)]);
		}
		XC_FOR_LANES(lane) {
			xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
			xc_gpu_add_net(own, cost[XC_SLOT(lane)]);
			own->size >>= 8;
			if (k % 4 == 3) {
				own->size = own->next;
				own->next = xc_gpu_four_sizes(own, k / 4 + 2);
			}
		}
		xc_warp_sync(); /* the lane below has read this column */
		XC_FOR_LANES(lane) {
			xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
			own->before = own->some ? chosen[XC_SLOT(lane)] : 0;
			own->own[place[XC_SLOT(lane)]] = (uint8_t)own->before;
			own->sum += own->before;
		}
		xc_warp_sync();
	}
}

/* Group g, positions `first` to `end` - 1, all of which are constants. */
XC_WARP_INLINE void xc_gpu_decide_group(xc_gpu_decide_lane l[XC_SLOTS],
                                        const xc_gpu_decide_shared *s, int g, uint32_t first,
                                        uint32_t end, int hurry)
{
	uint32_t some[XC_SLOTS];
	XC_FOR_LANES(lane) {
		xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
		some[XC_SLOT(lane)] = own->some = own->active & own->word >> (8 + g) & 1;
		xc_gpu_decide_flag(own, s, g, first);
	}
	const int any = xc_warp_ballot(some) != 0;
	xc_warp_sync();
	if (any)
		xc_gpu_decide_positions(l, s, g > 0, first, end, hurry);
	XC_FOR_LANES(lane) {
		xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
		const int kept = own->some && own->net < own->empty;
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

/* Decides about `count` bundles of a picture, one or two, from `item` on.  What was chosen for a block is put in
 * place of its symbols, by place. */
XC_WARP_INLINE void xc_gpu_decide(const xc_gpu_encode_job *j, uint32_t item, uint32_t count,
                                  uint32_t picture, const xc_gpu_decide_shared *s,
                                  xc_gpu_columns *columns, int hurry)
{
	xc_gpu_decide_lane l[XC_SLOTS];
	uint32_t times[XC_SLOTS], block[XC_SLOTS], *out[XC_SLOTS];
	XC_FOR_LANES(lane) {
		for (int k = 0; k < 64; k++)
			columns->symbol[k][lane] = 0;
		const uint32_t half = (uint32_t)lane / XC_RANS_LANES;
		times[XC_SLOT(lane)] = xc_gpu_decide_begin(j, (uint32_t)lane,
		                                           half < count ? item + half : UINT32_MAX, picture,
		                                           &columns->symbol[0][lane], &l[XC_SLOT(lane)]);
		l[XC_SLOT(lane)].one = s->decisions.points[l[XC_SLOT(lane)].chroma][0];
		l[XC_SLOT(lane)].more = s->decisions.points[l[XC_SLOT(lane)].chroma][1];
		out[XC_SLOT(lane)] = (uint32_t *)(void *)j->symbols;
	}
	xc_warp_sync();
	const uint32_t end = xc_warp_most(times);
	XC_ROLLED for (uint32_t time = 0; time < end; time++)
	{
		xc_gpu_decide_move(j, l, time);
		xc_gpu_decide_group(l, s, 0, 1, 10, hurry);
		xc_gpu_decide_group(l, s, 1, 10, 28, hurry);
		xc_gpu_decide_group(l, s, 2, 28, 64, hurry);
		XC_FOR_LANES(lane) {
			const xc_gpu_decide_lane *const own = &l[XC_SLOT(lane)];
			block[XC_SLOT(lane)] = own->active ? (uint32_t)(own->block + (time - own->lag))
			                                   : XC_GPU_NO_BLOCK;
		}
		xc_gpu_keep_columns(columns, block, out);
	}
}

#endif
