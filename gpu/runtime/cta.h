/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a block. On the host a thread block is one thread and a barrier is nothing. Code
 * between barriers consists of loops from rank by size, so its result is the same for any size. */
#ifndef XC_GPU_RUNTIME_CTA_H
#define XC_GPU_RUNTIME_CTA_H

#include "gpu/runtime/warp.h"

typedef struct xc_cta {
	uint32_t rank, size; /* on the GPU the size is a multiple of 32 */
} xc_cta;

#ifdef __CUDA_ARCH__
#define XC_CTA_SYNC() __syncthreads()
#define XC_ATOMIC_ADD(p, v) atomicAdd((p), (v))
#define XC_ATOMIC_OR(p, v) atomicOr((p), (v))
#define XC_ATOMIC_MAX(p, v) atomicMax((p), (v))
#define XC_ATOMIC_XOR(p, v) atomicXor((p), (v))
#else
#define XC_CTA_SYNC() ((void)0)
#define XC_ATOMIC_ADD(p, v) __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define XC_ATOMIC_OR(p, v) __atomic_fetch_or((p), (v), __ATOMIC_RELAXED)
#define XC_ATOMIC_MAX(p, v) ((void)(*(p) = *(p) > (v) ? *(p) : (v)))
#define XC_ATOMIC_XOR(p, v) __atomic_fetch_xor((p), (v), __ATOMIC_RELAXED)
#endif

/* Replaces n values by the sums of those before them, starting from `sum`, and returns the sum of
 * all. Values rank, rank + size and so on are a thread's own: it has written them, and finds their
 * sums; others do after a barrier. All threads call it. It has a barrier for every t.size values,
 * the first one before anything is summed up. `partial` has XC_CTA_PARTIAL numbers, and no other
 * call may have them until the next barrier. */
enum { XC_CTA_PARTIAL = 64 };

XC_GPU_INLINE uint32_t xc_cta_scan(xc_cta t, uint32_t *values, uint32_t n, uint32_t sum,
                                   uint32_t *partial)
{
#ifdef __CUDA_ARCH__
	const uint32_t lane = t.rank & 31, warp = t.rank >> 5, warps = t.size >> 5;
	int odd = 0;
	for (uint32_t from = 0; from < n; from += t.size) {
		const uint32_t i = from + t.rank;
		const uint32_t v = i < n ? values[i] : 0;
		uint32_t s[1] = {v};
		xc_warp_scan(s);
		if (lane == 31)
			partial[warp] = s[0];
		__syncthreads();
		/* Every warp sums up what is before it: that takes less time than to wait
		 * for one that does. */
		const uint32_t p = lane < warps ? partial[lane] : 0, q = lane < warp ? p : 0;
		const uint32_t before = xc_warp_sum(&q);
		if (i < n)
			values[i] = sum + before + s[0] - v;
		sum += xc_warp_sum(&p);
		/* The next round may begin while others are in this one. */
		partial += odd ? -32 : 32;
		odd = !odd;
	}
#else
	(void)t;
	(void)partial;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t v = values[i];
		values[i] = sum;
		sum += v;
	}
#endif
	return sum;
}

#endif
