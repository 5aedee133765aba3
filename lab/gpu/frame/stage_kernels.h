/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of stages.h, and the transposition.  Included with XC_REAL_BITS set. */
#ifndef XC_LAB_GPU_FRAME_STAGE_KERNELS_H
#define XC_LAB_GPU_FRAME_STAGE_KERNELS_H

#include "lab/gpu/frame/stages.h"

/* Bytes that a thread has on their way at once. */
enum { STAGE_THREADS = 256, STAGE_BYTES = 32, STAGE_RUNS = STAGE_BYTES / 16 };

/* The i-th of a thread's `count` pieces of work. */
static __device__ __forceinline__ unsigned work_number(int i, int count)
{
	return (blockIdx.x * (unsigned)count + (unsigned)i) * STAGE_THREADS + threadIdx.x;
}

/* Forward: samples to Makhoul's order; back: from it. */
template <int BACK, int ALIGNED>
static __global__ void __launch_bounds__(STAGE_THREADS)
	permute(const __grid_constant__ xc_stages s, const __grid_constant__ xc_stage_work w,
            const XC_REAL *in, XC_REAL *out)
{
	xc_stage_samples samples[STAGE_RUNS];
	XC_UNROLL
	for (int i = 0; i < STAGE_RUNS; i++)
		samples[i] = xc_stage_fetch(&s, &w, work_number(i, STAGE_RUNS), in, ALIGNED, BACK);
	XC_UNROLL
	for (int i = 0; i < STAGE_RUNS; i++)
		xc_stage_store(&s, &samples[i], out, ALIGNED, BACK);
}

static constexpr __host__ __device__ int stage_values(int axes)
{
	const int count = STAGE_BYTES / (int)sizeof(xc_complex) >> axes;
	return count ? count : 1;
}

/* After the FFT (forward), or before it (back). */
template <int BACK, int AXES>
static __global__ void __launch_bounds__(STAGE_THREADS)
	combine(const __grid_constant__ xc_stages s, const __grid_constant__ xc_stage_work w,
            const void *in, void *out)
{
	constexpr int count = stage_values(AXES);
	xc_stage_values values[count];
	XC_UNROLL
	for (int i = 0; i < count; i++)
		values[i] = BACK ? xc_stage_fetch_coefficients(&s, &w, work_number(i, count),
		                                               (const XC_REAL *)in, AXES)
		                 : xc_stage_fetch_spectrum(&s, &w, work_number(i, count),
		                                           (const xc_complex *)in, AXES);
	XC_UNROLL
	for (int i = 0; i < count; i++) {
		if (BACK)
			xc_stage_store_spectrum(&s, &values[i], (xc_complex *)out, AXES);
		else
			xc_stage_store_coefficients(&s, &values[i], (XC_REAL *)out, AXES);
	}
}

/* Rows become columns. */
static __global__ void transpose(const XC_REAL *in, XC_REAL *out, int rows, int cols)
{
	__shared__ XC_REAL tile[32][33];
	const int left = (int)blockIdx.x * 32, x = (int)threadIdx.x, y = (int)threadIdx.y;
	for (int top = (int)blockIdx.y * 32; top < rows; top += (int)gridDim.y * 32) {
		XC_UNROLL
		for (int i = y; i < y + 32; i += 8)
			if (left + x < cols && top + i < rows)
				tile[i][x] = in[(size_t)(top + i) * (size_t)cols + (size_t)(left + x)];
		__syncthreads();
		XC_UNROLL
		for (int i = y; i < y + 32; i += 8)
			if (left + i < cols && top + x < rows)
				out[(size_t)(left + i) * (size_t)rows + (size_t)(top + x)] = tile[x][i];
		__syncthreads();
	}
}

#endif
