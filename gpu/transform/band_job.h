/* SPDX-License-Identifier: BSD-2-Clause */
/* From what the command wants to what a warp is told.  Needs band_warp.h before it. */
#ifndef XC_GPU_BAND_JOB_H
#define XC_GPU_BAND_JOB_H

#include <string.h>

#include "gpu/transform/ops.h"

/* Enough warps to keep a large device busy several times over. */
static const ptrdiff_t xc_warps_wanted = 8192, xc_strips_most = 16;

static inline int xc_warp_aligned(const xc_band_axis *cols)
{
	return cols->in_size % XC_COLS == 0 && cols->out_size % XC_COLS == 0 &&
	       cols->in_first % XC_COLS == 0 && cols->out_first % XC_COLS == 0;
}

/* 0, or -1: too large to be counted in int. */
static inline int xc_warp_job_of(const xc_gpu_job *job, xc_warp_job *warps)
{
	const ptrdiff_t shifts = (ptrdiff_t)xc_band_shifts(job->transform);
	const ptrdiff_t wide = XC_WARP_BLOCKS - shifts, most = (ptrdiff_t)1 << 30;
	ptrdiff_t across, strips = 1;
	if (job->rows.in_size > most || job->rows.out_size > most || job->cols.in_size > most ||
	    job->cols.out_size > most)
		return -1;
	memset(warps, 0, sizeof *warps);
	warps->rows = job->rows;
	warps->cols = job->cols;
	across = (job->cols.blocks + wide - 1) / wide;
	/* A lapped transform reads the strips above its first one again. */
	if (shifts)
		strips = across * job->rows.blocks / xc_warps_wanted;
	strips = strips < 1 ? 1 : strips > xc_strips_most ? xc_strips_most : strips;
	if (across * job->rows.blocks / strips > most)
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
