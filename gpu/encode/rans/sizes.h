/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What decisions need to know, in the rANS mode: a thread block takes a slice of a tile, a thread a
 * block. It takes slopes off the coefficients and leaves magnitudes as bytes where contexts will be
 * noted later, which of them are negative, a word (see xc_gpu_size_word()), and a guess at what
 * will be decided, in the form of symbols.
 */
#ifndef XC_GPU_ENCODE_RANS_SIZES_H
#define XC_GPU_ENCODE_RANS_SIZES_H

#include "gpu/encode/rans/symbols.h"

/* The word of a block: its factor, 8 bits; zones that rounding leaves something of, 3 bits; from
 * bit 16 on the number of class bits of its DC. */
XC_GPU_INLINE uint32_t xc_gpu_size_word(uint32_t factor, const uint32_t max[3], uint32_t dc)
{
	uint32_t word = factor | (dc < XC_RANS_FIRST_CLASS ? 0 : xc_gpu_class_size(dc)) << 16;

	XC_UNROLL
	for (int g = 0; g < 3; g++)
		word |= (uint32_t)(max[g] >= XC_STEP_PARTS / 2) << (8 + g);
	return word;
}

/* Guesses what is decided about four sizes. */
XC_GPU_INLINE uint32_t xc_gpu_guess_four(uint32_t sizes)
{
	return (sizes + 0x01010101u * XC_RANS_GUESS_ROUNDING) >> 4 & 0x0f0f0f0f;
}

/* Bytes of 1 for the positions from 4 w to 4 w + 3 that are in zone g. */
XC_GPU_CONSTANT uint32_t xc_gpu_zone_bytes(int w, int g)
{
	uint32_t bytes = 0;

	for (int k = 4 * w; k < 4 * w + 4; k++)
		bytes |= (uint32_t)(k && XC_GPU_RANS_ZONE(k) == g) << 8 * (k % 4);
	return bytes;
}

/* Adds four values, of positions 4 w to 4 w + 3, to the sums of their zones. */
XC_GPU_INLINE void xc_gpu_sum_four(uint32_t sums[3], uint32_t four, int w)
{
	XC_UNROLL
	for (int g = 0; g < 3; g++)
		if (xc_gpu_zone_bytes(w, g))
			sums[g] = xc_gpu_dot(four, xc_gpu_zone_bytes(w, g), sums[g]);
}

/* Eight values as a word of nibbles. */
XC_GPU_INLINE uint32_t xc_gpu_nibbles(uint32_t low, uint32_t high)
{
	/* Two positions in bytes 0 and 2 of each. */
	return xc_gpu_pick(low | low >> 4, high | high >> 4, 0x6420);
}

/* Leaves guesses for the sizes of a block. */
XC_GPU_INLINE void xc_gpu_make_guess(const xc_gpu_encode_job *j, size_t block,
                                     const uint32_t bytes[16])
{
	uint32_t sums[3] = {0, 0, 0}, words[8];

	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const uint32_t low = xc_gpu_guess_four(bytes[2 * i]);
		const uint32_t high = xc_gpu_guess_four(bytes[2 * i + 1]);
		xc_gpu_sum_four(sums, low, 2 * i);
		xc_gpu_sum_four(sums, high, 2 * i + 1);
		words[i] = xc_gpu_nibbles(low, high);
	}
	xc_gpu_store_symbols(j, block, words);
	j->sums[block] = xc_gpu_rans_sums(sums);
}

/* What is found of a block's coefficients. */
typedef struct xc_gpu_block_sizes {
	uint32_t bytes[16], max[3]; /* by zone */
	uint32_t negative[2];       /* by place */
	uint32_t squares;           /* for its factor */
} xc_gpu_block_sizes;

/* Adds eight coefficients, from position `first` on, a constant; all but the DC. */
XC_GPU_INLINE void xc_gpu_size8(const xc_gpu_encode_job *j, const int32_t c[8], int first,
                                xc_gpu_block_sizes *b)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};

	b->bytes[first / 4] = b->bytes[first / 4 + 1] = 0;
	XC_UNROLL
	for (int n = first ? 0 : 1; n < 8; n++) {
		const int k = first + n, g = XC_GPU_RANS_ZONE(k), raster = scan[k & 63];
		const uint32_t m = xc_gpu_magnitude(c[n]), size = xc_gpu_min(m, XC_GPU_RANS_SIZES - 1);
		b->bytes[k / 4] |= size << 8 * (k % 4);
		b->max[g] = b->max[g] > size ? b->max[g] : size;
		b->negative[raster / 32] |= (uint32_t)(c[n] >> 31) & UINT32_C(1) << raster % 32;
		b->squares += xc_gpu_square(j, m, k);
	}
}

XC_GPU_INLINE void xc_gpu_size_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                     uint32_t i, int depth16)
{
	const size_t block = c->first + i;
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);
	xc_gpu_block_sizes b = {{0}, {0, 0, 0}, {0, 0}, 0};
	xc_gpu_packed8 all[8];

	XC_UNROLL
	for (int g = 0; g < 8; g++)
		xc_gpu_load_stored(&all[g], slot, g, depth16);
	/* All loads are under way before anything waits for one. (For deep coefficients there are not
	 * enough registers.) */
	const xc_gpu_near_dcs near = xc_gpu_near_dcs_of(&p, j->dc + c->first, i);
	XC_UNROLL
	for (int g = 0; g < (depth16 ? 0 : 8); g++)
		XC_UNROLL
	for (int w = 0; w < 4; w++)
		XC_OPAQUE_AGAIN(all[g].of[0].depth16[w], "r");
	const int32_t difference = xc_gpu_near_difference(&near, depth16);
	XC_UNROLL
	for (int g = 0; g < 8; g++) {
		int32_t v[8];
		xc_gpu_unpack8(&all[g], depth16, v);
		if (g == 0) {
			xc_gpu_remove_ac_prediction(j, &near, p.chroma, depth16, v);
			xc_gpu_slot_set(slot, 1, v[1], depth16);
			xc_gpu_slot_set(slot, 2, v[2], depth16);
		}
		xc_gpu_size8(j, v, 8 * g, &b);
	}
	xc_gpu_make_guess(j, block, b.bytes);
	b.bytes[0] |= xc_rans_symbol(xc_gpu_magnitude(difference));
	xc_gpu_vec16 *const records = j->records + xc_gpu_vecs_at(block, 4);
	XC_UNROLL
	for (int part = 0; part < 4; part++) {
		xc_gpu_vec16 vec;
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			vec.depth16[w] = b.bytes[4 * part + w];
		records[part * XC_GPU_TOGETHER] = vec;
	}
	b.negative[0] |= difference < 0;
	j->signs[block] = b.negative[0] | (uint64_t)b.negative[1] << 32;
	j->flags[block] = xc_gpu_size_word(xc_gpu_factor_of(j, p.chroma, b.squares), b.max,
	                                   xc_gpu_magnitude(difference));
}

XC_GPU_INLINE void xc_gpu_make_sizes(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                     uint32_t slice, uint32_t picture, int depth16)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);

	for (uint32_t i = from + t.rank; i < end; i += t.size)
		xc_gpu_size_block(j, &c, i, depth16);
}

#endif
