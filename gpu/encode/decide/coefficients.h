/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coefficients in sixteenths of a step, which are in their block's slot in scan order: how they are
 * loaded, AC prediction, and the offsets of values for the points of reconstruction. depth16, a
 * constant: they have 32 bits.
 */
#ifndef XC_GPU_ENCODE_DECIDE_COEFFICIENTS_H
#define XC_GPU_ENCODE_DECIDE_COEFFICIENTS_H

#include "gpu/encode/job/tiles.h"

/* The sums of a tile's offsets and their number, [luma, chroma][values of 1, larger values]. */
typedef struct xc_gpu_tile_offsets {
	int32_t sum[2][2];
	uint32_t count[2][2];
} xc_gpu_tile_offsets;

/* Eight coefficients as they lie in their block's slot. */
typedef struct xc_gpu_packed8 {
	xc_gpu_vec16 of[2]; /* the second with depth16 */
} xc_gpu_packed8;

XC_GPU_INLINE void xc_gpu_load_stored(xc_gpu_packed8 *e, const xc_gpu_vec16 *slot, int number,
                                      int depth16)
{
	e->of[0] = slot[(depth16 ? 2 * number : number) * XC_GPU_TOGETHER];
	if (depth16)
		e->of[1] = slot[(2 * number + 1) * XC_GPU_TOGETHER];
}

XC_GPU_INLINE void xc_gpu_unpack8(const xc_gpu_packed8 *e, int depth16, int32_t c[8])
{
	XC_UNROLL
	for (int i = 0; i < 8; i++)
		c[i] = depth16 ? (int32_t)e->of[i / 4].depth16[i % 4] : (int16_t)e->of[0].plain[i];
}

/* Whether the magnitudes of eight coefficients are all below `limit`, which is at least 2. */
XC_GPU_INLINE int xc_gpu_all_below(const xc_gpu_packed8 *e, int depth16, uint32_t limit)
{
	uint32_t other = 0;
#if defined __CUDA_ARCH__ && __CUDACC_VER_MAJOR__ >= 12
	if (!depth16) {
		/* Two coefficients a word, compared as halves. */
		const uint32_t *const w = e->of[0].depth16, edge = (limit - 1) * 0x10001u;
		const uint32_t top = __vimax3_s16x2(w[0], w[1], __vmaxs2(w[2], w[3]));
		const uint32_t low = __vimin3_s16x2(w[0], w[1], __vmins2(w[2], w[3]));
		return !(__vcmpgts2(top, edge) | __vcmplts2(low, __vneg2(edge)));
	}
#endif
	int32_t c[8];
	xc_gpu_unpack8(e, depth16, c);
	XC_UNROLL
	for (int i = 0; i < 8; i++)
		other |= (uint32_t)c[i] + limit - 1 > 2 * limit - 2;
	return !other;
}

/* A coefficient minus its prediction from two DCs. Everything wraps as coefficients do. */
XC_GPU_INLINE int32_t xc_gpu_less_predicted(int32_t c, int32_t before, int32_t after,
                                            uint32_t slope, int depth16)
{
	const uint32_t a = (uint32_t)before * XC_STEP_PARTS, b = (uint32_t)after * XC_STEP_PARTS;
	const uint32_t left = (uint32_t)c - xc_ac_predict_between(depth16 ? (int32_t)a : (int16_t)a,
	                                                          depth16 ? (int32_t)b : (int16_t)b,
	                                                          slope);

	return depth16 ? (int32_t)left : (int16_t)left;
}

/* Subtracts the AC prediction of a block; n: the DCs around it; c: at least its first three
 * coefficients. */
XC_GPU_INLINE void xc_gpu_remove_ac_prediction(const xc_gpu_encode_job *j, const xc_gpu_near_dcs *n,
                                               uint32_t chroma, int depth16, int32_t *c)
{
	/* An index would put the whole job into memory. */
	const xc_ac_prediction s = chroma ? j->rans.ac_prediction[1] : j->rans.ac_prediction[0];

	if (!j->rans.predicted)
		return;
	c[1] = xc_gpu_less_predicted(c[1], n->left, n->right, s.across, depth16);
	c[2] = xc_gpu_less_predicted(c[2], n->above, n->below, s.down, depth16);
}

/* Sums of a block's offsets, of values of 1 and of larger values: the number of values in the upper
 * half, and the sum in the lower half, which borrows one from the upper half if negative. */
typedef struct xc_gpu_block_offsets {
	uint32_t one, more;
} xc_gpu_block_offsets;

/* Adds a block's offsets to its tile's. */
XC_GPU_INLINE void xc_gpu_add_offsets(const xc_gpu_block_offsets *o, uint32_t chroma,
                                      xc_gpu_tile_offsets *offsets)
{
	XC_UNROLL
	for (int m = 0; m < 2; m++) {
		const uint32_t all = m ? o->more : o->one;
		const int32_t sum = (int16_t)all;
		if (!all)
			continue;
		XC_ATOMIC_ADD(&offsets->sum[chroma][m], sum);
		XC_ATOMIC_ADD(&offsets->count[chroma][m], (all - (uint32_t)sum) >> 16);
	}
}

XC_GPU_INLINE void xc_gpu_begin_offsets(xc_cta t, xc_gpu_tile_offsets *offsets)
{
	uint32_t *const words = (uint32_t *)(void *)offsets;
	for (uint32_t i = t.rank; i < sizeof *offsets / 4; i += t.size)
		words[i] = 0;
}

/* Adds a tile's offsets to its picture's, after a barrier. */
XC_GPU_INLINE void xc_gpu_end_offsets(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                      const xc_gpu_tile_offsets *offsets)
{
	xc_gpu_picture_state *const s = j->out.state;

	if (tile >= j->picture.pointed)
		return;
	for (uint32_t i = t.rank; i < 4; i += t.size) {
		const int64_t sum = offsets->sum[i / 2][i % 2];
		XC_ATOMIC_ADD(&s->offset[i / 2][i % 2], (unsigned long long)sum);
		XC_ATOMIC_ADD(&s->offsets[i / 2][i % 2], (unsigned long long)offsets->count[i / 2][i % 2]);
	}
}

/* The factor of a block's bits, from the sum of squares of its coefficients without AC prediction.
 * */
XC_GPU_INLINE uint32_t xc_gpu_factor_of(const xc_gpu_encode_job *j, uint32_t chroma,
                                        uint32_t squares)
{
	const xc_activity *const a = &j->rans.activity;
	return chroma || a->flat ? (uint32_t)XC_FACTOR_ONE : xc_activity_factor(a, squares);
}

/* The share of a magnitude at position k, a constant, in its block's sum of squares. */
XC_GPU_INLINE uint32_t xc_gpu_square(const xc_gpu_encode_job *j, uint32_t size, int k)
{
	const uint32_t max = XC_ACTIVITY_MAX;
	const uint32_t scaled = (size < max ? size : max) * j->rans.ratios[k] >> 8;
	return scaled * scaled;
}

#endif
