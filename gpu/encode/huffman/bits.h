/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits as one thread writes them, for gpu/encode/huffman/code.h. */
#ifndef XC_GPU_ENCODE_HUFFMAN_BITS_H
#define XC_GPU_ENCODE_HUFFMAN_BITS_H

#include "entropy/token.h"
#include "entropy/value.h"
#include "gpu/runtime/device.h"
#include "gpu/runtime/warp.h"

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

/* The coefficient of a token that is not in the tables. */
XC_GPU_INLINE int32_t xc_gpu_large_value(uint32_t t, int depth16)
{
	const uint32_t c = t >> 4, first_negative = (depth16 ? UINT32_C(1) << 27 : 1 << 11) + 40;

	return c < first_negative
	           ? (int32_t)c - XC_LARGE_BIAS
	           : (int32_t)(c - (depth16 ? UINT32_C(1) << 28 : 1 << 12)) - XC_TOKEN_BIAS;
}

#endif
