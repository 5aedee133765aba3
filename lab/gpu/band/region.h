/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lapped transforms of 8 bands: the code that the threads of a block, which make a region, share.
 *
 * A region's warps lie side by side, and the region goes down `strips` rows of blocks.  The first
 * one or two blocks of each warp, and the first one or two strips, only feed their neighbours.  The
 * samples of a strip come to shared memory two strips ahead, and leave it, in whole lines of the
 * cache.  So it does not matter to memory where blocks begin and which warp has them, and only
 * samples between two regions are read twice.
 */
#ifndef XC_LAB_GPU_BAND_REGION_H
#define XC_LAB_GPU_BAND_REGION_H

#include "lab/gpu/band/warp.h"

/* Strips that shared memory has room for.  Devices before 8.0 have too little of it for three,
 * and no copies in the background. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define XC_REGION_STAGES 2
#else
#define XC_REGION_STAGES 3
#endif

enum {
	XC_REGION_WARPS = 4,
	XC_REGION_SIZE = 32 * XC_REGION_WARPS,
	XC_REGION_MOST = 4,  /* strips that a region goes through */
	XC_REGION_LANES = 8, /* threads of a line of the cache, 128 bytes */
	XC_REGION_LINES = XC_REGION_SIZE / XC_REGION_LANES, /* that the threads have together */
	XC_LINE_SAMPLES = XC_REGION_LANES * XC_COLS,
	XC_REGION_IN_ROW = (XC_REGION_LINES + 1) * XC_LINE_SAMPLES,
	XC_REGION_OUT_ROW = XC_REGION_LINES * XC_LINE_SAMPLES,
	XC_REGION_IN = 8 * XC_REGION_IN_ROW, /* samples of a strip */
	XC_REGION_OUT = 8 * XC_REGION_OUT_ROW,
	XC_REGION_SAMPLES = XC_REGION_STAGES * XC_REGION_IN + XC_REGION_OUT
};

/* A region's blocks, and the samples that it reads and writes of each row: from `in` and `out`
 * on, and the lines of the cache from `in_line` and `out_line` on. */
typedef struct xc_region {
	int block, strip, end;
	int in, in_end, in_line;
	int out, out_end, out_line;
} xc_region;

XC_GPU_INLINE int xc_line_start(int x)
{
	return x & ~(XC_LINE_SAMPLES - 1);
}

XC_GPU_INLINE xc_region xc_region_of(const xc_warp_job *job, int number, int shifts,
                                     const int warps)
{
	const int wide = warps * (XC_WARP_BLOCKS - shifts);
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
	region.in_line = xc_line_start(region.in);
	region.out = (int)job->cols.out_first + 8 * (region.block + shifts);
	region.out_end = (int)job->cols.out_first + 8 * last;
	region.out_line = xc_line_start(region.out);
	return region;
}

/* ---------------------------------------------------------------- reading */

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
XC_GPU_APART void xc_region_fetch_edge(const xc_warp_job *job, XC_REAL *to, int pitch, int y,
                                       int rows, int x)
{
	const int whole = xc_region_whole(job);
	const xc_band_source col = xc_band_locate(&job->cols, x);
	const int turned = col.at != x && job->cols.edge == XC_EDGE_MIRROR;
	const ptrdiff_t at = xc_band_clamp(col.at - (turned ? XC_COLS - 1 : 0), 0,
	                                   job->cols.in_size - XC_COLS);
	for (int r = 0; r < rows; r++) {
		XC_REAL *const put = to + r * pitch;
		xc_band_source row = {y + r, 1};
		if (row.at < 0 || row.at >= job->rows.in_size)
			row = xc_band_locate(&job->rows, row.at);
		const XC_REAL *const from = job->in + row.at * job->cols.in_size;
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

/* 16 bytes of each of `rows` rows from x, y on, to rows of `pitch` samples. */
XC_GPU_INLINE void xc_region_fetch_part(const xc_warp_job *job, XC_REAL *to, int pitch, int y,
                                        const int rows, int x)
{
	const XC_REAL *from = job->in + (ptrdiff_t)y * job->cols.in_size + x;
	if (!(job->vectors && y >= 0 && y + rows <= (int)job->rows.in_size && x >= 0 &&
	      x + XC_COLS <= (int)job->cols.in_size)) {
		xc_region_fetch_edge(job, to, pitch, y, rows, x);
		return;
	}
	XC_UNROLL
	for (int r = 0; r < rows; r++) {
		xc_vector_fetch(to + r * pitch, from);
		from += job->cols.in_size;
	}
}

/* Thread t's part of bringing a strip to shared memory: 16 bytes of each row, and 16 bytes of one
 * row's rest. */
XC_GPU_INLINE void xc_region_fetch(const xc_warp_job *job, const xc_region *region, XC_REAL *in,
                                   int t, int strip)
{
	const int y = (int)job->rows.in_first + 8 * strip;
	const int x = region->in_line + t * XC_COLS;
	const int row = t / XC_REGION_LANES, at = XC_REGION_OUT_ROW + t % XC_REGION_LANES * XC_COLS;
	if (x >= region->in && x < region->in_end)
		xc_region_fetch_part(job, in + t * XC_COLS, XC_REGION_IN_ROW, y, 8, x);
	if (row < 8 && region->in_line + at < region->in_end)
		xc_region_fetch_part(job, in + row * XC_REGION_IN_ROW + at, XC_REGION_IN_ROW, y + row, 1,
		                     region->in_line + at);
}

/* Ends a strip, which is all that a thread has begun to bring since the last call.
 * xc_region_arrived() counts strips. */
XC_GPU_INLINE void xc_region_begun(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_commit();
#endif
}

/* Waits until only strips further ahead are on their way. */
XC_GPU_INLINE void xc_region_arrived(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_wait_prior(XC_REGION_STAGES - 2);
#endif
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
XC_GPU_INLINE void xc_region_take(const xc_warp_job *job, const XC_REAL *from, const int pitch,
                                  xc_lane *lane, int strip, int x)
{
	XC_UNROLL
	for (int r = 0; r < 8; r++)
		xc_vector_load(lane->v + r * XC_COLS, from + r * pitch);
	xc_region_unfold(job, lane, (int)job->rows.in_first + 8 * strip, x);
}

/* ---------------------------------------------------------------- writing */

XC_GPU_INLINE void xc_region_put(XC_REAL *to, const int pitch, const xc_lane *lane)
{
	XC_UNROLL
	for (int r = 0; r < 8; r++)
		xc_vector_copy(to + r * pitch, lane->v + r * XC_COLS);
}

/* Thread t's part of writing a strip: 16 bytes of each row. */
XC_GPU_INLINE void xc_region_store(const xc_warp_job *job, const xc_region *region,
                                   const XC_REAL *out, int t, int strip)
{
	const int y = (int)job->rows.out_first + 8 * strip, x = region->out_line + t * XC_COLS;
	const int rows = (int)job->rows.out_size - y, cols = (int)job->cols.out_size - x;
	const XC_REAL *from = out + t * XC_COLS;
	XC_REAL *to = job->out + (ptrdiff_t)y * job->cols.out_size + x;
	if (x < region->out || x >= region->out_end)
		return;
	if (job->vectors && (x < 0 || cols < XC_COLS))
		return;
	if (job->vectors && y >= 0 && rows >= 8) {
		XC_UNROLL
		for (int r = 0; r < 8; r++) {
			XC_REAL v[XC_COLS];
			xc_vector_load(v, from + r * XC_REGION_OUT_ROW);
			xc_vector_store(to, v);
			to += job->cols.out_size;
		}
		return;
	}
	for (int r = 0; r < 8; r++) {
		for (int c = 0; c < XC_COLS; c++)
			if (r >= -y && r < rows && c >= -x && c < cols)
				to[c] = from[r * XC_REGION_OUT_ROW + c];
		to += job->cols.out_size;
	}
}

#endif
