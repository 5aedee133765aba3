/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT, as the work of one thread: a block of its own, 16 bytes a row, so a
 * warp reads and writes 512 bytes in a run and exchanges nothing.
 */
#ifndef XC_GPU_SHORT_BLOCK_H
#define XC_GPU_SHORT_BLOCK_H

#include <stddef.h>

#include "transform/band/short8x8.h"

#ifdef __CUDACC__
#define XC_UNROLL _Pragma("unroll")
#else
#define XC_UNROLL
#endif

typedef struct xc_short_job {
	const int16_t *in;
	int16_t *out;
	ptrdiff_t in_rows, in_cols, out_rows, out_cols;
	ptrdiff_t across, blocks; /* blocks side by side, and in all */
	int vectors;              /* rows of both arrays begin at multiples of 16 bytes */
	int rounds;               /* forward: divided, that is scaled; inverse: multiplied */
	float scale[64];
} xc_short_job;

/* 16 bytes at once. */
typedef struct __attribute__((aligned(16))) xc_short_row {
	int16_t x[8];
} xc_short_row;

XC_KERNEL void xc_short_load(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->in_rows && x + 8 <= job->in_cols) {
		xc_short_row row[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			row[r] = *(const xc_short_row *)(const void *)(job->in +
			                                               (y + r) * job->in_cols + x);
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			XC_UNROLL
			for (int c = 0; c < 8; c++)
				v[r][c] = row[r].x[c];
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		const ptrdiff_t row = y + r < job->in_rows ? y + r : job->in_rows - 1;
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			v[r][c] = job->in[row * job->in_cols +
			                  (x + c < job->in_cols ? x + c : job->in_cols - 1)];
	}
}

/* Held to 16 bits, which the GPU does while it packs two into one word. */
XC_KERNEL void xc_short_put(xc_short_row *out, const int32_t v[8])
{
#ifdef __CUDACC__
	uint32_t word[4];
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		asm("cvt.pack.sat.s16.s32 %0, %1, %2;"
		    : "=r"(word[i])
		    : "r"(v[2 * i + 1]), "r"(v[2 * i]));
	__stcs((uint4 *)out, make_uint4(word[0], word[1], word[2], word[3]));
#else
	for (int i = 0; i < 8; i++)
		out->x[i] = (int16_t)xc_short_held(v[i], INT16_MIN, INT16_MAX);
#endif
}

XC_KERNEL void xc_short_store(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->out_rows && x + 8 <= job->out_cols) {
		XC_UNROLL
		for (int r = 0; r < 8; r++) {
			xc_short_put((xc_short_row *)(void *)(job->out + (y + r) * job->out_cols + x),
			             v[r]);
		}
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			if (y + r < job->out_rows && x + c < job->out_cols)
				job->out[(y + r) * job->out_cols + x + c] = (int16_t)xc_short_held(
					v[r][c], INT16_MIN, INT16_MAX);
	}
}

#ifdef __CUDACC__
/* Whole numbers up to 2^22 become floats, and back, by adding 1.5 * 2^23: the GPU's
 * conversions are slow. */
#define XC_SHORT_FLOAT(i) (__int_as_float((i) + 0x4b400000) - 12582912.0f)
#define XC_SHORT_ROUND(x) (__float_as_int((x) + 12582912.0f) - 0x4b400000)
#else
#define XC_SHORT_FLOAT(i) ((float)(i))
#define XC_SHORT_ROUND(x) ((int32_t)rintf(x))
#endif

/* Quantized or the reverse: the product, rounded. */
XC_KERNEL void xc_short_scale(const xc_short_job *job, int32_t v[8][8])
{
	XC_UNROLL
	for (int i = 0; i < 64; i++)
		v[i / 8][i % 8] =
			XC_SHORT_ROUND(XC_SHORT_FLOAT(v[i / 8][i % 8]) * job->scale[i]);
}

XC_KERNEL void xc_short_block(const xc_short_job *job, ptrdiff_t block, const int inverse)
{
	const ptrdiff_t y = 8 * (block / job->across), x = 8 * (block % job->across);
	int32_t v[8][8];
	xc_short_load(job, y, x, v);
	if (inverse && job->rounds) {
		xc_short_scale(job, v);
		XC_UNROLL
		for (int i = 0; i < 64; i++)
			v[i / 8][i % 8] = xc_short_held(v[i / 8][i % 8], INT16_MIN, INT16_MAX);
	}
	if (inverse)
		xc_short8x8_inverse(v);
	else
		xc_short8x8_forward(v);
	if (!inverse && job->rounds)
		xc_short_scale(job, v);
	xc_short_store(job, y, x, v);
}

#endif
