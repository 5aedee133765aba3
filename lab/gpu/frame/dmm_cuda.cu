/* SPDX-License-Identifier: BSD-2-Clause */
/* gpu-dmm.  Compiled once with XC_REAL_BITS 32 and once with 64. */
#include "lab/gpu/frame/product.h"

#include "lab/gpu/frame/dmm.h"
#include "lab/gpu/works.h"

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	return xc_dmm_new(job, why);
}

static int multiply(const void *left, const void *right, void *out, int rows, int depth, int cols,
                    cudaStream_t stream, char why[XC_DEVICE_MESSAGE])
{
	const dim3 grid((unsigned)(cols + XC_TILE - 1) / XC_TILE,
	                (unsigned)(rows + XC_TILE - 1) / XC_TILE);
	product_kernel<<<grid, 256, 0, stream>>>((const XC_REAL *)left, (const XC_REAL *)right,
	                                         (XC_REAL *)out, rows, depth, cols);
	return xc_gpu_check_kernel(why);
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const xc_dmm *const d = (const xc_dmm *)own;
	return multiply(d->left, in, d->middle, d->rows, d->rows, d->cols, stream, why) ||
	               multiply(d->middle, d->right, out, d->rows, d->cols, d->cols, stream, why)
	           ? -1
	           : 0;
}

extern const xc_gpu_work XC_T(xc_gpu_dmm) = {prepare, enqueue, xc_dmm_free};
