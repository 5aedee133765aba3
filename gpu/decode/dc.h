/* SPDX-License-Identifier: BSD-2-Clause */
/* From the DC differences of a tile's blocks to their DCs (entropy/value.h), by a warp; called at
 * the end of a segment, with Huffman codes and rANS. */
#ifndef XC_GPU_DECODE_DC_H
#define XC_GPU_DECODE_DC_H

#include "entropy/value.h"
#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/warp_group.h"

/* A record in shared memory, with 8 bits a sample: the end and the DC difference in steps. */
typedef struct xc_gpu_cached_block {
	uint16_t end;
	int16_t dc;
} __attribute__((aligned(4))) xc_gpu_cached_block;

/* Loads in flight a lane. */
enum { XC_GPU_LOADS = 8 };

/* A lane's row of blocks. */
typedef struct xc_gpu_dc_row {
	int32_t *at;    /* the next difference, which its DC replaces */
	uint32_t wide;  /* blocks; 0: the lane has no row */
	uint32_t delay; /* steps behind the first row of its component in this batch of rows */
	int upper;      /* 1: there is a row above */
	int32_t left, corner;
	uint32_t next; /* the next difference, loaded one step ahead */
} xc_gpu_dc_row;

/* Row `row` among those of all components of a tile; dc: of the tile; shared, a constant: dc is in
 * shared memory. */
XC_GPU_INLINE xc_gpu_dc_row xc_gpu_dc_row_of(const xc_tile *t, int32_t *dc, uint32_t row,
                                             uint32_t lane, int shared)
{
	xc_gpu_dc_row r = {dc, 0, 0, 0, 0, 0, 0};

	for (int c = 0; c < 3; c++) {
		if (row < t->blocks_high[c]) {
			r.at = dc + t->first_block[c] + row * t->blocks_wide[c];
			r.wide = t->blocks_wide[c];
			r.delay = xc_gpu_min(row, lane);
			r.upper = row > 0;
			break;
		}
		row -= t->blocks_high[c];
	}
	/* Else nvcc would compute the address anew for each block. */
	XC_OPAQUE(r.at, "l");
	if (shared)
		XC_GPU_SHARED(r.at);
	else
		XC_GPU_GLOBAL(r.at);
	r.next = r.wide ? (uint32_t)*r.at : 0;
	return r;
}

/* Turns difference x of a row into its DC, if x < r->wide. up: the DC above, or r->left in the
 * first row. If only one neighbour exists it is the prediction; setting corner to r->left achieves
 * that. Results before the first difference and after the last are discarded, so no branch is
 * needed. */
XC_GPU_INLINE void xc_gpu_restore_one(xc_gpu_dc_row *r, uint32_t x, int32_t up, int depth16)
{
	const uint32_t sum = r->next + (uint32_t)xc_median_edge(r->left, up, r->corner);

	r->left = depth16 ? (int32_t)sum : (int16_t)sum;
	r->corner = r->upper && x + 1 ? up : r->left;
	if (x < r->wide && x + 1 < r->wide)
		r->next = (uint32_t)r->at[1];
	if (x < r->wide)
		*r->at++ = r->left;
}

/* Turns the DC differences of a tile into DCs. Lanes take the rows of all components, 32 at a time,
 * each one block behind the lane with the row above, whose result it reads by a shuffle. Steps:
 * columns plus delays. */
XC_WARP_INLINE void xc_gpu_restore_dc(const xc_tile *t, int32_t *dc, int depth16, int shared)
{
	const uint32_t rows = t->blocks_high[0] + t->blocks_high[1] + t->blocks_high[2];
	xc_gpu_dc_row row[XC_SLOTS];
	uint32_t value[XC_SLOTS], above[XC_SLOTS];

	XC_ROLLED
	for (uint32_t strip = 0; strip < rows; strip += XC_WARP_LANES) {
		XC_FOR_LANES(lane) {
			row[XC_SLOT(lane)] = xc_gpu_dc_row_of(t, dc, strip + (uint32_t)lane, (uint32_t)lane,
			                                      shared);
			value[XC_SLOT(lane)] = 0;
			above[XC_SLOT(lane)] = (uint32_t)lane - (row[XC_SLOT(lane)].upper && lane);
		}
		/* No component has more columns or rows than the first one. */
		const uint32_t steps = t->blocks_wide[0] +
		                       xc_gpu_min(t->blocks_high[0],
		                                  xc_gpu_min(rows - strip, XC_WARP_LANES)) -
		                       1;
		XC_UNROLL_2
		for (uint32_t step = 0; step < steps; step++) {
			xc_warp_from(value, above); /* now `up` of xc_gpu_restore_one() */
			XC_FOR_LANES(lane) {
				xc_gpu_dc_row *r = &row[XC_SLOT(lane)];
				const uint32_t x = step - r->delay;
				uint32_t *up = &value[XC_SLOT(lane)];
				if (strip && lane == 0 && r->upper && x < r->wide)
					*up = (uint32_t)r->at[-(int32_t)r->wide];
				xc_gpu_restore_one(r, x, (int32_t)*up, depth16);
				*up = (uint32_t)r->left;
			}
		}
		xc_warp_sync();
	}
}

/* The same by the first warp of a warp group, between two barriers. */
XC_WARP_INLINE void xc_gpu_warp_group_restores(const xc_warp_group *wg, const xc_tile *t,
                                               int32_t *dc, int depth16, int shared)
{
	xc_warp_group_sync(wg);
	if (xc_warp_group_warp(wg) == 0)
		xc_gpu_restore_dc(t, dc, depth16, shared);
	xc_warp_group_sync(wg);
}

/* The same, then copies the DCs to the blocks' records. dc, shared: as above. */
XC_WARP_INLINE void xc_gpu_restore_differences(const xc_warp_group *wg, const xc_tile *t,
                                               xc_gpu_block_record *records, int32_t *dc,
                                               int depth16, int shared)
{
	const uint32_t lanes = XC_WARP_LANES * wg->warps;

	xc_gpu_warp_group_restores(wg, t, dc, depth16, shared);
	XC_FOR_WARP_GROUP(lane, wg)
		for (uint32_t i = lane; i < t->blocks; i += lanes)
			records[i].dc = dc[i];
}

/* The same for cached records; stores whole records. dc: in shared memory too. */
XC_WARP_INLINE void xc_gpu_restore_cached(const xc_warp_group *wg, const xc_tile *t,
                                          xc_gpu_block_record *records,
                                          const xc_gpu_cached_block *cached, int32_t *dc)
{
	const uint32_t lanes = XC_WARP_LANES * wg->warps;

	XC_FOR_WARP_GROUP(lane, wg)
		for (uint32_t i = lane; i < t->blocks; i += lanes)
			dc[i] = cached[i].dc * XC_STEP_PARTS;
	xc_gpu_warp_group_restores(wg, t, dc, 0, 1);
	XC_FOR_WARP_GROUP(lane, wg)
		for (uint32_t i = lane; i < t->blocks; i += lanes) {
			const xc_gpu_block_record r = {{cached[i].end}, dc[i]};
			records[i] = r;
		}
}

/* The same for differences in the records, in steps; dc: room for one number a block. */
XC_WARP_INLINE void xc_gpu_restore_records(const xc_warp_group *wg, const xc_tile *t,
                                           xc_gpu_block_record *records, int32_t *dc, int depth16,
                                           int shared)
{
	const uint32_t lanes = XC_WARP_LANES * wg->warps;

	XC_FOR_WARP_GROUP(lane, wg)
		for (uint32_t i = lane; i < t->blocks; i += XC_GPU_LOADS * lanes) {
			uint32_t x[XC_GPU_LOADS];
			XC_UNROLL
			for (uint32_t k = 0, j = i; k < XC_GPU_LOADS; k++, j += lanes)
				x[k] = j < t->blocks ? (uint32_t)records[j].dc : 0;
			XC_UNROLL
			for (uint32_t k = 0, j = i; k < XC_GPU_LOADS; k++, j += lanes)
				if (j < t->blocks)
					dc[j] = (int32_t)(x[k] * XC_STEP_PARTS);
		}
	xc_gpu_restore_differences(wg, t, records, dc, depth16, shared);
}

#endif
