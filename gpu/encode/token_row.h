/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tokens of a block whose values are in registers, one thread a block. deep, a constant: they
 * have 32 bits instead of 16.
 *
 * Registers have no index, so the code of each position is written out. Only a value that is not
 * zero leaves anything: its token, in the thread's row of shared memory. Threads pass over eights
 * of zeros, of which most blocks have several.
 */
#ifndef XC_GPU_ENCODE_TOKEN_ROW_H
#define XC_GPU_ENCODE_TOKEN_ROW_H

#include "entropy/scan.h"
#include "entropy/token.h"
#include "gpu/encode/tokenize.h"

/* Values are bits of floats, this much larger: of 1.5 * 2^23 and the value. */
#define XC_GPU_ROUND_ZERO UINT32_C(0x4B400000)

/* Bytes of a row. There are at most 64 tokens, and the 16 bytes after them keep the 16 bytes that
 * neighbours load from meeting in a bank. */
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
	/* 16 times a value, this, and its position in the scan are its token, unless it is large. */
	uint32_t base;
} xc_gpu_token_row;

/* What `base` is after a value at position k. */
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

/* How far position k is from the last value: one more than the zeros between them. */
XC_GPU_INLINE uint32_t xc_gpu_row_distance(const xc_gpu_token_row *r, uint32_t k)
{
	return r->base + k - xc_gpu_base_after(0);
}

/* Puts the tokens of zeros before the first value of an eight, which begins with position k. */
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

/* Puts the tokens of an eight of which some are not zero. */
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

/* Makes the AC tokens of a block in a row, and returns how many. */
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
		/* Before position 17 there are no more than 15 zeros. */
		if (k >= 16 && xc_gpu_row_distance(&r, k + 7) > 16)
			xc_gpu_row_put_zeros(&r, v, k, depth16);
		xc_gpu_row_put8(&r, v, k, depth16);
	}
	if (values[63] == XC_GPU_ROUND_ZERO)
		xc_gpu_row_put(&r, XC_END_TOKEN, depth16);
	return (uint32_t)(r.at - begin) / (depth16 ? 4 : 2);
}

/* Stores a row's tokens in their slot, 16 bytes at a time; those after the last mean nothing. */
XC_GPU_INLINE void xc_gpu_row_store(const void *row, int depth16, uint32_t n, xc_gpu_vec16 *slot)
{
	const xc_gpu_vec16 *const vecs = (const xc_gpu_vec16 *)row;
	const uint32_t all = (n + (depth16 ? 3 : 7)) / (depth16 ? 4 : 8);
	XC_ROLLED
	for (uint32_t i = 0; i < all; i++)
		slot[i * XC_GPU_TOGETHER] = vecs[i];
}

#endif
