/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread's part of a segment: symbols from some bit on, without (xc_gpu_skim) and
 * with their values (xc_gpu_take).  The rules are those of entropy/stream_template.h.
 *
 * Skimming goes through several symbols a look-up, but never past the end of a block
 * (which positions up to XC_GPU_LAST_MANY make sure).
 */
#ifndef XC_GPU_DECODE_LANE_H
#define XC_GPU_DECODE_LANE_H

#include "entropy/value.h"
#include "gpu/decode_bits.h"
#include "gpu/decode_tables.h"
#include "gpu/decode_token.h"

/* Between two symbols; `position` in the scan is -1 where a DC is next. */
typedef struct xc_gpu_place {
	uint32_t at;
	int32_t position;
} xc_gpu_place;

enum { XC_GPU_LAST_MANY = 62 - XC_GPU_GUARD };

typedef struct xc_gpu_long_symbol {
	uint32_t bits, step;
	int32_t value;
	int bad; /* a size that cannot be */
} xc_gpu_long_symbol;

/* What no table knows. */
XC_GPU_INLINE xc_gpu_long_symbol xc_gpu_decode_long(const xc_gpu_bits *b, uint32_t at,
                                                    const xc_gpu_class_tables *t, int dc, int deep,
                                                    int copied)
{
	const xc_canonical_code *code = &t->codes[!dc];
	const uint32_t bits = xc_gpu_bits_at(b, at, 16, copied);
	uint32_t l = 1;
	while (l < XC_MAX_CODE_LENGTH && bits >= code->limit[l])
		l++;
	const uint32_t symbol = code->symbol[(uint8_t)(code->offset[l] + (bits >> (16 - l)))];
	uint32_t size = dc ? symbol : symbol & 15;
	xc_gpu_long_symbol s = {l, 1, 0, 0};
	if (!dc)
		s.step = symbol == 0      ? (uint32_t)XC_GPU_END_STEP
		         : symbol == 0xf0 ? 16
		                          : (symbol >> 4) + 1;
	if (!dc && size == 15) {
		size += xc_gpu_bits_at(b, at + s.bits, 4, copied);
		s.bits += 4;
	}
	if (size > (deep ? 28u : 15u)) {
		s.bad = 1;
		s.step = dc ? 1 : XC_GPU_END_STEP;
	} else if (size) {
		s.value = xc_value_from_bits(xc_gpu_bits_at(b, at + s.bits, size, copied), size);
		s.bits += size;
	}
	return s;
}

/* For bits that the first table does not know: an entry for them, or one that only says how
 * a symbol moves the position which has been left behind already.  In the latter case
 * *value is that symbol's. */
XC_GPU_INLINE uint32_t xc_gpu_rare(xc_gpu_reader *r, const xc_gpu_bits *b,
                                   const xc_gpu_class_tables *t, xc_gpu_place *p,
                                   uint32_t window, int deep, int copied, int32_t *value,
                                   uint32_t *bad)
{
	const uint32_t i = (window >> 16) - (65536 - XC_GPU_TAIL);
	const uint32_t e = p->position >= 0 && i < XC_GPU_TAIL ? t->tail[i] : 0;
	if (e)
		return e;
	const xc_gpu_long_symbol s =
	        xc_gpu_decode_long(b, p->at, t, p->position < 0, deep, copied);
	p->at += s.bits;
	xc_gpu_seek(r, b, p->at, copied);
	*value = s.value;
	*bad |= (uint32_t)s.bad;
	return s.step << 5 | s.step << 21;
}

/* Where the look-ups of a class begin, counted from those of luma, for a DC; those for
 * AC follow. */
enum { XC_GPU_CLASS_WORDS = sizeof(xc_gpu_class_tables) / sizeof(uint32_t) };

/* What came to its end in some bits: blocks, and AC values that are not 0. */
typedef struct xc_gpu_found {
	uint32_t blocks, tokens;
} xc_gpu_found;

/* Goes on from *place to the end of the first look-up that reaches `end`. */
XC_GPU_INLINE xc_gpu_found xc_gpu_skim(const xc_gpu_bits *b, const xc_gpu_class_tables *tables,
                                       uint32_t class_, xc_gpu_place *place, uint32_t end,
                                       int deep, int copied)
{
	const uint32_t dc = class_ * XC_GPU_CLASS_WORDS;
	const uint32_t *lookup = (const uint32_t *)(const void *)tables; /* first in each */
	xc_gpu_found found = {0, 0};
	xc_gpu_place p = *place;
	xc_gpu_reader r;
	uint32_t table = dc + (p.position < 0 ? 0 : XC_GPU_LOOKUPS);
	if (p.at >= end)
		return found;
	xc_gpu_seek(&r, b, p.at, copied);
	do {
		const uint32_t window = xc_gpu_shift_in(r.word[0], r.word[1], p.at);
		uint32_t e = lookup[(window >> (32 - XC_GPU_LOOKUP_BITS)) + table];
		if (__builtin_expect(!e, 0)) {
			const int ac = p.position >= 0;
			int32_t value = 0;
			uint32_t bad = 0;
			e = xc_gpu_rare(&r, b, &tables[class_], &p, window, deep, copied, &value, &bad);
			found.tokens += ac && value;
		}
		const int one = p.position > XC_GPU_LAST_MANY;
		const uint32_t size = e >> 12 & 15;
		found.tokens += one ? xc_gpu_smaller(size, 1) : e >> 28;
		e = one ? e & ~(uint32_t)XC_GPU_END_FOLLOWS : e >> 16;
		p.at += e & 31;
		xc_gpu_move(&r, b, p.at, e & 31, copied);
		p.position += e >> 5 & 127;
		const int ended = p.position > 62;
		found.blocks += (uint32_t)ended;
		p.position = ended ? -1 : p.position;
		table = ended ? dc : dc + XC_GPU_LOOKUPS;
	} while (p.at < end);
	*place = p;
	return found;
}

/* The value of `size` bits behind a code; 0 of none. */
XC_GPU_INLINE int32_t xc_gpu_value(uint32_t window, uint32_t code_bits, uint32_t size)
{
	/* The words above are all ones if the first bit is 0, which makes it that much less. */
	const uint32_t v = xc_gpu_shift_in(window, 0, code_bits), above = ~(uint32_t)((int32_t)v >> 31);
	return (int32_t)(xc_gpu_shift_in(above, v, size) - above);
}

/* A stream of symbols: `blocks` blocks of class 0 (luma) or 1, whose symbols begin at bit
 * `begin`.  Its blocks leave the number of their DC difference in `dc`, and in `ends` where
 * the tokens of their AC end. */
typedef struct xc_gpu_symbols {
	uint32_t class_, begin, blocks;
	int32_t *dc;
	uint32_t *ends;
	uint32_t *tokens;
} xc_gpu_symbols;

/* Goes on from *place, which lies in block `block`, to `end`, where a symbol ends, or the
 * end of the stream.  The tokens of AC values that are not 0 go from tokens[*at] on, and
 * *at becomes where the next ones may.  Returns the block it is in then.  *bad is set where a size cannot be. */
XC_GPU_INLINE uint32_t xc_gpu_take(const xc_gpu_bits *b, const xc_gpu_class_tables *tables,
                                   const xc_gpu_symbols *s, xc_gpu_place *place, uint32_t end,
                                   uint32_t block, uint32_t *at, int deep, int copied,
                                   uint32_t *bad)
{
	const uint32_t dc = s->class_ * XC_GPU_CLASS_WORDS;
	const uint32_t *lookup = (const uint32_t *)(const void *)tables; /* first in each */
	const uint32_t end_bits = tables[s->class_].end_bits;
	xc_gpu_place p = *place;
	xc_gpu_reader r;
	xc_gpu_token_writer w = xc_gpu_tokens_to(s->tokens, *at);
	uint32_t table = dc + (p.position < 0 ? 0 : XC_GPU_LOOKUPS);
	if (p.at >= end || block >= s->blocks)
		return block;
	xc_gpu_seek(&r, b, p.at, copied);
	do {
		const uint32_t window = xc_gpu_shift_in(r.word[0], r.word[1], p.at);
		uint32_t e = lookup[(window >> (32 - XC_GPU_LOOKUP_BITS)) + table];
		int32_t value = 0;
		const int is_dc = p.position < 0;
		if (__builtin_expect(!e, 0))
			e = xc_gpu_rare(&r, b, &tables[s->class_], &p, window, deep, copied, &value, bad);
		const uint32_t size = e >> 12 & 15;
		value |= xc_gpu_value(window, (e & 31) - size, size);
		p.position += e >> 5 & 63;
		/* The last position ends a block without such a symbol. */
		const int end_follows = (e & XC_GPU_END_FOLLOWS) && p.position < 63;
		const uint32_t bits = (e & 31) + (end_follows ? end_bits : 0);
		p.at += bits;
		xc_gpu_move(&r, b, p.at, bits, copied);
		if (is_dc)
			s->dc[block] = value;
		else if (value)
			xc_gpu_put_token(&w, (uint32_t)p.position, value, deep);
		const int ended = end_follows || p.position > 62;
		if (ended)
			s->ends[block] = w.at;
		block += (uint32_t)ended;
		p.position = ended ? -1 : p.position;
		table = ended ? dc : dc + XC_GPU_LOOKUPS;
	} while (p.at < end && block < s->blocks);
	xc_gpu_end_tokens(&w, deep);
	*at = w.at;
	*place = p;
	return block;
}

#endif
