/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bits of a segment as one thread reads them, by aligned words.  The next ones are
 * at the top of `high`; `low` and `more` follow, so that a look-up and what comes of it
 * never wait for memory.
 */
#ifndef XC_GPU_DECODE_BITS_H
#define XC_GPU_DECODE_BITS_H

#include "gpu/device.h"

/* A segment. */
typedef struct xc_gpu_bits {
	const uint32_t *words; /* the first one holds the segment's first byte */
	uint32_t whole;        /* words that lie in front of the segment's end */
	uint32_t tail;         /* what the segment has of word `whole`, then zeros */
	uint32_t skip;         /* bits of the first word in front of the segment */
	uint32_t count;        /* bits of the segment */
} xc_gpu_bits;

typedef struct xc_gpu_reader {
	uint32_t high, low, more;
	uint32_t next; /* the word behind those, fetched before it is needed */
	uint32_t index; /* of that word */
	int32_t count; /* bits in high, low and more */
} xc_gpu_reader;

XC_GPU_INLINE uint32_t xc_gpu_swap(uint32_t w)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(w, 0, 0x0123);
#else
	return __builtin_bswap32(w);
#endif
}

/* The upper half of (high, low) << (n mod 32). */
XC_GPU_INLINE uint32_t xc_gpu_shift_in(uint32_t high, uint32_t low, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_l(low, high, n);
#else
	return n & 31 ? high << (n & 31) | low >> (32 - (n & 31)) : high;
#endif
}

/* w >> n, 0 for n of 32 and more. */
XC_GPU_INLINE uint32_t xc_gpu_shift_right(uint32_t w, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_rc(w, 0, n);
#else
	return n < 32 ? w >> n : 0;
#endif
}

/* The segment of `size` bytes, at most XC_GPU_SEGMENT_MOST, at data.  Only words that
 * lie within it in full are read whole. */
enum { XC_GPU_SEGMENT_MOST = 1 << 21 };
XC_GPU_INLINE xc_gpu_bits xc_gpu_bits_of(const uint8_t *data, uint32_t size)
{
	const uint32_t before = (uint32_t)((uintptr_t)data & 3), end = before + size;
	xc_gpu_bits b;
	b.words = (const uint32_t *)(const void *)(data - before);
	b.whole = end / 4;
	b.tail = 0;
	b.skip = before * 8;
	b.count = size * 8;
	for (uint32_t i = end & ~3u; i < end; i++)
		if (i >= before)
			b.tail |= (uint32_t)data[i - before] << (24 - (i & 3) * 8);
	return b;
}

/* Word i with its first byte on top; zeros behind the segment's end. */
XC_GPU_INLINE uint32_t xc_gpu_word(const xc_gpu_bits *b, uint32_t i)
{
	if (i < b->whole)
		return xc_gpu_swap(b->words[i]);
	return i == b->whole ? b->tail : 0;
}

/* To bit `at` of the segment. */
XC_GPU_INLINE void xc_gpu_seek(xc_gpu_reader *r, const xc_gpu_bits *b, uint32_t at)
{
	const uint32_t n = at + b->skip, i = n >> 5;
	const uint32_t w0 = xc_gpu_word(b, i), w1 = xc_gpu_word(b, i + 1);
	const uint32_t w2 = xc_gpu_word(b, i + 2);
	r->high = xc_gpu_shift_in(w0, w1, n);
	r->low = xc_gpu_shift_in(w1, w2, n);
	r->more = xc_gpu_shift_in(w2, 0, n);
	r->index = i + 3;
	r->next = xc_gpu_word(b, i + 3);
	r->count = 96 - (int32_t)(n & 31);
}

/* Leaves at least 65 bits; there must be 33. */
XC_GPU_INLINE void xc_gpu_refill(xc_gpu_reader *r, const xc_gpu_bits *b)
{
	if (r->count > 64)
		return;
	r->low |= xc_gpu_shift_right(r->next, (uint32_t)r->count - 32);
	r->more = r->next << (64 - r->count);
	r->count += 32;
	r->next = xc_gpu_word(b, ++r->index);
}

/* The lowest 5 bits of n say how many. */
XC_GPU_INLINE void xc_gpu_consume(xc_gpu_reader *r, uint32_t n)
{
	r->high = xc_gpu_shift_in(r->high, r->low, n);
	r->low = xc_gpu_shift_in(r->low, r->more, n);
	r->more = xc_gpu_shift_in(r->more, 0, n);
	r->count -= (int32_t)(n & 31);
}

/* n bits from 1 to 28 behind the next `skip`, at most 20; there must be 65. */
XC_GPU_INLINE uint32_t xc_gpu_peek(const xc_gpu_reader *r, uint32_t skip, uint32_t n)
{
	return xc_gpu_shift_in(r->high, r->low, skip) >> (32 - n);
}

#endif
