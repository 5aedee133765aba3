/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inner loop of the Huffman decoder, for one width (entropy/width.h); src/decode/coded_decode.c
 * calls it by way of entropy/level.h.
 *
 * DC and AC symbols, ends of blocks and coefficients all take the same path without a branch:
 * arithmetic selects the next table and the place of the next value. A branch at the end of a block
 * would be mispredicted every time. A run too long for the block, which no encoder writes, ends the
 * block. State: the bit reader, the table of the next symbol, the block, and the position in the
 * scan, -1 before a DC. Bound: five look-ups end at most five blocks and write one coefficient
 * more, so six cleared blocks must be left; near the end the loop checks after every look-up.
 */
#include "entropy/scan.h"
#include "entropy/stream.h"
#include "entropy/width.h"

#define STREAM PASTE(xc_stream, XC_BITS)

/* The index of position k of the scan. An end of block leads to positions past 63, which map to the
 * DC of the next block, written later. FLAG marks the positions that the last symbol of a look-up
 * reaches if the block ended without an end-of-block symbol: position 63 and, in damaged data,
 * positions after it. */
enum { FLAG = 128 };
static const uint8_t scan[256] =
	{XC_SCAN_63, 63 | FLAG,
#define S8(v) v, v, v, v, v, v, v, v
#define S64(v) S8(v), S8(v), S8(v), S8(v), S8(v), S8(v), S8(v), S8(v)
     S64(64 | FLAG),
     /* XC_END_STEP and up to 62 more */
     S8(64), S8(64), S8(64), S8(64), S8(64), S8(64), S8(64), 64, 64, 64, 64, 64, 64, 64,
     /* a second symbol that is an end of block, though the first ended it */
     64 | FLAG, S64(64 | FLAG)};

/* The number of the table in use. */
static inline uint32_t table_number(const STREAM *s)
{
	return (uint32_t)((s->table - s->tables->entry[0]) / XC_TABLE_SIZE);
}

/* Decodes a symbol that the look-up does not hold. Returns its step, and sets the coefficient and
 * the next table. An impossible size sets s->bad and ends the block. */
static __attribute__((noinline)) uint32_t decode_slow(STREAM *s, int32_t *value, uint32_t *next)
{
	const xc_decode_tables *t = s->tables;
	const int dc = s->position < 0;
	xc_bit_reader *r = &s->reader;

	refill(r);
	const uint32_t symbol = read_symbol(r, &t->code[table_number(s)]);
	unsigned size = dc ? symbol : symbol & 15;
	uint32_t step = dc ? 1 : symbol == 0 ? XC_END_STEP : (symbol >> 4) + 1;
	if (!dc && size == 15)
		size += read_bits(r, 4);
	refill(r);
	*value = 0;
	*next = dc ? t->after_dc[symbol] : t->after_ac[symbol];
	if (size > MAX_SIZE + (dc ? 1u : 0)) {
		s->bad = 1;
		step = dc ? 1 : XC_END_STEP;
		*next = dc ? t->after_dc[0] : 0;
	} else if (size) {
		const xc_value_points none = {0, 0};
		*value = xc_reconstruct(xc_value_from_bits(read_bits(r, size), size),
		                        dc ? none : t->points);
	}
	refill(r);
	return step;
}

/* Reads the value of 1 to 31 bits that follows a code. */
static inline __attribute__((always_inline)) int32_t read_value(xc_bit_reader *r, uint32_t size)
{
	const uint64_t v = r->bits >> (-size & 63);
	const int64_t negative = ~((int64_t)r->bits >> 63);

	consume(r, size);
	return (int32_t)(v - ((uint64_t)negative & ((UINT64_C(1) << (size & 63)) - 1)));
}

static inline __attribute__((always_inline)) const uint64_t *table_at(const STREAM *s, uint32_t n)
{
	return s->tables->entry[n];
}

/* Moves by `step`, stores a coefficient there and selects the next block and table. */
static inline __attribute__((always_inline)) void advance(STREAM *s, uint32_t step, int32_t value,
                                                          uint32_t next)
{
	const int64_t k = s->position + step;
	const int64_t done = (62 - k) >> 63; /* -1 when the block is complete */

	s->block[scan[k] & ~FLAG] = (COEF)value;
	s->block += done & 64;
	s->position = k | done;
	s->table = table_at(s, next & (uint32_t)~done);
}

static __attribute__((noinline)) void step_slow(STREAM *s)
{
	int32_t value;
	uint32_t next;
	const uint32_t step = decode_slow(s, &value, &next);

	advance(s, step, value, next);
}

/* Decodes a symbol whose value bits lie past the index. */
static inline __attribute__((always_inline)) void step_long(STREAM *s, uint64_t e)
{
	const xc_value_points none = {0, 0}, points = s->position < 0 ? none : s->tables->points;

	consume(&s->reader, (uint32_t)e);
	refill(&s->reader);
	const int32_t value = read_value(&s->reader, e >> 16 & 63);
	refill(&s->reader);
	advance(s, e >> 32 & 255, xc_reconstruct(value, points), e >> 48 & 255);
}

/* Decodes one look-up: one or two symbols of at most XC_LOOKUP_BITS bits together, or a longer
 * symbol, after which the reader holds at least 56 bits again. */
static inline __attribute__((always_inline)) void step_one(STREAM *s)
{
	const uint64_t e = s->table[s->reader.bits >> (64 - XC_LOOKUP_BITS)];
	const int64_t k2 = s->position + (int64_t)(e >> 56);
	const uint8_t p2 = scan[k2];

	if (__builtin_expect(!(p2 & FLAG), 1)) {
		/* Without a second symbol both values go to the same position. */
		s->block[p2] = (COEF)(int16_t)(e >> 32);
		s->block[scan[s->position + (uint8_t)(e >> 8)]] = (COEF)(int16_t)(e >> 16);
		const int64_t done = (int64_t)e >> 63;
		s->block += done & 64;
		s->position = k2 | done;
		s->table = table_at(s, e >> 48 & 255);
		consume(&s->reader, (uint32_t)e);
	} else if (e & XC_ENTRY_MORE && (e >> 16 & 63)) {
		step_long(s, e);
	} else {
		/* Works on a copy: a stream whose address escapes could not stay in registers. */
		STREAM copy = *s;
		step_slow(&copy);
		*s = copy;
	}
}

/* Zeroes the next blocks, a few at a time, so that they are in the cache when they are filled. */
static inline void clean_more(STREAM *s)
{
	const ptrdiff_t left = s->end - s->clean, max = 32 * 64;
	const ptrdiff_t n = left < max ? left : max;

	memset(s->clean, 0, (size_t)n * sizeof(COEF));
	s->clean += n;
}

/* 1: five look-ups could reach coefficients not yet set to zero. Five look-ups end at most five
 * blocks, and they may touch one more coefficient. */
static inline int near_unclean(const STREAM *s)
{
	return s->clean - s->block < 6 * 64;
}

void NAME(xc_stream_finish)(STREAM *stream)
{
	STREAM s = *stream;

	while (s.block < s.end) {
		if (near_unclean(&s))
			clean_more(&s);
		refill(&s.reader);
		for (int i = 0; i < 5 && s.block < s.end; i++)
			step_one(&s);
	}
	*stream = s;
}

#if XC_BITS == 16
/* Sets blocks to zero as needed.  0: the end of the component is near. */
static inline int prepare(STREAM *s)
{
	if (near_unclean(s) && s->clean < s->end)
		clean_more(s);
	return !near_unclean(s);
}

void NAME(xc_stream_run_two)(STREAM *first, STREAM *second)
{
	STREAM a = *first, b = *second;

	while (prepare(&a) && prepare(&b)) {
		while (!near_unclean(&a) && !near_unclean(&b)) {
			refill(&a.reader);
			refill(&b.reader);
			for (int i = 0; i < 5; i++) {
				step_one(&a);
				step_one(&b);
			}
		}
	}
	*first = a;
	*second = b;
}
#endif
