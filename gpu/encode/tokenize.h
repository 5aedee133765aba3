/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks to tokens, one thread a block.  deep, a constant: coefficients and tokens have 32 bits
 * instead of 16.
 *
 * A thread's coefficients are a column in shared memory: number k of thread i of a team is at
 * k * team + i.  So at most two threads of a warp meet in a bank, whatever positions they read.
 * Tokens take the places of coefficients that have been read, of which there are always enough.
 */
#ifndef XC_GPU_ENCODE_TOKENIZE_H
#define XC_GPU_ENCODE_TOKENIZE_H

#include "entropy/token.h"
#include "gpu/encode/job.h"

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

/* v must not be zero. */
XC_GPU_INLINE uint32_t xc_gpu_leading_zeros(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__clz((int)v);
#else
	return (uint32_t)__builtin_clz(v);
#endif
}

/* v shifted to the left by 1 to 32. */
XC_GPU_INLINE uint32_t xc_gpu_shift_out(uint32_t v, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_lc(0, v, n);
#else
	return (uint32_t)((uint64_t)v << n);
#endif
}

/* Entry i of an array of coefficients or tokens becomes `value`. */
XC_GPU_INLINE void xc_gpu_set(void *array, uint32_t i, uint32_t value, int deep)
{
	if (deep)
		((uint32_t *)array)[i] = value;
	else
		((uint16_t *)array)[i] = (uint16_t)value;
}

/* Turns the coefficients in a column into tokens; returns how many. */
XC_GPU_INLINE uint32_t xc_gpu_tokenize(void *column, uint32_t team, int deep,
                                       const uint32_t masks[2])
{
	const char *in = (const char *)column; /* where the positions of the mask begin */
	uint32_t out = 0; /* as an index: a pointer and its distance would be kept as 64 bits */
	/* Zeros since the last coefficient, up to the mask's next bit, less one for the DC. */
	int32_t zeros = -1;
	for (int half = 0; half < 2; half++, in += 32 * team * (deep ? 4 : 2)) {
		uint32_t mask = masks[half], at = 0;
		while (mask) {
			const uint32_t skip = xc_gpu_leading_zeros(mask);
			at += skip;
			const uint32_t i = at * team;
			const int32_t value = deep ? ((const int32_t *)(const void *)in)[i]
			                           : ((const int16_t *)(const void *)in)[i];
			uint32_t run = (uint32_t)(zeros + (int32_t)skip);
			XC_ROLLED for (; run > 15; run -= 16, out += team)
				xc_gpu_set(column, out, XC_ZEROS_TOKEN, deep);
			xc_gpu_set(column, out, xc_ac_token(value, run), deep);
			out += team;
			at++;
			zeros = 0;
			mask = xc_gpu_shift_out(mask, skip + 1);
		}
		zeros += 32 - (int32_t)at;
	}
	if (zeros) {
		xc_gpu_set(column, out, XC_END_TOKEN, deep);
		out += team;
	}
	return out / team;
}

/* Stores tokens in their slot, 16 bytes at a time; those after the last mean nothing. */
XC_GPU_INLINE void xc_gpu_store_tokens(const void *column, uint32_t team, int deep, uint32_t n,
                                       xc_gpu_token_group *slot)
{
	uint32_t in = 0;
	XC_ROLLED for (uint32_t k = 0; k < n; k += deep ? 4 : 8)
	{
		xc_gpu_token_group g;
		XC_UNROLL for (uint32_t i = 0; i < (deep ? 4 : 8); i++, in += team)
		{
			if (deep)
				g.deep[i] = ((const uint32_t *)column)[in];
			else
				g.plain[i] = ((const uint16_t *)column)[in];
		}
		*slot++ = g;
	}
}

#endif
