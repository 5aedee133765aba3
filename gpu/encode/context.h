/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes of AC by context (entropy/contexts.h): the bits of tokens, for gpu/encode/code.h. depth16,
 * a constant: tokens have 32 bits.
 *
 * The context of a token depends only on the token before it, so a thread can begin with any token.
 * Tables are by symbol, because a table by token for each context would not fit in shared memory.
 */
#ifndef XC_GPU_ENCODE_CONTEXT_H
#define XC_GPU_ENCODE_CONTEXT_H

#include "entropy/value.h"
#include "gpu/encode/rdo.h"
#include "gpu/runtime/warp.h"

/* ------------------------------------------------------- bits as one thread writes them */

/* Up to 48 bits. */
typedef struct xc_gpu_code_bits {
	uint64_t bits;
	uint32_t count;
} xc_gpu_code_bits;

/* Appends bits to zeroed words, highest bit first. Other threads share the first and the last word,
 * so writes are atomic ORs. */
typedef struct xc_gpu_bit_writer {
	uint32_t *word;
	uint32_t bits; /* the upper `count` bits, below 32, are pending; the others are 0 */
	uint32_t count;
} xc_gpu_bit_writer;

XC_GPU_INLINE xc_gpu_bit_writer xc_gpu_writer(uint32_t *words, uint32_t start)
{
	/* The bits before the start are zeros that change nothing. */
	const xc_gpu_bit_writer w = {words + start / 32, 0, start % 32};
	return w;
}

XC_GPU_INLINE void xc_gpu_put_word(xc_gpu_bit_writer *w)
{
	XC_ATOMIC_OR(w->word, w->bits);
	w->word++;
}

/* Appends 1 to 32 bits, the upper ones of `bits`; the others are 0. */
XC_GPU_INLINE void xc_gpu_put_upper(xc_gpu_bit_writer *w, uint32_t bits, uint32_t count)
{
	const uint32_t before = w->count;

	w->bits |= bits >> before;
	w->count += count;
	if (w->count >= 32) {
		xc_gpu_put_word(w);
		w->bits = before ? bits << (32 - before) : 0;
		w->count -= 32;
	}
}

/* Appends up to 48 bits. */
XC_GPU_INLINE void xc_gpu_put(xc_gpu_bit_writer *w, xc_gpu_code_bits b)
{
	if (b.count > 32) {
		xc_gpu_put_upper(w, (uint32_t)(b.bits >> (b.count - 32)), 32);
		b.count -= 32;
	}
	if (b.count)
		xc_gpu_put_upper(w, (uint32_t)b.bits << (32 - b.count), b.count);
}

XC_GPU_INLINE void xc_gpu_put_end(xc_gpu_bit_writer *w)
{
	if (w->count)
		XC_ATOMIC_OR(w->word, w->bits);
}

/* Moves the code of an entry, code << 6 | length, to the highest bits. The length may be 0 if the
 * symbol does not occur. */
XC_GPU_INLINE uint32_t xc_gpu_upper_entry(uint32_t entry)
{
	const uint32_t length = entry & 63;
	return length ? entry >> 6 << (32 - length) | length : 0;
}

/* Appends the bits of such an entry, at most 23. */
XC_GPU_INLINE void xc_gpu_put_small(xc_gpu_bit_writer *w, uint32_t entry)
{
	const uint32_t bits = entry & ~63u, before = w->count, end = before + (entry & 63);

	w->bits |= bits >> before;
	w->count = end;
	if (end >= 32) {
		xc_gpu_put_word(w);
		/* before > 0, since at most 23 bits crossed the word's end. */
		w->bits = bits << (32 - before);
		w->count = end - 32;
	}
}

/* Bits that a thread holds in registers until their position is known. */
enum { XC_GPU_HELD_WORDS = 4 };

typedef struct xc_gpu_held_bits {
	uint32_t word[XC_GPU_HELD_WORDS]; /* the last bits are the lowest ones of word 0 */
	uint32_t count;                   /* if more than fit, the first ones are lost */
} xc_gpu_held_bits;

/* Appends the upper bits of a word; the lowest five bits of shift are their number. */
XC_GPU_INLINE void xc_gpu_hold(xc_gpu_held_bits *h, uint32_t upper, uint32_t shift)
{
	XC_UNROLL
	for (int i = XC_GPU_HELD_WORDS - 1; i > 0; i--)
		h->word[i] = xc_gpu_shift_in(h->word[i], h->word[i - 1], shift);
	h->word[0] = xc_gpu_shift_in(h->word[0], upper, shift);
}

/* Appends the bits of an entry. */
XC_GPU_INLINE void xc_gpu_hold_small(xc_gpu_held_bits *h, uint32_t entry)
{
	xc_gpu_hold(h, entry, entry);
	h->count = xc_gpu_dot(entry, 1, h->count);
}

/* Appends up to 48 bits; depth16, a constant: there may be more than 31. */
XC_GPU_INLINE void xc_gpu_hold_bits(xc_gpu_held_bits *h, xc_gpu_code_bits b, int depth16)
{
	h->count += b.count;
	if (depth16 && b.count > 24) {
		b.count -= 24;
		xc_gpu_hold(h, (uint32_t)(b.bits >> b.count) << 8, 24);
	}
	if (b.count)
		xc_gpu_hold(h, (uint32_t)b.bits << (32 - b.count), b.count);
}

/* Writes the held bits to zeroed words from bit `start` on. None may be lost. */
XC_GPU_INLINE void xc_gpu_put_held(const xc_gpu_held_bits *h, uint32_t *words, uint32_t start)
{
	const uint32_t last = start + h->count - 1, shift = ~last, before = last / 32 - start / 32;

	if (!h->count)
		return;
	words += last / 32;
	XC_ATOMIC_OR(words, xc_gpu_shift_in(h->word[0], 0, shift));
	XC_UNROLL
	for (uint32_t i = 1; i <= XC_GPU_HELD_WORDS; i++)
		if (i <= before)
			XC_ATOMIC_OR(words - i, xc_gpu_shift_in(i < XC_GPU_HELD_WORDS ? h->word[i] : 0,
			                                        h->word[i - 1], shift));
}

/* The symbol of a token, with its value. */
typedef struct xc_gpu_token_symbol {
	uint32_t dc, symbol, size;
	int32_t value;
} xc_gpu_token_symbol;

/* The coefficient of a token that is not in the tables. */
XC_GPU_INLINE int32_t xc_gpu_large_value(uint32_t t, int depth16)
{
	const uint32_t c = t >> 4, first_negative = (depth16 ? UINT32_C(1) << 27 : 1 << 11) + 40;

	return c < first_negative
	           ? (int32_t)c - XC_LARGE_BIAS
	           : (int32_t)(c - (depth16 ? UINT32_C(1) << 28 : 1 << 12)) - XC_TOKEN_BIAS;
}

XC_GPU_INLINE xc_gpu_token_symbol xc_gpu_dc_symbol(int32_t difference)
{
	const uint32_t size = xc_value_size(difference);
	const xc_gpu_token_symbol s = {1, size, size, difference};
	return s;
}

/* The symbol of any token but XC_LARGE_DC_TOKEN. */
XC_GPU_INLINE xc_gpu_token_symbol xc_gpu_token_symbol_of(uint32_t t, int depth16)
{
	xc_gpu_token_symbol s;

	if (t >= XC_DC_TOKENS && t < XC_SMALL_TOKENS)
		return xc_gpu_dc_symbol((int32_t)t - XC_DC_TOKENS - XC_MAX_SMALL_DC);
	s.dc = 0;
	s.value = t < XC_DC_TOKENS ? (int32_t)(t >> 4) - XC_TOKEN_BIAS : xc_gpu_large_value(t, depth16);
	s.size = xc_value_size(s.value);
	s.symbol = (t & 15) << 4 | (s.size < 15 ? s.size : 15);
	return s;
}

XC_GPU_INLINE uint32_t xc_gpu_context_after(const xc_gpu_token_symbol *s)
{
	return s->dc ? xc_context_after_dc(s->size) : xc_context_after_ac(s->symbol);
}

/* The context after any token. */
XC_GPU_INLINE uint32_t xc_gpu_context_after_token(uint32_t t, int depth16)
{
	if (t == XC_LARGE_DC_TOKEN)
		return XC_CONTEXT_LARGE_DC;
	const xc_gpu_token_symbol s = xc_gpu_token_symbol_of(t, depth16);
	return xc_gpu_context_after(&s);
}

/* The index of a symbol among the symbols of all contexts. */
XC_GPU_INLINE uint32_t xc_gpu_set_index(const xc_gpu_token_symbol *s, uint32_t context)
{
	return s->dc ? s->symbol : XC_DC_SYMBOLS + context * XC_AC_SYMBOLS + s->symbol;
}

/* A token below XC_SMALL_TOKENS, prepared so that its bits need no arithmetic:
 *   bits 0-8    xc_gpu_set_index() in context 0
 *   bits 9-11   the size of its value
 *   bits 16-18  the context after it
 *   bits 19-25  the value's bits
 *   bit 31      it is a DC, which has no context */
XC_GPU_INLINE uint32_t xc_gpu_about_token(uint32_t t)
{
	const xc_gpu_token_symbol s = xc_gpu_token_symbol_of(t, 0);
	return xc_gpu_set_index(&s, 0) | s.size << 9 | xc_gpu_context_after(&s) << 16 |
	       xc_value_bits(s.value, s.size) << 19 | s.dc << 31;
}

/* The bits of a small token, highest first, and their number in the lowest six bits; *context
 * becomes the next token's. about: xc_gpu_about_token(). */
XC_GPU_INLINE uint32_t xc_gpu_small_entry(uint32_t about, uint32_t *context, const uint32_t *set)
{
	const uint32_t in_context = about >> 31 ? 0 : *context * XC_AC_SYMBOLS;
	const uint32_t code = set[(about & 511) + in_context];
	const uint32_t count = (code & 63) + (about >> 9 & 7);

	*context = about >> 16 & 7;
	return (code & ~UINT32_C(63)) | (about >> 19 & 127) << (32 - count) | count;
}

/* The bits of a symbol and its value; set: xc_gpu_upper_entry() of codes, by xc_gpu_set_index(). */
XC_GPU_INLINE xc_gpu_code_bits xc_gpu_symbol_bits(const xc_gpu_token_symbol *s, uint32_t context,
                                                  const uint32_t *set)
{
	const uint32_t code = set[xc_gpu_set_index(s, context)], length = code & 63;
	xc_gpu_code_bits b = {length ? code >> (32 - length) : 0, length};

	if (!s->dc && s->size >= 15) {
		b.bits = b.bits << 4 | (s->size - 15);
		b.count += 4;
	}
	b.bits = b.bits << s->size | xc_value_bits(s->value, s->size);
	b.count += s->size;
	return b;
}

/* Loads the tables of luma and chroma for a picture, by context. */
XC_GPU_INLINE void xc_gpu_load_sets(const xc_gpu_encode_job *j, xc_cta t, uint32_t picture,
                                    uint32_t (*set)[XC_GPU_SET_SYMBOLS])
{
	const xc_gpu_code_sets *const from = &j->sets[picture];

	for (uint32_t chroma = 0; chroma < (j->components > 1 ? 2 : 1); chroma++) {
		for (uint32_t i = t.rank; i < XC_GPU_SET_SYMBOLS; i += t.size) {
			const uint32_t ac = i - XC_DC_SYMBOLS, context = ac / XC_AC_SYMBOLS;
			const uint32_t at = i < XC_DC_SYMBOLS
			                        ? i
			                        : XC_DC_SYMBOLS +
			                              from->number[chroma][context] * XC_AC_SYMBOLS +
			                              ac % XC_AC_SYMBOLS;
			set[chroma][i] = xc_gpu_upper_entry(from->coder[chroma][at]);
		}
	}
}

/* ------------------------------------------------ code lengths for decisions */

/* Sets the weights of a class from the codes, and clears the sampled counts. */
XC_GPU_INLINE void xc_gpu_make_weights(const xc_gpu_encode_job *j, xc_cta t, uint32_t chroma,
                                       uint32_t picture)
{
	xc_gpu_weights *const w = &j->weights[picture];
	xc_gpu_code_sets *const sets = j->sets ? &j->sets[picture] : NULL;
	xc_gpu_picture_state *const state = &j->states[picture];
	const uint8_t *const built_in = j->built_in + chroma * XC_GPU_LENGTHS + XC_DC_SYMBOLS;

	for (uint32_t i = t.rank; i < XC_AC_CONTEXTS * XC_AC_SYMBOLS; i += t.size) {
		const uint32_t context = i / XC_AC_SYMBOLS, symbol = i % XC_AC_SYMBOLS;
		const uint8_t *const lengths = sets ? sets->lengths[chroma] + XC_DC_SYMBOLS +
		                                          sets->number[chroma][context] * XC_AC_SYMBOLS
		                                    : built_in;
		const uint32_t length = lengths[symbol] ? lengths[symbol] : (uint32_t)XC_MAX_CODE_LENGTH;
		w->of[chroma][context][symbol] = (uint16_t)(j->lambda * (length + (symbol & 15)));
	}
	for (uint32_t i = t.rank; sets && i < XC_GPU_SET_SYMBOLS; i += t.size)
		sets->counts[chroma][i] = 0;
	if (t.rank)
		return;
	const uint32_t points = xc_gpu_stored_points(j, picture, chroma);
	w->points[chroma][0] = (int8_t)((int)(points & 15) - 8);
	w->points[chroma][1] = (int8_t)((int)(points >> 4) - 8);
	for (int m = 0; m < 2; m++)
		state->offset[chroma][m] = state->offsets[chroma][m] = 0;
}

#endif
