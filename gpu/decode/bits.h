/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of a segment as one thread reads them. They come from a copy in shared memory, with
 * zeros before and after the segment, and with the first byte of each word on top. A segment that
 * is too long for a copy is read itself, in aligned words.
 */
#ifndef XC_GPU_DECODE_BITS_H
#define XC_GPU_DECODE_BITS_H

#include "gpu/runtime/device.h"

/* The most bytes of a valid segment: 4096 blocks of 64 coefficients in 48 bits, rounded up. */
enum { XC_GPU_SEGMENT_MAX = 1 << 21 };

/* Places are bits from the first one of `words` on. */
typedef struct xc_gpu_bits {
	const uint32_t *words;
	uint32_t begin, end; /* the segment's */
	uint32_t last;       /* words after this one must not be read */
} xc_gpu_bits;

/* The segment itself, of `size` bytes, at most XC_GPU_SEGMENT_MAX. Up to 15 bytes before it, which
 * are the file's, and three after it are read with it. */
XC_GPU_INLINE xc_gpu_bits xc_gpu_bits_of(const uint8_t *data, uint32_t size)
{
	const uint32_t before = (uint32_t)((uintptr_t)data & 3);
	xc_gpu_bits b;

	b.words = (const uint32_t *)(const void *)(data - before);
	b.begin = before * 8;
	b.end = b.begin + size * 8;
	b.last = (before + size + 3) / 4 - 1;
	return b;
}

/* Of word `i` of b->words, with its first byte on top, the bits that are the
 * segment's, and zeros. */
XC_GPU_INLINE uint32_t xc_gpu_own_bits(const xc_gpu_bits *b, uint32_t i, uint32_t word)
{
	const uint32_t first = i * 32;

	if (b->begin > first)
		word = b->begin - first < 32 ? word & ~UINT32_C(0) >> (b->begin - first) : 0;
	if (b->end < first + 32)
		word = b->end > first ? word & ~UINT32_C(0) << (first + 32 - b->end) : 0;
	return word;
}

/* A word of b->words with its first byte on top.  Without a copy the last word may hold more than
 * the segment, and stands for those after it.  Such bits lie past the segment's end and do not
 * count. */
XC_GPU_INLINE uint32_t xc_gpu_word_at(const xc_gpu_bits *b, const uint32_t *word, int copied)
{
	if (copied)
		return *word;
	return xc_gpu_swap(*(word < b->words + b->last ? word : b->words + b->last));
}

XC_GPU_INLINE uint32_t xc_gpu_word(const xc_gpu_bits *b, uint32_t i, int copied)
{
	return xc_gpu_word_at(b, b->words + i, copied);
}

/* The bits from `at` on: word[0] has the first, and bit `next` is word[1]'s.  `ahead`
 * points to the word after those two, which is `after` from xc_gpu_window() to xc_gpu_go_on(). */
typedef struct xc_gpu_reader {
	uint32_t word[2], after;
	uint32_t at, next;
	const uint32_t *ahead;
} xc_gpu_reader;

XC_GPU_INLINE xc_gpu_reader xc_gpu_read_from(const xc_gpu_bits *b, uint32_t at, int copied)
{
	const uint32_t i = at >> 5;
	const xc_gpu_reader r = {{xc_gpu_word(b, i, copied), xc_gpu_word(b, i + 1, copied)},
	                         xc_gpu_word(b, i + 2, copied),
	                         at,
	                         (at | 31) + 1,
	                         b->words + i + 2};

	return r;
}

/* The next 32 bits.  This also loads the word that may be needed next.  If only the lanes that need
 * it loaded it, a warp would wait in nearly every step. */
XC_GPU_INLINE uint32_t xc_gpu_window(xc_gpu_reader *r, const xc_gpu_bits *b, int copied)
{
	r->after = xc_gpu_word_at(b, r->ahead, copied);
	return xc_gpu_shift_in(r->word[0], r->word[1], r->at);
}

/* After r->at was moved by up to 32 bits: takes the next word if the first one is used up. */
XC_GPU_INLINE void xc_gpu_go_on(xc_gpu_reader *r)
{
	if (r->at >= r->next) {
#ifdef __CUDA_ARCH__
		/* Under a predicate; nvcc would select each of them. */
		asm volatile("mov.u32 %0, %1;\n\tmov.u32 %1, %3;\n\tadd.u32 %2, %2, 32;"
		             : "+r"(r->word[0]), "+r"(r->word[1]), "+r"(r->next)
		             : "r"(r->after));
#else
		r->word[0] = r->word[1];
		r->word[1] = r->after;
		r->next += 32;
#endif
		r->ahead++;
	}
}

/* n bits from 1 to 28 from bit `at` on. */
XC_GPU_INLINE uint32_t xc_gpu_bits_at(const xc_gpu_bits *b, uint32_t at, uint32_t n, int copied)
{
	const uint32_t i = at >> 5;
	return xc_gpu_shift_in(xc_gpu_word(b, i, copied), xc_gpu_word(b, i + 1, copied), at) >>
	       (32 - n);
}

#endif
