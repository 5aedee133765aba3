/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients are rounded and become symbols, in the rANS mode without decisions: a thread block
 * takes a slice of a tile, a thread a block. */
#ifndef XC_GPU_ENCODE_RANS_ROUND_H
#define XC_GPU_ENCODE_RANS_ROUND_H

#include "gpu/encode/rans/take.h"

/* What is found of a block on the way. */
typedef struct xc_gpu_rounded_block {
	uint32_t words[8], sums[3];    /* nibbles, and their sums by zone */
	uint32_t some[2], negative[2]; /* by place */
	uint32_t large;                /* not 0: some values have class bits */
	xc_gpu_block_offsets offsets;
} xc_gpu_rounded_block;

/* Sizes are cut off here, so that a rounded one still fits a byte: as a value, 15. */
enum { XC_GPU_MAX_ROUNDED = 255 - XC_STEP_PARTS / 2 };

/* Rounds eight coefficients, from position `first` on, a constant; the DC is left out. */
XC_GPU_INLINE void xc_gpu_round8(const xc_gpu_encode_job *j, const int32_t c[8], int first,
                                 xc_gpu_rounded_block *b)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	uint32_t sizes[2] = {0, 0}, values[2];

	XC_UNROLL
	for (int n = first ? 0 : 1; n < 8; n++) {
		const int raster = scan[(first + n) & 63];
		const uint32_t m = xc_gpu_magnitude(c[n]);
		sizes[n / 4] |= xc_gpu_min(m, XC_GPU_MAX_ROUNDED) << 8 * (n % 4);
		b->negative[raster / 32] |= (uint32_t)(c[n] >> 31) & UINT32_C(1) << raster % 32;
	}
	XC_UNROLL
	for (int half = 0; half < 2; half++) {
		const uint32_t four = (sizes[half] + 0x01010101u * j->rounding) >> 4 & 0x0f0f0f0f;
		xc_gpu_note_four(&b->offsets, four, sizes[half]);
		xc_gpu_sum_four(b->sums, four, first / 4 + half);
		values[half] = four;
	}
	b->words[first / 8] = xc_gpu_nibbles(values[0], values[1]);
	b->large |= xc_gpu_large_nibbles(b->words[first / 8]);
	xc_gpu_note_some(b->some, b->words[first / 8], first);
}

/* Makes the symbols of a block's large values. Returns their class bits. second, third: the
 * coefficients at positions 1 and 2, which slopes have been taken off. */
XC_GPU_INLINE uint32_t xc_gpu_round_large(const xc_gpu_encode_job *j, xc_gpu_vec16 *slot,
                                          int32_t second, int32_t third, int depth16,
                                          xc_gpu_rounded_block *b)
{
	uint32_t bits = 0;

	XC_UNROLL
	for (int w = 0; w < 8; w++) {
		XC_ROLLED
		for (uint32_t large = xc_gpu_large_nibbles(b->words[w]); large; large &= large - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(large) - 3,
						   k = 8 * (uint32_t)w + shift / 4;
			const int32_t c = k == 1 ? second : k == 2 ? third : xc_gpu_slot_get(slot, k, depth16);
			const uint32_t value = b->words[w] >> shift & 15;
			const uint32_t noted = xc_gpu_min(xc_gpu_magnitude(c), XC_GPU_MAX_ROUNDED);
			const uint32_t more = xc_gpu_large_symbol(slot, k, c, j->rounding, value, noted,
			                                          depth16, &b->offsets, &bits);
			b->words[w] += more << shift;
			XC_UNROLL
			for (uint32_t g = 0; g < 3; g++)
				b->sums[g] += XC_GPU_RANS_ZONE(k) == g ? more : 0;
		}
	}
	return bits;
}

/* Makes the symbols of block i of a tile. */
XC_GPU_INLINE void xc_gpu_round_block_symbols(const xc_gpu_encode_job *j,
                                              const xc_gpu_coded_tile *c, uint32_t i, int depth16,
                                              xc_gpu_tile_offsets *offsets)
{
	const size_t block = c->first + i;
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);
	/* Magnitudes below this become 0. */
	const uint32_t min_u32 = XC_STEP_PARTS - j->rounding;
	xc_gpu_rounded_block b = {{0}, {0, 0, 0}, {0, 0}, {0, 0}, 0, {0, 0}};
	xc_gpu_packed8 all[8];
	int32_t second = 0, third = 0;
	uint32_t bits = 0;

	XC_UNROLL
	for (int g = 0; g < 8; g++)
		xc_gpu_load_stored(&all[g], slot, g, depth16);
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + c->first, i);
	const int32_t difference = xc_gpu_near_difference(&near, depth16);
	XC_UNROLL
	for (int g = 0; g < 8; g++) {
		int32_t v[8];
		/* Few blocks have large coefficients at high frequencies. */
		if (g && xc_gpu_all_below(&all[g], depth16, min_u32))
			continue;
		xc_gpu_unpack8(&all[g], depth16, v);
		if (g == 0) {
			xc_gpu_remove_ac_prediction(j, &near, p.chroma, depth16, v);
			second = v[1];
			third = v[2];
		}
		xc_gpu_round8(j, v, 8 * g, &b);
	}
	if (b.large)
		bits = xc_gpu_round_large(j, slot, second, third, depth16, &b);
	const uint32_t dc = xc_gpu_magnitude(difference);
	if (dc >= XC_RANS_FIRST_CLASS)
		bits += xc_gpu_class_size(dc);
	b.words[0] |= xc_rans_symbol(dc);
	b.some[0] |= dc != 0;
	b.negative[0] |= difference < 0;
	xc_gpu_store_symbols(j, block, b.words);
	j->sums[block] = xc_gpu_rans_sums(b.sums) | (bits ? XC_GPU_RANS_LARGE : 0);
	xc_gpu_note_raw(j, block, bits, b.some, b.negative);
	xc_gpu_add_offsets(&b.offsets, p.chroma, offsets);
}

#endif
