/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All 8-band transforms in one precision, from the same definitions as those of the processor
 * (lab/kernels/stages.h).  A file that includes this has set XC_REAL_BITS.
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
#if XC_REAL_BITS == 32
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

#include "lab/kernels/dct8.h"
#include "lab/kernels/lapped8.h"

#include "lab/gpu/band/region.h"
#include "lab/gpu/ops.h"

#define XC_BAND_THREADS 256
/* Blocks of threads that a multiprocessor is to hold at least. */
#define XC_BLOCK_CTAS 3
#define XC_REGION_CTAS 5

#define XC_EACH_STAGES "lab/gpu/band/template.h"
#include "lab/kernels/stages.h"

/* An entry of the tables: a transform's two functions of `kind`, which is work or kernel. */
#define XC_BAND_ENTRY(name, kind) \
	{ \
		xc_band_##name##_forward_##kind, xc_band_##name##_inverse_##kind \
	}
#define XC_BAND_ENTRIES(kind) \
	{ \
		{NULL, NULL}, XC_BAND_ENTRY(definition, kind), XC_BAND_ENTRY(separable, kind), \
			XC_BAND_ENTRY(aan, kind), XC_BAND_ENTRY(flmad, kind), {NULL, NULL}, \
			XC_BAND_ENTRY(lot, kind), XC_BAND_ENTRY(tdlt, kind), XC_BAND_ENTRY(genlot, kind) \
	}

/* ---------------------------------------------------------------- jobs */

static inline int xc_warp_aligned(const xc_band_axis *cols)
{
	return cols->in_size % XC_COLS == 0 && cols->out_size % XC_COLS == 0 &&
	       cols->in_first % XC_COLS == 0 && cols->out_first % XC_COLS == 0;
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
	warps->vectors = xc_warp_aligned(&job->cols);
	warps->rounds = job->rounds;
#if XC_REAL_BITS == 32
	memcpy(warps->scale, job->scale.f32, sizeof warps->scale);
#else
	memcpy(warps->scale, job->scale.f64, sizeof warps->scale);
#endif
	return 0;
}

#endif
