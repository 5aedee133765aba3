/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: included with XC_REAL_BITS defined. */
#include <math.h>

#include "gpu/transform/band_kernels.h"
#include "gpu/transform/band_job.h"

#include "tests/gpu_bands.h"

typedef void (*warp_function)(const xc_warp_job *job, const XC_REAL *scale, XC_REAL *slots,
                              int warp);

int XC_T(xc_gpu_bands)(const xc_gpu_job *job, const XC_REAL *in, XC_REAL *out)
{
	static const warp_function warps[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(warp);
	XC_REAL slots[XC_SLOTS] = { 0 };
	xc_warp_job mine;
	/* Few warps, so that each has several strips. */
	if (xc_warp_job_of(job, 12, &mine))
		return -1;
	mine.in = in;
	mine.out = out;
	for (int w = 0; w < mine.across * mine.down; w++)
		warps[job->transform][job->direction](&mine, mine.scale, slots, w);
	return 0;
}
