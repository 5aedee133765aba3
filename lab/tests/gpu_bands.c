/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled once with XC_REAL_BITS 32 and once with 64. */
#include <math.h>

#include "lab/gpu/band/kernels.h"

#include "lab/tests/gpu_emulated.h"

int XC_T(xc_lab_bands)(const xc_lab_job *job, int accelerator, const void *in, void *out)
{
	const xc_band_transform transform = job->transform;
	const int back = job->direction == XC_INVERSE;
	enum { REGION = XC_REGION_SAMPLES(1), WARP = XC_WARP_SAMPLES };
	XC_REAL shared[REGION > WARP ? REGION : WARP];
	const xc_bulk_maps maps = {0, 0};
	uint64_t barriers[XC_REGION_STAGES];
	xc_warp_job mine;

	/* Few regions at a time, so that each has several strips. */
	if (xc_warp_job_of(job, 5, 3, &mine))
		return -1;
	mine.in = in;
	mine.out = out;
	mine.bulk = accelerator && mine.vectors;
	memset(shared, 0x7f, sizeof shared);
	for (int w = 0; w < mine.across * mine.down; w++)
		if (xc_band_shifts(transform))
			xc_region_work(transform, back, &mine, &maps, mine.scale, shared, barriers, w);
		else
			xc_warp_work(transform, back, &mine, mine.scale, shared, w);
	return 0;
}
