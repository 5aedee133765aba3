/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: a lapped transform of 8 bands as bulk.h describes it.
 * region_template.h includes this. */
#if XC_BULK_HERE
XC_GPU_FUNCTION void XC_JOIN(XC_RUN, _bulk)(const xc_warp_job *job, const xc_bulk_maps *maps,
                                            const XC_REAL *scale, XC_REAL *shared,
                                            uint64_t *barriers, int number)
{
	enum { WIDE = XC_WARP_BLOCKS - XC_SHIFTS }; /* blocks that a warp writes */
	enum { IN = XC_BULK_IN(XC_SHIFTS), OUT = XC_BULK_OUT(XC_SHIFTS) };
	const xc_region region = xc_region_of(job, number, XC_SHIFTS, XC_BULK_WARPS);
	XC_REAL *out = shared + XC_BULK_STAGES * 8 * IN, *other = out + 8 * OUT;
	XC_REAL waiting[XC_WARP_SLOTS][XC_SHIFTS][XC_SLOTS][4 * XC_COLS];
	xc_lane lane[XC_WARP_SLOTS][XC_SLOTS];
	unsigned phases = 0;
	int stage = 0;
	XC_FOR_WARPS(w, XC_BULK_WARPS) {
		XC_FOR_LANES(i) {
			XC_UNROLL
			for (int j = 0; j < XC_SHIFTS * 4 * XC_COLS; j++)
				waiting[XC_SLOT(w)][j / (4 * XC_COLS)][XC_SLOT(i)][j % (4 * XC_COLS)] = 0;
		}
	}
	xc_bulk_start(barriers);
	for (int i = 0; i < XC_BULK_STAGES; i++)
		xc_bulk_fetch(job, &maps->in, &region, shared + i * 8 * IN, IN, &barriers[i],
		              region.strip - XC_SHIFTS + i);

	for (int strip = region.strip - XC_SHIFTS; strip < region.end; strip++) {
		XC_REAL *const in = shared + stage * 8 * IN;
		xc_bulk_arrived(job, &region, barriers, &phases, stage, strip);
		XC_FOR_WARPS(w, XC_BULK_WARPS) {
			XC_FOR_LANES(i)
				xc_region_take(job, in + xc_bulk_place(w, i, WIDE), IN,
				               &lane[XC_SLOT(w)][XC_SLOT(i)], strip,
				               region.in + xc_bulk_place(w, i, WIDE));
			XC_JOIN(XC_RUN, _columns)(lane[XC_SLOT(w)], waiting[XC_SLOT(w)], scale);
			if (strip < region.strip)
				continue;
			XC_JOIN(XC_RUN, _rows)(lane[XC_SLOT(w)], job, scale);
			XC_FOR_LANES(i)
				if (i / XC_SHARE >= XC_SHIFTS)
					xc_region_put(out + xc_bulk_place(w, i, WIDE) - 8 * XC_SHIFTS, OUT,
					              &lane[XC_SLOT(w)][XC_SLOT(i)]);
		}
		xc_bulk_step();
		if (strip >= region.strip) {
			XC_REAL *const next = other;
			xc_bulk_store(job, &maps->out, &region, out, OUT, strip);
			other = out;
			out = next;
		}
		xc_bulk_fetch(job, &maps->in, &region, in, IN, &barriers[stage], strip + XC_BULK_STAGES);
		stage = stage + 1 < XC_BULK_STAGES ? stage + 1 : 0;
	}
	xc_bulk_left();
}
#endif
