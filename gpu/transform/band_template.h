/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: one 8-band transform, as the work of one warp and, in CUDA, as a kernel.
 * Included by band_kernels.h with the parameters of transform/band/run_template.h
 * (XC_RUN, XC_SHIFTS, XC_STAGE_0 ..., XC_SCALE); undefines them.
 */
#define XC_JOIN_(a, b) a##b
#define XC_JOIN(a, b) XC_JOIN_(a, b)

/* `scale` is the job's, in memory that is quick to read; `slots` are the warp's. */
static XC_DEVICE void XC_JOIN(XC_RUN, _warp)(const xc_warp_job *job, const XC_REAL *scale,
                                            XC_REAL *slots, int warp)
{
	const xc_warp_place place = xc_warp_place_of(job, warp, XC_SHIFTS);
	xc_lane lane[XC_HELD];
#if XC_SHIFTS
	XC_REAL waiting[XC_SHIFTS][XC_HELD][4 * XC_COLS];
	XC_FOR_LANES(i) {
		const int number = xc_lane_number(i);
		XC_UNROLL
		for (int j = 0; j < XC_SHIFTS * 4 * XC_COLS; j++)
			waiting[j / (4 * XC_COLS)][i][j % (4 * XC_COLS)] = 0;
		xc_warp_fetch(job, slots, number, place.strip - XC_SHIFTS,
		              place.block + number / XC_SHARE);
	}
#endif

	for (int strip = place.strip - XC_SHIFTS; strip < place.end; strip++) {
		XC_FOR_LANES(i) {
			const int number = xc_lane_number(i);
			const int block = place.block + number / XC_SHARE;
#if XC_SHIFTS
			xc_warp_take(job, &lane[i], slots, number, strip, block);
			if (strip + 1 < place.end)
				xc_warp_fetch(job, slots, number, strip + 1, block);
#else
			xc_warp_load(job, &lane[i], slots, number, strip, block);
#endif
#if XC_SCALE == 1
			xc_lane_scale(&lane[i], scale, xc_lane_column(number));
#endif
			XC_COLUMNS(XC_STAGE_0, &lane[i]);
#if XC_SHIFTS > 0
			xc_lane_shift_down(&lane[i], waiting[0][i]);
			XC_COLUMNS(XC_STAGE_1, &lane[i]);
#endif
#if XC_SHIFTS > 1
			xc_lane_shift_down(&lane[i], waiting[1][i]);
			XC_COLUMNS(XC_STAGE_2, &lane[i]);
#endif
		}
#if XC_SHIFTS
		if (strip < place.strip)
			continue;
#endif
		xc_warp_to_rows(lane);
		XC_FOR_LANES(i)
			XC_ROWS_DO(XC_STAGE_0, &lane[i]);
#if XC_SHIFTS > 0
		xc_warp_shift_right(lane);
		XC_FOR_LANES(i)
			XC_ROWS_DO(XC_STAGE_1, &lane[i]);
#endif
#if XC_SHIFTS > 1
		xc_warp_shift_right(lane);
		XC_FOR_LANES(i)
			XC_ROWS_DO(XC_STAGE_2, &lane[i]);
#endif
		xc_warp_to_columns(lane);
		XC_FOR_LANES(i) {
			const int number = xc_lane_number(i), ahead = number / XC_SHARE;
#if XC_SCALE == 2
			xc_lane_scale(&lane[i], scale, xc_lane_column(number));
			if (job->rounds)
				xc_lane_round(&lane[i]);
#endif
			if (ahead >= XC_SHIFTS && place.block + ahead < (int)job->cols.blocks)
				xc_warp_store(job, &lane[i], number, strip, place.block + ahead);
		}
	}
	(void)scale;
}

#ifdef __CUDACC__
static __global__ void __launch_bounds__(XC_BAND_THREADS(XC_SHIFTS),
                                         XC_SHIFTS ? XC_LAPPED_CTAS : XC_BLOCK_CTAS)
	XC_JOIN(XC_RUN, _kernel)(const __grid_constant__ xc_warp_job job)
{
	enum { HELD = XC_BAND_THREADS(XC_SHIFTS) / 32 };
	__shared__ __align__(16) XC_REAL slots[HELD * XC_SLOTS];
	const int mine = (int)threadIdx.x / 32;
	const int warp = (int)blockIdx.x * HELD + mine;
#if XC_SCALE
	__shared__ __align__(16) XC_REAL scale[64];
	if (threadIdx.x < 64)
		scale[threadIdx.x] = job.scale[threadIdx.x];
	__syncthreads();
#else
	const XC_REAL *const scale = NULL;
#endif
	if (warp < job.across * job.down)
		XC_JOIN(XC_RUN, _warp)(&job, scale, slots + mine * XC_SLOTS, warp);
}
#endif

#undef XC_RUN
#undef XC_SHIFTS
#undef XC_STAGE_0
#undef XC_STAGE_1
#undef XC_STAGE_2
#undef XC_SCALE
