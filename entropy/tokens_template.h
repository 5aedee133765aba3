/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens of one width.  The stub sets
 *   BITS    16 or 32
 *   COEF    the type of a coefficient
 *   TOKEN   the type of a token
 */
#include "entropy/scan.h"
#include "entropy/tokens.h"
#include "entropy/value.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define NAME(stem) PASTE(stem, BITS)
#define TOKENS PASTE(xc_tokens, BITS)

enum { VALUE_BITS = BITS - 4 };

/* The coefficient of a token. */
static inline int32_t token_value(TOKEN t)
{
	return (int32_t)((uint32_t)t << (32 - VALUE_BITS)) >> (32 - VALUE_BITS);
}

static inline unsigned token_run(TOKEN t)
{
	return (unsigned)(t >> VALUE_BITS);
}

/* Index among the small tokens, or XC_SMALL_TOKENS or more. */
static inline uint32_t small_index(TOKEN t)
{
	const uint32_t v = ((uint32_t)t + XC_SMALL_VALUES / 2) & ((UINT32_C(1) << VALUE_BITS) - 1);
	return v < XC_SMALL_VALUES ? token_run(t) * XC_SMALL_VALUES + v : XC_SMALL_TOKENS;
}

static inline unsigned symbol_of(unsigned run, unsigned size)
{
	return run << 4 | (size < 15 ? size : 15);
}

size_t PASTE(NAME(xc_tokenize), _scalar)(const COEF *blocks, size_t n, uint8_t *lengths,
                                         TOKEN *tokens)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	TOKEN *t = tokens;
	for (size_t b = 0; b < n; b++) {
		const COEF *block = blocks + b * 64;
		TOKEN *const first = t;
		unsigned run = 0;
		for (int k = 1; k < 64; k++) {
			const COEF v = block[scan[k]];
			if (!v) {
				run++;
				continue;
			}
			for (; run > 15; run -= 16)
				*t++ = (TOKEN)((TOKEN)15 << VALUE_BITS);
			*t++ = (TOKEN)((TOKEN)run << VALUE_BITS |
			               ((TOKEN)v & (TOKEN)((UINT32_C(1) << VALUE_BITS) - 1)));
			run = 0;
		}
		if (run)
			*t++ = 0;
		lengths[b] = (uint8_t)(t - first);
	}
	return (size_t)(t - tokens);
}

static inline int32_t median_edge(int32_t left, int32_t up, int32_t corner)
{
	const int32_t low = left < up ? left : up, high = left < up ? up : left;
	const int32_t p = left + up - corner;
	return p < low ? low : p > high ? high : p;
}

void NAME(xc_predict_dc)(const COEF *blocks, uint32_t wide, uint32_t high, COEF *out)
{
	for (uint32_t y = 0; y < high; y++) {
		for (uint32_t x = 0; x < wide; x++) {
			const COEF *here = blocks + ((size_t)y * wide + x) * 64;
			const COEF *above = here - (size_t)wide * 64;
			int32_t p = 0;
			if (x && y)
				p = median_edge(here[-64], above[0], above[-64]);
			else if (x)
				p = here[-64];
			else if (y)
				p = above[0];
			out[(size_t)y * wide + x] = (COEF)(here[0] - p);
		}
	}
}

void NAME(xc_count_tokens)(const TOKENS *tokens, xc_token_counts *counts)
{
	const size_t blocks = (size_t)tokens->blocks_wide * tokens->blocks_high;
	for (size_t i = 0; i < blocks; i++)
		counts->dc[xc_value_size(tokens->dc[i])]++;
	for (size_t i = 0; i < tokens->count; i++) {
		const TOKEN t = tokens->tokens[i];
		const uint32_t s = small_index(t);
		if (s < XC_SMALL_TOKENS)
			counts->small[s]++;
		else
			counts->large[symbol_of(token_run(t), xc_value_size(token_value(t)))]++;
	}
}

/* Appends up to 57 bits. */
static inline void put(xc_bit_writer *w, uint64_t bits, unsigned count)
{
	w->bits = w->bits << count | bits;
	w->count += count;
}

/* Stores all whole bytes; leaves fewer than 8 bits.  Writes 8 bytes.  (Two shifts,
 * because there may be no bits at all.) */
static inline void flush(xc_bit_writer *w)
{
	const uint64_t word = __builtin_bswap64(w->bits << 1 << (63 - w->count));
	__builtin_memcpy(w->next, &word, 8);
	w->next += w->count >> 3;
	w->count &= 7;
}

/* A code of up to 16 bits, the escape's 4 and the value's bits; flushed. */
static inline void put_value(xc_bit_writer *w, uint32_t code, int32_t value, unsigned size,
                             int escape)
{
	put(w, code >> 6, code & 63);
	if (escape)
		put(w, size - 15, 4);
	flush(w);
	if (size)
		put(w, xc_value_bits(value, size), size);
}

static inline void put_large(xc_bit_writer *w, TOKEN t, const xc_coder_tables *tables)
{
	const int32_t v = token_value(t);
	const unsigned size = xc_value_size(v);
	flush(w);
	put_value(w, tables->ac[symbol_of(token_run(t), size)], v, size, size >= 15);
	flush(w);
}

void NAME(xc_code_tokens)(xc_bit_writer *writer, const TOKENS *tokens,
                          const xc_coder_tables *tables)
{
	xc_bit_writer w = *writer;
	const size_t blocks = (size_t)tokens->blocks_wide * tokens->blocks_high;
	const TOKEN *t = tokens->tokens;
	for (size_t b = 0; b < blocks; b++) {
		const int32_t dc = tokens->dc[b];
		const unsigned size = xc_value_size(dc);
		put_value(&w, tables->dc[size], dc, size, 0);
		const TOKEN *const end = t + tokens->lengths[b];
		/* A small token takes at most 16 + 6 bits: two fit between flushes on top
		 * of the 7 and the DC's 28 that may be waiting. */
		flush(&w);
		for (; t < end; t++) {
			const uint32_t s = small_index(*t);
			if (__builtin_expect(s < XC_SMALL_TOKENS, 1)) {
				const uint32_t e = tables->small[s];
				put(&w, e >> 6, e & 63);
				flush(&w);
			} else {
				put_large(&w, *t, tables);
			}
		}
	}
	*writer = w;
}

void NAME(xc_cost_tokens)(const TOKENS *tokens, const xc_coder_tables *tables, uint64_t *dc,
                          uint64_t *ac)
{
	const size_t blocks = (size_t)tokens->blocks_wide * tokens->blocks_high;
	*dc = *ac = 0;
	for (size_t i = 0; i < blocks; i++) {
		const unsigned size = xc_value_size(tokens->dc[i]);
		*dc += (tables->dc[size] & 63) + size;
	}
	for (size_t i = 0; i < tokens->count; i++) {
		const TOKEN t = tokens->tokens[i];
		const unsigned size = xc_value_size(token_value(t));
		*ac += (tables->ac[symbol_of(token_run(t), size)] & 63) + size + (size >= 15 ? 4 : 0);
	}
}
