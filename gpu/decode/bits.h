/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of a segment as one thread reads them: from a copy in shared memory, which has zeros
 * before and after the segment and the first byte of each word on top, or, if the segment is too
 * long for a copy, from the file itself in aligned words. All functions take `copied` as a
 * constant.
 */
#ifndef XC_GPU_DECODE_BITS_H
#define XC_GPU_DECODE_BITS_H

#include "entropy/value.h"
#include "gpu/runtime/device.h"

/* The maximum size of a valid segment: 4096 blocks of 64 coefficients of 48 bits, rounded up. */
enum { XC_GPU_SEGMENT_MAX = 1 << 21 };

/* The largest size of a value. */
XC_GPU_INLINE uint32_t xc_gpu_max_size(int ac, int depth16)
{
	return (depth16 ? XC_MAX_SIZE32 : XC_MAX_SIZE16) + !ac;
}

/* Positions are counted in bits from `words` on. */
typedef struct xc_gpu_bits {
	const uint32_t *words;
	uint32_t begin, end; /* of the segment */
	uint32_t last;       /* words after this one must not be read */
} xc_gpu_bits;

/* The segment in the file, of `size` bytes, at most XC_GPU_SEGMENT_MAX. Up to 15 bytes of the file
 * before it and three bytes after it are read too. */
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

/* Masks word `i` of b->words, with its first byte on top: clears the bits outside the segment.
 */
XC_GPU_INLINE uint32_t xc_gpu_own_bits(const xc_gpu_bits *b, uint32_t i, uint32_t word)
{
	const uint32_t first = i * 32;

	if (b->begin > first)
		word = b->begin - first < 32 ? word & ~UINT32_C(0) >> (b->begin - first) : 0;
	if (b->end < first + 32)
		word = b->end > first ? word & ~UINT32_C(0) << (first + 32 - b->end) : 0;
	return word;
}

/* A word of b->words with its first byte on top. Without a copy, words after the last are replaced
 * by the last one, which keeps reads in bounds; those bits lie past the segment's end and are
 * discarded. */
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

/* The state of a reader. at: the next bit, which is in word[0]; next: the position of the first bit
 * of word[1]; ahead: points to the word after these two; after: that word, between xc_gpu_window()
 * and xc_gpu_go_on(). */
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

/* The next 32 bits. Every call also loads the following word: if only the lanes that need it did
 * so, some lane of a warp would wait for memory in nearly every step. */
XC_GPU_INLINE uint32_t xc_gpu_window(xc_gpu_reader *r, const xc_gpu_bits *b, int copied)
{
	r->after = xc_gpu_word_at(b, r->ahead, copied);
	return xc_gpu_shift_in(r->word[0], r->word[1], r->at);
}

/* To be called after r->at has moved by at most 32 bits: shifts the words if the first is used up.
 * */
XC_GPU_INLINE void xc_gpu_go_on(xc_gpu_reader *r)
{
	if (r->at >= r->next) {
#ifdef __CUDA_ARCH__
		/* One predicate for all; nvcc would use a selection for each. */
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

/* The n bits, 1 to 28, from bit `at` on. */
XC_GPU_INLINE uint32_t xc_gpu_bits_at(const xc_gpu_bits *b, uint32_t at, uint32_t n, int copied)
{
	const uint32_t i = at >> 5;
	return xc_gpu_shift_in(xc_gpu_word(b, i, copied), xc_gpu_word(b, i + 1, copied), at) >>
	       (32 - n);
}

#endif
