/* SPDX-License-Identifier: BSD-2-Clause */
/* The one place that takes bytes from a segment. */
#ifndef XC_ENTROPY_BITREAD_H
#define XC_ENTROPY_BITREAD_H

#include <string.h>

#include "entropy/segment_decode.h"

/* Near the end of what can be read: byte by byte, then zeros. */
static __attribute__((noinline, unused)) void refill_slow(xc_bit_reader *r)
{
	while (r->count <= 56) {
		uint64_t byte = 0;
		if (r->next < r->end)
			byte = *r->next++;
		else
			r->beyond++;
		r->bits |= byte << (56 - r->count);
		r->count += 8;
	}
}

/* At least 56 bits. */
static inline void refill(xc_bit_reader *r)
{
	if (__builtin_expect(r->next > r->fast, 0)) {
		refill_slow(r);
		return;
	}
	uint64_t word;
	memcpy(&word, r->next, 8);
	r->bits |= __builtin_bswap64(word) >> r->count;
	r->next += (63 - r->count) >> 3;
	r->count |= 56;
}

static inline void consume(xc_bit_reader *r, unsigned n)
{
	r->bits <<= n;
	r->count -= n;
}

/* n from 1 to 32. */
static inline uint32_t read_bits(xc_bit_reader *r, unsigned n)
{
	const uint32_t v = (uint32_t)(r->bits >> (64 - n));
	consume(r, n);
	return v;
}

/* A code longer than XC_LOOKUP_BITS. */
static inline uint32_t long_symbol(const xc_bit_reader *r, const xc_decode_table *t,
                                   unsigned *length)
{
	const uint32_t next = (uint32_t)(r->bits >> 48);
	unsigned l = XC_LOOKUP_BITS + 1;
	while (l < XC_MAX_CODE_LENGTH && next >= t->limit[l])
		l++;
	*length = l;
	return t->symbol[(uint8_t)(t->offset[l] + (next >> (16 - l)))];
}

#endif
