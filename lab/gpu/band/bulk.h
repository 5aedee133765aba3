/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lapped transforms of 8 bands on devices from 9.0 on.  With one instruction each, a thread has the
 * tensor memory accelerator bring a region's strip to shared memory and take it away again.  Beyond
 * an array it reads zeros and writes nothing.  The threads do what it cannot do: other edges,
 * arrays that are not aligned to 16 bytes, and writing from a negative position on.
 *
 * A region is 2 warps wide.  Shared memory has room for 3 strips on their way in and 2 on their way
 * out, whose rows of XC_BULK_IN(shifts) and XC_BULK_OUT(shifts) samples follow each other without
 * gaps.  Each strip has one barrier.  After it all threads have read the strip and written its
 * results, so these can leave and another strip can take its place.
 */
#ifndef XC_LAB_GPU_BAND_BULK_H
#define XC_LAB_GPU_BAND_BULK_H

#include <stdint.h>

#include "lab/gpu/band/region.h"

/* XC_BULK: whether the module has this code at all.  XC_BULK_HERE: whether the target of this
 * compilation has it; tests do. */
#ifdef __CUDACC__
#include <cuda.h>
#define XC_BULK (CUDART_VERSION >= 12050)
#if XC_BULK && defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
#define XC_BULK_HERE 1
#else
#define XC_BULK_HERE 0
#endif
#else
#define XC_BULK 0
#define XC_BULK_HERE 1
#endif

enum { XC_BULK_WARPS = 2, XC_BULK_SIZE = 32 * XC_BULK_WARPS, XC_BULK_STAGES = 3 };
#define XC_BULK_MOST(shifts) (2 + (shifts)) /* strips that a region goes through */
#define XC_BULK_OUT(shifts) (8 * XC_BULK_WARPS * (XC_WARP_BLOCKS - (shifts)))
#define XC_BULK_IN(shifts) (XC_BULK_OUT(shifts) + 8 * (shifts))
#define XC_BULK_SAMPLES(shifts) \
	(8 * (XC_BULK_STAGES * XC_BULK_IN(shifts) + 2 * XC_BULK_OUT(shifts)))

/* Both arrays as the accelerator knows them. */
#if XC_BULK
typedef CUtensorMap xc_bulk_map;
#else
typedef int xc_bulk_map;
#endif
typedef struct xc_bulk_maps {
	xc_bulk_map in, out;
} xc_bulk_maps;

#ifdef __CUDACC__
/* The second number is the least number of blocks of threads that a multiprocessor is to run. */
#if XC_BULK_HERE
#define XC_REGION_BOUNDS __launch_bounds__(XC_BULK_SIZE, 5)
#else
#define XC_REGION_BOUNDS __launch_bounds__(XC_REGION_SIZE, 3)
#endif
#endif

#if XC_BULK_HERE

/* --------------------------------------------------------- the accelerator */

#ifdef __CUDACC__
XC_GPU_INLINE unsigned xc_bulk_address(const void *shared)
{
	return (unsigned)__cvta_generic_to_shared(shared);
}

/* Called by one thread: brings 8 rows of `pitch` samples, whose bytes the barrier counts. */
XC_GPU_INLINE void xc_bulk_bring(const xc_warp_job *job, const xc_bulk_map *map, XC_REAL *to,
                                 int pitch, int y, int x, uint64_t *barrier)
{
	(void)job;
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
					 xc_bulk_address(barrier)),
	             "r"(8 * pitch * (int)sizeof *to)
	             : "memory");
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
	             "[%0], [%1, {%2, %3}], [%4];" ::"r"(xc_bulk_address(to)),
	             "l"(map), "r"(x), "r"(y), "r"(xc_bulk_address(barrier))
	             : "memory");
}

XC_GPU_INLINE void xc_bulk_take_away(const xc_warp_job *job, const xc_bulk_map *map,
                                     const XC_REAL *from, int pitch, int y, int x)
{
	(void)job;
	(void)pitch;
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
	             "[%0, {%1, %2}], [%3];" ::"l"(map),
	             "r"(x), "r"(y), "r"(xc_bulk_address(from))
	             : "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until a barrier has left phase 0 or 1. */
XC_GPU_INLINE void xc_bulk_wait(uint64_t *barrier, unsigned phase)
{
	asm volatile("{\n\t"
	             ".reg .pred there;\n"
	             "again:\n\t"
	             "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n\t"
	             "@!there bra again;\n\t"
	             "}" ::"r"(xc_bulk_address(barrier)),
	             "r"(phase)
	             : "memory");
}

/* Orders this thread's accesses to shared memory before the accelerator's later ones. */
XC_GPU_INLINE void xc_bulk_fence(void)
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Waits until all that this thread has sent away has left shared memory. */
XC_GPU_INLINE void xc_bulk_left(void)
{
	asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

XC_GPU_INLINE void xc_bulk_start(uint64_t *barriers)
{
	for (int i = 0; i < XC_BULK_STAGES && threadIdx.x == 0; i++)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(xc_bulk_address(&barriers[i]))
		             : "memory");
	xc_bulk_fence();
	__syncthreads();
}

/* Waits until the threads have brought the current strip; later ones may be on their way. */
XC_GPU_INLINE void xc_bulk_wait_threads(void)
{
	__pipeline_wait_prior(XC_BULK_STAGES - 1);
	__syncthreads();
}
#else
XC_GPU_INLINE void xc_bulk_bring(const xc_warp_job *job, const xc_bulk_map *map, XC_REAL *to,
                                 int pitch, int y, int x, uint64_t *barrier)
{
	const ptrdiff_t rows = job->rows.in_size, cols = job->cols.in_size;
	for (int i = 0; i < 8 * pitch; i++) {
		const int row = y + i / pitch, col = x + i % pitch;
		const int there = row >= 0 && row < rows && col >= 0 && col < cols;
		to[i] = there ? job->in[row * cols + col] : 0;
	}
	++*barrier;
	(void)map;
}

XC_GPU_INLINE void xc_bulk_take_away(const xc_warp_job *job, const xc_bulk_map *map,
                                     const XC_REAL *from, int pitch, int y, int x)
{
	const ptrdiff_t rows = job->rows.out_size, cols = job->cols.out_size;
	if (y < 0 || x < 0)
		__builtin_trap(); /* as the accelerator does */
	for (int i = 0; i < 8 * pitch; i++)
		if (y + i / pitch < rows && x + i % pitch < cols)
			job->out[(y + i / pitch) * cols + x + i % pitch] = from[i];
	(void)map;
}

XC_GPU_INLINE void xc_bulk_wait(uint64_t *barrier, unsigned phase)
{
	if ((*barrier & 1) == phase)
		__builtin_trap(); /* it would wait for ever */
}

XC_GPU_INLINE void xc_bulk_start(uint64_t *barriers)
{
	for (int i = 0; i < XC_BULK_STAGES; i++)
		barriers[i] = 0;
}

#define xc_bulk_fence() ((void)0)
#define xc_bulk_left() ((void)0)
#define xc_bulk_wait_threads() ((void)0)
#endif

/* Called by all threads between a strip's last use and the next strip's arrival. */
XC_GPU_INLINE void xc_bulk_step(void)
{
	xc_bulk_fence();
	xc_bulk_left(); /* the strip before this one */
	XC_TEAM_SYNC();
}

/* ---------------------------------------------------------------- reading */

/* Whether the accelerator can bring a strip. */
XC_GPU_INLINE int xc_bulk_can_bring(const xc_warp_job *job, const xc_region *region, int y)
{
	if (!job->vectors)
		return 0;
	if (job->rows.edge == XC_EDGE_ZERO && job->rows.padded == job->rows.in_size &&
	    job->cols.padded == job->cols.in_size)
		return 1;
	return y >= 0 && y + 8 <= (int)job->rows.in_size && region->in >= 0 &&
	       region->in_end <= (int)job->cols.in_size;
}

/* Called by all threads: begins to bring a strip, if it is one of the region's. */
XC_GPU_INLINE void xc_bulk_fetch(const xc_warp_job *job, const xc_bulk_map *map,
                                 const xc_region *region, XC_REAL *in, int pitch, uint64_t *barrier,
                                 int strip)
{
	const int y = (int)job->rows.in_first + 8 * strip;
	const int bring = xc_bulk_can_bring(job, region, y);
	XC_FOR_THREADS(t, 32 * XC_BULK_WARPS) {
		const int at = t * XC_COLS;
		if (strip >= region->end)
			continue;
		if (bring && t == 0)
			xc_bulk_bring(job, map, in, pitch, y, region->in, barrier);
		if (!bring && region->in + at < region->in_end)
			xc_region_fetch_part(job, in + at, pitch, y, 8, region->in + at);
	}
	xc_region_begun(); /* one for each strip, whoever brings it */
}

/* Called by all threads: waits for a strip.  `phases` has a bit for each stage: the phase that
 * its barrier is in. */
XC_GPU_INLINE void xc_bulk_arrived(const xc_warp_job *job, const xc_region *region,
                                   uint64_t *barriers, unsigned *phases, int stage, int strip)
{
	if (!xc_bulk_can_bring(job, region, (int)job->rows.in_first + 8 * strip)) {
		xc_bulk_wait_threads();
		return;
	}
	xc_bulk_wait(&barriers[stage], *phases >> stage & 1);
	*phases ^= 1u << stage;
}

/* Where a lane's samples begin in a row of the strip. */
XC_GPU_INLINE int xc_bulk_place(int w, int i, const int wide)
{
	return 8 * (w * wide + i / XC_SHARE) + xc_lane_column(i);
}

/* ---------------------------------------------------------------- writing */

/* Thread t's part of a strip that the accelerator cannot write: 16 bytes at a time, or sample by
 * sample. */
XC_GPU_INLINE void xc_bulk_store_part(const xc_warp_job *job, const XC_REAL *out, int pitch, int y,
                                      int x, int t)
{
	const int step = job->vectors ? XC_COLS : 1;
	for (int i = t * step; i < 8 * pitch; i += XC_BULK_SIZE * step) {
		const int row = y + i / pitch, col = x + i % pitch;
		XC_REAL *const to = job->out + (ptrdiff_t)row * job->cols.out_size + col;
		if (row < 0 || row >= (int)job->rows.out_size || col < 0 || col >= (int)job->cols.out_size)
			continue;
		if (job->vectors)
			xc_vector_store(to, out + i);
		else
			*to = out[i];
	}
}

/* Called by all threads: a strip leaves shared memory. */
XC_GPU_INLINE void xc_bulk_store(const xc_warp_job *job, const xc_bulk_map *map,
                                 const xc_region *region, const XC_REAL *out, const int pitch,
                                 int strip)
{
	const int y = (int)job->rows.out_first + 8 * strip;
	XC_FOR_THREADS(t, 32 * XC_BULK_WARPS) {
		if (!job->vectors || y < 0 || region->out < 0)
			xc_bulk_store_part(job, out, pitch, y, region->out, t);
		else if (t == 0)
			xc_bulk_take_away(job, map, out, pitch, y, region->out);
	}
}

#endif
#endif
