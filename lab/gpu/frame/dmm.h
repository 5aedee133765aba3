/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DCT of a frame as two matrix products, L X R: the cosine matrices that both our own
 * kernel and cuBLAS multiply by.
 */
#ifndef XC_LAB_GPU_FRAME_DMM_H
#define XC_LAB_GPU_FRAME_DMM_H

#include "lab/gpu/work.h"

typedef struct xc_dmm {
	int rows, cols, wide;
	void *left, *right, *middle;
} xc_dmm;

int xc_dmm_set_up(xc_dmm *dmm, const xc_lab_job *job, xc_lab_gpu *gpu);

#endif
