/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw bits of the rANS mode: signs, and what symbols leave open.  The first bit of a byte is its
 * lowest.  The first bytes are what the lanes' states carry; the others end the segment. */
#ifndef XC_ENTROPY_RANS_RAW_H
#define XC_ENTROPY_RANS_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "entropy/byte_order.h"

enum { XC_RANS_CARRIED = 32 }; /* bytes that sixteen states carry */

typedef struct xc_raw_reader {
	const uint8_t *next, *end;
	uint64_t bits; /* the lowest `count` are the next ones */
	unsigned count;
	uint32_t beyond; /* bytes of zeros made up past the end */
	/* While `next` is in here: the carried bytes, and copies of those that follow them. */
	const uint8_t *rest, *rest_end;
	const uint8_t *start; /* of what follows the carried bytes */
	size_t carried, size; /* bytes carried, and in all */
	uint8_t head[XC_RANS_CARRIED + 16];
} xc_raw_reader;

static inline void xc_raw_reader_init(xc_raw_reader *r, const uint8_t *carried, size_t n,
                                      const uint8_t *rest, const uint8_t *end)
{
	const size_t left = (size_t)(end - rest), copied = left < 16 ? left : 16;
	memcpy(r->head, carried, n);
	memcpy(r->head + n, rest, copied);
	r->next = r->head;
	r->end = r->head + n + copied;
	r->rest = r->start = rest;
	r->rest_end = end;
	r->carried = n;
	r->size = n + left;
	r->bits = 0;
	r->count = 0;
	r->beyond = 0;
}

/* Goes on in the segment itself, once the carried bytes are taken. */
static inline void xc_raw_reader_move(xc_raw_reader *r)
{
	const size_t taken = (size_t)(r->next - r->head);
	if (!r->rest || taken < r->carried)
		return;
	r->next = r->rest + (taken - r->carried);
	r->end = r->rest_end;
	r->rest = NULL;
}

/* Makes at least 56 bits available. */
static inline void xc_raw_refill(xc_raw_reader *r)
{
	xc_raw_reader_move(r);
	if (__builtin_expect(r->end - r->next >= 8, 1)) {
		uint64_t word;
		memcpy(&word, r->next, 8);
		r->bits |= xc_lowest_first64(word) << r->count;
		r->next += (63 - r->count) >> 3;
		r->count |= 56;
		return;
	}
	while (r->count < 56) {
		if (r->next < r->end)
			r->bits |= (uint64_t)*r->next++ << r->count;
		else
			r->beyond++;
		r->count += 8;
		xc_raw_reader_move(r);
	}
}

/* Takes n bits, 0 to 32, of those that a refill made available. */
static inline uint32_t xc_raw_take(xc_raw_reader *r, unsigned n)
{
	const uint32_t v = (uint32_t)(r->bits & ((UINT64_C(1) << n) - 1));
	r->bits >>= n;
	r->count -= n;
	return v;
}

/* 1: the segment ends with the byte of the last bit taken, or none but carried bytes are left,
 * and the bits that are left are 0. */
static inline int xc_raw_reader_at_end(const xc_raw_reader *r)
{
	const size_t place = r->rest ? (size_t)(r->next - r->head)
	                             : r->carried + (size_t)(r->next - r->start);
	const uint64_t bits = 8 * ((uint64_t)place + r->beyond) - r->count;
	const uint64_t used = (bits + 7) / 8;
	if (used > r->size || (used < r->size && r->size > r->carried))
		return 0;
	unsigned taken = bits % 8;
	for (uint64_t i = bits / 8; i < r->size; i++, taken = 0)
		if ((i < r->carried ? r->head[i] : r->start[i - r->carried]) >> taken)
			return 0;
	return 1;
}

typedef struct xc_raw_writer {
	uint8_t *next;
	uint64_t bits;
	unsigned count; /* below 8 between calls */
} xc_raw_writer;

/* Appends the lowest n bits of v, at most 56; its others are 0.  It stores 8 bytes. */
static inline void xc_raw_put(xc_raw_writer *w, uint64_t v, unsigned n)
{
	w->bits |= v << w->count;
	w->count += n;
	const uint64_t bits = w->bits;
	for (unsigned i = 0; i < 8; i++)
		w->next[i] = (uint8_t)(bits >> 8 * i);
	w->next += w->count >> 3;
	w->bits >>= w->count & 56;
	w->count &= 7;
}

#endif
