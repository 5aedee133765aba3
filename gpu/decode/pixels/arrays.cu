/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel that makes arrays of decoded pixels. */
#include "gpu/decode/pixels/arrays.h"
#include "gpu/decode/launch.h"

/* Threads of a thread block, and pixels of each. */
enum { XC_GPU_ARRAY_THREADS = 256, XC_GPU_ARRAY_PIXELS = 16 };

/* Thread block (x, y) makes a run of pixels of array y; a thread every 256th, so that a warp's
 * accesses are side by side. */
static __global__ void __launch_bounds__(XC_GPU_ARRAY_THREADS)
	xc_gpu_make_arrays(const __grid_constant__ xc_gpu_array_plan plan, const xc_gpu_array *arrays)
{
	__shared__ xc_gpu_sample_floats floats;
	const xc_gpu_array a = arrays[blockIdx.y];
	const uint64_t first = (uint64_t)blockIdx.x * XC_GPU_ARRAY_THREADS * XC_GPU_ARRAY_PIXELS;

	if (first >= (uint64_t)a.width * a.height)
		return;
	if (xc_gpu_uses_floats(&plan, &a)) {
		xc_gpu_fill_floats(&plan, &floats, threadIdx.x, XC_GPU_ARRAY_THREADS);
		__syncthreads();
	}
	xc_gpu_arrange_pixels(&plan, &a, &floats, first + threadIdx.x, XC_GPU_ARRAY_THREADS,
	                      XC_GPU_ARRAY_PIXELS);
}

xc_status xc_gpu_arrange(xc_gpu *gpu, const xc_gpu_array_plan *plan, const xc_gpu_array *arrays,
                         uint32_t count, uint64_t max_pixels, void *stream, xc_gpu_error *e)
{
	const uint32_t run = XC_GPU_ARRAY_THREADS * XC_GPU_ARRAY_PIXELS;
	const xc_status s = xc_gpu_enter(gpu, e);

	if (s)
		return s;
	const dim3 grid((uint32_t)((max_pixels + run - 1) / run), count);
	return xc_gpu_launch_with("that makes arrays", NULL, xc_gpu_make_arrays, grid,
	                          XC_GPU_ARRAY_THREADS, 0, xc_gpu_stream(gpu, stream), e, *plan,
	                          arrays);
}
