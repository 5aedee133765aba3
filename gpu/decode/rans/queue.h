/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the warps of a block of threads do next: a part of a pair of segments of the rANS mode
 * (xc_gpu_decode_symbols()). A pair waits for its next part in a ring, and any warp takes it, so
 * all warps have work until nearly the end. If pairs stayed with their warps, a scheduler with one
 * warp more than the others would be the last to finish: of 21 warps one scheduler has six, and the
 * other three have five.
 *
 * One thread of a warp calls these, and they use atomic operations alone. Between two parts, what a
 * pair has is in device memory. nvcc alone compiles this.
 */
#ifndef XC_GPU_DECODE_RANS_QUEUE_H
#define XC_GPU_DECODE_RANS_QUEUE_H

#include <stdint.h>

enum {
	XC_GPU_RANS_RING = 64,
	XC_GPU_PAIRS_AT_ONCE = 32 /* or a few more, since warps look at the same time */
};

/* Zeros and `pairs` at first. */
struct xc_gpu_rans_queue {
	unsigned long long ring[XC_GPU_RANS_RING]; /* tasks, or 0 */
	uint32_t pairs, begun, ended;              /* begun may count more than there are */
	uint32_t head, tail;                       /* of the ring */
};

/* A task is the number of a pair, and that of a part from 1 on. */
static __device__ __forceinline__ unsigned long long xc_gpu_task(uint32_t pair, uint32_t phase)
{
	return (unsigned long long)pair << 32 | (phase + 1);
}

static __device__ __forceinline__ void xc_gpu_put_task(xc_gpu_rans_queue *q,
                                                       unsigned long long task)
{
	const uint32_t i = atomicAdd(&q->tail, 1u) % XC_GPU_RANS_RING;

	__threadfence_block();
	while (atomicCAS(&q->ring[i], 0ull, task))
		;
}

/* Returns 0 if all pairs have ended. */
static __device__ __forceinline__ unsigned long long xc_gpu_take_task(xc_gpu_rans_queue *q)
{
	if (atomicAdd(&q->begun, 0u) - atomicAdd(&q->ended, 0u) < XC_GPU_PAIRS_AT_ONCE) {
		const uint32_t pair = atomicAdd(&q->begun, 1u);
		if (pair < q->pairs)
			return xc_gpu_task(pair, 0);
	}
	const uint32_t i = atomicAdd(&q->head, 1u) % XC_GPU_RANS_RING;
	for (;;) {
		const unsigned long long task = atomicExch(&q->ring[i], 0ull);
		if (task || atomicAdd(&q->ended, 0u) == q->pairs) {
			__threadfence_block();
			return task;
		}
		__nanosleep(100);
	}
}

#endif
