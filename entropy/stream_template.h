/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's inner loop.  The stub sets
 *   BITS         16 or 32, of a coefficient
 *   MOST_SIZE    the largest size that a value may have
 * and may set
 *   SUFFIX       for a second copy compiled for other processors
 *
 * DC and AC symbols, ends of blocks and coefficients all take the same path without
 * a branch: which table is next and where the next value goes are selected by
 * arithmetic.  A block's end is where a branch would be mispredicted every time.
 * (Runs too long for the block, which no encoder writes, end it.)
 */
#include "entropy/scan.h"
#include "entropy/stream.h"
#include "entropy/value.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define COEF PASTE(PASTE(int, BITS), _t)
#define STREAM PASTE(xc_stream, BITS)
#ifdef SUFFIX
#define NAME(stem) PASTE(PASTE(stem, BITS), SUFFIX)
#else
#define NAME(stem) PASTE(stem, BITS)
#endif

/* Where position k of the scan is stored.  Positions past 63, reached by the end of
 * a block and by damaged data, lead to the next block's DC, written later. */
static const uint8_t scan[64 + XC_END_STEP] = {XC_SCAN_TABLE,
#define S4 64, 64, 64, 64
#define S16 S4, S4, S4, S4
	S16, S16, S16, S16, S16, S16, S16, S16};

/* A symbol that the look-up knows nothing about.  Returns its step and sets the value;
 * a size that cannot be ends the block and leaves a mark. */
static __attribute__((noinline)) uint32_t decode_slow(STREAM *s, int32_t *value)
{
	const int dc = s->position < 0;
	xc_bit_reader *r = &s->reader;
	refill(r);
	const uint32_t symbol = read_symbol(r, dc ? &s->tables->dc : &s->tables->ac);
	unsigned size = dc ? symbol : symbol & 15;
	uint32_t step = dc ? 1 : symbol == 0 ? XC_END_STEP : symbol == 0xf0 ? 16 : (symbol >> 4) + 1;
	if (!dc && size == 15)
		size += read_bits(r, 4);
	refill(r);
	*value = 0;
	if (size > MOST_SIZE) {
		s->bad = 1;
		step = dc ? 1 : XC_END_STEP;
	} else if (size) {
		*value = xc_value_from_bits(read_bits(r, size), size);
	}
	refill(r);
	return step;
}

/* The value that follows a code, of 1 to 31 bits. */
static inline __attribute__((always_inline)) int32_t read_value(xc_bit_reader *r, uint32_t size)
{
	const uint64_t v = r->bits >> (-size & 63);
	const int64_t negative = ~((int64_t)r->bits >> 63);
	consume(r, size);
	return (int32_t)(v - ((uint64_t)negative & ((UINT64_C(1) << (size & 63)) - 1)));
}

/* Stores a value after a move of `step` and selects what is next. */
static inline __attribute__((always_inline)) void advance(STREAM *s, uint32_t step, int32_t value)
{
	const int64_t k = s->position + step;
	const int64_t done = (62 - k) >> 63; /* -1 when the block is complete */
	s->block[scan[k]] = (COEF)value;
	s->block += done & 64;
	s->position = k | done;
}

/* One symbol, of at most XC_LOOKUP_BITS bits; after a longer one there are 56 bits
 * again. */
static inline __attribute__((always_inline)) void step_one(STREAM *s)
{
	/* Both tables are read and one entry selected, so that the next look-up waits for
	 * the bits of this symbol but not for what it does to the position. */
	const uint64_t next = s->reader.bits >> (64 - XC_LOOKUP_BITS);
	const uint32_t dc = s->tables->dc.entry[next], ac = s->tables->ac.entry[next];
	const uint32_t e = ac ^ ((ac ^ dc) & (uint32_t)(s->position >> 63));
	if (__builtin_expect(!e, 0)) {
		/* On a copy: a stream whose address escapes could not stay in registers. */
		STREAM copy = *s;
		int32_t value;
		const uint32_t step = decode_slow(&copy, &value);
		*s = copy;
		advance(s, step, value);
	} else if (__builtin_expect(e & XC_ENTRY_MORE, 0)) {
		consume(&s->reader, e);
		refill(&s->reader);
		const int32_t value = read_value(&s->reader, e >> 16);
		refill(&s->reader);
		advance(s, e >> 8 & 255, value);
	} else {
		consume(&s->reader, e);
		advance(s, e >> 8 & 255, (int32_t)e >> 16);
	}
}

/* Sets the next blocks to zero, a few at a time: their cache lines are then still at
 * hand when they are filled. */
static inline void clean_more(STREAM *s)
{
	const ptrdiff_t left = s->end - s->clean, most = 32 * 64;
	const ptrdiff_t n = left < most ? left : most;
	memset(s->clean, 0, (size_t)n * sizeof(COEF));
	s->clean += n;
}

/* A block has at least two symbols, so five end at most three blocks. */
static inline int near_unclean(const STREAM *s)
{
	return s->clean - s->block < 4 * 64;
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

#if BITS == 16
/* 0: the component's end is near. */
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

#ifndef SUFFIX
static inline int32_t median_edge(int32_t left, int32_t up, int32_t corner)
{
	const int32_t low = left < up ? left : up, high = left < up ? up : left;
	const int32_t p = (int32_t)((uint32_t)left + (uint32_t)up - (uint32_t)corner);
	return p < low ? low : p > high ? high : p;
}

void NAME(xc_restore_dc)(COEF *blocks, uint32_t wide, uint32_t high)
{
	COEF *here = blocks;
	for (uint32_t y = 0; y < high; y++) {
		const COEF *above = here - (size_t)wide * 64;
		for (uint32_t x = 0; x < wide; x++, here += 64, above += 64) {
			int32_t p = 0;
			if (x && y)
				p = median_edge(here[-64], above[0], above[-64]);
			else if (x)
				p = here[-64];
			else if (y)
				p = above[0];
			here[0] = (COEF)((uint32_t)here[0] + (uint32_t)p);
		}
	}
}
#endif
