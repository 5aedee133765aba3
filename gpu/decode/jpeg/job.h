/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels of kept JPEGs (gpu/decode/jpeg/coefficients.h) need beside a job. The host fills it in
 * (gpu/decode/layout.h).
 */
#ifndef XC_GPU_DECODE_JPEG_JOB_H
#define XC_GPU_DECODE_JPEG_JOB_H

#include "gpu/decode/buffers.h"
#include "gpu/module.h"
#include "gpu/runtime/device.h"

enum {
	XC_GPU_JPEG_LANES = 16,
	XC_GPU_JPEG_PAD = 4, /* words before and after those of a block's magnitudes */
	XC_GPU_JPEG_TABLE = XC_JPEG_SHAPES * XC_SYMBOLS /* buckets of a piece */
};

/* What the last row of a bundle leaves for the bundle below it, by column. */
typedef struct xc_gpu_jpeg_above {
	int32_t down[8];
	uint32_t ends, unused[3]; /* xc_gpu_jpeg_lane.ends */
} __attribute__((aligned(16))) xc_gpu_jpeg_above;

/* What a picture has in device memory. */
typedef struct xc_gpu_jpeg_job {
	xc_gpu_jpeg of;
	xc_gpu_jpeg_planes planes; /* where coefficients go; the job has the same for who reads them */
	const xc_bucket *tables;   /* [pieces][XC_GPU_JPEG_TABLE] */
	xc_gpu_jpeg_above *above;  /* [segments][above_columns] */
	uint32_t above_columns;
} __attribute__((aligned(16))) xc_gpu_jpeg_job;

/* What a coefficient's expectation needs, in words: weights of four magnitudes in rows v - 1 to v + 2 of its block, the
 * first of them in the column before its own, and of the sums in rows v - 1 and v; and in the last one the constant,
 * from bit 8 on the first one's bit in its word, and from bit 16 on that word of row v. DC's are those of rows 0 to 2
 * from column 0 on, of magnitudes and then of sums, and in the last one the constant and from bit 8 on what the
 * difference of its predictions counts. */
typedef struct xc_gpu_jpeg_place {
	uint32_t weight[8];
} __attribute__((aligned(16))) xc_gpu_jpeg_place;

/* Shared by the segments of a thread block, in shared memory. */
typedef struct xc_gpu_jpeg_tables {
	xc_gpu_jpeg_place at[2][64]; /* luma, chroma; in zigzag order */
	/* With numbers, and with those that have signs: of a symbol the number, from bit 8 on how many bits follow it, bit
	 * 16: whether the first of them is the sign, bit 24: the sign that it has. jpeg/coder.c tells them. */
	uint32_t meaning[2][16];
	uint8_t inner[64], raster[64]; /* inner coefficients; places in rows, both in zigzag order */
} xc_gpu_jpeg_tables;

/* Where row v and column u of a block are in zigzag order, for constants. */
XC_GPU_CONSTANT uint32_t xc_gpu_zigzag(uint32_t v, uint32_t u)
{
	const uint32_t d = u + v, from = d > 7 ? d - 7 : 0;
	const uint32_t before = d < 8 ? d * (d + 1) / 2 : 64 - (15 - d) * (16 - d) / 2;
	return before + (d % 2 ? v - from : u - from);
}

/* Adds a weight at row v and column u, from the window that begins at row v0 and column u0. */
XC_GPU_INLINE void xc_gpu_jpeg_put_weight(uint32_t *windows, int v0, int u0, int v, int u,
                                          uint32_t weight)
{
	windows[v - v0] += weight << 8 * (u - u0);
}

XC_GPU_INLINE xc_gpu_jpeg_place xc_gpu_jpeg_place_of(const xc_gpu_jpeg_model *m, uint32_t chroma,
                                                     uint32_t k, const uint8_t raster[64])
{
	const uint8_t *w = m->weight[chroma][k];
	const int v = raster[k] / 8, u = raster[k] % 8;
	xc_gpu_jpeg_place p = {{0}};

	if (k == 0) {
		p.weight[0] = (uint32_t)w[2] << 8 | (uint32_t)w[3] << 16; /* 1 and 5 in zigzag order */
		p.weight[1] = (uint32_t)w[2] | (uint32_t)w[3] << 8;       /* 2 and 4 */
		p.weight[2] = w[3];                                       /* 3 */
		p.weight[3] = (uint32_t)w[4] << 8 | (uint32_t)w[5] << 16;
		p.weight[4] = (uint32_t)w[4] | (uint32_t)w[5] << 8;
		p.weight[5] = w[5];
		p.weight[7] = w[0] | (uint32_t)w[1] << 8;
		return p;
	}
	xc_gpu_jpeg_put_weight(p.weight + 4, v - 1, u - 1, v, u, w[1]);
	for (uint32_t i = 0; i < 8; i++) {
		const uint32_t near_ = m->near_[k][i];
		if (near_ < 64)
			xc_gpu_jpeg_put_weight(p.weight + (i < 2 ? 4 : 0), v - 1, u - 1, raster[near_] / 8,
			                       raster[near_] % 8, w[i < 2 ? 2 : 1 + i]);
	}
	/* Byte 4 (XC_GPU_JPEG_PAD) + 8 v + u - 1. */
	const uint32_t at = 4 * XC_GPU_JPEG_PAD + 8 * (uint32_t)v + (uint32_t)u - 1;
	p.weight[7] = w[0] | at % 4 * 8 << 8 | at / 4 << 16;
	return p;
}

/* Entry s of xc_gpu_jpeg_tables.meaning. */
XC_GPU_INLINE uint32_t xc_gpu_jpeg_meaning(uint32_t with_sign, uint32_t s)
{
	const uint32_t escape = XC_JPEG_ESCAPE_BITS << 8;

	if (s == XC_JPEG_ESCAPE)
		return escape;
	if (!with_sign)
		return (s < 11 ? s : 8 + (1u << (s - 9))) | (s < 10 ? 1 : s - 8) << 8 | 1u << 16;
	if (s > 12)
		return (s == 13 ? 11 | 4u << 8 : 19 | 6u << 8) | 1u << 16;
	if (s == 0)
		return 1u << 8 | 1u << 16;
	const uint32_t bits = s < 9 ? 0 : s < 11 ? 1 : 2;
	return ((s + 1) / 2 + (s > 10)) | bits << 8 | (s % 2 ? 0 : 1u << 24);
}

/* Fills the tables, as worker `worker` of `workers`; raster is to be complete. */
XC_GPU_INLINE void xc_gpu_jpeg_tables_fill(xc_gpu_jpeg_tables *t, const xc_gpu_jpeg_model *m,
                                           uint32_t worker, uint32_t workers)
{
	for (uint32_t i = worker; i < 2 * 64; i += workers)
		t->at[i / 64][i % 64] = xc_gpu_jpeg_place_of(m, i / 64, i % 64, t->raster);
	for (uint32_t i = worker; i < 32; i += workers)
		t->meaning[i / 16][i % 16] = xc_gpu_jpeg_meaning(i / 16, i % 16);
	for (uint32_t i = worker; i < 64; i += workers)
		t->inner[i] = m->inner[i];
}

XC_GPU_INLINE void xc_gpu_jpeg_raster_fill(xc_gpu_jpeg_tables *t, uint32_t worker, uint32_t workers)
{
	for (uint32_t i = worker; i < 64; i += workers)
		t->raster[xc_gpu_zigzag(i / 8, i % 8)] = (uint8_t)i;
}

#endif
