/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: one 8-band transform, as the work of one warp or, if it is lapped, of a block of
 * threads (region.h), and in CUDA as a kernel.  lab/kernels/stages.h includes this for kernels.h,
 * with the parameters of lab/cpu/band/run_template.h (XC_RUN, XC_SHIFTS, XC_STAGE_0 ...,
 * XC_SCALE), which it undefines.
 *
 * `scale` is the job's, in memory that is quick to read; `shared` is the warp's or the region's.
 */
#define XC_JOIN_(a, b) a##b
#define XC_JOIN(a, b) XC_JOIN_(a, b)

#if XC_SHIFTS
/* Transforms the columns of a strip, then its rows, in the registers of a warp. */
XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _columns)(xc_lane lane[XC_SLOTS],
                                               XC_REAL waiting[XC_SHIFTS][XC_SLOTS][4 * XC_COLS],
                                               const XC_REAL *scale)
{
	XC_FOR_LANES(i) {
#if XC_SCALE == 1
		xc_lane_scale(&lane[XC_SLOT(i)], scale, xc_lane_column(i));
#endif
		XC_COLUMNS(XC_STAGE_0, &lane[XC_SLOT(i)]);
		xc_lane_shift_down(&lane[XC_SLOT(i)], waiting[0][XC_SLOT(i)]);
		XC_COLUMNS(XC_STAGE_1, &lane[XC_SLOT(i)]);
#if XC_SHIFTS > 1
		xc_lane_shift_down(&lane[XC_SLOT(i)], waiting[1][XC_SLOT(i)]);
		XC_COLUMNS(XC_STAGE_2, &lane[XC_SLOT(i)]);
#endif
	}
	(void)scale;
}

XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _rows)(xc_lane lane[XC_SLOTS], const xc_warp_job *job,
                                            const XC_REAL *scale)
{
	xc_warp_to_rows(lane);
	XC_FOR_LANES(i)
		XC_ROWS_DO(XC_STAGE_0, &lane[XC_SLOT(i)]);
	xc_warp_shift_right(lane);
	XC_FOR_LANES(i)
		XC_ROWS_DO(XC_STAGE_1, &lane[XC_SLOT(i)]);
#if XC_SHIFTS > 1
	xc_warp_shift_right(lane);
	XC_FOR_LANES(i)
		XC_ROWS_DO(XC_STAGE_2, &lane[XC_SLOT(i)]);
#endif
	xc_warp_to_columns(lane);
#if XC_SCALE == 2
	XC_FOR_LANES(i) {
		xc_lane_scale(&lane[XC_SLOT(i)], scale, xc_lane_column(i));
		if (job->rounds)
			xc_lane_round(&lane[XC_SLOT(i)]);
	}
#endif
	(void)job;
	(void)scale;
}

XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _work)(const xc_warp_job *job, const xc_bulk_maps *maps,
                                            const XC_REAL *scale, XC_REAL *shared,
                                            uint64_t *barriers, int number)
{
	enum { WIDE = XC_WARP_BLOCKS - XC_SHIFTS }; /* blocks that a warp writes */
	enum { IN = XC_REGION_IN(XC_SHIFTS), OUT = XC_REGION_OUT(XC_SHIFTS) };
	const xc_region region = xc_region_of(job, number, XC_SHIFTS);
	XC_REAL *out = shared + XC_REGION_STAGES * 8 * IN, *other = out + 8 * OUT;
	XC_REAL waiting[XC_WARP_SLOTS][XC_SHIFTS][XC_SLOTS][4 * XC_COLS];
	xc_lane lane[XC_WARP_SLOTS][XC_SLOTS];
	unsigned phases = 0;
	int stage = 0;

	XC_FOR_WARPS(w, XC_REGION_WARPS) {
		XC_FOR_LANES(i) {
			XC_UNROLL
			for (int j = 0; j < XC_SHIFTS * 4 * XC_COLS; j++)
				waiting[XC_SLOT(w)][j / (4 * XC_COLS)][XC_SLOT(i)][j % (4 * XC_COLS)] = 0;
		}
	}
	xc_bulk_start(barriers);
	for (int i = 0; i < XC_REGION_STAGES; i++)
		xc_region_fetch(job, &maps->in, &region, shared + i * 8 * IN, IN, &barriers[i],
		                region.strip - XC_SHIFTS + i);

	for (int strip = region.strip - XC_SHIFTS; strip < region.end; strip++) {
		XC_REAL *const in = shared + stage * 8 * IN;
		xc_region_arrived(job, &region, barriers, &phases, stage, strip);
		XC_FOR_WARPS(w, XC_REGION_WARPS) {
			XC_FOR_LANES(i)
				xc_region_take(job, in + xc_region_position(w, i, WIDE), IN,
				               &lane[XC_SLOT(w)][XC_SLOT(i)], strip,
				               region.in + xc_region_position(w, i, WIDE));
			XC_JOIN(XC_RUN, _columns)(lane[XC_SLOT(w)], waiting[XC_SLOT(w)], scale);
			if (strip < region.strip)
				continue;
			XC_JOIN(XC_RUN, _rows)(lane[XC_SLOT(w)], job, scale);
			XC_FOR_LANES(i)
				if (i / XC_SHARE >= XC_SHIFTS)
					xc_region_put(out + xc_region_position(w, i, WIDE) - 8 * XC_SHIFTS, OUT,
					              &lane[XC_SLOT(w)][XC_SLOT(i)]);
		}
		xc_region_step();
		if (strip >= region.strip) {
			XC_REAL *const next = other;
			xc_region_store(job, &maps->out, &region, out, OUT, strip);
			other = out;
			out = next;
		}
		xc_region_fetch(job, &maps->in, &region, in, IN, &barriers[stage],
		                strip + XC_REGION_STAGES);
		stage = stage + 1 < XC_REGION_STAGES ? stage + 1 : 0;
	}
	xc_bulk_left();
}
#else
XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _work)(const xc_warp_job *job, const xc_bulk_maps *maps,
                                            const XC_REAL *scale, XC_REAL *shared,
                                            uint64_t *barriers, int warp)
{
	const int strip = warp / job->across, first = warp % job->across * XC_WARP_BLOCKS;
	xc_lane lane[XC_SLOTS];

	XC_FOR_LANES(i) {
		xc_lane *const l = &lane[XC_SLOT(i)];
		xc_warp_load(job, l, shared, i, strip, first + i / XC_SHARE);
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
	(void)maps;
	(void)scale;
	(void)barriers;
}
#endif

#ifdef __CUDACC__
#if XC_SHIFTS
#define XC_BOUNDS __launch_bounds__(XC_REGION_SIZE, XC_REGION_CTAS)
#else
#define XC_BOUNDS __launch_bounds__(XC_BAND_THREADS, XC_BLOCK_CTAS)
#endif
static __global__ void XC_BOUNDS XC_JOIN(XC_RUN, _kernel)(const __grid_constant__ xc_warp_job job,
                                                          const __grid_constant__ xc_bulk_maps maps)
{
#if XC_SCALE
	__shared__ __align__(16) XC_REAL scale[64];
	if (threadIdx.x < 64)
		scale[threadIdx.x] = job.scale[threadIdx.x];
#else
	const XC_REAL *const scale = NULL;
#endif
#if XC_SHIFTS
	extern __shared__ __align__(128) unsigned char dynamic_shared[];
	__shared__ uint64_t barriers[XC_REGION_STAGES];
	XC_JOIN(XC_RUN, _work)
	(&job, &maps, scale, (XC_REAL *)(void *)dynamic_shared, barriers, (int)blockIdx.x);
#else
	__shared__ __align__(16) XC_REAL slots[XC_BAND_THREADS / 32 * XC_WARP_SAMPLES];
	const int mine = (int)threadIdx.x / 32;
	const int warp = (int)blockIdx.x * (XC_BAND_THREADS / 32) + mine;
	if (XC_SCALE)
		__syncthreads();
	if (warp < job.across * job.down)
		XC_JOIN(XC_RUN, _work)(&job, &maps, scale, slots + mine * XC_WARP_SAMPLES, NULL, warp);
#endif
}
#undef XC_BOUNDS
#endif

#undef XC_RUN
#undef XC_SHIFTS
#undef XC_STAGE_0
#undef XC_STAGE_1
#undef XC_STAGE_2
#undef XC_SCALE
