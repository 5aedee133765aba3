/* SPDX-License-Identifier: BSD-2-Clause */
/* The launchers of gpu/array/; gpu/array/array.cu calls them. All put work on a stream. */
#ifndef XC_GPU_ARRAY_KERNELS_H
#define XC_GPU_ARRAY_KERNELS_H

#include <cuda_runtime.h>

#include "gpu/module.h"

/* Chunks to residues, or coded bytes to chunks: gpu/array/chunk.cu. */
xc_status xc_gpu_array_walk(const xc_gpu_array_work *work, int decode, cudaStream_t stream,
                            xc_gpu_error *e);
/* Residues to coded bytes: gpu/array/code.cu. Counts come first, and then, with tables there, codes. */
xc_status xc_gpu_array_count(const xc_gpu_array_work *work, cudaStream_t stream, xc_gpu_error *e);
xc_status xc_gpu_array_code(const xc_gpu_array_work *work, cudaStream_t stream, xc_gpu_error *e);

#endif
