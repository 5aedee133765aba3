/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: launching the 8-band kernels of one precision.  Included with XC_REAL_BITS. */
#include "gpu/transform/band_kernels.h"
#include "gpu/transform/band_job.h"

#include <stdlib.h>

#include "gpu/transform/works.h"

typedef void (*band_kernel)(const xc_warp_job job);

typedef struct band_state {
	band_kernel kernel;
	size_t tile_bytes; /* of a tile's shared memory; 0: not lapped */
	xc_warp_job job;
} band_state;

/* Tiles that the device runs at a time, or -1.  Sets tile_bytes: kernels for devices with
 * little shared memory have one stage less. */
static int resident_tiles(band_state *s, char why[XC_DEVICE_MESSAGE])
{
	int device = 0, processors = 0, most = 0, blocks = 0;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	s->tile_bytes = XC_TILE_SAMPLES * sizeof(XC_REAL);
	if (s->tile_bytes > (size_t)most)
		s->tile_bytes -= XC_TILE_IN * sizeof(XC_REAL);
	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(s->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		                         (int)s->tile_bytes);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s->kernel, XC_TILE_SIZE,
		                                                  s->tile_bytes);
	if (xc_gpu_check_call(e, "be described", why))
		return -1;
	return blocks ? blocks * processors : 1;
}

static int set_up(band_state *s, const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	static const band_kernel kernels[XC_BAND_TRANSFORMS][2] = XC_BAND_ENTRIES(kernel);
	int resident = 1;
	s->kernel = kernels[job->transform][job->direction];
	if (!s->kernel)
		return xc_gpu_refuse(why, "this module has no such transform");
	s->tile_bytes = 0;
	if (xc_band_shifts(job->transform))
		resident = resident_tiles(s, why);
	if (resident < 0)
		return -1;
	if (xc_warp_job_of(job, resident, &s->job))
		return xc_gpu_refuse(why, "the array is too large");
	return 0;
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	band_state *const s = (band_state *)malloc(sizeof *s);
	if (!s) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	if (!set_up(s, job, why))
		return s;
	free(s);
	return NULL;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const band_state *const s = (const band_state *)own;
	const unsigned parts = (unsigned)(s->job.across * s->job.down);
	const unsigned held = XC_BAND_THREADS / 32;
	xc_warp_job job = s->job;
	job.in = (const XC_REAL *)in;
	job.out = (XC_REAL *)out;
	if (s->tile_bytes)
		s->kernel<<<parts, XC_TILE_SIZE, s->tile_bytes, stream>>>(job);
	else
		s->kernel<<<(parts + held - 1) / held, XC_BAND_THREADS, 0, stream>>>(job);
	return xc_gpu_check_kernel(why);
}

extern const xc_gpu_work XC_T(xc_gpu_bands) = { prepare, enqueue, free };
