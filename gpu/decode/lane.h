/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One lane's share of a segment, for gpu/decode/segment.h. xc_gpu_take() decodes symbols and their
 * values by the rules of entropy/stream.c. xc_gpu_sync_pass() only counts blocks and tokens,
 * several symbols a look-up. A look-up never passes the end of a block: several symbols are looked
 * up together only at positions up to XC_GPU_LAST_MANY.
 */
#ifndef XC_GPU_DECODE_LANE_H
#define XC_GPU_DECODE_LANE_H

#include "entropy/value.h"
#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/tables.h"
#include "gpu/runtime/device.h"

/* The tables of one class or of both. The constant `contexts` tells which member is set. */
typedef union xc_gpu_tables {
	const xc_gpu_class_tables *plain;
	const xc_gpu_context_tables *contexts;
} xc_gpu_tables;

/* A state between two symbols. `position` in the scan is -1 before a DC. With codes by context the
 * number of the next code times XC_GPU_POSITIONS is added to other positions. */
typedef struct xc_gpu_cursor {
	uint32_t at;
	int32_t position;
} xc_gpu_cursor;

enum { XC_GPU_LAST_MANY = 62 - XC_GPU_GUARD, XC_GPU_POSITIONS = 64 };

/* A lane's first guess of its position. */
XC_GPU_INLINE int32_t xc_gpu_guess(int contexts)
{
	return contexts ? XC_GPU_POSITIONS : 0;
}

/* Decodes a symbol that is in no look-up table, by code number `which`. An escape's size field
 * counts as part of the code. An invalid size sets *bad. */
XC_GPU_INLINE xc_gpu_symbol xc_gpu_decode_long(const xc_gpu_bits *b, uint32_t at, xc_gpu_tables t,
                                               uint32_t which, int contexts, int depth16,
                                               int copied, uint32_t *bad)
{
	const xc_canonical_code *code = contexts ? &t.contexts->codes.code[which]
	                                         : &t.plain->codes[which];
	const int dc = which == 0;
	const uint32_t bits = xc_gpu_bits_at(b, at, 16, copied);
	uint32_t l = 1;

	while (l < XC_MAX_CODE_LENGTH && bits >= code->limit[l])
		l++;
	const uint32_t symbol = code->symbol[(uint8_t)(code->offset[l] + (bits >> (16 - l)))];
	xc_gpu_symbol s = {l, dc ? symbol : symbol & 15, 1, 0};
	if (contexts)
		s.next = xc_gpu_code_after(&t.contexts->codes, !dc, symbol);
	if (!dc)
		s.step = symbol == 0 ? (uint32_t)XC_GPU_END_STEP : symbol == 0xf0 ? 16 : (symbol >> 4) + 1;
	if (!dc && s.size == 15) {
		s.size += xc_gpu_bits_at(b, at + l, 4, copied);
		s.length += 4;
	}
	if (s.size > xc_gpu_max_size(!dc, depth16)) {
		*bad = 1;
		s.size = 0;
		s.step = dc ? 1 : XC_GPU_END_STEP;
	}
	return s;
}

/* Returns an entry of `take` for the bits *window, which the first table lacks. If `tail` lacks
 * them too, reads the code; then *window and the entry describe the value's bits alone. */
XC_GPU_INLINE uint32_t xc_gpu_rare(xc_gpu_reader *r, const xc_gpu_bits *b, xc_gpu_tables t,
                                   uint32_t which, uint32_t *window, int contexts, int depth16,
                                   int copied, uint32_t *bad)
{
	const uint32_t tail = contexts ? (uint32_t)XC_GPU_CONTEXT_TAIL : (uint32_t)XC_GPU_TAIL;
	const uint32_t i = (*window >> 16) - (65536 - tail);
	uint32_t e = 0;

	if (which && i < tail)
		e = contexts ? t.contexts->tail[which - 1][i] : t.plain->tail[i];
	if (e)
		return e;
	xc_gpu_symbol s = xc_gpu_decode_long(b, r->at, t, which, contexts, depth16, copied, bad);
	*r = xc_gpu_read_from(b, r->at + s.length, copied);
	*window = xc_gpu_shift_in(r->word[0], r->word[1], r->at);
	s.length = 0;
	return contexts ? xc_gpu_context_take_entry(&s, 0) : xc_gpu_take_entry(&s, 0);
}

/* The same for an entry of `sync`. */
XC_GPU_INLINE uint32_t xc_gpu_rare_sync(xc_gpu_reader *r, const xc_gpu_bits *b, xc_gpu_tables t,
                                        uint32_t which, uint32_t window, int contexts, int depth16,
                                        int copied)
{
	uint32_t bad = 0;
	const uint32_t e = xc_gpu_rare(r, b, t, which, &window, contexts, depth16, copied, &bad);
	const uint32_t step = xc_gpu_take_step4(e) / 4;
	const uint32_t tokens = which && (xc_gpu_take_size(e) & 31);

	return contexts ? xc_gpu_context_sync_entry(xc_gpu_take_bits(e), which ? step : 0, tokens,
	                                            e >> 13 & 7)
	                : xc_gpu_sync_entry(xc_gpu_take_bits(e), step, tokens);
}

/* The number of blocks that end in a share, and of nonzero AC values in it. */
typedef struct xc_gpu_found {
	uint32_t blocks, tokens;
} xc_gpu_found;

/* The end of a block: clears the bits of `sum` outside `left`. Predicated, as in xc_gpu_add_if().
 * */
XC_GPU_INLINE void xc_gpu_sync_end(xc_gpu_found *found, uint32_t *sum, uint32_t left,
                                   uint32_t *part, uint32_t dc)
{
#ifdef __CUDA_ARCH__
	asm volatile("add.u32 %0, %0, 1;\n\tand.b32 %1, %1, %3;\n\tmov.u32 %2, %4;"
	             : "+r"(found->blocks), "+r"(*sum), "+r"(*part)
	             : "r"(left), "r"(dc));
#else
	found->blocks++;
	*sum &= left;
	*part = dc;
#endif
}

/* The part of `sync` for an AC symbol at position `after` or later. */
XC_GPU_INLINE uint32_t xc_gpu_sync_part(uint32_t after)
{
	uint32_t part = (after > XC_GPU_LAST_MANY + 1 ? XC_GPU_SYNC_ONE : XC_GPU_SYNC_MANY) *
	                XC_GPU_LOOKUPS;

	XC_OPAQUE(part, "r"); /* else nvcc would recompute it from the position */
	return part;
}

/* Moves the cursor to the end of the first look-up that reaches `end`, and adds to *found. State:
 * r, the reader; part, the offset of the part of `sync`; sum, position and tokens. Every look-up
 * moves r by at least one bit, and the reader's words end with the segment. */
XC_GPU_INLINE void xc_gpu_sync_plain(const xc_gpu_bits *b, xc_gpu_tables tables,
                                     xc_gpu_cursor *cursor, uint32_t end, int depth16, int copied,
                                     xc_gpu_found *found)
{
	enum { LOOKUPS = XC_GPU_LOOKUPS };
	const uint16_t *lookup = tables.plain->sync[0];
	/* Bits 0-6: the position plus 1, so that bit 6 marks the end of a block; above: tokens. */
	uint32_t sum = (uint32_t)(cursor->position + 1);

	if (cursor->at >= end)
		return;
	xc_gpu_reader r = xc_gpu_read_from(b, cursor->at, copied);
	uint32_t part = sum ? xc_gpu_sync_part(sum) : XC_GPU_SYNC_DC * LOOKUPS;
	do {
		const uint32_t window = xc_gpu_window(&r, b, copied);
		uint32_t e = lookup[part + (window >> (32 - XC_GPU_LOOKUP_BITS))];
		if (__builtin_expect(!e, 0))
			e = xc_gpu_rare_sync(&r, b, tables, part != XC_GPU_SYNC_DC * LOOKUPS, window, 0,
			                     depth16, copied);
		r.at += e & 31;
		xc_gpu_go_on(&r);
		sum += e >> 5;
		part = xc_gpu_sync_part(sum & 127);
		if (sum & 64)
			xc_gpu_sync_end(found, &sum, ~UINT32_C(127), &part, XC_GPU_SYNC_DC * LOOKUPS);
	} while (r.at < end);
	found->tokens += sum >> 7;
	cursor->at = r.at;
	cursor->position = (int32_t)(sum & 127) - 1;
}

/* The code number of table `table` of `sync`. */
XC_GPU_INLINE uint32_t xc_gpu_synced_code(uint32_t table)
{
	return table < XC_DECODE_TABLES ? table : table - XC_AC_CONTEXTS;
}

/* xc_gpu_sync_plain() for codes by context. State: position, which is 0 for a DC; table, of `sync`.
 * */
XC_GPU_INLINE void xc_gpu_sync_contexts(const xc_gpu_bits *b, xc_gpu_tables tables,
                                        xc_gpu_cursor *cursor, uint32_t end, int depth16,
                                        int copied, xc_gpu_found *found)
{
	const uint16_t *lookup = tables.contexts->sync[0];
	const uint32_t state = cursor->position < 0 ? 0 : (uint32_t)cursor->position;
	uint32_t position = state % XC_GPU_POSITIONS, table = state / XC_GPU_POSITIONS;

	if (cursor->at >= end)
		return;
	xc_gpu_reader r = xc_gpu_read_from(b, cursor->at, copied);
	xc_gpu_add_if(position > XC_GPU_LAST_MANY, &table, XC_AC_CONTEXTS);
	do {
		const uint32_t window = xc_gpu_window(&r, b, copied);
		uint32_t e = lookup[xc_gpu_shift_in(table, window, XC_GPU_CONTEXT_BITS)];
		if (__builtin_expect(!e, 0))
			e = xc_gpu_rare_sync(&r, b, tables, xc_gpu_synced_code(table), window, 1, depth16,
			                     copied);
		r.at += e & 31;
		xc_gpu_go_on(&r);
		position += (e & 63 << 5) >> 5;
		found->tokens += (e & 3 << 11) >> 11;
		table = e >> 13;
		xc_gpu_add_if(position > XC_GPU_LAST_MANY, &table, XC_AC_CONTEXTS);
		if (position > 62)
			xc_gpu_sync_end(found, &position, 0, &table, 0);
	} while (r.at < end);
	cursor->at = r.at;
	cursor->position = -1;
	if (table)
		cursor->position = (int32_t)(position + xc_gpu_synced_code(table) * XC_GPU_POSITIONS);
}

XC_GPU_INLINE void xc_gpu_sync_pass(const xc_gpu_bits *b, xc_gpu_tables tables,
                                    xc_gpu_cursor *cursor, uint32_t end, int contexts, int depth16,
                                    int copied, xc_gpu_found *found)
{
	if (contexts)
		xc_gpu_sync_contexts(b, tables, cursor, end, depth16, copied, found);
	else
		xc_gpu_sync_plain(b, tables, cursor, end, depth16, copied, found);
}

/* The value of `size` bits after a code of `code_bits` bits; 0 if size is 0. Only the lowest five
 * bits of both numbers are used. */
XC_GPU_INLINE int32_t xc_gpu_value(uint32_t window, uint32_t code_bits, uint32_t size)
{
	/* If the first bit is 0 the value is negative and `above` is all ones. */
	const uint32_t v = xc_gpu_shift_in(window, 0, code_bits), above = ~(uint32_t)((int32_t)v >> 31);
	return (int32_t)(xc_gpu_shift_in(above, v, size) - above);
}

/* xc_reconstruct() of a nonzero value without branches; one, more: the points. */
XC_GPU_INLINE int32_t xc_gpu_reconstruct(int32_t value, int32_t one, int32_t more)
{
	const int32_t sign = value >> 31, point = (uint32_t)value + 1 > 2 ? more : one;
	return value * XC_STEP_PARTS - ((point ^ sign) - sign);
}

/* A stream: the symbols of `blocks` blocks of class 0 (luma) or 1 from bit `begin` on, and where
 * the decoded records and tokens go. */
typedef struct xc_gpu_symbols {
	uint32_t class_, begin, blocks;
	xc_value_points points;
	xc_gpu_block_record *records; /* with DC differences */
	uint32_t *tokens;             /* of the segment */
	xc_gpu_cached_block *cached;  /* the same in shared memory */
} xc_gpu_symbols;

/* The constant `copied`: 0: bits and records are in global memory; XC_GPU_COPIED: the bits are in
 * shared memory; XC_GPU_CACHED: both are. */
enum { XC_GPU_COPIED = 1, XC_GPU_CACHED = 2 };

/* Decodes from the cursor, in block `block`, to bit `to`, where a symbol ends, or to the end of the
 * stream. Tokens go to tokens[*at] and after; *at becomes the offset of the next one. An invalid
 * size sets *bad. Returns the block of the cursor's new position. State: r, the reader; part, the
 * offset of the next table; position, as tokens have it; w, the token writer; block. Each turn
 * decodes one symbol and at most an end of block, so it stores at most one token; the sync pass has
 * counted them. */
XC_GPU_INLINE uint32_t xc_gpu_take(const xc_gpu_bits *b, xc_gpu_tables tables,
                                   const xc_gpu_symbols *s, xc_gpu_cursor *cursor, uint32_t to,
                                   uint32_t block, uint32_t *at, int contexts, int depth16,
                                   int copied, uint32_t *bad)
{
	const uint32_t none = (uint32_t)XC_GPU_NO_TOKEN, last = none + 63 * 4;
	const uint32_t index = contexts ? (uint32_t)XC_GPU_CONTEXT_BITS : (uint32_t)XC_GPU_LOOKUP_BITS;
	const uint32_t *lookup = contexts ? tables.contexts->take[0] : tables.plain->take[0];
	const uint32_t plain_end = contexts ? 0 : tables.plain->end_bits;
	/* In the form of tokens. */
	uint32_t position = none - 4;

	if (cursor->position >= 0)
		position = none + (uint32_t)cursor->position % XC_GPU_POSITIONS * 4;
	if (cursor->at >= to || block >= s->blocks)
		return block;
	xc_gpu_reader r = xc_gpu_read_from(b, cursor->at, copied);
	uint32_t *tokens = s->tokens;
	xc_gpu_block_record *records = s->records;
	/* Else nvcc would compute these addresses anew for each store. */
	XC_OPAQUE(tokens, "l");
	XC_OPAQUE(records, "l");
	XC_GPU_GLOBAL(tokens);
	XC_GPU_GLOBAL(records);
	int32_t one = s->points.one, more = s->points.more;
	XC_OPAQUE(one, "r"); /* or they would be extended from bytes in each iteration */
	XC_OPAQUE(more, "r");
	xc_gpu_cached_block *first_cached = (xc_gpu_cached_block *)xc_gpu_opaque_shared_ptr(s->cached);
	xc_gpu_token_writer w = xc_gpu_tokens_to(tokens, *at);
	uint32_t part = position < none ? 0
	                : contexts      ? (uint32_t)cursor->position / XC_GPU_POSITIONS
	                                : 1;
	part <<= index;
	do {
		uint32_t window = xc_gpu_window(&r, b, copied);
		const int dc = part == 0;
		uint32_t e = lookup[part + (window >> (32 - index))];
		if (__builtin_expect(!e, 0))
			e = xc_gpu_rare(&r, b, tables, part >> index, &window, contexts, depth16, copied, bad);
		const int32_t value = xc_gpu_value(window, e, xc_gpu_take_size(e));
		/* Positions past 63 become 64. */
		position = xc_gpu_min(position + xc_gpu_take_step4(e), none + 64 * 4);
		const uint32_t end = contexts ? e >> 5 & 7 : e & XC_GPU_NEXT_ENDS;
		r.at += xc_gpu_take_bits(e);
		/* If the share ends here, the next lane takes the end of block. */
		const int follows = end && r.at < to;
		const int ended = follows || position >= last;
		/* At the last position a block ends without a symbol. */
		xc_gpu_add_if(follows && position < last, &r.at, contexts ? end : plain_end);
		xc_gpu_go_on(&r);
		int32_t parts = value * XC_STEP_PARTS;
		if (contexts) {
			parts = xc_gpu_reconstruct(value, one, more);
			XC_OPAQUE(parts, "r"); /* or there would be a branch around it */
		}
		xc_gpu_put_token(&w, !dc && value, position, parts, depth16);
		if (copied == XC_GPU_CACHED) {
			xc_gpu_cached_block *cached = (xc_gpu_cached_block *)xc_gpu_opaque_shared_ptr(
				first_cached + block);
			if (dc)
				cached->dc = (int16_t)value;
			if (ended)
				cached->end = (uint16_t)w.at;
		} else {
			xc_gpu_block_record *record = &records[block];
			if (dc)
				record->dc = value;
			if (ended)
				record->end = w.at;
		}
		xc_gpu_add_if(ended, &block, 1);
		position = ended ? none - 4 : position;
		uint32_t ac = (contexts ? e >> 13 & 7 : 1) << index;
		XC_OPAQUE(ac, "r"); /* or nvcc would select and shift separately */
		part = ended ? 0 : ac;
	} while (r.at < to && block < s->blocks);
	xc_gpu_end_tokens(&w, depth16);
	*at = w.at;
	cursor->at = r.at;
	return block;
}

#endif
