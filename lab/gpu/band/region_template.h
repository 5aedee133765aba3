/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: a lapped transform of 8 bands.  template.h includes this. */

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

XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _work)(const xc_warp_job *job, const XC_REAL *scale,
                                            XC_REAL *shared, int number)
{
	enum { WIDE = XC_WARP_BLOCKS - XC_SHIFTS }; /* blocks that a warp writes */
	const xc_region region = xc_region_of(job, number, XC_SHIFTS, XC_REGION_WARPS);
	XC_REAL *const out = shared + XC_REGION_STAGES * XC_REGION_IN;
	XC_REAL waiting[XC_WARP_SLOTS][XC_SHIFTS][XC_SLOTS][4 * XC_COLS];
	xc_lane lane[XC_WARP_SLOTS][XC_SLOTS];
	XC_FOR_WARPS(w, XC_REGION_WARPS) {
		XC_FOR_LANES(i) {
			XC_UNROLL
			for (int j = 0; j < XC_SHIFTS * 4 * XC_COLS; j++)
				waiting[XC_SLOT(w)][j / (4 * XC_COLS)][XC_SLOT(i)][j % (4 * XC_COLS)] = 0;
		}
	}
	for (int ahead = 0; ahead < XC_REGION_STAGES - 1; ahead++) {
		XC_FOR_THREADS(t, 32 * XC_REGION_WARPS)
			if (region.strip - XC_SHIFTS + ahead < region.end)
				xc_region_fetch(job, &region, shared + ahead * XC_REGION_IN, t,
				                region.strip - XC_SHIFTS + ahead);
		xc_region_begun();
	}

	for (int step = 0; step < region.end - region.strip + XC_SHIFTS; step++) {
		const int strip = region.strip - XC_SHIFTS + step;
		const int ahead = strip + XC_REGION_STAGES - 1;
		const XC_REAL *const in = shared + step % XC_REGION_STAGES * XC_REGION_IN;
		XC_REAL *const next = shared +
		                      (step + XC_REGION_STAGES - 1) % XC_REGION_STAGES * XC_REGION_IN;
		xc_region_arrived();
		XC_TEAM_SYNC(); /* all of this strip is there; the last one's output, too */
		XC_FOR_THREADS(t, 32 * XC_REGION_WARPS) {
			if (ahead < region.end)
				xc_region_fetch(job, &region, next, t, ahead);
			if (strip > region.strip)
				xc_region_store(job, &region, out, t, strip - 1);
		}
		xc_region_begun();
		XC_FOR_WARPS(w, XC_REGION_WARPS) {
			const int first = (int)job->cols.in_first + 8 * (region.block + w * WIDE);
			XC_FOR_LANES(i) {
				const int x = first + 8 * (i / XC_SHARE) + xc_lane_column(i);
				xc_region_take(job, in + (x - region.in_line), XC_REGION_IN_ROW,
				               &lane[XC_SLOT(w)][XC_SLOT(i)], strip, x);
			}
			XC_JOIN(XC_RUN, _columns)(lane[XC_SLOT(w)], waiting[XC_SLOT(w)], scale);
			if (strip >= region.strip)
				XC_JOIN(XC_RUN, _rows)(lane[XC_SLOT(w)], job, scale);
		}
		if (strip < region.strip)
			continue;
		XC_TEAM_SYNC(); /* the last strip's output has been read */
		XC_FOR_WARPS(w, XC_REGION_WARPS) {
			const int first = (int)job->cols.out_first + 8 * (region.block + w * WIDE);
			XC_FOR_LANES(i) {
				const int x = first + 8 * (i / XC_SHARE) + xc_lane_column(i);
				if (i / XC_SHARE >= XC_SHIFTS)
					xc_region_put(out + (x - region.out_line), XC_REGION_OUT_ROW,
					              &lane[XC_SLOT(w)][XC_SLOT(i)]);
			}
		}
	}
	XC_TEAM_SYNC();
	XC_FOR_THREADS(t, 32 * XC_REGION_WARPS)
		xc_region_store(job, &region, out, t, region.end - 1);
}

#include "lab/gpu/band/bulk_template.h"

#ifdef __CUDACC__
static __global__ void XC_REGION_BOUNDS XC_JOIN(XC_RUN,
                                                _kernel)(const __grid_constant__ xc_warp_job job,
                                                         const __grid_constant__ xc_bulk_maps maps)
{
	extern __shared__ __align__(128) unsigned char dynamic_shared[];
	XC_REAL *const shared = (XC_REAL *)(void *)dynamic_shared;
#if XC_SCALE
	__shared__ __align__(16) XC_REAL scale[64];
	if (threadIdx.x < 64)
		scale[threadIdx.x] = job.scale[threadIdx.x];
#else
	const XC_REAL *const scale = NULL;
#endif
#if XC_BULK_HERE
	__shared__ uint64_t barriers[XC_BULK_STAGES];
	XC_JOIN(XC_RUN, _bulk)(&job, &maps, scale, shared, barriers, (int)blockIdx.x);
#else
	XC_JOIN(XC_RUN, _work)(&job, scale, shared, (int)blockIdx.x);
#endif
}
#endif
