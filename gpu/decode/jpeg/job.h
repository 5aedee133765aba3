/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernels of kept JPEGs (gpu/decode/jpeg/coefficients.h) need beside a job. The host fills it in
 * (gpu/decode/layout.h).
 */
#ifndef XC_GPU_DECODE_JPEG_JOB_H
#define XC_GPU_DECODE_JPEG_JOB_H

#include "gpu/module.h"
#include "gpu/runtime/device.h"

enum {
	XC_GPU_JPEG_LANES = 16,
	XC_GPU_JPEG_TABLE = XC_JPEG_SHAPES * XC_SYMBOLS, /* buckets of a piece */
	XC_GPU_JPEG_NONE = 64                            /* a row of zeros */
};

/* What the last row of a bundle leaves for the bundle below it, by column. */
typedef struct xc_gpu_jpeg_above {
	int32_t down[8];
	uint32_t ends, unused[3]; /* xc_gpu_jpeg_lane.ends */
} __attribute__((aligned(16))) xc_gpu_jpeg_above;

/* Of a picture, in device memory. */
typedef struct xc_gpu_jpeg_job {
	xc_gpu_jpeg of;
	int16_t *blocks[3];       /* of each component */
	const xc_bucket *tables;  /* [pieces][XC_GPU_JPEG_TABLE] */
	xc_gpu_jpeg_above *above; /* [segments][above_columns] */
	uint32_t above_columns;
} __attribute__((aligned(16))) xc_gpu_jpeg_job;

/* Where row v and column u of a block are in zigzag order, for constants. */
XC_GPU_CONSTANT uint32_t xc_gpu_zigzag(uint32_t v, uint32_t u)
{
	const uint32_t d = u + v, from = d > 7 ? d - 7 : 0;
	const uint32_t before = d < 8 ? d * (d + 1) / 2 : 64 - (15 - d) * (16 - d) / 2;
	return before + (d % 2 ? v - from : u - from);
}

#endif
