/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A barrier in two halves: a thread says that it has arrived, works on something else, and then
 * waits for the others. A block of threads uses it once. Where compute capability is below 8.0 all
 * of it is in the second half. All threads arrive, not one of each warp, which would be no faster,
 * and racecheck would not understand it. nvcc alone compiles this.
 */
#ifndef XC_GPU_RUNTIME_SPLIT_H
#define XC_GPU_RUNTIME_SPLIT_H

#include "gpu/runtime/device.h"

/* By one thread, in shared memory, before a barrier for all; threads: how many arrive. */
static __device__ __forceinline__ void xc_gpu_split_init(uint64_t *barrier, uint32_t threads)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(xc_gpu_shared_address(barrier)),
	             "r"(threads)
	             : "memory");
#endif
}

static __device__ __forceinline__ void xc_gpu_split_arrive(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
					 xc_gpu_shared_address(barrier))
	             : "memory");
#endif
}

static __device__ __forceinline__ void xc_gpu_split_wait(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
#define XC_GPU_TEST "try_wait" /* sleeps for a while */
#else
#define XC_GPU_TEST "test_wait"
#endif
#if __CUDA_ARCH__ >= 800
	for (uint32_t done = 0; !done;)
		asm volatile("{ .reg .pred p; mbarrier." XC_GPU_TEST ".parity.shared.b64 p, [%1], 0; "
		             "selp.u32 %0, 1, 0, p; }"
		             : "=r"(done)
		             : "r"(xc_gpu_shared_address(barrier))
		             : "memory");
#else
	__syncthreads();
#endif
#undef XC_GPU_TEST
}

#endif
