/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was decided becomes symbols, in the rANS mode: a thread block takes a slice of a tile, a
 * thread a block. Large values get their symbols, signs are put together, and offsets summed up.
 */
#ifndef XC_GPU_ENCODE_RANS_TAKE_H
#define XC_GPU_ENCODE_RANS_TAKE_H

#include "gpu/encode/rans/sizes.h"

/* Four bytes of 1 where bytes below 128 are not 0, and 0 elsewhere. */
XC_GPU_INLINE uint32_t xc_gpu_not_zero(uint32_t four)
{
	return (four + 0x7f7f7f7f) >> 7 & 0x01010101;
}

/* Adds up the offsets of four values, 0 to XC_RANS_NEAREST, of sizes. */
XC_GPU_INLINE void xc_gpu_note_four(xc_gpu_block_offsets *o, uint32_t values, uint32_t sizes)
{
	const uint32_t one = xc_gpu_not_zero(values) & ~xc_gpu_not_zero(values ^ 0x01010101);
	const uint32_t more = xc_gpu_not_zero(values) & ~one;
	const uint32_t count = xc_gpu_dot(one, 0x01010101, 0);
	const uint32_t counts = xc_gpu_dot(more, 0x01010101, 0);

	o->one += count * (0x10000 + XC_STEP_PARTS) - xc_gpu_dot(sizes, one, 0);
	o->more += counts * 0x10000 + xc_gpu_dot(values, more * XC_STEP_PARTS, 0) -
	           xc_gpu_dot(sizes, more, 0);
}

/* Which AC values in word w of a block are XC_RANS_NEAREST, a bit each: that which is worth 8.
 * No value is larger. */
XC_GPU_INLINE uint32_t xc_gpu_nearest_bits(const uint32_t words[8], int w)
{
	return words[w] & (w ? 0x88888888 : 0x88888880);
}

/* Makes the symbol of a coefficient c of a block, at position k, that was noted as a value, and as
 * a size that was perhaps cut off. Adds what is missing to the offsets, and its class bits to
 * *bits; a value that has some is put in the slot, where the writer of raw bits finds it. Returns
 * how much more the symbol is than the value. */
XC_GPU_INLINE uint32_t xc_gpu_large_symbol(xc_gpu_vec16 *slot, uint32_t k, int32_t c,
                                           uint32_t rounding, uint32_t value, uint32_t noted,
                                           int depth16, xc_gpu_block_offsets *o, uint32_t *bits)
{
	const uint32_t size = xc_gpu_magnitude(c), m = (size + rounding) / XC_STEP_PARTS;

	o->more += (m - value) * XC_STEP_PARTS - (size - noted);
	if (m < XC_RANS_FIRST_CLASS)
		return m - value;
	*bits += xc_gpu_class_size(m);
	xc_gpu_slot_set(slot, k, c < 0 ? -(int32_t)m : (int32_t)m, depth16);
	return xc_rans_symbol(m) - value;
}

/* Makes the symbols of a block's large magnitudes.  Returns their class bits. */
XC_GPU_INLINE uint32_t xc_gpu_take_all_nearest(const xc_gpu_encode_job *j, size_t block,
                                               int depth16, uint32_t words[8],
                                               xc_gpu_block_offsets *o)
{
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);
	const xc_gpu_vec16 *const sizes = j->records + xc_gpu_vecs_at(block, 4);
	uint32_t bits = 0, sums[3];

	XC_UNROLL
	for (int g = 0; g < 3; g++)
		sums[g] = j->sums[block] >> 4 * g & 15;
	XC_UNROLL
	for (int w = 0; w < 8; w++) {
		XC_ROLLED
		for (uint32_t large = xc_gpu_nearest_bits(words, w); large; large &= large - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(large) - 3,
						   k = 8 * (uint32_t)w + shift / 4;
			const uint32_t size = sizes[k / 16 * XC_GPU_TOGETHER].depth16[k / 4 % 4] >>
			                          8 * (k % 4) &
			                      255;
			const uint32_t more = xc_gpu_large_symbol(slot, k, xc_gpu_slot_get(slot, k, depth16),
			                                          XC_STEP_PARTS / 2, XC_RANS_NEAREST, size,
			                                          depth16, o, &bits);
			words[w] += more << shift;
			XC_UNROLL
			for (uint32_t g = 0; g < 3; g++)
				sums[g] += XC_GPU_RANS_ZONE(k) == g ? more : 0;
		}
	}
	xc_gpu_store_symbols(j, block, words);
	j->sums[block] = xc_gpu_rans_sums(sums);
	return bits;
}

/* Notes how many raw bits a block has, `bits` besides the signs, and the signs of those values that
 * are not 0. Masks are by place. */
XC_GPU_INLINE void xc_gpu_note_raw(const xc_gpu_encode_job *j, size_t block, uint32_t bits,
                                   const uint32_t some[2], const uint32_t negative[2])
{
	const uint32_t low = xc_gpu_count_bits(some[0]);

	j->block_bits[block] = bits + low + xc_gpu_count_bits(some[1]);
	j->signs[block] = xc_gpu_compact(some[0], negative[0] & some[0]) |
	                  (uint64_t)xc_gpu_compact(some[1], negative[1] & some[1]) << low;
}

/* The places of those of eight values from position `first` on, a constant, that
 * are not 0, as bits. */
XC_GPU_INLINE void xc_gpu_note_some(uint32_t some[2], uint32_t nibbles, int first)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};

	XC_UNROLL
	for (int k = first; k < first + 8; k++)
		xc_gpu_set_if_other(&some[scan[k & 63] / 32], UINT32_C(1) << scan[k & 63] % 32,
		                    nibbles >> 4 * (k % 8) & 15, 0);
}

/* Takes what was decided about block i of a tile. */
XC_GPU_INLINE void xc_gpu_take_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                     uint32_t i, int depth16, xc_gpu_tile_offsets *offsets)
{
	const size_t block = c->first + i;
	const uint64_t negative = j->signs[block];
	uint32_t words[8], bits = j->flags[block] >> 16, large = 0, some[2] = {0, 0};
	xc_gpu_block_offsets o = {0, 0};
	xc_gpu_vec16 sizes[4];
	const xc_gpu_vec16 *const records = j->records + xc_gpu_vecs_at(block, 4);

	xc_gpu_load_symbols(j, block, words);
	XC_UNROLL
	for (int part = 0; part < 4; part++)
		sizes[part] = records[part * XC_GPU_TOGETHER];
	XC_UNROLL
	for (int w = 0; w < 8; w++) {
		const uint32_t even = words[w] & 0x0f0f0f0f, odd = words[w] >> 4 & 0x0f0f0f0f;
		large |= xc_gpu_nearest_bits(words, w);
		XC_UNROLL
		for (int half = 0; half < 2; half++) {
			const int n = 2 * w + half;
			/* Positions 4 n to 4 n + 3; the DC has no offset. */
			const uint32_t four = xc_gpu_pick(even, odd, half ? 0x7362 : 0x5140);
			xc_gpu_note_four(&o, n ? four : four & ~255u, sizes[n / 4].depth16[n % 4]);
		}
		xc_gpu_note_some(some, words[w], 8 * w);
	}
	/* Few blocks have any. */
	if (large)
		bits += xc_gpu_take_all_nearest(j, block, depth16, words, &o);
	if (bits)
		j->sums[block] |= XC_GPU_RANS_LARGE;
	const uint32_t all[2] = {(uint32_t)negative, (uint32_t)(negative >> 32)};
	xc_gpu_note_raw(j, block, bits, some, all);
	xc_gpu_add_offsets(&o, xc_gpu_tile_block_at(c, i).chroma, offsets);
}

/* What makes the symbols of block i of a tile. */
typedef void xc_gpu_symbol_maker(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c, uint32_t i,
                                 int depth16, xc_gpu_tile_offsets *offsets);

/* Makes the symbols of a slice of a tile. make, a constant: xc_gpu_take_block() or
 * xc_gpu_round_block_symbols(). */
XC_GPU_INLINE void xc_gpu_slice_symbols(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                        uint32_t slice, uint32_t picture,
                                        xc_gpu_tile_offsets *offsets, int depth16,
                                        xc_gpu_symbol_maker *make)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t from = slice * XC_GPU_SLICE, end = xc_gpu_slice_end(&c, from);

	xc_gpu_begin_offsets(t, offsets);
	XC_CTA_SYNC();
	for (uint32_t i = from + t.rank; i < end; i += t.size)
		make(j, &c, i, depth16, offsets);
	XC_CTA_SYNC();
	xc_gpu_end_offsets(j, t, tile, picture, offsets);
}

#endif
