/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gpu-dmm, gpu-product and their plain forms.  Compiled once with XC_REAL_BITS 32 and once with 64.
 *
 * A matrix product, C = A B, all row by row.  A block of 16 x 16 threads makes SQUARE x SQUARE
 * values of C from strips of 8 columns of A and 8 rows of B in shared memory.  A thread keeps
 * EACH x EACH sums in registers, in groups of GROUP neighbours 16 threads apart, so that a warp
 * reads a strip in runs.  Meanwhile the next strips are on their way to registers.
 */
#include "lab/gpu/frame/frame.h"
#include "lab/real.h"

#if XC_REAL_BITS == 32
#define EACH 8
#define GROUP 4
#define PRODUCT_FMA(a, b, c) fmaf(a, b, c)
#else
#define EACH 4
#define GROUP 2
#define PRODUCT_FMA(a, b, c) fma(a, b, c)
#endif
#define SQUARE (16 * EACH)
#define DEPTH 8
#define RUN 256 /* products added before the total, so that errors stay small */
#define FETCH (SQUARE * DEPTH / 256) /* values of a strip that a thread brings */

/* A strip of A is kept on its side. */
typedef struct product_strips {
	XC_REAL a[DEPTH][SQUARE + 4], b[DEPTH][SQUARE];
} product_strips;

static __device__ __forceinline__ void fetch_strips(XC_REAL a[FETCH], XC_REAL b[FETCH],
                                                    const XC_REAL *left, const XC_REAL *right,
                                                    int rows, int depth, int cols, int top,
                                                    int from, int first)
{
	const int t = (int)threadIdx.x;
#pragma unroll
	for (int i = 0; i < FETCH; i++) {
		const int row = top + t / DEPTH + i * (256 / DEPTH), d = from + t % DEPTH;
		const int col = first + (t + 256 * i) % SQUARE, e = from + (t + 256 * i) / SQUARE;
		a[i] = row < rows && d < depth ? left[(size_t)row * (size_t)depth + (size_t)d] : 0;
		b[i] = e < depth && col < cols ? right[(size_t)e * (size_t)cols + (size_t)col] : 0;
	}
}

static __device__ __forceinline__ void keep_strips(product_strips *s, const XC_REAL a[FETCH],
                                                   const XC_REAL b[FETCH])
{
	const int t = (int)threadIdx.x;
#pragma unroll
	for (int i = 0; i < FETCH; i++) {
		s->a[t % DEPTH][t / DEPTH + i * (256 / DEPTH)] = a[i];
		s->b[(t + 256 * i) / SQUARE][(t + 256 * i) % SQUARE] = b[i];
	}
}

/* The place of a thread's i-th row or column in the square. */
static __device__ __forceinline__ int product_position(int thread, int i)
{
	return i / GROUP * (16 * GROUP) + thread * GROUP + i % GROUP;
}

static __device__ __forceinline__ void multiply_strips(const product_strips *s,
                                                       XC_REAL sums[EACH][EACH])
{
	const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
#pragma unroll
	for (int d = 0; d < DEPTH; d++) {
		XC_REAL a[EACH], b[EACH];
#pragma unroll
		for (int i = 0; i < EACH; i++) {
			a[i] = s->a[d][product_position(ty, i)];
			b[i] = s->b[d][product_position(tx, i)];
		}
#pragma unroll
		for (int i = 0; i < EACH; i++)
#pragma unroll
			for (int j = 0; j < EACH; j++)
				sums[i][j] = PRODUCT_FMA(a[i], b[j], sums[i][j]);
	}
}

static __device__ __forceinline__ void add_sums(XC_REAL totals[EACH][EACH],
                                                XC_REAL sums[EACH][EACH])
{
#pragma unroll
	for (int i = 0; i < EACH; i++) {
#pragma unroll
		for (int j = 0; j < EACH; j++) {
			totals[i][j] += sums[i][j];
			sums[i][j] = 0;
		}
	}
}

static __global__ void __launch_bounds__(256)
	product_kernel(const XC_REAL *left, const XC_REAL *right, XC_REAL *out, int rows, int depth,
                   int cols)
{
	__shared__ __align__(16) product_strips strips[2];
	const int top = (int)blockIdx.y * SQUARE, first = (int)blockIdx.x * SQUARE;
	const int tx = (int)threadIdx.x % 16, ty = (int)threadIdx.x / 16;
	XC_REAL sums[EACH][EACH] = {{0}}, totals[EACH][EACH] = {{0}};
	XC_REAL a[FETCH], b[FETCH];
	int now = 0;

	fetch_strips(a, b, left, right, rows, depth, cols, top, 0, first);
	keep_strips(&strips[0], a, b);
	__syncthreads();
	for (int d = DEPTH; d < depth; d += DEPTH) {
		fetch_strips(a, b, left, right, rows, depth, cols, top, d, first);
		multiply_strips(&strips[now], sums);
		now ^= 1;
		keep_strips(&strips[now], a, b);
		__syncthreads();
		if (d % RUN == 0)
			add_sums(totals, sums);
	}
	multiply_strips(&strips[now], sums);
	add_sums(totals, sums);
#pragma unroll
	for (int i = 0; i < EACH; i++) {
		const int row = top + product_position(ty, i);
#pragma unroll
		for (int j = 0; j < EACH; j++) {
			const int col = first + product_position(tx, j);
			if (row < rows && col < cols)
				out[(size_t)row * (size_t)cols + (size_t)col] = totals[i][j];
		}
	}
}

/* As the works began: a thread makes one value from a row and a column, without shared memory. */
static __global__ void __launch_bounds__(256)
	plain_kernel(const XC_REAL *left, const XC_REAL *right, XC_REAL *out, int rows, int depth,
                 int cols)
{
	const int col = (int)(blockIdx.x * 16 + threadIdx.x),
			  row = (int)(blockIdx.y * 16 + threadIdx.y);
	XC_REAL sum = 0;

	if (row >= rows || col >= cols)
		return;
	for (int d = 0; d < depth; d++)
		sum = PRODUCT_FMA(left[(size_t)row * (size_t)depth + (size_t)d],
		                  right[(size_t)d * (size_t)cols + (size_t)col], sum);
	out[(size_t)row * (size_t)cols + (size_t)col] = sum;
}

static int multiply(int plain, const void *left, const void *right, void *out, int rows, int depth,
                    int cols, xc_lab_gpu *gpu)
{
	if (plain) {
		const dim3 squares((unsigned)(cols + 15) / 16, (unsigned)(rows + 15) / 16);
		plain_kernel<<<squares, dim3(16, 16), 0, gpu->stream>>>((const XC_REAL *)left,
		                                                        (const XC_REAL *)right,
		                                                        (XC_REAL *)out, rows, depth, cols);
		return xc_lab_check_kernel(gpu);
	}
	const dim3 grid((unsigned)(cols + SQUARE - 1) / SQUARE, (unsigned)(rows + SQUARE - 1) / SQUARE);

	product_kernel<<<grid, 256, 0, gpu->stream>>>((const XC_REAL *)left, (const XC_REAL *)right,
	                                              (XC_REAL *)out, rows, depth, cols);
	return xc_lab_check_kernel(gpu);
}

static int enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const xc_dmm *const d = (const xc_dmm *)state;
	void *const first = d->right ? d->middle : out;
	const int failed = multiply(d->plain, d->left, in, first, d->rows, d->rows, d->cols, gpu) ||
	                   (d->right && multiply(d->plain, d->middle, d->right, out, d->rows, d->cols,
	                                         d->cols, gpu));

	return failed ? -1 : 0;
}

extern const xc_lab_work XC_T(xc_lab_dmm) = {sizeof(xc_dmm), xc_dmm_set_up, enqueue};
