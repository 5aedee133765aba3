/* SPDX-License-Identifier: BSD-2-Clause */
/* How arrays of several numbers for each block lie in memory, and the numbers in them. */
#ifndef XC_GPU_ENCODE_JOB_SLOTS_H
#define XC_GPU_ENCODE_JOB_SLOTS_H

#include "gpu/encode/job/buffers.h"

/*
 * Arrays of several vec16s for each block, in which equal vec16s of neighbouring blocks are
 * adjacent: threads that take a block each then access whole lines of memory. Among 32 blocks the
 * even ones come first, because decisions take every other block.
 */
enum { XC_GPU_TOGETHER = 32 }; /* also the stride between the vec16s of a block */

/* The number of blocks for which such an array has room. */
XC_GPU_INLINE size_t xc_gpu_room_of_blocks(size_t blocks)
{
	return (blocks + XC_GPU_TOGETHER - 1) / XC_GPU_TOGETHER * XC_GPU_TOGETHER;
}

/* The index of the first of a block's `vecs` vec16s, for a 32-bit and for any block number. */
XC_GPU_INLINE uint32_t xc_gpu_vecs_within(uint32_t block, uint32_t vecs)
{
	const uint32_t i = block % XC_GPU_TOGETHER;
	return (block - i) * vecs + (i % 2 * (XC_GPU_TOGETHER / 2) + i / 2);
}

XC_GPU_INLINE size_t xc_gpu_vecs_at(size_t block, uint32_t vecs)
{
	const uint32_t i = (uint32_t)block % XC_GPU_TOGETHER;
	return (block - i) * vecs + xc_gpu_vecs_within(i, vecs);
}

/* Values are the bits of the float 1.5 * 2^23 + value, which is the value plus this. */
#define XC_GPU_ROUND_ZERO UINT32_C(0x4B400000)

/* The vec16s of a slot. */
XC_GPU_INLINE uint32_t xc_gpu_slot_vecs(int depth16)
{
	return XC_GPU_AC_SLOTS / (depth16 ? 4 : 8);
}

/* Coefficient or token number k of a slot. */
XC_GPU_INLINE int32_t xc_gpu_slot_get(const xc_gpu_vec16 *slot, uint32_t k, int depth16)
{
	return depth16 ? (int32_t)slot[k / 4 * XC_GPU_TOGETHER].depth16[k % 4]
	               : (int16_t)slot[k / 8 * XC_GPU_TOGETHER].plain[k % 8];
}

XC_GPU_INLINE void xc_gpu_slot_set(xc_gpu_vec16 *slot, uint32_t k, int32_t value, int depth16)
{
	if (depth16)
		slot[k / 4 * XC_GPU_TOGETHER].depth16[k % 4] = (uint32_t)value;
	else
		slot[k / 8 * XC_GPU_TOGETHER].plain[k % 8] = (uint16_t)value;
}

/* Entry i of an array of coefficients or tokens becomes `value`. */
XC_GPU_INLINE void xc_gpu_set(void *array, uint32_t i, uint32_t value, int depth16)
{
	if (depth16)
		((uint32_t *)array)[i] = value;
	else
		((uint16_t *)array)[i] = (uint16_t)value;
}

XC_GPU_INLINE uint32_t xc_gpu_magnitude(int32_t v)
{
	return (uint32_t)(v < 0 ? -v : v);
}

#endif
