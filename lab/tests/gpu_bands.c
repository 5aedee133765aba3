/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled once with XC_REAL_BITS 32 and once with 64. */
#include <math.h>

#include "lab/gpu/band/band_kernels.h"
#include "lab/gpu/band/band_job.h"

#include "lab/tests/gpu_bands.h"

typedef void (*work_function)(const xc_warp_job *job, const XC_REAL *scale, XC_REAL *shared,
                              int number);

/* Lapped, as devices from 9.0 on do it. */
int XC_T(xc_gpu_lapped_bulk)(const xc_gpu_job *job, const XC_REAL *in, XC_REAL *out)
{
	typedef void (*function)(const xc_warp_job *job, const xc_bulk_maps *maps, const XC_REAL *scale,
	                         XC_REAL *shared, uint64_t *barriers, int number);
	static const function works[][2] = {XC_LAPPED_ENTRIES(bulk)};
	XC_REAL shared[XC_BULK_SAMPLES(1)];
	const xc_tile_kind kind = {XC_BULK_WARPS, 5, 3};
	const xc_bulk_maps maps = {0, 0};
	uint64_t barriers[XC_BULK_STAGES];
	xc_warp_job mine;
	if (xc_warp_job_of(job, &kind, &mine))
		return -1;
	memset(shared, 0x7f, sizeof shared);
	mine.in = in;
	mine.out = out;
	for (int w = 0; w < mine.across * mine.down; w++)
		works[job->transform - XC_BAND_LOT][job->direction](&mine, &maps, mine.scale, shared,
		                                                    barriers, w);
	return 0;
}

int XC_T(xc_gpu_bands)(const xc_gpu_job *job, const XC_REAL *in, XC_REAL *out)
{
	static const work_function works[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(work);
	XC_REAL shared[(int)XC_SLOTS > (int)XC_TILE_SAMPLES ? (int)XC_SLOTS : (int)XC_TILE_SAMPLES];
	/* Few tiles at a time, so that each has several strips. */
	const xc_tile_kind kind = {XC_TILE_WARPS, 4, 3};
	xc_warp_job mine;
	if (xc_warp_job_of(job, &kind, &mine))
		return -1;
	memset(shared, 0x7f, sizeof shared);
	mine.in = in;
	mine.out = out;
	for (int w = 0; w < mine.across * mine.down; w++)
		works[job->transform][job->direction](&mine, mine.scale, shared, w);
	return 0;
}
