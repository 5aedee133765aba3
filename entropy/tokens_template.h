/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens of one width.  The stub sets
 *   BITS    16 or 32
 *   COEF    the type of a coefficient
 *   TOKEN   the type of a token
 * and may set
 *   SUFFIX  for a second copy compiled for other processors, with only what is worth it
 */
#include "entropy/scan.h"
#include "entropy/tokens.h"
#include "entropy/value.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TOKENS PASTE(xc_tokens, BITS)
#ifdef SUFFIX
#define NAME(stem) PASTE(PASTE(stem, BITS), SUFFIX)
#else
#define NAME(stem) PASTE(stem, BITS)
#endif
#define SIGNED PASTE(PASTE(int, BITS), _t)

static inline int32_t token_value(TOKEN t)
{
	return (SIGNED)(t - XC_END_TOKEN) >> 4;
}

static inline unsigned token_run(TOKEN t)
{
	return t & 15;
}

static inline unsigned symbol_of(unsigned run, unsigned size)
{
	return run << 4 | (size < 15 ? size : 15);
}

#ifndef SUFFIX
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
				*t++ = XC_ZEROS_TOKEN;
			*t++ = (TOKEN)(((uint32_t)v + XC_TOKEN_BIAS) << 4 | run);
			run = 0;
		}
		if (run)
			*t++ = XC_END_TOKEN;
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
#endif

void NAME(xc_count_tokens)(const TOKENS *tokens, xc_token_counts *counts)
{
	const size_t blocks = (size_t)tokens->blocks_wide * tokens->blocks_high;
	for (size_t i = 0; i < blocks; i++)
		counts->dc[xc_value_size(tokens->dc[i])]++;
	for (size_t i = 0; i < tokens->count; i++) {
		const TOKEN t = tokens->tokens[i];
		if (t < XC_SMALL_TOKENS)
			counts->small[t]++;
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
static void put_value(xc_bit_writer *w, uint32_t code, int32_t value, unsigned size, int escape)
{
	put(w, code >> 6, code & 63);
	if (escape)
		put(w, size - 15, 4);
	flush(w);
	if (size)
		put(w, xc_value_bits(value, size), size);
	flush(w);
}

static __attribute__((noinline)) void put_large(xc_bit_writer *w, TOKEN t,
                                                const xc_coder_tables *tables)
{
	const int32_t v = token_value(t);
	const unsigned size = xc_value_size(v);
	flush(w);
	put_value(w, tables->ac[symbol_of(token_run(t), size)], v, size, size >= 15);
}

static inline void put_entry(xc_bit_writer *w, uint32_t e)
{
	put(w, e >> 6, e & 63);
}

static inline void put_token(xc_bit_writer *w, TOKEN t, const xc_coder_tables *tables)
{
	if (__builtin_expect(t < XC_SMALL_TOKENS, 1))
		put_entry(w, tables->small[t]);
	else
		put_large(w, t, tables);
}

/* Small tokens take at most 16 + 6 bits, small DC 16 + 8.  With the 7 that a flush can
 * leave, a DC and a token or two tokens fit between flushes. */
void NAME(xc_code_tokens)(xc_bit_writer *writer, const TOKENS *tokens,
                          const xc_coder_tables *tables)
{
	xc_bit_writer w = *writer;
	const size_t blocks = (size_t)tokens->blocks_wide * tokens->blocks_high;
	const TOKEN *t = tokens->tokens;
	for (size_t b = 0; b < blocks; b++) {
		const int32_t dc = tokens->dc[b];
		const TOKEN *const end = t + tokens->lengths[b]; /* at least one */
		if (__builtin_expect((uint32_t)dc + XC_SMALL_DC / 2 < XC_SMALL_DC, 1))
			put_entry(&w, tables->small_dc[dc + XC_SMALL_DC / 2]);
		else
			put_value(&w, tables->dc[xc_value_size(dc)], dc, xc_value_size(dc), 0);
		put_token(&w, *t++, tables);
		flush(&w);
		while (end - t >= 2) {
			put_token(&w, t[0], tables);
			put_token(&w, t[1], tables);
			flush(&w);
			t += 2;
		}
		if (t < end) {
			put_token(&w, *t++, tables);
			flush(&w);
		}
	}
	*writer = w;
}

#ifndef SUFFIX
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
#endif
