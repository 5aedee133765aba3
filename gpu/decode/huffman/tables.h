/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's look-up tables, indexed by the next XC_GPU_LOOKUP_BITS bits.
 *
 * `take` describes the first symbol together with its value:
 *   bits 0-4    the length of the code
 * bits 5, 6   both set: an end of block follows within the index. nvcc tests two bits in one
 * instruction, one bit in three
 *   bits 8-12   the size of the value
 *   bits 16-20  the length of both
 *   bits 24-31  four times the move of the scan position: run + 1, or XC_GPU_END_STEP
 * `sync` describes all symbols whose codes are within the index, while those before the last move
 * by at most XC_GPU_GUARD; one part describes the first symbol alone:
 *   bits 0-4    their length
 *   bits 5-11   their move of the position
 *   bits 12-15  the number of nonzero AC values among them
 * An entry is 0 if the code is longer than the index, or its size is not in the table.
 *
 * Codes longer than the index are the last ones in canonical order. `tail` has entries as in `take`
 * for the last XC_GPU_TAIL values of the next 16 bits.
 */
#ifndef XC_GPU_DECODE_HUFFMAN_TABLES_H
#define XC_GPU_DECODE_HUFFMAN_TABLES_H

#include "entropy/value.h"
#include "gpu/decode/bits.h"
#include "gpu/module.h"
#include "gpu/runtime/device.h"

enum {
	XC_GPU_LOOKUP_BITS = 11,
	XC_GPU_LOOKUPS = 1 << XC_GPU_LOOKUP_BITS,
	XC_GPU_TAIL = 512,
	XC_GPU_END_STEP = 63, /* moves any position past the block's end */
	XC_GPU_NEXT_ENDS = 3 << 5,
	XC_GPU_GUARD = 16
};

/* The parts of `sync`: several symbols that begin with an AC; one AC alone; several that begin with
 * a DC. This order takes the fewest instructions to choose a part. */
enum { XC_GPU_SYNC_MANY, XC_GPU_SYNC_ONE, XC_GPU_SYNC_DC };

/* One class of components. */
typedef struct xc_gpu_class_tables {
	uint32_t take[2][XC_GPU_LOOKUPS];
	uint16_t sync[3][XC_GPU_LOOKUPS];
	uint32_t tail[XC_GPU_TAIL];
	xc_canonical_code codes[2];   /* DC, AC */
	uint32_t end_bits, unused[3]; /* xc_gpu_end_bits() */
} xc_gpu_class_tables;

typedef struct xc_gpu_symbol {
	uint32_t length, size, step; /* length of the code (0: unknown); size of the value */
} xc_gpu_symbol;

/* The first symbol in 16 bits by code number `which`, if its code has at most `max` bits. */
XC_GPU_INLINE xc_gpu_symbol xc_gpu_symbol_of(const xc_gpu_class_codes *codes, uint32_t which,
                                             uint32_t bits, uint32_t max)
{
	const xc_canonical_code *code = &codes->code[which];
	const int ac = which > 0;
	xc_gpu_symbol r = {1, 0, 1};

	while (r.length < max && bits >= code->limit[r.length])
		r.length++;
	if (bits >= code->limit[r.length]) {
		r.length = 0;
		return r;
	}
	const uint32_t s = code->symbol[(uint8_t)(code->offset[r.length] + (bits >> (16 - r.length)))];
	r.size = ac ? s & 15 : s;
	if (ac)
		r.step = s == 0 ? (uint32_t)XC_GPU_END_STEP : s == 0xf0 ? 16 : (s >> 4) + 1;
	/* Escapes, symbols too long for an entry, and invalid sizes. */
	if (r.size > (ac ? 14 : 15) || r.size > xc_gpu_max_size(ac, codes->depth16 != 0))
		r.length = 0;
	return r;
}

XC_GPU_INLINE uint32_t xc_gpu_take_entry(const xc_gpu_symbol *s, int next_ends)
{
	return s->length | (next_ends ? XC_GPU_NEXT_ENDS : 0) | s->size << 8 |
	       (s->length + s->size) << 16 | s->step << 26;
}

/* Fields of an entry of `take`: the bits of symbol and value; the value's bits (the lowest five
 * count); four times the move of the position. */
XC_GPU_INLINE uint32_t xc_gpu_take_bits(uint32_t entry)
{
	return xc_gpu_byte2(entry);
}

XC_GPU_INLINE uint32_t xc_gpu_take_size(uint32_t entry)
{
	return entry >> 8;
}

XC_GPU_INLINE uint32_t xc_gpu_take_step4(uint32_t entry)
{
	return entry >> 24;
}

XC_GPU_INLINE uint32_t xc_gpu_sync_entry(uint32_t length, uint32_t step, uint32_t tokens)
{
	return length | step << 5 | tokens << 12;
}

/* Fills entry i of `take`, and of `sync`. */
XC_GPU_INLINE void xc_gpu_fill_entry(xc_gpu_class_tables *t, const xc_gpu_class_codes *codes,
                                     uint32_t ac, uint32_t i)
{
	const xc_gpu_symbol first = xc_gpu_symbol_of(codes, ac, i << (16 - XC_GPU_LOOKUP_BITS),
	                                             XC_GPU_LOOKUP_BITS);
	uint32_t length = first.length + first.size, step = first.step;
	uint32_t tokens = ac && first.size;
	int next_ends = 0;

	if (ac)
		t->sync[XC_GPU_SYNC_ONE][i] = (uint16_t)(first.length
		                                             ? xc_gpu_sync_entry(length, step, tokens)
		                                             : 0);
	while (first.length && length < XC_GPU_LOOKUP_BITS && step <= XC_GPU_GUARD) {
		const uint32_t bits = i << (16 - XC_GPU_LOOKUP_BITS + length) & 0xffff;
		const xc_gpu_symbol next = xc_gpu_symbol_of(codes, 1, bits, XC_GPU_LOOKUP_BITS - length);
		if (!next.length)
			break;
		if (length == first.length + first.size)
			next_ends = next.step == XC_GPU_END_STEP;
		length += next.length + next.size;
		step += next.step;
		tokens += next.size > 0;
	}
	t->take[ac][i] = first.length ? xc_gpu_take_entry(&first, next_ends) : 0;
	t->sync[ac ? XC_GPU_SYNC_MANY : XC_GPU_SYNC_DC][i] =
		(uint16_t)(first.length ? xc_gpu_sync_entry(length, step, tokens) : 0);
}

XC_GPU_INLINE uint32_t xc_gpu_tail_entry(const xc_gpu_class_codes *codes, uint32_t i)
{
	const xc_gpu_symbol s = xc_gpu_symbol_of(codes, 1, 65536 - XC_GPU_TAIL + i, XC_MAX_CODE_LENGTH);
	return s.length ? xc_gpu_take_entry(&s, 0) : 0;
}

/* The length of the end-of-block code; 0: it does not exist or is longer than the index. */
XC_GPU_INLINE uint32_t xc_gpu_end_bits(const xc_canonical_code *ac)
{
	uint32_t code = 0;

	for (uint32_t l = 1; l <= XC_GPU_LOOKUP_BITS; l++) {
		for (; code < ac->limit[l] >> (16 - l); code++)
			if (ac->symbol[(uint8_t)(ac->offset[l] + code)] == 0)
				return l;
		code *= 2;
	}
	return 0;
}

/* Fills the tables of one class, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_fill_tables(xc_gpu_class_tables *t, const xc_gpu_class_codes *codes,
                                      uint32_t worker, uint32_t workers)
{
	enum { AC = XC_GPU_LOOKUPS, TAIL = 2 * XC_GPU_LOOKUPS, ALL = TAIL + XC_GPU_TAIL };

	for (uint32_t i = worker; i < ALL; i += workers) {
		if (i < TAIL)
			xc_gpu_fill_entry(t, codes, i / AC, i % AC);
		else
			t->tail[i - TAIL] = xc_gpu_tail_entry(codes, i - TAIL);
	}
	for (uint32_t i = worker; i < 2; i += workers)
		t->codes[i] = codes->code[i];
	if (worker == 0)
		t->end_bits = xc_gpu_end_bits(&codes->code[1]);
}

/* The bytes of the tables of a set of codes, luma and chroma. */
#define XC_GPU_TABLES_BYTES (2 * sizeof(xc_gpu_class_tables))

/* Fills the tables of class i % 2 of set i / 2; tables: the tables of all sets. */
XC_GPU_INLINE void xc_gpu_fill_any(char *tables, uint32_t i, const xc_gpu_class_codes *codes,
                                   uint32_t worker, uint32_t workers)
{
	xc_gpu_fill_tables((xc_gpu_class_tables *)(void *)tables + i, codes, worker, workers);
}

#endif
