/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code for a block of threads of which each keeps values of its own across barriers, written
 * so that the host's compiler takes it too and tests can run it there.  It is to a block of
 * threads what warp.h is to a warp:
 *
 *	xc_line_points mine[XC_THREAD_SLOTS];
 *	XC_FOR_THREADS(t, threads)
 *		load(&mine[XC_SLOT(t)], t);
 *	XC_CTA_SYNC();
 *
 * On the GPU the array has one element, in registers, and the loop one turn; elsewhere the
 * loop goes through all threads.  XC_FOR_WARPS and XC_WARP_SLOTS do the same for the warps of a
 * block, each of which goes through its lanes.
 */
#ifndef XC_LAB_GPU_THREADS_H
#define XC_LAB_GPU_THREADS_H

#include "gpu/runtime/warp.h"

#ifdef __CUDA_ARCH__
#define XC_WARP_SYNC() __syncwarp()
#define XC_THREAD_SLOTS 1
#define XC_WARP_SLOTS 1
#define XC_FOR_THREADS(t, threads) \
	for (int t = (int)threadIdx.x, t##_once = 1; t##_once; t##_once = 0)
#define XC_FOR_WARPS(w, warps) \
	for (int w = (int)threadIdx.x / 32, w##_once = 1; w##_once; w##_once = 0 * w)
#else
#define XC_WARP_SYNC() ((void)0)
#define XC_THREAD_SLOTS 1024
#define XC_WARP_SLOTS 32
#ifndef XC_FOR_THREADS /* a test may take them in another order */
#define XC_FOR_THREADS(t, threads) for (int t = 0; t < (threads); t++)
#endif
#define XC_FOR_WARPS(w, warps) for (int w = 0; w < (warps); w++)
#endif

/* A function that the compiler inlines or not. */
#define XC_GPU_FUNCTION static __attribute__((unused)) XC_DEVICE
/* A function that is not inlined, so that it does not cost its callers registers. */
#define XC_GPU_APART static __attribute__((noinline, unused)) XC_DEVICE

/* Loads and stores of CUDA's own types.  What nobody reads again need not stay in the caches. */
#ifdef __CUDA_ARCH__
#define XC_LOAD_ONCE(p) __ldcs(p)
#define XC_STORE_LAST(p, value) __stcs((p), (value))
#else
#define XC_LOAD_ONCE(p) (*(p))
#define XC_STORE_LAST(p, value) ((void)(*(p) = (value)))
#endif

#endif
