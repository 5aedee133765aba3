/* SPDX-License-Identifier: BSD-2-Clause */
/* The inner loop that decodes only DCs, for one width (entropy/width.h); src/decode/coded_decode.c
 * calls it by way of entropy/level.h. As in entropy/stream.c there is no branch at the end of a
 * block. State: the bit reader, the table of the next symbol, the next DC, and the position in the
 * scan, -1 before a DC. Bound: a look-up ends at most one block, so near_end() keeps LOOKUPS of
 * them inside the component. */
#include "entropy/dc_only.h"

#include "entropy/width.h"

enum { LOOKUPS = 56 / XC_DC_ONLY_MAX }; /* that a refill serves */

/* Adds to the DC, and moves on if the block is done: done is -1 then, otherwise 0. */
static inline __attribute__((always_inline)) void add(xc_dc_only *s, int32_t value, int32_t done)
{
	COEF dc;

	memcpy(&dc, s->next, sizeof dc);
	dc = (COEF)(dc + value);
	memcpy(s->next, &dc, sizeof dc);
	s->next += done & (int32_t)sizeof dc;
}

/* Decodes one symbol, whatever it is, and refills. */
static __attribute__((noinline)) void step_slow(xc_dc_only *s)
{
	const xc_decode_tables *t = s->tables;
	xc_bit_reader *r = &s->reader;
	const int dc = s->position < 0;

	refill(r);
	const uint32_t symbol = read_symbol(r, &t->code[(s->table - s->dc_only[0]) / XC_DC_ONLY_SIZE]);
	unsigned size = dc ? symbol : symbol & 15;
	uint32_t next = dc ? t->after_dc[symbol] : t->after_ac[symbol];
	int32_t k = dc ? 0 : symbol ? s->position + (int32_t)(symbol >> 4) + 1 : 63;
	if (!dc && size == 15)
		size += read_bits(r, 4);
	refill(r);
	if (size > MAX_SIZE + (dc ? 1u : 0)) {
		s->bad = 1;
		size = 0;
		next = t->after_dc[0];
		k = dc ? 0 : 63;
	}
	const uint32_t bits = size ? read_bits(r, size) : 0;
	refill(r);
	const int32_t done = k < 63 ? 0 : -1;
	add(s, dc ? xc_value_from_bits(bits, size) : 0, done);
	s->position = k | done;
	s->table = s->dc_only[done ? 0 : next];
}

/* Decodes one look-up, or a symbol that no entry has. Symbols that reach position 63 are decoded
 * one by one, because an entry takes the symbols after them for AC. */
static inline __attribute__((always_inline)) void step_one(xc_dc_only *s)
{
	const uint32_t e = s->table[s->reader.bits >> (64 - XC_DC_ONLY_BITS)];
	const int32_t k = s->position + (int32_t)(e >> 24);

	if (__builtin_expect((k & 127) < 63, 1)) {
		const int32_t done = (int32_t)e >> 31;
		s->position = k | done;
		add(s, (int32_t)(e << 8) >> 19, done);
		consume(&s->reader, e);
		s->table = (const uint32_t *)s->dc_only +
		           ((size_t)e << (XC_DC_ONLY_BITS - 8) & 7 * XC_DC_ONLY_SIZE);
	} else {
		/* On a copy: a stream whose address escapes could not stay in registers. */
		xc_dc_only copy = *s;
		step_slow(&copy);
		*s = copy;
	}
}

void NAME(xc_dc_only_finish)(xc_dc_only *stream)
{
	xc_dc_only s = *stream;

	while (s.next < s.end) {
		refill(&s.reader);
		for (int i = 0; i < LOOKUPS && s.next < s.end; i++)
			step_one(&s);
	}
	*stream = s;
}

#if XC_BITS == 16
/* 1: the look-ups between two refills may pass the end of the component. */
static inline int near_end(const xc_dc_only *s)
{
	return s->end - s->next <= (ptrdiff_t)(LOOKUPS * sizeof(COEF));
}

void NAME(xc_dc_only_two)(xc_dc_only *first, xc_dc_only *second)
{
	xc_dc_only a = *first, b = *second;

	while (!near_end(&a) && !near_end(&b)) {
		refill(&a.reader);
		refill(&b.reader);
		for (int i = 0; i < LOOKUPS; i++) {
			step_one(&a);
			step_one(&b);
		}
	}
	*first = a;
	*second = b;
}
#endif
