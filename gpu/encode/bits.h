/* SPDX-License-Identifier: BSD-2-Clause */
/* The bits of a segment as one thread writes them. */
#ifndef XC_GPU_ENCODE_BITS_H
#define XC_GPU_ENCODE_BITS_H

#include "gpu/runtime/team.h"

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

/* An entry code << 6 | length with the code from the highest bit on.  What does not occur may have no
 * bits at all. */
XC_GPU_INLINE uint32_t xc_gpu_upper_entry(uint32_t entry)
{
	const uint32_t length = entry & 63;
	return length ? entry >> 6 << (32 - length) | length : 0;
}

/* Appends the bits of such an entry. */
XC_GPU_INLINE void xc_gpu_put_small(xc_gpu_bit_writer *w, uint32_t entry)
{
	const uint32_t bits = entry & ~63u, before = w->count, end = before + (entry & 63);
	w->bits |= bits >> before;
	w->count = end;
	if (end >= 32) {
		xc_gpu_put_word(w);
		/* An entry has at most 23 bits, so there were some before. */
		w->bits = bits << (32 - before);
		w->count = end - 32;
	}
}

#endif
