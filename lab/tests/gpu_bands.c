/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled once with XC_REAL_BITS 32 and once with 64. */
#include <math.h>

#include "lab/gpu/band/kernels.h"

#include "lab/tests/gpu_bands.h"

static int make_job(xc_warp_job *mine, const xc_lab_job *job, const xc_region_kind *kind,
                    const void *in, void *out)
{
	const int failed = xc_warp_job_of(job, kind, mine);
	mine->in = in;
	mine->out = out;
	return failed;
}

int XC_T(xc_lab_lapped)(const xc_lab_job *job, const void *in, void *out)
{
	typedef void (*function)(const xc_warp_job *job, const xc_bulk_maps *maps, const XC_REAL *scale,
	                         XC_REAL *shared, uint64_t *barriers, int number);
	static const function works[][2] = {XC_LAPPED_ENTRIES(bulk)};
	XC_REAL shared[XC_BULK_SAMPLES(1)];
	const xc_region_kind kind = {XC_BULK_WARPS, 5, 3};
	const xc_bulk_maps maps = {0, 0};
	uint64_t barriers[XC_BULK_STAGES];
	xc_warp_job mine;
	if (make_job(&mine, job, &kind, in, out))
		return -1;
	memset(shared, 0x7f, sizeof shared);
	for (int w = 0; w < mine.across * mine.down; w++)
		works[job->transform - XC_BAND_LOT][job->direction](&mine, &maps, mine.scale, shared,
		                                                    barriers, w);
	return 0;
}

int XC_T(xc_lab_bands)(const xc_lab_job *job, const void *in, void *out)
{
	typedef void (*function)(const xc_warp_job *job, const XC_REAL *scale, XC_REAL *shared,
	                         int number);
	static const function works[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(work);
	enum { REGION = XC_REGION_SAMPLES, WARP = XC_WARP_SAMPLES };
	XC_REAL shared[REGION > WARP ? REGION : WARP];
	/* Few regions at a time, so that each has several strips. */
	const xc_region_kind kind = {XC_REGION_WARPS, 4, 3};
	xc_warp_job mine;
	if (make_job(&mine, job, &kind, in, out))
		return -1;
	memset(shared, 0x7f, sizeof shared);
	for (int w = 0; w < mine.across * mine.down; w++)
		works[job->transform][job->direction](&mine, mine.scale, shared, w);
	return 0;
}
