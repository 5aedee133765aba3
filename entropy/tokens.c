/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes, counts and codes tokens of one width (entropy/width.h), for src/encode/tiles.c. State of
 * the coder: the bits not stored yet and the tables of the next AC token. Bound: two small tokens
 * take 46 bits after at most 7, and flush() writes 8 bytes, so XC_CODED_SLACK bytes after the
 * segment must be writable. */
#include <stddef.h>

#include "entropy/byte_order.h"
#include "entropy/points.h"
#include "entropy/scan.h"
#include "entropy/tokens.h"
#include "entropy/width.h"

/* The coefficient of an AC token. Tokens of positive coefficients above 31 go up to the first one
 * of the negative coefficients, which is not in the middle of the range. */
static inline int32_t token_value(TOKEN t)
{
	const uint32_t c = t >> 4, first_negative = (UINT32_C(1) << (XC_BITS - 5)) + 40;

	if (c < 2 * XC_TOKEN_BIAS)
		return (int32_t)c - XC_TOKEN_BIAS;
	return c < first_negative ? (int32_t)c - XC_LARGE_BIAS
	                          : (int32_t)(c - (UINT32_C(1) << (XC_BITS - 4))) - XC_TOKEN_BIAS;
}

static inline unsigned token_run(TOKEN t)
{
	return t & 15;
}

static inline unsigned symbol_of(unsigned run, unsigned size)
{
	return run << 4 | (size < 15 ? size : 15);
}

#ifndef XC_SUFFIX
size_t PASTE(NAME(xc_tokenize), _scalar)(const void *blocks, const void *dc, size_t n, void *tokens)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	TOKEN *t = tokens;

	for (size_t b = 0; b < n; b++) {
		const COEF *block = (const COEF *)blocks + b * 64;
		const COEF difference = ((const COEF *)dc)[b];
		unsigned run = 0;
		*t++ = (TOKEN)xc_dc_token(difference);
		if (t[-1] == XC_LARGE_DC_TOKEN)
			*t++ = (TOKEN)difference;
		for (int k = 1; k < 64; k++) {
			const COEF v = block[scan[k]];
			if (!v) {
				run++;
				continue;
			}
			for (; run > 15; run -= 16)
				*t++ = XC_ZEROS_TOKEN;
			*t++ = (TOKEN)xc_ac_token(v, run);
			run = 0;
		}
		if (run)
			*t++ = XC_END_TOKEN;
	}
	return (size_t)(t - (TOKEN *)tokens);
}

/* The prediction of the DC of the block at (x, y), whose coefficients are `here`. */
static inline int32_t prediction(const COEF *here, size_t wide, uint32_t x, uint32_t y)
{
	const COEF *above = here - wide * 64;
	int32_t p = 0;

	if (x && y)
		p = xc_median_edge(here[-64], above[0], above[-64]);
	else if (x)
		p = here[-64];
	else if (y)
		p = above[0];
	return p;
}

void NAME(xc_predict_dc)(const void *blocks, uint32_t wide, uint32_t high, void *out)
{
	const COEF *here = blocks;
	COEF *to = out;

	for (uint32_t y = 0; y < high; y++) {
		for (uint32_t x = 0; x < wide; x++, here += 64)
			*to++ = (COEF)((uint32_t)here[0] - (uint32_t)prediction(here, wide, x, y));
	}
}

/* Neighbours stay in registers, because loading a DC again would wait for its store. The DCs are
 * `stride` coefficients apart; each is multiplied by `parts` first. */
static inline __attribute__((always_inline)) void restore(COEF *here, uint32_t wide, uint32_t high,
                                                          const ptrdiff_t stride,
                                                          const uint32_t parts)
{
	COEF *above = here;
	COEF left = 0;

	for (uint32_t x = 0; x < wide; x++, here += stride)
		*here = left = (COEF)((uint32_t)*here * parts + (uint32_t)left);
	for (uint32_t y = 1; y < high; y++) {
		/* In the first column all three neighbours are the upper one. */
		COEF corner = left = *above;
		for (uint32_t x = 0; x < wide; x++, here += stride, above += stride) {
			const int32_t p = xc_median_edge(left, *above, corner);
			corner = *above;
			*here = left = (COEF)((uint32_t)*here * parts + (uint32_t)p);
		}
	}
}

void NAME(xc_restore_dc)(void *blocks, uint32_t wide, uint32_t high)
{
	restore(blocks, wide, high, 64, 1);
}

void NAME(xc_restore_dc_only)(void *dcs, uint32_t wide, uint32_t high)
{
	restore(dcs, wide, high, 1, XC_STEP_PARTS);
}
#endif

/* The context after an AC token that is not small. */
static inline unsigned context_after_large(TOKEN t)
{
	return xc_context_after_ac(symbol_of(token_run(t), xc_value_size(token_value(t))));
}

/* after: the context after each small token, NULL: there is one context alone. */
static inline __attribute__((always_inline)) void count(const xc_tokens *tokens,
                                                        const uint8_t *after,
                                                        xc_token_counts *counts)
{
	const TOKEN *all = tokens->tokens;
	unsigned context = 0;

	for (size_t i = 0; i < tokens->count; i++) {
		const TOKEN t = all[i];
		if (__builtin_expect(t < XC_SMALL_TOKENS, 1)) {
			counts[context].small[t]++;
			context = after ? after[t] : 0;
		} else if (t == XC_LARGE_DC_TOKEN) {
			counts[context].dc[xc_value_size((COEF)all[++i])]++;
			context = after ? XC_CONTEXT_LARGE_DC : 0;
		} else {
			counts[context].ac[symbol_of(token_run(t), xc_value_size(token_value(t)))]++;
			context = after ? context_after_large(t) : 0;
		}
	}
}

void NAME(xc_count_tokens)(const xc_tokens *tokens, const xc_token_contexts *contexts,
                           xc_token_counts *counts)
{
	if (contexts)
		count(tokens, contexts->after, counts);
	else
		count(tokens, NULL, counts);
}

/* Appends up to 57 bits. */
static inline void put(xc_bit_writer *w, uint64_t bits, unsigned count)
{
	w->bits = w->bits << count | bits;
	w->count += count;
}

/* Stores all whole bytes, by writing 8, and leaves fewer than 8 bits. There are two shifts because
 * one by 64, when there are no bits at all, is undefined. */
static inline void flush(xc_bit_writer *w)
{
	const uint64_t word = xc_highest_first64(w->bits << 1 << (63 - w->count));

	__builtin_memcpy(w->next, &word, 8);
	w->next += w->count >> 3;
	w->count &= 7;
}

/* Appends a code of up to 16 bits, the escape's 4 and the value's bits, and flushes. */
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

/* Appends a token that is not in the tables; returns the next one. */
static __attribute__((noinline)) const TOKEN *put_large(xc_bit_writer *w, const TOKEN *t,
                                                        const xc_coder_tables *tables)
{
	if (*t == XC_LARGE_DC_TOKEN) {
		const int32_t dc = (COEF)t[1];
		const unsigned size = xc_value_size(dc);
		put_value(w, tables->dc[size], dc, size, 0);
		return t + 2;
	}
	const int32_t v = token_value(*t);
	const unsigned size = xc_value_size(v);
	put_value(w, tables->ac[symbol_of(token_run(*t), size)], v, size, size >= 15);
	return t + 1;
}

/* The tables of the AC token that follows `t` in its block. */
static inline const xc_coder_tables *table_after(const xc_coder *coder, TOKEN t)
{
	const unsigned context = __builtin_expect(t < XC_SMALL_TOKENS, 1) ? coder->after[t]
	                         : t == XC_LARGE_DC_TOKEN                 ? XC_CONTEXT_LARGE_DC
	                                                                  : context_after_large(t);

	return &coder->tables[coder->number[context]];
}

/* Small tokens take at most 16 + 7 bits: two fit between flushes, which leave 7. several: the codes
 * of AC depend on the context. */
static inline __attribute__((always_inline)) void code(xc_bit_writer *writer,
                                                       const xc_tokens *tokens,
                                                       const xc_coder *coder, int several)
{
	xc_bit_writer w = *writer;
	const TOKEN *t = tokens->tokens, *const end = t + tokens->count;
	const xc_coder_tables *tables = coder->tables;

	while (t < end) {
		if (__builtin_expect(end - t >= 2 && t[0] < XC_SMALL_TOKENS && t[1] < XC_SMALL_TOKENS, 1)) {
			const uint32_t a = tables->small[t[0]];
			if (several)
				tables = table_after(coder, t[0]);
			const uint32_t b = tables->small[t[1]];
			if (several)
				tables = table_after(coder, t[1]);
			put(&w, (uint64_t)(a >> 6) << (b & 63) | b >> 6, (a & 63) + (b & 63));
			t += 2;
		} else {
			const TOKEN first = *t;
			if (first < XC_SMALL_TOKENS) {
				const uint32_t a = tables->small[*t++];
				put(&w, a >> 6, a & 63);
			} else {
				/* Works on a copy: a writer whose address escapes could not stay in registers. */
				xc_bit_writer copy = w;
				t = put_large(&copy, t, tables);
				w = copy;
			}
			if (several)
				tables = table_after(coder, first);
		}
		flush(&w);
	}
	*writer = w;
}

void NAME(xc_code_tokens)(xc_bit_writer *w, const xc_tokens *tokens, const xc_coder *coder)
{
	if (coder->codes > 1)
		code(w, tokens, coder, 1);
	else
		code(w, tokens, coder, 0);
}
