/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DCT of a frame as two matrix products, L X R: the cosine matrices that both the own
 * kernel and cuBLAS multiply by.
 */
#ifndef XC_LAB_GPU_FRAME_DMM_H
#define XC_LAB_GPU_FRAME_DMM_H

#include "lab/gpu/plan.h"

typedef struct xc_dmm {
	int rows, cols, wide;
	void *left, *right, *middle;
	void *handle; /* of cuBLAS */
} xc_dmm;

/* NULL: why. */
xc_dmm *xc_dmm_new(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE]);
void xc_dmm_free(void *dmm); /* accepts NULL */

#endif
