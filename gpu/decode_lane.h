/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread's part of a segment: symbols from some bit on, without (xc_gpu_skim) and
 * with their values (xc_gpu_take).  The rules are those of entropy/stream_template.h.
 *
 * Skimming goes through several symbols a look-up, but never past the end of a block
 * (which positions up to XC_GPU_LAST_MANY make sure) nor past the first symbol that
 * begins at `end` or later.
 */
#ifndef XC_GPU_DECODE_LANE_H
#define XC_GPU_DECODE_LANE_H

#include "entropy/value.h"
#include "gpu/decode_bits.h"
#include "gpu/decode_tables.h"

/* Between two symbols: `at` counts bits from the segment's start, `position` in the scan is
 * -1 where a DC is next. */
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

/* The entry for bits that the first table does not know, or 0. */
XC_GPU_INLINE uint32_t xc_gpu_tail_of(uint32_t window, const xc_gpu_class_tables *t, int32_t k)
{
	const uint32_t i = (window >> 16) - (65536 - XC_GPU_TAIL);
	return k >= 0 && i < XC_GPU_TAIL ? t->tail[i] : 0;
}

/* Goes on from *p to the first symbol that begins at `end` or later.  Returns how many
 * blocks came to their end. */
XC_GPU_INLINE uint32_t xc_gpu_skim(const xc_gpu_bits *b, const xc_gpu_class_tables *t,
                                   xc_gpu_place *p, uint32_t end, int deep, int copied)
{
	uint32_t blocks = 0, at = p->at;
	int32_t k = p->position;
	xc_gpu_reader r;
	if (at >= end)
		return 0;
	xc_gpu_seek(&r, b, at, copied);
	do {
		const uint32_t window = xc_gpu_window(&r, b, at);
		const uint32_t *lookup = t->lookup + (k < 0 ? 0 : XC_GPU_LOOKUPS);
		uint32_t e = lookup[window >> (32 - XC_GPU_LOOKUP_BITS)];
		const int one = k > XC_GPU_LAST_MANY || at + XC_GPU_LOOKUP_BITS > end;
		if (__builtin_expect(!e, 0))
			e = xc_gpu_tail_of(window, t, k);
		if (__builtin_expect(e != 0, 1)) {
			e >>= one ? 0 : 16;
			const uint32_t next = at + (e & 31);
			xc_gpu_move(&r, b, at, next, copied);
			at = next;
			k += e >> 5 & 127;
		} else {
			const xc_gpu_long_symbol s = xc_gpu_decode_long(b, at, t, k < 0, deep, copied);
			at += s.bits;
			k += (int32_t)s.step;
			xc_gpu_seek(&r, b, at, copied);
		}
		blocks += k > 62;
		k = k > 62 ? -1 : k;
	} while (at < end);
	p->at = at;
	p->position = k;
	return blocks;
}

/* Where coefficients go: blocks of 64 in the order of the scan, zero beforehand; DC
 * differences have their own place. */
typedef struct xc_gpu_target {
	void *blocks; /* int16_t, or int32_t if deep */
	int32_t *dc;
} xc_gpu_target;

/* The value of `size` bits behind a code. */
XC_GPU_INLINE int32_t xc_gpu_value(uint32_t window, uint32_t code_bits, uint32_t size)
{
	const uint32_t v = window << code_bits;
	const uint32_t negative = ~(uint32_t)((int32_t)v >> 31);
	const uint32_t magnitude = xc_gpu_shift_right(v, 32 - size);
	return (int32_t)(magnitude + (negative & (1 - (UINT32_C(1) << size))));
}

XC_GPU_INLINE void xc_gpu_put(const xc_gpu_target *to, uint32_t block, int32_t k, int32_t value,
                              int deep)
{
	const size_t i = (size_t)block * 64 + (uint32_t)k;
	if (deep)
		((int32_t *)to->blocks)[i] = value;
	else
		((int16_t *)to->blocks)[i] = (int16_t)value;
}

/* Goes on from *p, which lies in block `block`, until `end` as above or the end of block
 * blocks - 1.  Returns the block it is in then.  *bad is set where a size cannot be. */
XC_GPU_INLINE uint32_t xc_gpu_take(const xc_gpu_bits *b, const xc_gpu_class_tables *t,
                                   xc_gpu_place *p, uint32_t end, uint32_t block, uint32_t blocks,
                                   const xc_gpu_target *to, int deep, int copied, uint32_t *bad)
{
	uint32_t at = p->at;
	int32_t k = p->position;
	xc_gpu_reader r;
	if (at >= end || block >= blocks)
		return block;
	xc_gpu_seek(&r, b, at, copied);
	do {
		const uint32_t window = xc_gpu_window(&r, b, at);
		const int dc = k < 0;
		const uint32_t *lookup = t->lookup + (dc ? 0 : XC_GPU_LOOKUPS);
		uint32_t e = lookup[window >> (32 - XC_GPU_LOOKUP_BITS)];
		int32_t value;
		if (__builtin_expect(!e, 0))
			e = xc_gpu_tail_of(window, t, k);
		if (__builtin_expect(e != 0, 1)) {
			const uint32_t next = at + (e & 31);
			xc_gpu_move(&r, b, at, next, copied);
			value = xc_gpu_value(window, (e >> 12 & 15) + 1, e >> 28);
			at = next;
			k += e >> 5 & 127;
		} else {
			const xc_gpu_long_symbol s = xc_gpu_decode_long(b, at, t, dc, deep, copied);
			*bad |= (uint32_t)s.bad;
			value = s.value;
			at += s.bits;
			k += (int32_t)s.step;
			xc_gpu_seek(&r, b, at, copied);
		}
		if (dc)
			to->dc[block] = value;
		if (!dc && value && k < 64)
			xc_gpu_put(to, block, k, value, deep);
		block += k > 62;
		k = k > 62 ? -1 : k;
	} while (at < end && block < blocks);
	p->at = at;
	p->position = k;
	return block;
}

#endif
