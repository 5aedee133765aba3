/* SPDX-License-Identifier: BSD-2-Clause */
/* One block, by one thread: where its coefficients are, and its samples. */
#ifndef XC_GPU_DECODE_BLOCK_H
#define XC_GPU_DECODE_BLOCK_H

#include <math.h>

#include "entropy/scan.h"
#include "gpu/decode_plan.h"
#include "transform/dct8.h"
#include "transform/lapped8.h"

/* Block (x, y) of component c: its place among all blocks, and its tile. */
XC_GPU_INLINE uint32_t xc_gpu_block_place(const xc_gpu_decode_plan *p, uint32_t c, uint32_t x,
                                          uint32_t y, uint32_t *tile)
{
	const uint32_t h = c ? 1 : p->h, v = c ? 1 : p->v;
	const uint32_t tx = x / (p->tile_mcus_wide * h), ty = y / (p->tile_mcus_high * v);
	const uint32_t mx = tx * p->tile_mcus_wide, my = ty * p->tile_mcus_high;
	const uint32_t wide = xc_gpu_smaller(p->tile_mcus_wide, p->mcus_wide - mx);
	const uint32_t high = xc_gpu_smaller(p->tile_mcus_high, p->mcus_high - my);
	uint32_t place = (my * p->mcus_wide + mx * high) * p->mcu_blocks;
	if (c)
		place += wide * high * (p->h * p->v + c - 1);
	*tile = ty * p->tiles_wide + tx;
	return place + (y - my * v) * (wide * h) + (x - mx * h);
}

/* The 64 coefficients at place `i`, or zeros, multiplied by their steps, in transposed
 * order. */
XC_GPU_INLINE void xc_gpu_block_load(const xc_gpu_decode_plan *p, uint32_t i, int intact,
                                     const float steps[64], float f[64], int deep)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	if (!intact) {
		XC_UNROLL
		for (int k = 0; k < 64; k++)
			f[k] = 0.0f;
		return;
	}
#ifdef __CUDA_ARCH__
	constexpr uint8_t order[64] = {XC_SCAN_TABLE};
	(void)scan;
	if (deep) {
		const int4 *in = (const int4 *)p->coefficients + (size_t)i * 16;
#pragma unroll
		for (int j = 0; j < 16; j++) {
			const int4 q = in[j];
			const int v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
			for (int l = 0; l < 4; l++)
				f[order[j * 4 + l]] = (float)v[l] * steps[j * 4 + l];
		}
	} else {
		const int4 *in = (const int4 *)p->coefficients + (size_t)i * 8;
		int4 q[8];
#pragma unroll
		for (int j = 0; j < 8; j++)
			q[j] = in[j];
#pragma unroll
		for (int j = 0; j < 8; j++) {
			const int v[4] = {q[j].x, q[j].y, q[j].z, q[j].w};
#pragma unroll
			for (int l = 0; l < 4; l++) {
				f[order[j * 8 + l * 2]] = (float)(short)v[l] * steps[j * 8 + l * 2];
				f[order[j * 8 + l * 2 + 1]] = (float)(v[l] >> 16) * steps[j * 8 + l * 2 + 1];
			}
		}
	}
#else
	for (int k = 0; k < 64; k++) {
		const size_t at = (size_t)i * 64 + (size_t)k;
		f[scan[k]] = (float)(deep ? ((const int32_t *)p->coefficients)[at]
		                          : ((const int16_t *)p->coefficients)[at]) * steps[k];
	}
#endif
}

/* The block step of the LOT, or of the DCT and the TDLT. */
XC_GPU_INLINE void xc_gpu_inverse_step(float x[8], int lot)
{
	if (lot)
		xc_lot8_inverse_block(x);
	else
		xc_dct8_inverse(x);
}

/* In place; sample (x, y) becomes f[8 x + y].  lot: a constant. */
XC_GPU_INLINE void xc_gpu_block_inverse(float f[64], int lot)
{
	XC_UNROLL
	for (int v = 0; v < 8; v++) {
		float x[8];
		XC_UNROLL
		for (int u = 0; u < 8; u++)
			x[u] = f[u * 8 + v];
		xc_gpu_inverse_step(x, lot);
		XC_UNROLL
		for (int u = 0; u < 8; u++)
			f[u * 8 + v] = x[u];
	}
	XC_UNROLL
	for (int x = 0; x < 8; x++)
		xc_gpu_inverse_step(f + x * 8, lot);
}

/* As JPEG decoders round, see xc_decode_options. */
XC_GPU_INLINE float xc_gpu_round(float sample, int deep)
{
	const float half = deep ? 32768.0f : 128.0f;
	const float v = floorf(sample + 0.5f);
	return v < -half ? -half : v > half - 1 ? half - 1 : v;
}

XC_GPU_INLINE void xc_gpu_block_round(float f[64], int deep)
{
	XC_UNROLL
	for (int i = 0; i < 64; i++)
		f[i] = xc_gpu_round(f[i], deep);
}

#endif
