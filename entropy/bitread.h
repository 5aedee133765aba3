/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads bits: all Huffman decoders take their bytes through this. */
#ifndef XC_ENTROPY_BITREAD_H
#define XC_ENTROPY_BITREAD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "entropy/byte_order.h"
#include "entropy/decode_table.h"

/* The bits being read: the highest `count` of `bits` are the next ones. Between refills only the
 * lowest 6 bits of `count` are valid. Past the end the reader returns zeros, which
 * xc_bit_reader_at_end() reports. */
typedef struct xc_bit_reader {
	const uint8_t *next, *end;
	const uint8_t *fast; /* up to here 8 bytes can be read at once; NULL: nowhere */
	uint64_t bits;
	uint32_t count;
	uint32_t beyond; /* zero bytes returned past the end */
} xc_bit_reader;

/* Reads `size` bytes (0: data may be NULL). All bytes before `readable` may be touched. */
void xc_bit_reader_init(xc_bit_reader *reader, const uint8_t *data, size_t size,
                        const uint8_t *readable);

/* 1: fewer than 8 bits are left, and all of them are zero. */
int xc_bit_reader_at_end(const xc_bit_reader *reader);

/* refill() near the end of the readable bytes: byte by byte, then zeros. */
void xc_bit_reader_refill_slow(xc_bit_reader *reader);

/* Makes at least 56 bits available. */
static inline __attribute__((always_inline)) void refill(xc_bit_reader *r)
{
	if (__builtin_expect(r->next > r->fast, 0)) {
		/* Works on a copy: a reader whose address escapes could not stay in registers. */
		xc_bit_reader copy = *r;
		xc_bit_reader_refill_slow(&copy);
		*r = copy;
		return;
	}
	uint64_t word;
	memcpy(&word, r->next, 8);
	const uint32_t count = r->count & 63;
	r->bits |= xc_highest_first64(word) >> count;
	r->next += (63 - count) >> 3;
	r->count = count | 56;
}

/* Drops as many bits as the lowest 6 bits of n say; its other bits may be anything. */
static inline __attribute__((always_inline)) void consume(xc_bit_reader *r, uint32_t n)
{
	r->bits <<= n & 63;
	r->count -= n;
}

/* Takes n bits, 1 to 32. */
static inline uint32_t read_bits(xc_bit_reader *r, unsigned n)
{
	const uint32_t v = (uint32_t)(r->bits >> (64 - n));
	consume(r, n);
	return v;
}

/* Takes a code of any length. */
static inline uint32_t read_symbol(xc_bit_reader *r, const xc_canonical_code *t)
{
	const uint32_t next = (uint32_t)(r->bits >> 48);
	unsigned l = 1;

	while (l < XC_MAX_CODE_LENGTH && next >= t->limit[l])
		l++;
	consume(r, l);
	return t->symbol[(uint8_t)(t->offset[l] + (next >> (16 - l)))];
}

#endif
