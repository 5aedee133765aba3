/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting symbols by context (entropy/contexts.h), by a thread block that takes a slice of a tile.
 * deep, a constant: of 16 bits a sample. */
#ifndef XC_GPU_ENCODE_COUNT_H
#define XC_GPU_ENCODE_COUNT_H

#include "entropy/contexts.h"
#include "gpu/encode/tile.h"

/* The number of the highest bit that is set; v must not be zero. */
XC_GPU_INLINE uint32_t xc_gpu_highest(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return 31 - (uint32_t)__clz((int)v);
#else
	return 31 - (uint32_t)__builtin_clz(v);
#endif
}

/* Counts in shared memory: first luma's, then chroma's. With 16 bits a sample they share
 * words, luma's in the lower halves, because columns leave little memory; a slice has far less
 * than 2^16 symbols. */
XC_GPU_INLINE uint32_t xc_gpu_count_words(int depth16)
{
	return (depth16 ? 1 : 2) * XC_GPU_SET_SYMBOLS;
}

/* Where a class is counted, and what a symbol adds. */
typedef struct xc_gpu_counter {
	uint32_t *counts, one;
} xc_gpu_counter;

XC_GPU_INLINE xc_gpu_counter xc_gpu_counter_of(uint32_t *counts, uint32_t chroma, int depth16)
{
	const xc_gpu_counter c = {counts + (depth16 ? 0 : chroma * XC_GPU_SET_SYMBOLS),
	                          depth16 && chroma ? 0x10000u : 1u};
	return c;
}

/* Where the counts of AC in a context begin. */
XC_GPU_INLINE uint32_t xc_gpu_context_counts(uint32_t context)
{
	return XC_DC_SYMBOLS + context * XC_AC_SYMBOLS;
}

/* Counts a DC.  Returns where the counts of the context after it begin. */
XC_GPU_INLINE uint32_t xc_gpu_count_dc(const xc_gpu_counter *c, int32_t difference)
{
	const uint32_t size = xc_value_size(difference);
	XC_ATOMIC_ADD(&c->counts[size], c->one);
	return xc_gpu_context_counts(xc_context_after_dc(size));
}

/* Counts a value that is not zero and has `run` zeros before it, up to 15, where the counts of its
 * context begin at *context, which becomes where those of the next one do. */
XC_GPU_INLINE void xc_gpu_count_ac(const xc_gpu_counter *c, uint32_t *context, uint32_t run,
                                   int32_t value, int depth16)
{
	uint32_t highest = xc_gpu_highest((uint32_t)(value < 0 ? -value : value));

	XC_OPAQUE(highest, "r"); /* or there would be a subtraction, and one that undoes it */
	const uint32_t size = depth16 && highest > 14 ? 15 : highest + 1;
	XC_ATOMIC_ADD(&c->counts[*context + 16 * run + size], c->one);
	*context = xc_gpu_context_counts(xc_context_after_value(run, size));
}

/* Counts a symbol without a value: 16 zeros, or the end of the block. */
XC_GPU_INLINE void xc_gpu_count_zeros(const xc_gpu_counter *c, uint32_t *context, uint32_t symbol)
{
	XC_ATOMIC_ADD(&c->counts[*context + symbol], c->one);
	*context = xc_gpu_context_counts(xc_context_after_ac(symbol));
}

/* The counts that a slice of a tile, blocks from to end - 1, needs. */
typedef struct xc_gpu_counted {
	uint32_t first, end;
} xc_gpu_counted;

XC_GPU_INLINE xc_gpu_counted xc_gpu_counted_in(const xc_gpu_coded_tile *c, uint32_t from,
                                               uint32_t end, int depth16)
{
	const xc_gpu_counted n = {depth16 || from < c->luma_blocks ? 0u : (uint32_t)XC_GPU_SET_SYMBOLS,
	                          depth16 || end <= c->luma_blocks ? (uint32_t)XC_GPU_SET_SYMBOLS
	                                                           : 2u * XC_GPU_SET_SYMBOLS};

	return n;
}

XC_GPU_INLINE void xc_gpu_begin_counts(xc_cta t, uint32_t *counts, xc_gpu_counted n)
{
	for (uint32_t i = n.first + t.rank; i < n.end; i += t.size)
		counts[i] = 0;
}

/* Adds a thread block's counts to those of its picture, after a barrier. */
XC_GPU_INLINE void xc_gpu_end_counts(const xc_gpu_encode_job *j, xc_cta t, uint32_t picture,
                                     const uint32_t *counts, xc_gpu_counted n, int depth16)
{
	unsigned long long *const of = j->sets[picture].counts[0];

	for (uint32_t i = n.first + t.rank; i < n.end; i += t.size) {
		const uint32_t first = depth16 ? counts[i] & 0xffff : counts[i];
		if (first)
			XC_ATOMIC_ADD(&of[i], (unsigned long long)first);
		if (depth16 && counts[i] >> 16)
			XC_ATOMIC_ADD(&of[XC_GPU_SET_SYMBOLS + i], (unsigned long long)(counts[i] >> 16));
	}
}

#endif
