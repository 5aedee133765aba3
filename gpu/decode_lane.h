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

/* For bits that the first table does not know: an entry for them, or one that says how a
 * symbol moves the position which has been left behind already.  In the latter case
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

/* Goes on from *p to the end of the first look-up that reaches `end`.  Returns how many
 * blocks came to their end. */
XC_GPU_INLINE uint32_t xc_gpu_skim(const xc_gpu_bits *b, const xc_gpu_class_tables *tables,
                                   uint32_t class_, xc_gpu_place *place, uint32_t end, int deep,
                                   int copied)
{
	const uint32_t dc = class_ * XC_GPU_CLASS_WORDS;
	const uint32_t *lookup = (const uint32_t *)(const void *)tables; /* first in each */
	xc_gpu_place p = *place;
	xc_gpu_reader r;
	uint32_t blocks = 0, table = dc + (p.position < 0 ? 0 : XC_GPU_LOOKUPS);
	if (p.at >= end)
		return 0;
	xc_gpu_seek(&r, b, p.at, copied);
	do {
		const uint32_t window = xc_gpu_shift_in(r.word[0], r.word[1], p.at);
		uint32_t e = lookup[(window >> (32 - XC_GPU_LOOKUP_BITS)) + table];
		if (__builtin_expect(!e, 0)) {
			int32_t value = 0;
			uint32_t bad = 0;
			e = xc_gpu_rare(&r, b, &tables[class_], &p, window, deep, copied, &value, &bad);
		}
		e >>= p.position > XC_GPU_LAST_MANY ? 0 : 16;
		p.at += e & 31;
		xc_gpu_move(&r, b, p.at, e & 31, copied);
		p.position += e >> 5 & 127;
		const int ended = p.position > 62;
		blocks += (uint32_t)ended;
		p.position = ended ? -1 : p.position;
		table = ended ? dc : dc + XC_GPU_LOOKUPS;
	} while (p.at < end);
	*place = p;
	return blocks;
}

/* The value of `size` bits behind a code. */
XC_GPU_INLINE int32_t xc_gpu_value(uint32_t window, uint32_t code_bits, uint32_t size)
{
	const uint32_t v = window << code_bits;
	const uint32_t negative = ~(uint32_t)((int32_t)v >> 31);
	const uint32_t magnitude = xc_gpu_shift_right(v, 32 - size);
	return (int32_t)(magnitude + (negative & (1 - (UINT32_C(1) << size))));
}

/* Coefficient k, in the order of the scan, of a block; they are int32_t if deep, else
 * int16_t. */
XC_GPU_INLINE void xc_gpu_put(void *block, int32_t k, int32_t value, int deep)
{
	if (deep)
		((int32_t *)block)[k] = value;
	else
		((int16_t *)block)[k] = (int16_t)value;
}

XC_GPU_INLINE int32_t xc_gpu_get(const void *block, int32_t k, int deep)
{
	return deep ? ((const int32_t *)block)[k] : ((const int16_t *)block)[k];
}

XC_GPU_INLINE void *xc_gpu_block(void *blocks, size_t i, int deep)
{
	return (char *)blocks + i * (deep ? 64 * sizeof(int32_t) : 64 * sizeof(int16_t));
}

/* Goes on from *p, which lies in block `block`, to `end`, where a symbol ends, or the end
 * of block blocks - 1.  The values that are not 0 are put into the blocks, those of DC
 * as the differences that they are.  Returns the block it is in then.  *bad is set where
 * a size cannot be. */
XC_GPU_INLINE uint32_t xc_gpu_take(const xc_gpu_bits *b, const xc_gpu_class_tables *tables,
                                   uint32_t class_, xc_gpu_place *place, uint32_t end,
                                   uint32_t block, uint32_t blocks, void *to, int deep,
                                   int copied, uint32_t *bad)
{
	const uint32_t dc = class_ * XC_GPU_CLASS_WORDS;
	const uint32_t *lookup = (const uint32_t *)(const void *)tables; /* first in each */
	xc_gpu_place p = *place;
	xc_gpu_reader r;
	uint32_t table = dc + (p.position < 0 ? 0 : XC_GPU_LOOKUPS);
	if (p.at >= end || block >= blocks)
		return block;
	xc_gpu_seek(&r, b, p.at, copied);
	to = xc_gpu_block(to, block, deep);
	do {
		const uint32_t window = xc_gpu_shift_in(r.word[0], r.word[1], p.at);
		uint32_t e = lookup[(window >> (32 - XC_GPU_LOOKUP_BITS)) + table];
		int32_t value = 0;
		if (__builtin_expect(!e, 0))
			e = xc_gpu_rare(&r, b, &tables[class_], &p, window, deep, copied, &value, bad);
		value |= xc_gpu_value(window, (e >> 12 & 15) + 1, e >> 28);
		p.at += e & 31;
		xc_gpu_move(&r, b, p.at, e & 31, copied);
		p.position += e >> 5 & 127;
		if (value && p.position < 64)
			xc_gpu_put(to, p.position, value, deep);
		const int ended = p.position > 62;
		block += (uint32_t)ended;
		to = xc_gpu_block(to, (size_t)ended, deep);
		p.position = ended ? -1 : p.position;
		table = ended ? dc : dc + XC_GPU_LOOKUPS;
	} while (p.at < end && block < blocks);
	*place = p;
	return block;
}

#endif
