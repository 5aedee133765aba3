/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lapped transforms of 8 bands: the code that the threads of a block, which make a region, share.
 *
 * A region is 2 warps wide and goes down `strips` rows of blocks.  The first one or two blocks of
 * each warp, and the first one or two strips, only feed their neighbours, so only samples between
 * two regions are read twice.  Shared memory has room for 3 strips on their way in and 2 on their
 * way out, whose rows of XC_REGION_IN(shifts) and XC_REGION_OUT(shifts) samples follow each other
 * without gaps.
 *
 * On devices from 9.0 on, one thread has the tensor memory accelerator bring a strip or take it
 * away, with one instruction each.  Beyond an array it reads zeros and writes nothing.  Each strip
 * has one barrier.  After it all threads have read the strip and written its results, so these can
 * leave and another strip can take its place.  The threads do what the accelerator cannot do: other
 * edges, arrays that are not aligned to 16 bytes, and writing from a negative position on.  On
 * other devices they do everything.
 */
#ifndef XC_LAB_GPU_BAND_REGION_H
#define XC_LAB_GPU_BAND_REGION_H

#include <stdint.h>

#include "lab/gpu/band/warp.h"

/* XC_BULK: whether the module has the accelerator's code at all.  XC_BULK_HERE: whether the target
 * of this compilation has it; tests do. */
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

enum { XC_REGION_WARPS = 2, XC_REGION_SIZE = 32 * XC_REGION_WARPS, XC_REGION_STAGES = 3 };
#define XC_REGION_MAX(shifts) (2 + (shifts)) /* strips that a region goes through */
#define XC_REGION_OUT(shifts) (8 * XC_REGION_WARPS * (XC_WARP_BLOCKS - (shifts)))
#define XC_REGION_IN(shifts) (XC_REGION_OUT(shifts) + 8 * (shifts))
#define XC_REGION_SAMPLES(shifts) \
	(8 * (XC_REGION_STAGES * XC_REGION_IN(shifts) + 2 * XC_REGION_OUT(shifts)))

/* Both arrays as the accelerator knows them. */
#if XC_BULK
typedef CUtensorMap xc_bulk_map;
#else
typedef int xc_bulk_map;
#endif
typedef struct xc_bulk_maps {
	xc_bulk_map in, out;
} xc_bulk_maps;

/* A region's blocks, and the samples that it reads and writes of each row: from `in` and `out`
 * on. */
typedef struct xc_region {
	int block, strip, end;
	int in, in_end, out;
} xc_region;

XC_GPU_INLINE xc_region xc_region_of(const xc_warp_job *job, int number, int shifts)
{
	const int wide = XC_REGION_WARPS * (XC_WARP_BLOCKS - shifts);
	xc_region region;
	int last;

	region.block = number % job->across * wide - shifts;
	region.strip = number / job->across * job->strips;
	region.end = region.strip + job->strips;
	if (region.end > (int)job->rows.blocks)
		region.end = (int)job->rows.blocks;
	last = region.block + shifts + wide;
	if (last > (int)job->cols.blocks)
		last = (int)job->cols.blocks;
	region.in = (int)job->cols.in_first + 8 * region.block;
	region.in_end = (int)job->cols.in_first + 8 * last;
	region.out = (int)job->cols.out_first + 8 * (region.block + shifts);
	return region;
}

#if defined __CUDACC__ && XC_BULK_HERE
XC_GPU_INLINE unsigned xc_bulk_address(const void *shared)
{
	return (unsigned)__cvta_generic_to_shared(shared);
}

/* Called by one thread: brings 8 rows of `pitch` samples, whose bytes the barrier counts. */
XC_GPU_INLINE void xc_bulk_bring(const xc_warp_job *job, const xc_bulk_map *map, XC_SAMPLE *to,
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
                                     const XC_SAMPLE *from, int pitch, int y, int x)
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
	for (int i = 0; i < XC_REGION_STAGES && threadIdx.x == 0; i++)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(xc_bulk_address(&barriers[i]))
		             : "memory");
	xc_bulk_fence();
	__syncthreads();
}

#elif defined __CUDACC__
#define xc_bulk_bring(job, map, to, pitch, y, x, barrier) ((void)(map), (void)(barrier))
#define xc_bulk_take_away(job, map, from, pitch, y, x) ((void)(map))
#define xc_bulk_wait(barrier, phase) ((void)(barrier))
#define xc_bulk_start(barriers) ((void)(barriers))
#else
XC_GPU_INLINE void xc_bulk_bring(const xc_warp_job *job, const xc_bulk_map *map, XC_SAMPLE *to,
                                 int pitch, int y, int x, uint64_t *barrier)
{
	const ptrdiff_t rows = job->rows.in_size, cols = job->cols.in_size;

	if (x * (int)sizeof *to % 16)
		__builtin_trap(); /* as the accelerator does */
	for (int i = 0; i < 8 * pitch; i++) {
		const int row = y + i / pitch, col = x + i % pitch;
		const int there = row >= 0 && row < rows && col >= 0 && col < cols;
		to[i] = there ? job->in[row * cols + col] : 0;
	}
	++*barrier;
	(void)map;
}

XC_GPU_INLINE void xc_bulk_take_away(const xc_warp_job *job, const xc_bulk_map *map,
                                     const XC_SAMPLE *from, int pitch, int y, int x)
{
	const ptrdiff_t rows = job->rows.out_size, cols = job->cols.out_size;

	if (y < 0 || x < 0 || x * (int)sizeof *from % 16)
		__builtin_trap();
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
	for (int i = 0; i < XC_REGION_STAGES; i++)
		barriers[i] = 0;
}

#endif

#if !defined __CUDACC__ || !XC_BULK_HERE
#define xc_bulk_fence() ((void)0)
#define xc_bulk_left() ((void)0)
#endif

/* Called by all threads between a strip's last use and the next strip's arrival. */
XC_GPU_INLINE void xc_region_step(void)
{
	xc_bulk_fence();
	xc_bulk_left(); /* the strip before this one */
	XC_CTA_SYNC();
}

/* Ends a strip, which is all that a thread has begun to bring since the last call. */
XC_GPU_INLINE void xc_region_begun(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_commit();
#endif
}

/* Waits until the threads have brought the current strip; later ones may be on their way. */
XC_GPU_INLINE void xc_region_wait(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_wait_prior(XC_REGION_STAGES - 1);
#endif
	XC_CTA_SYNC();
}

XC_GPU_INLINE int xc_region_beyond(const xc_band_axis *axis, int position)
{
	return position < 0 || position >= (int)axis->padded;
}

/* Whether 16 bytes beyond a left or right edge are 16 bytes of the array. */
XC_GPU_INLINE int xc_region_whole(const xc_warp_job *job)
{
	return job->vectors && job->cols.padded == job->cols.in_size;
}

/* Fetches 16 bytes at or beyond an edge from the samples that the edge's rule names.  If it is a
 * mirror, xc_region_unfold() then reverses them or changes their signs. */
XC_GPU_APART void xc_region_fetch_edge(const xc_warp_job *job, XC_SAMPLE *to, int pitch, int y,
                                       int x)
{
	const int whole = xc_region_whole(job);
	const xc_band_source col = xc_band_locate(&job->cols, x);
	const int turned = col.at != x && job->cols.edge == XC_EDGE_MIRROR;
	const ptrdiff_t at = xc_band_clamp(col.at - (turned ? XC_COLS - 1 : 0), 0,
	                                   job->cols.in_size - XC_COLS);

	for (int r = 0; r < 8; r++) {
		XC_SAMPLE *const put = to + r * pitch;
		xc_band_source row = {y + r, 1};
		if (row.at < 0 || row.at >= job->rows.in_size)
			row = xc_band_locate(&job->rows, row.at);
		const XC_SAMPLE *const from = job->in + row.at * job->cols.in_size;
		if (!row.sign || (whole && !col.sign)) {
			const XC_REAL nothing[XC_COLS] = {0};
			xc_vector_copy(put, nothing);
		} else if (whole) {
			xc_vector_fetch(put, from + at);
		} else {
			for (int c = 0; c < XC_COLS; c++) {
				const xc_band_source one = xc_band_locate(&job->cols, x + c);
				if (one.sign)
					xc_sample_fetch(put + c, from + one.at);
				else
					put[c] = 0;
			}
		}
	}
}

/* 16 bytes of each of 8 rows from x, y on, to rows of `pitch` samples. */
XC_GPU_INLINE void xc_region_fetch_part(const xc_warp_job *job, XC_SAMPLE *to, int pitch, int y,
                                        int x)
{
	const XC_SAMPLE *from = job->in + (ptrdiff_t)y * job->cols.in_size + x;

	if (!(job->vectors && y >= 0 && y + 8 <= (int)job->rows.in_size && x >= 0 &&
	      x + XC_COLS <= (int)job->cols.in_size)) {
		xc_region_fetch_edge(job, to, pitch, y, x);
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		xc_vector_fetch(to + r * pitch, from);
		from += job->cols.in_size;
	}
}

/* Whether the accelerator can bring a strip. */
XC_GPU_INLINE int xc_region_bulk(const xc_warp_job *job, const xc_region *region, int y)
{
	if (!XC_BULK_HERE || !job->bulk)
		return 0;
	if (job->rows.edge == XC_EDGE_ZERO && job->rows.padded == job->rows.in_size &&
	    job->cols.padded == job->cols.in_size)
		return 1;
	return y >= 0 && y + 8 <= (int)job->rows.in_size && region->in >= 0 &&
	       region->in_end <= (int)job->cols.in_size;
}

/* Called by all threads: begins to bring a strip, if it is one of the region's. */
XC_GPU_INLINE void xc_region_fetch(const xc_warp_job *job, const xc_bulk_map *map,
                                   const xc_region *region, XC_SAMPLE *in, int pitch,
                                   uint64_t *barrier, int strip)
{
	const int y = (int)job->rows.in_first + 8 * strip;
	const int bring = xc_region_bulk(job, region, y);

	XC_FOR_THREADS(t, XC_REGION_SIZE) {
		const int at = t * XC_COLS;
		if (strip >= region->end)
			continue;
		if (bring && t == 0)
			xc_bulk_bring(job, map, in, pitch, y, region->in, barrier);
		if (!bring && region->in + at < region->in_end)
			xc_region_fetch_part(job, in + at, pitch, y, region->in + at);
	}
	xc_region_begun(); /* one for each strip, whoever brings it */
}

/* Called by all threads: waits for a strip.  `phases` has a bit for each stage: the phase that
 * its barrier is in. */
XC_GPU_INLINE void xc_region_arrived(const xc_warp_job *job, const xc_region *region,
                                     uint64_t *barriers, unsigned *phases, int stage, int strip)
{
	if (!xc_region_bulk(job, region, (int)job->rows.in_first + 8 * strip)) {
		xc_region_wait();
		return;
	}
	xc_bulk_wait(&barriers[stage], *phases >> stage & 1);
	*phases ^= 1u << stage;
}

/* Does what xc_region_fetch_edge() left to do: reverses samples, and changes the sign of
 * coefficients of odd frequencies. */
XC_GPU_INLINE void xc_region_unfold(const xc_warp_job *job, xc_lane *lane, int y, int x)
{
	const int across = xc_region_beyond(&job->cols, x), down = xc_region_beyond(&job->rows, y);

	if (!(across || down))
		return;
	if (across && job->cols.edge == XC_EDGE_MIRROR && xc_region_whole(job)) {
		const xc_lane old = *lane;
		XC_UNROLL
		for (int i = 0; i < 8 * XC_COLS; i++)
			lane->v[i] = old.v[i / XC_COLS * XC_COLS + XC_COLS - 1 - i % XC_COLS];
	}
	if (job->cols.edge != XC_EDGE_MIRROR_BANDS)
		return;
	XC_UNROLL
	for (int i = 0; i < 8 * XC_COLS; i++)
		if ((across & i) ^ (down & (i / XC_COLS)))
			lane->v[i] = -lane->v[i];
}

/* A lane's samples, which begin at x of a strip, from rows of `pitch` samples in shared memory. */
XC_GPU_INLINE void xc_region_take(const xc_warp_job *job, const XC_SAMPLE *from, const int pitch,
                                  xc_lane *lane, int strip, int x)
{
	XC_UNROLL
	for (int r = 0; r < 8; r++)
		xc_vector_load(lane->v + r * XC_COLS, from + r * pitch);
	xc_region_unfold(job, lane, (int)job->rows.in_first + 8 * strip, x);
}

/* Where a lane's samples begin in a row of the strip. */
XC_GPU_INLINE int xc_region_position(int w, int i, const int wide)
{
	return 8 * (w * wide + i / XC_SHARE) + xc_lane_column(i);
}

XC_GPU_INLINE void xc_region_put(XC_SAMPLE *to, const int pitch, const xc_lane *lane)
{
	XC_UNROLL
	for (int r = 0; r < 8; r++)
		xc_vector_copy(to + r * pitch, lane->v + r * XC_COLS);
}

/* Thread t's part of a strip that the accelerator cannot write: 16 bytes at a time, or sample by
 * sample. */
XC_GPU_INLINE void xc_region_store_part(const xc_warp_job *job, const XC_SAMPLE *out, int pitch,
                                        int y, int x, int t)
{
	const int step = job->vectors ? XC_COLS : 1;

	for (int i = t * step; i < 8 * pitch; i += XC_REGION_SIZE * step) {
		const int row = y + i / pitch, col = x + i % pitch;
		XC_SAMPLE *const to = job->out + (ptrdiff_t)row * job->cols.out_size + col;
		if (row < 0 || row >= (int)job->rows.out_size || col < 0 || col >= (int)job->cols.out_size)
			continue;
		if (job->vectors)
			xc_vector_store(to, *(const xc_vector *)(const void *)(out + i));
		else
			*to = out[i];
	}
}

/* Called by all threads: a strip leaves shared memory. */
XC_GPU_INLINE void xc_region_store(const xc_warp_job *job, const xc_bulk_map *map,
                                   const xc_region *region, const XC_SAMPLE *out, const int pitch,
                                   int strip)
{
	const int y = (int)job->rows.out_first + 8 * strip;

	XC_FOR_THREADS(t, XC_REGION_SIZE) {
		if (!XC_BULK_HERE || !job->bulk || y < 0 || region->out < 0)
			xc_region_store_part(job, out, pitch, y, region->out, t);
		else if (t == 0)
			xc_bulk_take_away(job, map, out, pitch, y, region->out);
	}
}

#endif
