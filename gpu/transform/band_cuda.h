/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: launching the 8-band kernels of one precision.  Included with XC_REAL_BITS. */
#include "gpu/transform/band_kernels.h"
#include "gpu/transform/band_job.h"

#include <stdlib.h>

#include "gpu/transform/works.h"

typedef void (*band_kernel)(const xc_warp_job job);

typedef struct band_state {
	band_kernel kernel;
	xc_warp_job job;
} band_state;

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	static const band_kernel kernels[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(kernel);
	band_state *const s = (band_state *)malloc(sizeof *s);
	if (!s) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	s->kernel = kernels[job->transform][job->direction];
	if (s->kernel && !xc_warp_job_of(job, &s->job))
		return s;
	xc_gpu_refuse(why, s->kernel ? "the array is too large"
	                             : "this module has no such transform");
	free(s);
	return NULL;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const band_state *const s = (const band_state *)own;
	const int warps = s->job.across * s->job.down, held = XC_BAND_THREADS / 32;
	xc_warp_job job = s->job;
	job.in = (const XC_REAL *)in;
	job.out = (XC_REAL *)out;
	s->kernel<<<(unsigned)((warps + held - 1) / held), XC_BAND_THREADS, 0, stream>>>(job);
	return xc_gpu_check_kernel(why);
}

extern const xc_gpu_work XC_T(xc_gpu_bands) = { prepare, enqueue, free };
