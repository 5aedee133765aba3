/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: included with XC_REAL_BITS defined. */
#include <math.h>

#include "gpu/transform/band_kernels.h"
#include "gpu/transform/band_job.h"

#include "tests/gpu_bands.h"

typedef void (*work_function)(const xc_warp_job *job, const XC_REAL *scale, XC_REAL *shared,
                              int number);

int XC_T(xc_gpu_bands)(const xc_gpu_job *job, const XC_REAL *in, XC_REAL *out)
{
	static const work_function works[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(work);
	XC_REAL shared[(int)XC_SLOTS > (int)XC_TILE_SAMPLES ? (int)XC_SLOTS : (int)XC_TILE_SAMPLES];
	xc_warp_job mine;
	/* Few tiles, so that each has several strips. */
	if (xc_warp_job_of(job, 3, &mine))
		return -1;
	memset(shared, 0x7f, sizeof shared);
	mine.in = in;
	mine.out = out;
	for (int w = 0; w < mine.across * mine.down; w++)
		works[job->transform][job->direction](&mine, mine.scale, shared, w);
	return 0;
}
