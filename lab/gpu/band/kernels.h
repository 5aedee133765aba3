/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All 8-band transforms in one precision, from the same definitions as those of the processor
 * (lab/cpu/band/stages.h).  A file that includes this has set XC_REAL_BITS.
 *
 * Multiply-adds are fused, and nothing else is.  The SIMD levels that have fused multiply-adds
 * do the same, so the results equal theirs bit for bit.
 */
#ifndef XC_LAB_GPU_BAND_KERNELS_H
#define XC_LAB_GPU_BAND_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpu/runtime/device.h"
#undef XC_V /* the codec's is float */
#if XC_REAL_BITS <= 32
#define XC_V float
#define XC_K(c) (c##f)
#define XC_MADD(a, k, c) fmaf(a, k, c)
#define XC_RINT(a) rintf(a)
#else
#define XC_V double
#define XC_K(c) (c)
#define XC_MADD(a, k, c) fma(a, k, c)
#define XC_RINT(a) rint(a)
#endif
#include "lab/real.h"

#include "lab/cpu/band/stages.h"

#include "lab/gpu/band/region.h"
#include "lab/gpu/ops.h"

#define XC_BAND_THREADS 256
/* Blocks of threads that a multiprocessor is to hold at least. */
#define XC_BLOCK_CTAS 3
#define XC_REGION_CTAS 5

/* A stage on every column, or on every row that a lane holds. */
XC_GPU_INLINE void xc_lane_columns(const xc_band_transform transform, const int back,
                                   const int stage, xc_lane *lane)
{
	XC_UNROLL
	for (int c = 0; c < XC_COLS; c++) {
		XC_REAL x[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			x[r] = lane->v[r * XC_COLS + c];
		xc_band_stage(transform, back, stage, x);
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			lane->v[r * XC_COLS + c] = x[r];
	}
}

XC_GPU_INLINE void xc_lane_rows(const xc_band_transform transform, const int back, const int stage,
                                xc_lane *lane)
{
	XC_UNROLL
	for (int r = 0; r < XC_ROWS; r++)
		xc_band_stage(transform, back, stage, lane->v + 8 * r);
}

/* One 8-band transform, as the work of one warp or, if it is lapped, of a block of threads
 * (region.h).  On a GPU `transform` and `back` are constants.  `scale` is the job's, in memory that
 * is quick to read; `shared` is the warp's or the region's. */

/* Transforms the columns of a strip, then its rows, in the registers of a warp. */
XC_GPU_INLINE void xc_region_columns(const xc_band_transform transform, const int back,
                                     xc_lane lane[XC_SLOTS],
                                     XC_REAL waiting[2][XC_SLOTS][4 * XC_COLS],
                                     const XC_REAL *scale)
{
	XC_FOR_LANES(i) {
		xc_lane *const l = &lane[XC_SLOT(i)];
		if (xc_band_scaled(transform) && back)
			xc_lane_scale(l, scale, xc_lane_column(i));
		xc_lane_columns(transform, back, 0, l);
		xc_lane_shift_down(l, waiting[0][XC_SLOT(i)]);
		xc_lane_columns(transform, back, 1, l);
		if (xc_band_shifts(transform) > 1) {
			xc_lane_shift_down(l, waiting[1][XC_SLOT(i)]);
			xc_lane_columns(transform, back, 2, l);
		}
	}
}

/* The factors of coefficients, and rounding. */
XC_GPU_INLINE void xc_lane_finish(const xc_band_transform transform, const int back, xc_lane *lane,
                                  int number, const xc_warp_job *job, const XC_REAL *scale)
{
	if (!xc_band_scaled(transform) || back)
		return;
	xc_lane_scale(lane, scale, xc_lane_column(number));
	if (job->rounds)
		xc_lane_round(lane);
}

XC_GPU_INLINE void xc_region_rows(const xc_band_transform transform, const int back,
                                  xc_lane lane[XC_SLOTS], const xc_warp_job *job,
                                  const XC_REAL *scale)
{
	xc_warp_to_rows(lane);
	XC_FOR_LANES(i)
		xc_lane_rows(transform, back, 0, &lane[XC_SLOT(i)]);
	xc_warp_shift_right(lane);
	XC_FOR_LANES(i)
		xc_lane_rows(transform, back, 1, &lane[XC_SLOT(i)]);
	if (xc_band_shifts(transform) > 1) {
		xc_warp_shift_right(lane);
		XC_FOR_LANES(i)
			xc_lane_rows(transform, back, 2, &lane[XC_SLOT(i)]);
	}
	xc_warp_to_columns(lane);
	XC_FOR_LANES(i)
		xc_lane_finish(transform, back, &lane[XC_SLOT(i)], i, job, scale);
}

XC_GPU_INLINE void xc_region_work(const xc_band_transform transform, const int back,
                                  const xc_warp_job *job, const xc_bulk_maps *maps,
                                  const XC_REAL *scale, XC_SAMPLE *shared, uint64_t *barriers,
                                  int number)
{
	const int shifts = (int)xc_band_shifts(transform);
	const int wide = XC_WARP_BLOCKS - shifts; /* blocks that a warp writes */
	const int in_pitch = XC_REGION_IN(shifts), out_pitch = XC_REGION_OUT(shifts);
	const xc_region region = xc_region_of(job, number, shifts);
	XC_SAMPLE *out = shared + XC_REGION_STAGES * 8 * in_pitch, *other = out + 8 * out_pitch;
	XC_REAL waiting[XC_WARP_SLOTS][2][XC_SLOTS][4 * XC_COLS];
	xc_lane lane[XC_WARP_SLOTS][XC_SLOTS];
	unsigned phases = 0;
	int stage = 0;

	XC_FOR_WARPS(w, XC_REGION_WARPS) {
		XC_FOR_LANES(i) {
			XC_UNROLL
			for (int j = 0; j < shifts * 4 * XC_COLS; j++)
				waiting[XC_SLOT(w)][j / (4 * XC_COLS)][XC_SLOT(i)][j % (4 * XC_COLS)] = 0;
		}
	}
	xc_bulk_start(barriers);
	for (int i = 0; i < XC_REGION_STAGES; i++)
		xc_region_fetch(job, &maps->in, &region, shared + i * 8 * in_pitch, in_pitch, &barriers[i],
		                region.strip - shifts + i);

	for (int strip = region.strip - shifts; strip < region.end; strip++) {
		XC_SAMPLE *const in = shared + stage * 8 * in_pitch;
		xc_region_arrived(job, &region, barriers, &phases, stage, strip);
		XC_FOR_WARPS(w, XC_REGION_WARPS) {
			XC_FOR_LANES(i)
				xc_region_take(job, in + xc_region_position(w, i, wide), in_pitch,
				               &lane[XC_SLOT(w)][XC_SLOT(i)], strip,
				               region.in + xc_region_position(w, i, wide));
			xc_region_columns(transform, back, lane[XC_SLOT(w)], waiting[XC_SLOT(w)], scale);
			if (strip < region.strip)
				continue;
			xc_region_rows(transform, back, lane[XC_SLOT(w)], job, scale);
			XC_FOR_LANES(i)
				if (i / XC_SHARE >= shifts)
					xc_region_put(out + xc_region_position(w, i, wide) - 8 * shifts, out_pitch,
					              &lane[XC_SLOT(w)][XC_SLOT(i)]);
		}
		xc_region_step();
		if (strip >= region.strip) {
			XC_SAMPLE *const next = other;
			xc_region_store(job, &maps->out, &region, out, out_pitch, strip);
			other = out;
			out = next;
		}
		xc_region_fetch(job, &maps->in, &region, in, in_pitch, &barriers[stage],
		                strip + XC_REGION_STAGES);
		stage = stage + 1 < XC_REGION_STAGES ? stage + 1 : 0;
	}
	xc_bulk_left();
}
XC_GPU_INLINE void xc_warp_work(const xc_band_transform transform, const int back,
                                const xc_warp_job *job, const XC_REAL *scale, XC_SAMPLE *shared,
                                int warp)
{
	const int strip = warp / job->across, first = warp % job->across * XC_WARP_BLOCKS;
	xc_lane lane[XC_SLOTS];

	XC_FOR_LANES(i) {
		xc_lane *const l = &lane[XC_SLOT(i)];
		xc_warp_load(job, l, shared, i, strip, first + i / XC_SHARE);
		if (xc_band_scaled(transform) && back)
			xc_lane_scale(l, scale, xc_lane_column(i));
		xc_lane_columns(transform, back, 0, l);
	}
	xc_warp_to_rows(lane);
	XC_FOR_LANES(i)
		xc_lane_rows(transform, back, 0, &lane[XC_SLOT(i)]);
	xc_warp_to_columns(lane);
	XC_FOR_LANES(i) {
		xc_lane *const l = &lane[XC_SLOT(i)];
		xc_lane_finish(transform, back, l, i, job, scale);
		if (first + i / XC_SHARE < (int)job->cols.blocks)
			xc_warp_store(job, l, i, strip, first + i / XC_SHARE);
	}
}

static inline int xc_warp_aligned(const xc_band_axis *cols, ptrdiff_t whole)
{
	return cols->in_size % whole == 0 && cols->out_size % whole == 0 &&
	       cols->in_first % whole == 0 && cols->out_first % whole == 0;
}

/* The number of strips of a lapped transform's region.  A region reads `shifts` strips more than it
 * writes, so more strips mean fewer reads.  But they leave the device half empty for longer at the
 * end, and samples that two regions share may leave the cache before the second one reads them. */
static inline ptrdiff_t xc_region_strips(ptrdiff_t max, ptrdiff_t resident, ptrdiff_t across,
                                         ptrdiff_t blocks, ptrdiff_t shifts)
{
	ptrdiff_t best = 1, min = PTRDIFF_MAX;

	for (ptrdiff_t strips = 1; strips <= blocks && strips <= max; strips++) {
		const ptrdiff_t regions = across * ((blocks + strips - 1) / strips);
		const ptrdiff_t time = (strips + shifts) * (2 * regions + resident);
		if (time < min) {
			min = time;
			best = strips;
		}
	}
	return best;
}

/* `strips_max`: of a region, and `resident`: regions that the device runs at a time.  0, or -1:
 * too large to be counted in int. */
static inline int xc_warp_job_of(const xc_lab_job *job, ptrdiff_t strips_max, ptrdiff_t resident,
                                 xc_warp_job *warps)
{
	const ptrdiff_t shifts = (ptrdiff_t)xc_band_shifts(job->transform);
	const ptrdiff_t wide = shifts ? XC_REGION_WARPS * (XC_WARP_BLOCKS - shifts) : XC_WARP_BLOCKS;
	const ptrdiff_t max = (ptrdiff_t)1 << 30;
	ptrdiff_t across, strips = 1;

	if (job->rows.in_size > max || job->rows.out_size > max || job->cols.in_size > max ||
	    job->cols.out_size > max)
		return -1;
	memset(warps, 0, sizeof *warps);
	warps->rows = job->rows;
	warps->cols = job->cols;
	across = (job->cols.blocks + wide - 1) / wide;
	if (shifts)
		strips = xc_region_strips(strips_max, resident, across, job->rows.blocks, shifts);
	if (across * job->rows.blocks / strips > max)
		return -1;
	warps->across = (int)across;
	warps->down = (int)((job->rows.blocks + strips - 1) / strips);
	warps->strips = (int)strips;
	warps->vectors = xc_warp_aligned(&job->cols, XC_COLS);
	/* The accelerator traps at a part of a row that begins between whole 16 bytes, as those of half
	 * precision do that begin 4 samples before an edge. */
	warps->bulk = xc_warp_aligned(&job->cols, 16 / (ptrdiff_t)sizeof(XC_SAMPLE));
	warps->rounds = job->rounds;
#if XC_REAL_BITS <= 32
	memcpy(warps->scale, job->scale.f32, sizeof warps->scale);
#else
	memcpy(warps->scale, job->scale.f64, sizeof warps->scale);
#endif
	return 0;
}

#endif
