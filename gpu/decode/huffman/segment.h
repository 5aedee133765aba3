/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment decoded by a warp group (gpu/decode/warp_group.h). Luma is a stream of symbols, Cb and
 * Cr together another. Each lane gets an equal share of the bits. It does not know where in a
 * symbol and a block its share begins, so it guesses: Huffman codes synchronize by themselves after
 * a few symbols, so nearly every lane reaches the end of its share in the right state. A lane whose
 * guess differs from the end of the lane before it restarts from that end. The first lane's start
 * is known, so all starts are right once none changes; this takes at most one pass a lane. Then the
 * lanes decode.
 */
#ifndef XC_GPU_DECODE_HUFFMAN_SEGMENT_H
#define XC_GPU_DECODE_HUFFMAN_SEGMENT_H

#include "gpu/decode/dc.h"
#include "gpu/decode/warp_group.h"
#include "entropy/value.h"
#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/huffman/tables.h"
#include "gpu/runtime/device.h"

/*
 * One lane's share of a segment, for gpu/decode/segment.h. xc_gpu_take() decodes symbols and their
 * values by the rules of entropy/stream.c. xc_gpu_sync_pass() only counts blocks and tokens,
 * several symbols a look-up. A look-up never passes the end of a block: several symbols are looked
 * up together only at positions up to XC_GPU_LAST_MANY.
 */

/* A state between two symbols. `position` in the scan is -1 before a DC. */
typedef struct xc_gpu_cursor {
	uint32_t at;
	int32_t position;
} xc_gpu_cursor;

enum { XC_GPU_LAST_MANY = 62 - XC_GPU_GUARD };

/* Decodes a symbol that is in no look-up table, by code number `which`. An escape's size field
 * counts as part of the code. An invalid size sets *bad. */
XC_GPU_INLINE xc_gpu_symbol xc_gpu_decode_long(const xc_gpu_bits *b, uint32_t at,
                                               const xc_gpu_class_tables *t, uint32_t which,
                                               int depth16, int copied, uint32_t *bad)
{
	const xc_canonical_code *code = &t->codes[which];
	const int dc = which == 0;
	const uint32_t bits = xc_gpu_bits_at(b, at, 16, copied);
	uint32_t l = 1;

	while (l < XC_MAX_CODE_LENGTH && bits >= code->limit[l])
		l++;
	const uint32_t symbol = code->symbol[(uint8_t)(code->offset[l] + (bits >> (16 - l)))];
	xc_gpu_symbol s = {l, dc ? symbol : symbol & 15, 1};
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
XC_GPU_INLINE uint32_t xc_gpu_rare(xc_gpu_reader *r, const xc_gpu_bits *b,
                                   const xc_gpu_class_tables *t, uint32_t which, uint32_t *window,
                                   int depth16, int copied, uint32_t *bad)
{
	const uint32_t i = (*window >> 16) - (65536 - XC_GPU_TAIL);
	uint32_t e = 0;

	if (which && i < XC_GPU_TAIL)
		e = t->tail[i];
	if (e)
		return e;
	xc_gpu_symbol s = xc_gpu_decode_long(b, r->at, t, which, depth16, copied, bad);
	*r = xc_gpu_read_from(b, r->at + s.length, copied);
	*window = xc_gpu_shift_in(r->word[0], r->word[1], r->at);
	s.length = 0;
	return xc_gpu_take_entry(&s, 0);
}

/* The same for an entry of `sync`. */
XC_GPU_INLINE uint32_t xc_gpu_rare_sync(xc_gpu_reader *r, const xc_gpu_bits *b,
                                        const xc_gpu_class_tables *t, uint32_t which,
                                        uint32_t window, int depth16, int copied)
{
	uint32_t bad = 0;
	const uint32_t e = xc_gpu_rare(r, b, t, which, &window, depth16, copied, &bad);
	const uint32_t step = xc_gpu_take_step4(e) / 4;
	const uint32_t tokens = which && (xc_gpu_take_size(e) & 31);

	return xc_gpu_sync_entry(xc_gpu_take_bits(e), step, tokens);
}

/* The number of blocks that end in a share, and of nonzero AC values in it. */
typedef struct xc_gpu_found {
	uint32_t blocks, tokens;
} xc_gpu_found;

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
XC_GPU_INLINE void xc_gpu_sync_pass(const xc_gpu_bits *b, const xc_gpu_class_tables *tables,
                                    xc_gpu_cursor *cursor, uint32_t end, int depth16, int copied,
                                    xc_gpu_found *found)
{
	enum { LOOKUPS = XC_GPU_LOOKUPS };
	const uint16_t *lookup = tables->sync[0];
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
			e = xc_gpu_rare_sync(&r, b, tables, part != XC_GPU_SYNC_DC * LOOKUPS, window, depth16,
			                     copied);
		r.at += e & 31;
		xc_gpu_go_on(&r);
		sum += e >> 5;
		part = xc_gpu_sync_part(sum & 127);
		if (sum & 64) { /* the block ends */
			found->blocks++;
			sum &= ~UINT32_C(127);
			part = XC_GPU_SYNC_DC * LOOKUPS;
		}
	} while (r.at < end);
	found->tokens += sum >> 7;
	cursor->at = r.at;
	cursor->position = (int32_t)(sum & 127) - 1;
}

/* The value of `size` bits after a code of `code_bits` bits; 0 if size is 0. Only the lowest five
 * bits of both numbers are used. */
XC_GPU_INLINE int32_t xc_gpu_value(uint32_t window, uint32_t code_bits, uint32_t size)
{
	/* If the first bit is 0 the value is negative and `above` is all ones. */
	const uint32_t v = xc_gpu_shift_in(window, 0, code_bits), above = ~(uint32_t)((int32_t)v >> 31);
	return (int32_t)(xc_gpu_shift_in(above, v, size) - above);
}

/* A stream: the symbols of `blocks` blocks of class 0 (luma) or 1 from bit `begin` on, and where
 * the decoded records and tokens go. */
typedef struct xc_gpu_symbols {
	uint32_t class_, begin, blocks;
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
XC_GPU_INLINE uint32_t xc_gpu_take(const xc_gpu_bits *b, const xc_gpu_class_tables *tables,
                                   const xc_gpu_symbols *s, xc_gpu_cursor *cursor, uint32_t to,
                                   uint32_t block, uint32_t *at, int depth16, int copied,
                                   uint32_t *bad)
{
	const uint32_t none = (uint32_t)XC_GPU_NO_TOKEN, last = none + 63 * 4;
	enum { INDEX = XC_GPU_LOOKUP_BITS };
	const uint32_t *lookup = tables->take[0], end_bits = tables->end_bits;
	/* In the form of tokens. */
	uint32_t position = none - 4;

	if (cursor->position >= 0)
		position = none + (uint32_t)cursor->position * 4;
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
	xc_gpu_cached_block *first_cached = (xc_gpu_cached_block *)xc_gpu_opaque_shared_ptr(s->cached);
	xc_gpu_token_writer w = xc_gpu_tokens_to(tokens, *at);
	uint32_t part = position < none ? 0 : 1u << INDEX;
	do {
		uint32_t window = xc_gpu_window(&r, b, copied);
		const int dc = part == 0;
		uint32_t e = lookup[part + (window >> (32 - INDEX))];
		if (__builtin_expect(!e, 0))
			e = xc_gpu_rare(&r, b, tables, part >> INDEX, &window, depth16, copied, bad);
		const int32_t value = xc_gpu_value(window, e, xc_gpu_take_size(e));
		/* Positions past 63 become 64. */
		position = xc_gpu_min(position + xc_gpu_take_step4(e), none + 64 * 4);
		const uint32_t end = e & XC_GPU_NEXT_ENDS;
		r.at += xc_gpu_take_bits(e);
		/* If the share ends here, the next lane takes the end of block. */
		const int follows = end && r.at < to;
		const int ended = follows || position >= last;
		/* At the last position a block ends without a symbol. */
		r.at += follows && position < last ? end_bits : 0;
		xc_gpu_go_on(&r);
		xc_gpu_put_token(&w, !dc && value, position, value * XC_STEP_PARTS, depth16);
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
		block += (uint32_t)ended;
		position = ended ? none - 4 : position;
		uint32_t ac = 1u << INDEX;
		XC_OPAQUE(ac, "r"); /* or nvcc would select and shift separately */
		part = ended ? 0 : ac;
	} while (r.at < to && block < s->blocks);
	xc_gpu_end_tokens(&w, depth16);
	*at = w.at;
	cursor->at = r.at;
	return block;
}

/* The minimum bits of a share: shorter ones would hardly synchronize. */
enum { XC_GPU_MIN_SHARE = 64 };

/* After 1 / XC_GPU_SYNCHRONIZED of a share most lanes are right, whatever they guessed. A restarted
 * lane compares its state there, and often need not repeat the rest. */
enum { XC_GPU_SYNCHRONIZED = 2 };

/* Decodes a stream. The tokens go to tokens[*at] and after, and *at becomes the offset of the next
 * ones. Returns the bit after the stream, or UINT32_MAX if it does not end. begin, middle, end: the
 * cursors of each lane; found: the blocks and tokens of its share; first: the index of its first
 * block; to: the offset of its first token. */
XC_WARP_INLINE uint32_t xc_gpu_decode_stream(xc_warp_group *wg, const xc_gpu_bits *b,
                                             const xc_gpu_class_tables *tables,
                                             const xc_gpu_symbols *s, uint32_t *at, int depth16,
                                             int copied, uint32_t *bad)
{
	const xc_gpu_class_tables *t = tables + s->class_;
	xc_gpu_cursor begin[XC_WARP_GROUP_SLOTS], middle[XC_WARP_GROUP_SLOTS], end[XC_WARP_GROUP_SLOTS];
	xc_gpu_found found[XC_WARP_GROUP_SLOTS],
		after[XC_WARP_GROUP_SLOTS]; /* of the share; after its middle */
	uint32_t limit[XC_WARP_GROUP_SLOTS], first[XC_WARP_GROUP_SLOTS], to[XC_WARP_GROUP_SLOTS],
		flag[XC_WARP_GROUP_SLOTS];
	uint32_t in_at[XC_WARP_GROUP_SLOTS], in_position[XC_WARP_GROUP_SLOTS],
		damage[XC_WARP_GROUP_SLOTS];

	if (s->begin >= b->end)
		return UINT32_MAX;
	const uint32_t lanes = XC_WARP_LANES * wg->warps;
	uint32_t share = (b->end - s->begin + lanes - 1) / lanes;
	share = share < XC_GPU_MIN_SHARE ? XC_GPU_MIN_SHARE : share;
	XC_FOR_WARP_GROUP(lane, wg) {
		const uint32_t i = XC_WARP_GROUP_SLOT(lane);
		const uint32_t from = s->begin + lane * share;
		begin[i].at = from < b->end ? from : b->end;
		begin[i].position = lane ? 0 : -1;
		limit[i] = from + share < b->end ? from + share : b->end;
		middle[i].at = UINT32_MAX;
		middle[i].position = 0;
		flag[i] = 1;
	}
	do {
		XC_FOR_WARP_GROUP(lane, wg) {
			const uint32_t i = XC_WARP_GROUP_SLOT(lane);
			if (flag[i]) {
				const xc_gpu_found none = {0, 0};
				const uint32_t some = s->begin + lane * share + share / XC_GPU_SYNCHRONIZED;
				xc_gpu_cursor p = begin[i];
				found[i] = none;
				xc_gpu_sync_pass(b, t, &p, xc_gpu_min(some, limit[i]), depth16, copied, &found[i]);
				/* If the state at the middle is as before, so is the rest. */
				if (p.at != middle[i].at || p.position != middle[i].position) {
					middle[i] = end[i] = p;
					after[i] = none;
					xc_gpu_sync_pass(b, t, &end[i], limit[i], depth16, copied, &after[i]);
				}
				found[i].blocks += after[i].blocks;
				found[i].tokens += after[i].tokens;
			}
			first[i] = found[i].blocks;
			in_at[i] = end[i].at;
			in_position[i] = (uint32_t)end[i].position;
		}
		xc_warp_group_scan(wg, first);
		xc_warp_group_up(wg, in_at);
		xc_warp_group_up(wg, in_position);
		XC_FOR_WARP_GROUP(lane, wg) {
			const uint32_t i = XC_WARP_GROUP_SLOT(lane);
			first[i] -= found[i].blocks;
			/* Lanes after the stream's end need no right start. */
			flag[i] = lane && first[i] < s->blocks &&
			          (in_at[i] != begin[i].at || (int32_t)in_position[i] != begin[i].position);
			if (flag[i]) {
				begin[i].at = in_at[i];
				begin[i].position = (int32_t)in_position[i];
			}
		}
	} while (xc_warp_group_any(wg, flag));
	XC_FOR_WARP_GROUP(lane, wg)
		to[XC_WARP_GROUP_SLOT(lane)] = xc_gpu_vec16_words(found[XC_WARP_GROUP_SLOT(lane)].tokens,
		                                                  depth16);
	xc_warp_group_scan(wg, to);
	XC_FOR_WARP_GROUP(lane, wg) {
		const uint32_t i = XC_WARP_GROUP_SLOT(lane);
		to[i] += *at - xc_gpu_vec16_words(found[i].tokens, depth16);
		damage[i] = 0;
		flag[i] = first[i] < s->blocks &&
		          xc_gpu_take(b, t, s, &begin[i], end[i].at, first[i], &to[i], depth16, copied,
		                      &damage[i]) == s->blocks;
		in_at[i] = begin[i].at;
	}
	*bad |= (uint32_t)xc_warp_group_any(wg, damage);
	*at = xc_warp_group_first(wg, flag, to);
	return xc_warp_group_first(wg, flag, in_at);
}

/* Returns 1 if fewer than 8 bits follow, all zero. */
XC_GPU_INLINE int xc_gpu_at_end(const xc_gpu_bits *b, uint32_t at, int copied)
{
	if (at > b->end || b->end - at > 7)
		return 0;
	return at == b->end || !xc_gpu_bits_at(b, at, b->end - at, copied);
}

/* ------------------------------------------------------------- the segment */

/* A copy consists of the vec16s that the segment lies in and XC_GPU_ZERO_VECS of zeros: a symbol of
 * 48 bits may begin at the last bit, and a reader looks at three words. A lane has XC_GPU_COPIES
 * loads in flight. */
enum { XC_GPU_ZERO_VECS = 2, XC_GPU_COPIES = 4 };

/* The maximum number of words of the copy of a segment of `size` bytes. */
XC_GPU_CONSTANT uint32_t xc_gpu_copy_words(uint32_t size)
{
	const uint32_t bytes = XC_GPU_VEC16_WORDS * 4, max = (size + bytes - 2) / bytes + 1;
	return (max + XC_GPU_ZERO_VECS) * XC_GPU_VEC16_WORDS;
}

/* Loads vec16 number `vec` of the `vecs` that a segment lies in; zeros after the last. */
XC_GPU_INLINE void xc_gpu_load_copied(const xc_gpu_bits *b, uint32_t vec, uint32_t vecs,
                                      uint32_t w[XC_GPU_VEC16_WORDS])
{
	XC_UNROLL
	for (uint32_t j = 0; j < XC_GPU_VEC16_WORDS; j++)
		w[j] = 0;
	if (vec + 1 < vecs) {
		xc_gpu_load_vec16(b->words + vec * XC_GPU_VEC16_WORDS, w);
	} else if (vec + 1 == vecs) {
		XC_UNROLL
		for (uint32_t j = 0; j < XC_GPU_VEC16_WORDS; j++)
			if (vec * XC_GPU_VEC16_WORDS + j <= b->last)
				w[j] = b->words[vec * XC_GPU_VEC16_WORDS + j];
	}
}

/* Copies a segment to words[at ...] of shared memory; at: a multiple of XC_GPU_VEC16_WORDS. */
XC_WARP_INLINE xc_gpu_bits xc_gpu_copy_bits(const xc_warp_group *wg, const xc_gpu_bits *b,
                                            uint32_t *words, uint32_t at)
{
	enum { N = XC_GPU_VEC16_WORDS };
	/* The segment with positions counted from the start of a vec16. */
	const uint32_t before = (uint32_t)((uintptr_t)b->words / 4 % N);
	const xc_gpu_bits from = {b->words - before, b->begin + before * 32, b->end + before * 32,
	                          b->last + before};
	const uint32_t vecs = from.last / N + 1, lanes = XC_WARP_LANES * wg->warps;
	const uint32_t all = vecs + XC_GPU_ZERO_VECS;
	const xc_gpu_bits copy = {words, at * 32 + from.begin, at * 32 + from.end, at + all * N};

	XC_FOR_WARP_GROUP(lane, wg) {
		for (uint32_t i = lane; i < all; i += XC_GPU_COPIES * lanes) {
			uint32_t w[XC_GPU_COPIES][N];
			XC_UNROLL
			for (uint32_t k = 0; k < XC_GPU_COPIES; k++)
				xc_gpu_load_copied(&from, i + k * lanes, vecs, w[k]);
			XC_UNROLL
			for (uint32_t k = 0; k < XC_GPU_COPIES; k++) {
				XC_UNROLL
				for (uint32_t j = 0; j < N; j++)
					w[k][j] = xc_gpu_swap(w[k][j]);
				if (i + k * lanes < all)
					xc_gpu_store_vec16(words + at + (i + k * lanes) * N, w[k]);
			}
		}
	}
	xc_warp_group_sync(wg);
	/* Clears what lies outside the segment in the first and last vec16. */
	XC_FOR_WARP_GROUP(lane, wg) {
		const uint32_t i = lane < N ? lane : (vecs - 2) * N + lane;
		if (lane < (vecs > 1 ? 2 * N : N))
			words[at + i] = xc_gpu_own_bits(&from, i, words[at + i]);
	}
	xc_warp_group_sync(wg);
	return copy;
}

/* The shared memory of a warp group from words[first] on: at least `count` words for the copy of a
 * segment, then a cached record for each of `blocks` blocks. Later the DCs of the tile replace the
 * copy, so it has at least XC_GPU_SMALL_TILE words. */
typedef struct xc_gpu_warp_group_memory {
	uint32_t *words;
	uint32_t first, count, blocks;
} xc_gpu_warp_group_memory;

/* The largest tile whose block ends fit in 16 bits, so that its records stay in shared memory. */
enum { XC_GPU_CACHED_MAX = 1008 };

XC_GPU_INLINE uint32_t xc_gpu_warp_group_words(uint32_t count, uint32_t blocks)
{
	return xc_gpu_max(count, XC_GPU_SMALL_TILE) + blocks;
}

XC_GPU_INLINE xc_gpu_cached_block *xc_gpu_cached_blocks(const xc_gpu_warp_group_memory *m)
{
	uint32_t *from = m->words + m->first + xc_gpu_max(m->count, XC_GPU_SMALL_TILE);
	return (xc_gpu_cached_block *)(void *)from;
}

/* Whether the records of a tile of `blocks` blocks stay in shared memory. */
XC_GPU_INLINE int xc_gpu_is_cached(const xc_gpu_warp_group_memory *m, uint32_t blocks)
{
	return blocks <= m->blocks && blocks <= xc_gpu_max(m->count, XC_GPU_SMALL_TILE);
}

/* Decodes the segment of a tile to records and tokens of its blocks.  Returns 1 if the segment is
 * intact; otherwise the records are undefined. */
XC_WARP_INLINE int xc_gpu_decode_tile(xc_warp_group *wg, const xc_gpu_decode_job *p,
                                      const xc_gpu_class_tables *tables, const xc_gpu_bits *b,
                                      const xc_gpu_segment *segment, uint32_t tile,
                                      const xc_gpu_warp_group_memory *m, int depth16, int copied)
{
	const xc_tile_mcus mcus = xc_gpu_job_tile(p, tile % p->tiles_wide, tile / p->tiles_wide);
	const xc_tile t = xc_tile_of(&mcus, p->components, p->h, p->v);
	const uint32_t first_block = mcus.before * p->mcu_blocks;
	xc_gpu_block_record *records = p->records + first_block;
	uint32_t bad = 0, at = b->begin, to = 0;

	XC_GPU_GLOBAL(records);
	XC_ROLLED
	for (uint32_t i = 0; i < (p->components > 1 ? 2u : 1u); i++) {
		const uint32_t first = i ? t.first_block[1] : 0;
		const xc_gpu_symbols s = {i,
		                          at,
		                          i ? t.blocks - first : t.first_block[1],
		                          records + first,
		                          p->tokens + segment->tokens,
		                          xc_gpu_cached_blocks(m) + first};
		at = xc_gpu_decode_stream(wg, b, tables, &s, &to, depth16, copied, &bad);
	}
	if (bad || !xc_gpu_at_end(b, at, copied))
		return 0;
	xc_warp_group_sync(wg);
	if (copied == XC_GPU_CACHED) {
		xc_gpu_restore_cached(wg, &t, records, xc_gpu_cached_blocks(m),
		                      (int32_t *)m->words + m->first);
		return 1;
	}
	/* Two calls, so that each accesses one kind of memory. */
	if (t.blocks <= XC_GPU_SMALL_TILE || t.blocks <= m->count) {
		xc_gpu_restore_records(wg, &t, records, (int32_t *)m->words + m->first, depth16, 1);
	} else {
		int32_t *dc = p->dc + first_block;
		XC_GPU_GLOBAL(dc);
		xc_gpu_restore_records(wg, &t, records, dc, depth16, 0);
	}
	return 1;
}

XC_WARP_INLINE xc_gpu_segment_result xc_gpu_decode_segment(
	xc_warp_group *wg, const xc_gpu_decode_job *p, const xc_gpu_class_tables *tables,
	const xc_crc_read_tables *crc, const xc_gpu_segment *s, uint32_t tile,
	const xc_gpu_warp_group_memory *m, int depth16)
{
	xc_gpu_segment_result r = {0, 0};

	if (!s->available || !s->size)
		return r;
	const uint8_t *data = p->data + s->start;
	XC_GPU_GLOBAL(data);
	const xc_gpu_bits b = xc_gpu_bits_of(data, s->size);
	if (xc_gpu_copy_words(s->size) <= m->count) {
		const xc_gpu_bits copy = xc_gpu_copy_bits(wg, &b, m->words, m->first);
		r.crc = xc_crc_read(wg, &copy, crc, 1);
		if ((r.crc & 0xffff) != s->check)
			r.intact = 0;
		else if (!depth16 &&
		         xc_gpu_is_cached(m, p->tile_mcus_wide * p->tile_mcus_high * p->mcu_blocks))
			r.intact = (uint32_t)xc_gpu_decode_tile(wg, p, tables, &copy, s, tile, m, depth16,
			                                        XC_GPU_CACHED);
		else
			r.intact = (uint32_t)xc_gpu_decode_tile(wg, p, tables, &copy, s, tile, m, depth16,
			                                        XC_GPU_COPIED);
	} else {
		r.crc = xc_crc_read(wg, &b, crc, 0);
		if ((r.crc & 0xffff) == s->check)
			r.intact = (uint32_t)xc_gpu_decode_tile(wg, p, tables, &b, s, tile, m, depth16, 0);
	}
	xc_warp_group_sync(wg);
	return r;
}

#endif
