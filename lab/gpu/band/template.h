/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: one 8-band transform, as the work of one warp or, if it is lapped, of a block of
 * threads (region_template.h), and in CUDA as a kernel.  lab/kernels/stages.h includes this for
 * kernels.h, with the parameters of lab/cpu/band/run_template.h (XC_RUN, XC_SHIFTS, XC_STAGE_0
 * ..., XC_SCALE), which it undefines.
 */
#define XC_JOIN_(a, b) a##b
#define XC_JOIN(a, b) XC_JOIN_(a, b)

#if XC_SHIFTS
#include "lab/gpu/band/region_template.h"
#else
/* `scale` is the job's, in memory that is quick to read; `slots` are the warp's. */
XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _work)(const xc_warp_job *job, const XC_REAL *scale,
                                            XC_REAL *slots, int warp)
{
	const int strip = warp / job->across, first = warp % job->across * XC_WARP_BLOCKS;
	xc_lane lane[XC_SLOTS];
	XC_FOR_LANES(i) {
		xc_lane *const l = &lane[XC_SLOT(i)];
		xc_warp_load(job, l, slots, i, strip, first + i / XC_SHARE);
#if XC_SCALE == 1
		xc_lane_scale(l, scale, xc_lane_column(i));
#endif
		XC_COLUMNS(XC_STAGE_0, l);
	}
	xc_warp_to_rows(lane);
	XC_FOR_LANES(i)
		XC_ROWS_DO(XC_STAGE_0, &lane[XC_SLOT(i)]);
	xc_warp_to_columns(lane);
	XC_FOR_LANES(i) {
		xc_lane *const l = &lane[XC_SLOT(i)];
#if XC_SCALE == 2
		xc_lane_scale(l, scale, xc_lane_column(i));
		if (job->rounds)
			xc_lane_round(l);
#endif
		if (first + i / XC_SHARE < (int)job->cols.blocks)
			xc_warp_store(job, l, i, strip, first + i / XC_SHARE);
	}
	(void)scale;
}

#ifdef __CUDACC__
static __global__ void __launch_bounds__(XC_BAND_THREADS, XC_BLOCK_CTAS)
	XC_JOIN(XC_RUN, _kernel)(const __grid_constant__ xc_warp_job job,
                             const __grid_constant__ xc_bulk_maps)
{
	__shared__ __align__(16) XC_REAL slots[XC_BAND_THREADS / 32 * XC_WARP_SAMPLES];
	const int mine = (int)threadIdx.x / 32;
	const int warp = (int)blockIdx.x * (XC_BAND_THREADS / 32) + mine;
#if XC_SCALE
	__shared__ __align__(16) XC_REAL scale[64];
	if (threadIdx.x < 64)
		scale[threadIdx.x] = job.scale[threadIdx.x];
	__syncthreads();
#else
	const XC_REAL *const scale = NULL;
#endif
	if (warp < job.across * job.down)
		XC_JOIN(XC_RUN, _work)(&job, scale, slots + mine * XC_WARP_SAMPLES, warp);
}
#endif
#endif

#undef XC_RUN
#undef XC_SHIFTS
#undef XC_STAGE_0
#undef XC_STAGE_1
#undef XC_STAGE_2
#undef XC_SCALE
