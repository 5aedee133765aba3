/* SPDX-License-Identifier: BSD-2-Clause */
/* gpu-dmm.  Compiled once with XC_REAL_BITS 32 and once with 64. */
#include "lab/gpu/frame/product.h"

#include "lab/gpu/frame/dmm.h"

static int set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	return xc_dmm_set_up((xc_dmm *)state, job, gpu);
}

static int multiply(const void *left, const void *right, void *out, int rows, int depth, int cols,
                    xc_lab_gpu *gpu)
{
	const dim3 grid((unsigned)(cols + XC_TILE - 1) / XC_TILE,
	                (unsigned)(rows + XC_TILE - 1) / XC_TILE);
	product_kernel<<<grid, 256, 0, gpu->stream>>>((const XC_REAL *)left, (const XC_REAL *)right,
	                                              (XC_REAL *)out, rows, depth, cols);
	return xc_lab_check_kernel(gpu);
}

static int enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const xc_dmm *const d = (const xc_dmm *)state;
	const int failed = multiply(d->left, in, d->middle, d->rows, d->rows, d->cols, gpu) ||
	                   multiply(d->middle, d->right, out, d->rows, d->cols, d->cols, gpu);
	return failed ? -1 : 0;
}

extern const xc_lab_work XC_T(xc_lab_dmm) = {sizeof(xc_dmm), set_up, enqueue};
