/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coefficients in sixteenths of a step to values: slopes are taken away and magnitudes rounded.  A
 * thread takes a block, whose coefficients are in its slot in the order of the scan.  deep, a
 * constant: they have 32 bits.
 */
#ifndef XC_GPU_ENCODE_WEIGH_H
#define XC_GPU_ENCODE_WEIGH_H

#include "gpu/encode/tile.h"
#include "gpu/encode/tokenize.h"

/* Where a tile's offsets are summed up: sums of values of 1 and of larger ones, and their number, of
 * luma and chroma. */
typedef struct xc_gpu_tile_offsets {
	int32_t sum[2][2];
	uint32_t count[2][2];
} xc_gpu_tile_offsets;

XC_GPU_INLINE void xc_gpu_load_block(const xc_gpu_token_group *slot, int deep, int32_t c[64])
{
	XC_UNROLL for (int g = 0; g < (deep ? 16 : 8); g++)
	{
		const xc_gpu_token_group group = slot[g];
		XC_UNROLL for (int i = 0; i < (deep ? 4 : 8); i++)
			c[g * (deep ? 4 : 8) + i] = deep ? (int32_t)group.deep[i] : (int16_t)group.plain[i];
	}
}

/* What slopes take off a coefficient between two DCs.  All is reduced as coefficients are. */
XC_GPU_INLINE int32_t xc_gpu_less_slope(int32_t c, int32_t before, int32_t after, uint32_t slope,
                                        int deep)
{
	const uint32_t a = (uint32_t)before * XC_STEP_PARTS, b = (uint32_t)after * XC_STEP_PARTS;
	const uint32_t left = (uint32_t)c - xc_slope_between(deep ? (int32_t)a : (int16_t)a,
	                                                     deep ? (int32_t)b : (int16_t)b, slope);
	return deep ? (int32_t)left : (int16_t)left;
}

/* Takes the slopes off block i of a tile, whose DCs are at `dc`. */
XC_GPU_INLINE void xc_gpu_remove_slopes(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *tile,
                                        const int32_t *dc, uint32_t i, int deep, int32_t c[64])
{
	const xc_gpu_tile_place p = xc_gpu_tile_place_of(tile, i);
	const uint32_t at = i - p.start, x = at % p.wide, y = at / p.wide;
	const xc_slopes s = j->slopes[p.chroma];
	const int32_t *const here = dc + i;
	if (!j->sloped)
		return;
	c[1] = xc_gpu_less_slope(c[1], here[x ? -1 : 0], here[x + 1 < p.wide ? 1 : 0], s.across, deep);
	c[2] = xc_gpu_less_slope(c[2], *(here - (y ? p.wide : 0)), here[y + 1 < p.high ? p.wide : 0],
	                         s.down, deep);
}

XC_GPU_INLINE uint32_t xc_gpu_magnitude(int32_t v)
{
	return (uint32_t)(v < 0 ? -v : v);
}

/* Adds up the offset of a coefficient that became a value. */
XC_GPU_INLINE void xc_gpu_note_offset(uint32_t size, uint32_t value, int32_t sum[2],
                                      uint32_t count[2])
{
	const int32_t off = (int32_t)(value * XC_STEP_PARTS - size);
	sum[0] += value == 1 ? off : 0;
	count[0] += value == 1;
	sum[1] += value > 1 ? off : 0;
	count[1] += value > 1;
}

/* Adds a block's offsets to its tile's. */
XC_GPU_INLINE void xc_gpu_add_offsets(const int32_t sum[2], const uint32_t count[2],
                                      uint32_t chroma, xc_gpu_tile_offsets *offsets)
{
	XC_UNROLL for (int m = 0; m < 2; m++) if (count[m])
	{
		XC_ATOMIC_ADD(&offsets->sum[chroma][m], sum[m]);
		XC_ATOMIC_ADD(&offsets->count[chroma][m], count[m]);
	}
}

/* Rounds the AC coefficients of a block of class `chroma` and notes the offsets. */
XC_GPU_INLINE void xc_gpu_round_block(const xc_gpu_encode_job *j, int32_t c[64], uint32_t chroma,
                                      xc_gpu_tile_offsets *offsets)
{
	int32_t sum[2] = {0, 0};
	uint32_t count[2] = {0, 0};
	XC_UNROLL for (int k = 1; k < 64; k++)
	{
		const uint32_t size = xc_gpu_magnitude(c[k]);
		const uint32_t value = (size + j->rounding) / XC_STEP_PARTS;
		xc_gpu_note_offset(size, value, sum, count);
		c[k] = c[k] < 0 ? -(int32_t)value : (int32_t)value;
	}
	xc_gpu_add_offsets(sum, count, chroma, offsets);
}

XC_GPU_INLINE void xc_gpu_begin_offsets(xc_team t, xc_gpu_tile_offsets *offsets)
{
	uint32_t *const words = (uint32_t *)(void *)offsets;
	for (uint32_t i = t.rank; i < sizeof *offsets / 4; i += t.size)
		words[i] = 0;
}

/* Adds a tile's offsets to its picture's, after a barrier. */
XC_GPU_INLINE void xc_gpu_end_offsets(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
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

/* ------------------------------------------------ values to tokens, a team a slice */

/* Bytes of shared memory: offsets, and columns of the team. */
XC_GPU_INLINE size_t xc_gpu_settle_shared(uint32_t team, int deep)
{
	return sizeof(xc_gpu_tile_offsets) + (size_t)team * 64 * (deep ? 4 : 2);
}

/* Values of a block to tokens in its slot. */
XC_GPU_INLINE uint32_t xc_gpu_make_tokens(const int32_t c[64], void *column, uint32_t team,
                                          int deep, xc_gpu_token_group *slot)
{
	uint32_t masks[2] = {0, 0};
	XC_UNROLL for (int k = 1; k < 64; k++)
		xc_gpu_set_if_other(&masks[k / 32], UINT32_C(1) << (31 - k % 32), (uint32_t)c[k], 0);
	XC_UNROLL for (int k = 1; k < 64; k++) xc_gpu_set(column, k * team, (uint32_t)c[k], deep);
	const uint32_t n = xc_gpu_tokenize(column, team, deep, masks);
	xc_gpu_store_tokens(column, team, deep, n, slot);
	return n;
}

/* Replaces the coefficients of a slice of a tile by tokens. */
XC_GPU_INLINE void xc_gpu_settle(const xc_gpu_encode_job *j, xc_team t, uint32_t tile,
                                 uint32_t slice, uint32_t picture, xc_gpu_tile_offsets *offsets,
                                 int deep)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);
	void *const column = (char *)(offsets + 1) + t.rank * (deep ? 4 : 2);
	xc_gpu_begin_offsets(t, offsets);
	XC_TEAM_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size) {
		xc_gpu_token_group *const slot = xc_gpu_slot(j, c.first + i, deep);
		int32_t block[64];
		xc_gpu_load_block(slot, deep, block);
		xc_gpu_remove_slopes(j, &c, j->dc + c.first, i, deep, block);
		xc_gpu_round_block(j, block, i >= c.luma_blocks, offsets);
		j->counts[c.first + i] = (uint8_t)xc_gpu_make_tokens(block, column, t.size, deep, slot);
	}
	XC_TEAM_SYNC();
	xc_gpu_end_offsets(j, t, tile, picture, offsets);
}

#endif
