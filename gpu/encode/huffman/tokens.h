/* SPDX-License-Identifier: BSD-2-Clause */
/* From a block's values in registers to its tokens, in the forward kernel (gpu/encode/forward.cu). */
#ifndef XC_GPU_ENCODE_HUFFMAN_TOKENS_H
#define XC_GPU_ENCODE_HUFFMAN_TOKENS_H

#include "entropy/scan.h"
#include "entropy/token.h"
#include "gpu/encode/job/job.h"
#include "gpu/runtime/warp.h"

/*
 * The tokens of a block whose values are in registers, one thread a block. depth16, a constant:
 * tokens have 32 bits instead of 16.
 *
 * Registers cannot be indexed, so the code of each position is unrolled. Only a nonzero value
 * writes something: its token, to the thread's row of shared memory. Threads skip eights of zeros,
 * of which most blocks have several.
 */

/* Bytes of a row: at most 64 tokens, and 16 bytes more, so that vec16s of neighbours are in
 * different banks. */
XC_GPU_INLINE uint32_t xc_gpu_row_bytes(int depth16)
{
	return 64 * (depth16 ? 4 : 2) + 16;
}

/* Where the next token goes: see xc_gpu_shared_address(). */
#ifdef __CUDA_ARCH__
typedef uint32_t xc_gpu_row_pointer;
#else
typedef char *xc_gpu_row_pointer;
#endif

typedef struct xc_gpu_token_row {
	xc_gpu_row_pointer at;
	/* The token is 16 * value + base + position in the scan, unless the value is large. */
	uint32_t base;
} xc_gpu_token_row;

/* The value of `base` after a value at position k. */
XC_GPU_CONSTANT uint32_t xc_gpu_base_after(uint32_t k)
{
	return XC_TOKEN_BIAS * 16 - 1 - k - (XC_GPU_ROUND_ZERO << 4);
}

XC_GPU_INLINE void xc_gpu_row_put(xc_gpu_token_row *r, uint32_t token, int depth16)
{
#ifdef __CUDA_ARCH__
	if (depth16)
		asm volatile("st.shared.u32 [%0], %1;" ::"r"(r->at), "r"(token) : "memory");
	else
		asm volatile("st.shared.u16 [%0], %1;" ::"r"(r->at), "h"((uint16_t)token) : "memory");
#else
	xc_gpu_set(r->at, 0, token, depth16);
#endif
	r->at += depth16 ? 4 : 2;
}

/* The distance of position k from the last value: the zeros between them plus 1. */
XC_GPU_INLINE uint32_t xc_gpu_row_distance(const xc_gpu_token_row *r, uint32_t k)
{
	return r->base + k - xc_gpu_base_after(0);
}

/* Writes the tokens for runs of 16 zeros before the first value of an eight that begins at position
 * k. */
XC_GPU_INLINE void xc_gpu_row_put_zeros(xc_gpu_token_row *r, const uint32_t v[8], uint32_t k,
                                        int depth16)
{
	uint32_t at = k + 7;

	XC_UNROLL
	for (int i = 6; i >= 0; i--)
		at = v[i] == XC_GPU_ROUND_ZERO ? at : k + (uint32_t)i;
	XC_ROLLED
	while (xc_gpu_row_distance(r, at) > 16) {
		xc_gpu_row_put(r, XC_ZEROS_TOKEN, depth16);
		r->base -= 16;
	}
}

/* Writes the tokens of an eight with nonzero values. */
XC_GPU_INLINE void xc_gpu_row_put8(xc_gpu_token_row *r, const uint32_t v[8], uint32_t k,
                                   int depth16)
{
	XC_UNROLL
	for (uint32_t i = k ? 0 : 1; i < 8; i++) {
		const uint32_t c = v[i];
		uint32_t token = (c << 4) + r->base + (k + i);
		if (c >= XC_GPU_ROUND_ZERO + XC_TOKEN_BIAS)
			token += (XC_LARGE_BIAS - XC_TOKEN_BIAS) * 16;
		if (c != XC_GPU_ROUND_ZERO) {
			xc_gpu_row_put(r, token, depth16);
			r->base = xc_gpu_base_after(k + i);
		}
	}
}

/* Writes the AC tokens of a block to a row; returns their number, at most 64. */
XC_GPU_INLINE uint32_t xc_gpu_row_fill(const uint32_t values[64], void *row, int depth16)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
#ifdef __CUDA_ARCH__
	const xc_gpu_row_pointer begin = xc_gpu_shared_address(row);
#else
	const xc_gpu_row_pointer begin = (char *)row;
#endif
	xc_gpu_token_row r = {begin, xc_gpu_base_after(0)};
	XC_UNROLL
	for (uint32_t k = 0; k < 64; k += 8) {
		uint32_t v[8], other = 0;
		XC_UNROLL
		for (uint32_t i = 0; i < 8; i++)
			v[i] = values[scan[k + i]];
		XC_UNROLL
		for (uint32_t i = k ? 0 : 1; i < 8; i++)
			other |= v[i] ^ XC_GPU_ROUND_ZERO;
		if (!other)
			continue;
		/* Before position 17 a run has at most 15 zeros. */
		if (k >= 16 && xc_gpu_row_distance(&r, k + 7) > 16)
			xc_gpu_row_put_zeros(&r, v, k, depth16);
		xc_gpu_row_put8(&r, v, k, depth16);
	}
	if (values[63] == XC_GPU_ROUND_ZERO)
		xc_gpu_row_put(&r, XC_END_TOKEN, depth16);
	return (uint32_t)(r.at - begin) / (depth16 ? 4 : 2);
}

/* Stores a row's tokens in their slot, 16 bytes at a time; what follows the last one is undefined.
 * */
XC_GPU_INLINE void xc_gpu_row_store(const void *row, int depth16, uint32_t n, xc_gpu_vec16 *slot)
{
	const xc_gpu_vec16 *const vecs = (const xc_gpu_vec16 *)row;
	const uint32_t all = (n + (depth16 ? 3 : 7)) / (depth16 ? 4 : 8);
	XC_ROLLED
	for (uint32_t i = 0; i < all; i++)
		slot[i * XC_GPU_TOGETHER] = vecs[i];
}

/* Leaves the tokens of a block in its slot; row: the thread's. */
XC_GPU_INLINE void xc_gpu_leave_tokens(const xc_gpu_encode_job *j, size_t block,
                                       const uint32_t q[64], void *row, int depth16)
{
	const uint32_t n = xc_gpu_row_fill(q, row, depth16);

	xc_gpu_row_store(row, depth16, n, xc_gpu_slot(j, block, depth16));
	j->huffman.counts[block] = (uint8_t)n;
}

#endif
