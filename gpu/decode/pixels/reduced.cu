/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that make pixels of reduced size, for all kinds of pictures, and their launch. */
#include "gpu/decode/launch.h"
#include "gpu/decode/pixels/reduced.h"

/* Thread block (i, j) makes region i of job j. Three of them fit on a multiprocessor with a lapped transform and half
 * the size, so registers need not be fewer. Barriers: after the tables; for each component after its slots and after
 * its means across; before pixels. */
template <int SOURCE>
static __global__ void __launch_bounds__(XC_GPU_REDUCED_MAX_THREADS, 3)
	xc_gpu_make_reduced(const xc_gpu_decode_job *jobs, const xc_gpu_segment *segments,
                        const xc_gpu_segment_result *results)
{
	extern __shared__ __align__(64) uint4 shared[];
	const xc_gpu_decode_job *p = &jobs[blockIdx.y];
	const xc_gpu_reduced r = xc_gpu_reduced_of(p, segments, results, blockIdx.x, (float *)shared);
	const uint32_t thread = threadIdx.x, threads = blockDim.x, warp = thread / XC_WARP_LANES;
	const int depth16 = p->depth == 16;

	if (r.y >= p->reduced_height)
		return;
	xc_gpu_reduced_begin(&r, thread, threads, SOURCE);
	__syncthreads();
	XC_ROLLED
	for (uint32_t c = 0; c < xc_gpu_reduced_components(&r); c++) {
		if (xc_gpu_reduced_is_flat(&r, c)) {
			xc_gpu_reduced_flat(&r, c, thread, threads, SOURCE);
			continue;
		}
		/* Other pictures of the launch may need more threads. */
		if (thread < xc_gpu_reduced_threads(p)) {
			if (SOURCE != XC_GPU_BLOCKS && depth16)
				xc_gpu_reduced_blocks(&r, warp, c, 1, SOURCE);
			else
				xc_gpu_reduced_blocks(&r, warp, c, 0, SOURCE);
		}
		__syncthreads();
		xc_gpu_reduced_across(&r, c, thread, threads);
		__syncthreads();
		xc_gpu_reduced_down(&r, c, thread, threads);
	}
	__syncthreads();
	xc_gpu_reduced_pixels(&r, thread, threads, depth16);
}

template <int SOURCE>
static xc_status launch(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	const auto kernel = xc_gpu_make_reduced<SOURCE>;
	uint32_t threads = 0;
	size_t bytes = 0;

	for (uint32_t i = g->first; i < g->first + g->count; i++) {
		threads = xc_gpu_max(threads, xc_gpu_reduced_threads(&l->jobs[i]));
		bytes = bytes < xc_gpu_reduced_bytes(&l->jobs[i]) ? xc_gpu_reduced_bytes(&l->jobs[i])
		                                                  : bytes;
	}
	const xc_status s = xc_gpu_allow_shared(l->gpu, (const void *)kernel, l->e);
	if (s)
		return s;
	const dim3 grid(g->max_regions, g->count);
	kernel<<<grid, threads, bytes, l->stream>>>(l->device_jobs + g->first, l->device_segments,
	                                            l->results);
	return xc_gpu_check_launch(l->e, "that makes pixels of reduced size");
}

xc_status xc_gpu_launch_reduced(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	return g->coding == XC_GPU_JPEG   ? launch<XC_GPU_BLOCKS>(l, g)
	       : g->coding == XC_GPU_RANS ? launch<XC_GPU_SYMBOLS>(l, g)
	                                  : launch<XC_GPU_TOKENS>(l, g);
}
