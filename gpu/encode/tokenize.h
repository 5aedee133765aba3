/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks to tokens, one thread a block.  deep, a constant: coefficients and tokens have 32 bits
 * instead of 16.
 *
 * A thread's coefficients are a column in shared memory: number k of thread i of a thread block
 * is at k * thread block + i. So at most two threads of a warp meet in a bank, whatever
 * positions they read. Tokens take the places of coefficients that have been read, of which
 * there are always enough.
 */
#ifndef XC_GPU_ENCODE_TOKENIZE_H
#define XC_GPU_ENCODE_TOKENIZE_H

#include "entropy/token.h"
#include "gpu/encode/count.h"

/* Sets a bit of *mask if a and b differ, in two instructions, where nvcc would take three. */
XC_GPU_INLINE void xc_gpu_set_if_other(uint32_t *mask, uint32_t bit, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
	asm("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, %2;\n\t@p or.b32 %0, %0, %3;\n\t}"
	    : "+r"(*mask)
	    : "r"(a), "r"(b), "r"(bit));
#else
	*mask |= a != b ? bit : 0;
#endif
}

/* A word of which bit `bit` alone is set. */
XC_GPU_INLINE uint32_t xc_gpu_bit(uint32_t bit)
{
#ifdef __CUDA_ARCH__
	uint32_t mask; /* without a register for the 1 */
	asm("bmsk.clamp.b32 %0, %1, 1;" : "=r"(mask) : "r"(bit));
	return mask;
#else
	return UINT32_C(1) << bit;
#endif
}

/* Entry i of an array of coefficients or tokens becomes `value`. */
XC_GPU_INLINE void xc_gpu_set(void *array, uint32_t i, uint32_t value, int depth16)
{
	if (depth16)
		((uint32_t *)array)[i] = value;
	else
		((uint16_t *)array)[i] = (uint16_t)value;
}

/* Turns the coefficients in a column into tokens; returns how many. Bit 31 - i of a mask stands for
 * position i of its half. counter: of their symbols, those of the first one's context from
 * `context` on; a constant NULL: nothing is counted. */
XC_GPU_INLINE uint32_t xc_gpu_tokenize(void *column, uint32_t cta, int depth16,
                                       const uint32_t masks[2], const xc_gpu_counter *counter,
                                       uint32_t context)
{
	const uint32_t size = depth16 ? 4 : 2;
	uint32_t out = 0; /* as an index: a pointer and its distance would be kept as 64 bits */
	uint32_t zeros = ~UINT32_C(0); /* since the last coefficient, less one for the DC */

	for (uint32_t half = 0; half < 2; half++) {
		const char *end = (const char *)column +
		                  (32 * half + 31) * cta * size; /* its last position */
		uint32_t next = zeros + 31;                      /* the bit after that coefficient's */
		for (uint32_t mask = masks[half]; mask;) {
			uint32_t bit = xc_gpu_highest(mask);
			XC_OPAQUE(bit, "r"); /* or there would be 31 - bit, and steps back from it */
			const uint32_t i = bit * cta;
			int32_t value = depth16 ? *((const int32_t *)(const void *)end - i)
			                        : *((const int16_t *)(const void *)end - i);
			XC_OPAQUE(value, "r"); /* or there would be steps for its 16 bits */
			uint32_t run = next - bit;
			XC_ROLLED
			for (; run > 15; run -= 16, out += cta) {
				xc_gpu_set(column, out, XC_ZEROS_TOKEN, depth16);
				if (counter)
					xc_gpu_count_zeros(counter, &context, 0xf0);
			}
			xc_gpu_set(column, out, xc_ac_token(value, run), depth16);
			if (counter)
				xc_gpu_count_ac(counter, &context, run, value, depth16);
			out += cta;
			next = bit - 1;
			mask ^= xc_gpu_bit(bit);
		}
		zeros = next + 1;
	}
	if (zeros) {
		xc_gpu_set(column, out, XC_END_TOKEN, depth16);
		if (counter)
			xc_gpu_count_zeros(counter, &context, 0);
		out += cta;
	}
	return out / cta;
}

/* Stores tokens in their slot, 16 bytes at a time; those after the last mean nothing. */
XC_GPU_INLINE void xc_gpu_store_tokens(const void *column, uint32_t cta, int depth16, uint32_t n,
                                       xc_gpu_vec16 *slot)
{
	uint32_t in = 0;

	XC_ROLLED
	for (uint32_t k = 0; k < n; k += depth16 ? 4 : 8) {
		xc_gpu_vec16 g;
		XC_UNROLL
		for (uint32_t i = 0; i < (depth16 ? 4 : 8); i++, in += cta) {
			if (depth16)
				g.depth16[i] = ((const uint32_t *)column)[in];
			else
				g.plain[i] = ((const uint16_t *)column)[in];
		}
		*slot = g;
		slot += XC_GPU_TOGETHER;
	}
}

#endif
