/* SPDX-License-Identifier: BSD-2-Clause */
/* The bits of a segment as one thread writes them. */
#ifndef XC_GPU_ENCODE_BITS_H
#define XC_GPU_ENCODE_BITS_H

#include "gpu/runtime/cta.h"

/* Up to 48 bits. */
typedef struct xc_gpu_code_bits {
	uint64_t bits;
	uint32_t count;
} xc_gpu_code_bits;

/* Appends bits to words of zeros, the first bit the highest of a word.  Others write to the first
 * and the last word as well, so atomic ORs join them. */
typedef struct xc_gpu_bit_writer {
	uint32_t *word;
	uint32_t bits; /* the upper `count`, below 32, are not stored yet; the others 0 */
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

/* An entry code << 6 | length with the code from the highest bit on. What does not occur may
 * have no bits at all. */
XC_GPU_INLINE uint32_t xc_gpu_upper_entry(uint32_t entry)
{
	const uint32_t length = entry & 63;
	return length ? entry >> 6 << (32 - length) | length : 0;
}

/* Appends the bits of such an entry, of which there are at most 23. */
XC_GPU_INLINE void xc_gpu_put_small(xc_gpu_bit_writer *w, uint32_t entry)
{
	const uint32_t bits = entry & ~63u, before = w->count, end = before + (entry & 63);

	w->bits |= bits >> before;
	w->count = end;
	if (end >= 32) {
		xc_gpu_put_word(w);
		/* They end after the word, so there were some before. */
		w->bits = bits << (32 - before);
		w->count = end - 32;
	}
}

/* Bits that a thread keeps in registers until it knows where they go. */
enum { XC_GPU_HELD_WORDS = 4 };

typedef struct xc_gpu_held_bits {
	uint32_t word[XC_GPU_HELD_WORDS]; /* the last bits are the lowest ones of word 0 */
	uint32_t count;                   /* if there are more than fit, the first ones are lost */
} xc_gpu_held_bits;

/* Appends the upper bits of a word; shift: its lowest five bits are their number. */
XC_GPU_INLINE void xc_gpu_hold(xc_gpu_held_bits *h, uint32_t upper, uint32_t shift)
{
	XC_UNROLL
	for (int i = XC_GPU_HELD_WORDS - 1; i > 0; i--)
		h->word[i] = xc_gpu_shift_in(h->word[i], h->word[i - 1], shift);
	h->word[0] = xc_gpu_shift_in(h->word[0], upper, shift);
}

/* Appends those of such an entry. */
XC_GPU_INLINE void xc_gpu_hold_small(xc_gpu_held_bits *h, uint32_t entry)
{
	xc_gpu_hold(h, entry, entry);
	h->count = xc_gpu_dot(entry, 1, h->count);
}

/* Appends up to 48 bits; deep, a constant: there may be more than 31. */
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

/* Puts all of them among words of zeros, from bit `start` on.  They must fit. */
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

#endif
