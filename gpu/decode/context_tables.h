/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's look-up tables for codes by context, indexed by the next XC_GPU_CONTEXT_BITS bits.
 * They are those of gpu/decode/tables.h, but an entry also tells which code is next. Table 0 is
 * that of the DC; table i is that of AC code i.
 *
 * `take`:
 *   bits 0-4    the length of the code
 *   bits 5-7    the length of the code of an end of block that follows within the index; 0: none
 *   bits 8-12   the size of the value
 *   bits 13-15  the table of the next symbol
 *   bits 16-20  the length of code and value
 *   bits 24-31  how far the scan position moves, times four: run + 1, or XC_GPU_END_STEP
 * `sync`, of several symbols; after the tables there are those of the first AC symbol alone:
 *   bits 0-4    their length
 *   bits 5-10   how far they move the position, in which a DC does not count; XC_GPU_END_STEP if the
 *               block ends
 *   bits 11-12  how many AC values that are not 0 are among them
 *   bits 13-15  the table of the next symbol
 *
 * With fewer bits in the index than one AC code would have, the tables of both classes leave a
 * multiprocessor room for its segments.
 */
#ifndef XC_GPU_DECODE_CONTEXT_TABLES_H
#define XC_GPU_DECODE_CONTEXT_TABLES_H

#include "gpu/decode/tables.h"

enum {
	XC_GPU_CONTEXT_BITS = 10,
	XC_GPU_CONTEXT_LOOKUPS = 1 << XC_GPU_CONTEXT_BITS,
	XC_GPU_CONTEXT_TAIL = 256,
	XC_GPU_MAX_END_BITS = 7, /* of an end of block that an entry tells */
	XC_GPU_MAX_TOKENS = 3,   /* that an entry of `sync` tells */
	XC_GPU_SYNC_ENTRIES = XC_DECODE_TABLES + XC_AC_CONTEXTS
};

/* One class of components. */
typedef struct xc_gpu_context_tables {
	uint32_t take[XC_DECODE_TABLES][XC_GPU_CONTEXT_LOOKUPS];
	uint16_t sync[XC_GPU_SYNC_ENTRIES][XC_GPU_CONTEXT_LOOKUPS];
	uint32_t tail[XC_AC_CONTEXTS][XC_GPU_CONTEXT_TAIL];
	xc_gpu_class_codes codes;
} __attribute__((aligned(16))) xc_gpu_context_tables;

/* The room for the tables of a set of codes, of luma and of chroma. */
#define XC_GPU_TABLES_BYTES (2 * sizeof(xc_gpu_context_tables))

XC_GPU_INLINE uint32_t xc_gpu_context_take_entry(const xc_gpu_symbol *s, uint32_t end_bits)
{
	return s->length | end_bits << 5 | s->size << 8 | s->next << 13 | (s->length + s->size) << 16 |
	       s->step << 26;
}

XC_GPU_INLINE uint32_t xc_gpu_context_sync_entry(uint32_t length, uint32_t step, uint32_t tokens,
                                                 uint32_t next)
{
	return length | step << 5 | tokens << 11 | next << 13;
}

/* Fills entry i of table number `which` of `take` and of `sync`. */
XC_GPU_INLINE void xc_gpu_fill_context_entry(xc_gpu_context_tables *t,
                                             const xc_gpu_class_codes *codes, uint32_t which,
                                             uint32_t i)
{
	enum { BITS = XC_GPU_CONTEXT_BITS, END = XC_GPU_END_STEP };
	const xc_gpu_symbol first = xc_gpu_symbol_of(codes, which, i << (16 - BITS), BITS);
	uint32_t length = first.length + first.size, step = which ? first.step : 0;
	uint32_t tokens = which && first.size, next = first.next, end_bits = 0;
	const uint32_t one = xc_gpu_context_sync_entry(length, step, tokens, next);

	while (first.length && length < BITS && step <= XC_GPU_GUARD && tokens < XC_GPU_MAX_TOKENS) {
		const uint32_t bits = i << (16 - BITS + length) & 0xffff;
		const xc_gpu_symbol s = xc_gpu_symbol_of(codes, next, bits, BITS - length);
		if (!s.length)
			break;
		if (length == first.length + first.size && s.step == END && s.length <= XC_GPU_MAX_END_BITS)
			end_bits = s.length;
		length += s.length + s.size;
		step = s.step == END ? (uint32_t)END : step + s.step;
		tokens += s.size > 0;
		next = s.next;
	}
	t->take[which][i] = first.length ? xc_gpu_context_take_entry(&first, end_bits) : 0;
	t->sync[which][i] = (uint16_t)(first.length
	                                   ? xc_gpu_context_sync_entry(length, step, tokens, next)
	                                   : 0);
	if (which)
		t->sync[XC_AC_CONTEXTS + which][i] = (uint16_t)(first.length ? one : 0);
}

XC_GPU_INLINE uint32_t xc_gpu_context_tail_entry(const xc_gpu_class_codes *codes, uint32_t which,
                                                 uint32_t i)
{
	const xc_gpu_symbol s = xc_gpu_symbol_of(codes, which, 65536 - XC_GPU_CONTEXT_TAIL + i,
	                                         XC_MAX_CODE_LENGTH);
	return s.length ? xc_gpu_context_take_entry(&s, 0) : 0;
}

/* Fills the tables of one class, as worker `worker` of `workers`.  Those of codes that do not exist
 * are never looked at. */
XC_GPU_INLINE void xc_gpu_fill_context_tables(xc_gpu_context_tables *t,
                                              const xc_gpu_class_codes *codes, uint32_t worker,
                                              uint32_t workers)
{
	for (uint32_t which = 0; which <= codes->ac_codes; which++)
		for (uint32_t i = worker; i < XC_GPU_CONTEXT_LOOKUPS; i += workers)
			xc_gpu_fill_context_entry(t, codes, which, i);
	for (uint32_t which = 1; which <= codes->ac_codes; which++)
		for (uint32_t i = worker; i < XC_GPU_CONTEXT_TAIL; i += workers)
			t->tail[which - 1][i] = xc_gpu_context_tail_entry(codes, which, i);
	for (uint32_t i = worker; i < sizeof *codes / 4; i += workers)
		((uint32_t *)(void *)&t->codes)[i] = ((const uint32_t *)(const void *)codes)[i];
}

/* Fills the tables of class i % 2 of set i / 2; tables: those of all sets. */
XC_GPU_INLINE void xc_gpu_fill_any(char *tables, uint32_t i, const xc_gpu_class_codes *codes,
                                   uint32_t worker, uint32_t workers)
{
	char *set = tables + i / 2 * XC_GPU_TABLES_BYTES;

	if (codes->coding == XC_GPU_CONTEXTS)
		xc_gpu_fill_context_tables((xc_gpu_context_tables *)(void *)set + i % 2, codes, worker,
		                           workers);
	else
		xc_gpu_fill_tables((xc_gpu_class_tables *)(void *)set + i % 2, codes, worker, workers);
}

#endif
