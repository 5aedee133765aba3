/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dialect for the 32 lanes of a warp and for thread blocks, which tests also run on the host. A
 * variable that each lane has is an array:
 *
 *	uint32_t n[XC_SLOTS];
 *	XC_FOR_LANES(lane)
 *		n[XC_SLOT(lane)] = f(lane);
 *	xc_warp_scan(n);
 *
 * On the GPU the array has one element, a register, and the loop one turn; on the host 32.  Between
 * two loops the lanes agree on memory only after xc_warp_sync().  Whole warps call the functions.
 */
#ifndef XC_GPU_RUNTIME_WARP_H
#define XC_GPU_RUNTIME_WARP_H

#include "gpu/runtime/device.h"

enum { XC_WARP_LANES = 32 };

#ifdef __CUDACC__
#define XC_WARP_INLINE static __device__ __forceinline__
#else
#define XC_WARP_INLINE static inline __attribute__((unused))
#endif

#ifdef __CUDA_ARCH__
#define XC_SLOTS 1
#define XC_SLOT(lane) 0
#define XC_FOR_LANES(lane) \
	for (int lane = (int)(threadIdx.x & 31), once_ = 1; once_ && lane >= 0; once_ = 0)
#define XC_ALL_LANES 0xffffffffu

XC_WARP_INLINE void xc_warp_sync(void)
{
	__syncwarp();
}

/* Each lane gets the value of the lane before it; lane 0 keeps its own. */
XC_WARP_INLINE void xc_warp_up(uint32_t v[1])
{
	v[0] = __shfl_up_sync(XC_ALL_LANES, v[0], 1);
}

/* Each lane gets the value of the lane after it; the last lane keeps its own. */
XC_WARP_INLINE void xc_warp_down(uint32_t v[1])
{
	v[0] = __shfl_down_sync(XC_ALL_LANES, v[0], 1);
}

/* Each lane gets the value of lane from[]. */
XC_WARP_INLINE void xc_warp_from(uint32_t v[1], const uint32_t from[1])
{
	v[0] = __shfl_sync(XC_ALL_LANES, v[0], (int)from[0]);
}

/* Inclusive prefix sum over the lanes. */
XC_WARP_INLINE void xc_warp_scan(uint32_t v[1])
{
	const unsigned lane = threadIdx.x & 31;
#pragma unroll
	for (unsigned d = 1; d < 32; d *= 2) {
		const uint32_t other = __shfl_up_sync(XC_ALL_LANES, v[0], d);
		v[0] += lane >= d ? other : 0;
	}
}

XC_WARP_INLINE uint32_t xc_warp_xor(const uint32_t v[1])
{
	uint32_t x = v[0];
#pragma unroll
	for (int d = 16; d; d /= 2)
		x ^= __shfl_xor_sync(XC_ALL_LANES, x, d);
	return x;
}

XC_WARP_INLINE uint32_t xc_warp_sum(const uint32_t v[1])
{
#if __CUDA_ARCH__ >= 800
	return __reduce_add_sync(XC_ALL_LANES, v[0]);
#else
	uint32_t x = v[0];
#pragma unroll
	for (int d = 16; d; d /= 2)
		x += __shfl_xor_sync(XC_ALL_LANES, x, d);
	return x;
#endif
}

/* Bit i is set where lane i's value is not zero. */
XC_WARP_INLINE uint32_t xc_warp_ballot(const uint32_t v[1])
{
	return __ballot_sync(XC_ALL_LANES, v[0] != 0);
}

/* Whether any lane's value is not zero. */
XC_WARP_INLINE int xc_warp_any(const uint32_t v[1])
{
	return __any_sync(XC_ALL_LANES, v[0] != 0);
}

XC_WARP_INLINE uint32_t xc_warp_max(const uint32_t v[1])
{
	uint32_t x = v[0];
#pragma unroll
	for (int d = 16; d; d /= 2) {
		const uint32_t other = __shfl_xor_sync(XC_ALL_LANES, x, d);
		x = other > x ? other : x;
	}
	return x;
}

XC_WARP_INLINE uint32_t xc_warp_of(const uint32_t v[1], int lane)
{
	return __shfl_sync(XC_ALL_LANES, v[0], lane);
}

#else
#define XC_SLOTS XC_WARP_LANES
#define XC_SLOT(lane) (lane)
#define XC_FOR_LANES(lane) for (int lane = 0; lane < XC_WARP_LANES; lane++)

XC_WARP_INLINE void xc_warp_sync(void)
{
}

XC_WARP_INLINE void xc_warp_up(uint32_t v[XC_SLOTS])
{
	for (int i = XC_WARP_LANES - 1; i > 0; i--)
		v[i] = v[i - 1];
}

XC_WARP_INLINE void xc_warp_down(uint32_t v[XC_SLOTS])
{
	for (int i = 0; i < XC_WARP_LANES - 1; i++)
		v[i] = v[i + 1];
}

XC_WARP_INLINE void xc_warp_from(uint32_t v[XC_SLOTS], const uint32_t from[XC_SLOTS])
{
	uint32_t old[XC_SLOTS];

	for (int i = 0; i < XC_WARP_LANES; i++)
		old[i] = v[i];
	for (int i = 0; i < XC_WARP_LANES; i++)
		v[i] = old[from[i]];
}

XC_WARP_INLINE void xc_warp_scan(uint32_t v[XC_SLOTS])
{
	for (int i = 1; i < XC_WARP_LANES; i++)
		v[i] += v[i - 1];
}

/* A function that goes over the values of all lanes and returns x. */
#define XC_WARP_REDUCE(name, step) \
	XC_WARP_INLINE uint32_t name(const uint32_t v[XC_SLOTS]) \
	{ \
		uint32_t x = 0; \
		for (int i = 0; i < XC_WARP_LANES; i++) \
			step; \
		return x; \
	}

XC_WARP_REDUCE(xc_warp_xor, x ^= v[i])
XC_WARP_REDUCE(xc_warp_sum, x += v[i])
XC_WARP_REDUCE(xc_warp_max, x = v[i] > x ? v[i] : x)
XC_WARP_REDUCE(xc_warp_ballot, x |= (uint32_t)(v[i] != 0) << i)
#undef XC_WARP_REDUCE

XC_WARP_INLINE int xc_warp_any(const uint32_t v[XC_SLOTS])
{
	return xc_warp_ballot(v) != 0;
}

XC_WARP_INLINE uint32_t xc_warp_of(const uint32_t v[XC_SLOTS], int lane)
{
	return v[lane];
}
#endif

/* The threads of a block. On the host a thread block is one thread and a barrier does nothing. Code
 * between barriers consists of loops from rank in steps of size, so its result does not depend on
 * size. */

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

/* Exclusive prefix sum: replaces each of n values by `sum` plus all values before it, and returns
 * the total. All threads call it. A thread owns values rank, rank + size and so on: it must have
 * written them before the call and may read them after it; other threads need a barrier. Each
 * t.size values cost one barrier, which precedes the summing. `partial` has XC_CTA_PARTIAL numbers;
 * another call may use them only after the next barrier. */
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
		/* Every warp sums the warps before it: faster than a second barrier to wait for one warp.
		 * */
		const uint32_t p = lane < warps ? partial[lane] : 0, q = lane < warp ? p : 0;
		const uint32_t before = xc_warp_sum(&q);
		if (i < n)
			values[i] = sum + before + s[0] - v;
		sum += xc_warp_sum(&p);
		/* Other warps may still read this round's half. */
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
