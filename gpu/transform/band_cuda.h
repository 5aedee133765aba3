/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: launching the 8-band kernels of one precision.  Included with XC_REAL_BITS. */
#include "gpu/transform/band_kernels.h"
#include "gpu/transform/band_job.h"

#include <stdlib.h>

#include "gpu/transform/works.h"

typedef void (*band_kernel)(const xc_warp_job job);

typedef struct band_state {
	band_kernel kernel;
	int threads; /* of a block */
	xc_warp_job job;
} band_state;

/* Warps that the device runs at a time, or -1. */
static int resident_warps(const band_state *s, char why[XC_DEVICE_MESSAGE])
{
	int device = 0, processors = 0, blocks = 0;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s->kernel, s->threads, 0);
	if (xc_gpu_check_call(e, "be described", why))
		return -1;
	blocks *= processors;
	return (blocks ? blocks : 1) * (s->threads / 32);
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	static const band_kernel kernels[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(kernel);
	band_state *const s = (band_state *)malloc(sizeof *s);
	if (!s) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	s->kernel = kernels[job->transform][job->direction];
	s->threads = XC_BAND_THREADS(xc_band_shifts(job->transform));
	if (!s->kernel) {
		xc_gpu_refuse(why, "this module has no such transform");
	} else {
		const int resident = resident_warps(s, why);
		if (resident > 0 && !xc_warp_job_of(job, resident, &s->job))
			return s;
		if (resident > 0)
			xc_gpu_refuse(why, "the array is too large");
	}
	free(s);
	return NULL;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const band_state *const s = (const band_state *)own;
	const int warps = s->job.across * s->job.down, held = s->threads / 32;
	xc_warp_job job = s->job;
	job.in = (const XC_REAL *)in;
	job.out = (XC_REAL *)out;
	s->kernel<<<(unsigned)((warps + held - 1) / held), (unsigned)s->threads, 0, stream>>>(job);
	return xc_gpu_check_kernel(why);
}

extern const xc_gpu_work XC_T(xc_gpu_bands) = { prepare, enqueue, free };
