/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stages before and after cuFFT's real FFT of one to three axes, for any size: Jiang,
 * Gu, Pan, algorithm 2.  A stage is one pass through memory; a thread owns values that
 * are symmetric in all axes and reads and writes each of them once.
 *
 * Included with XC_REAL_BITS set.  Arrays are slices x rows x cols; the spectrum has
 * cols / 2 + 1 complex values a row.
 */
#ifndef XC_GPU_STAGE_KERNELS_H
#define XC_GPU_STAGE_KERNELS_H

#include "gpu/transform/words.h"
#include "gpu/transform/complex.h"

/* `size` 0: the axis is not transformed, there are `count` lines of it. */
typedef struct xc_stage_axis {
	int size, count, sine;
	const xc_complex *turns;      /* sqrt(1 / 2N) exp(-i pi k / 2N), k <= N / 2 */
	XC_REAL first;                /* sqrt(1 / N) */
} xc_stage_axis;

typedef struct xc_stages {
	xc_stage_axis slices, rows, cols;
} xc_stages;

/* The sample at place q of Makhoul's order. */
static __device__ __forceinline__ int sample_at(const xc_stage_axis *a, int q)
{
	if (!a->size)
		return q;
	return q < (a->size + 1) / 2 ? 2 * q : 2 * (a->size - 1 - q) + 1;
}

static __device__ __forceinline__ XC_REAL sign_of(const xc_stage_axis *a, int sample)
{
	return a->sine && (sample & 1) ? -1 : 1;
}

static __device__ __forceinline__ size_t place(const xc_stages *s, int slice, int row, int col)
{
	return ((size_t)slice * (size_t)s->rows.count + (size_t)row) * (size_t)s->cols.count +
	       (size_t)col;
}

/* ------------------------------------------------------- permutations */

/* Forward: samples to Makhoul's order; back: from it.  A thread has two samples. */
template <int BACK>
static __global__ void permute(const __grid_constant__ xc_stages s, const XC_REAL *in, XC_REAL *out)
{
	const int n = s.cols.count, col = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (2 * col >= n)
		return;
	for (int slice = (int)blockIdx.z; slice < s.slices.count; slice += (int)gridDim.z) {
		for (int row = (int)(blockIdx.y * blockDim.y + threadIdx.y); row < s.rows.count;
		     row += (int)(gridDim.y * blockDim.y)) {
			const int slice_at = sample_at(&s.slices, slice);
			const int row_at = sample_at(&s.rows, row);
			const XC_REAL sign = sign_of(&s.slices, slice_at) * sign_of(&s.rows, row_at);
			const XC_REAL odd = s.cols.sine ? -sign : sign;
			const size_t samples = place(&s, slice_at, row_at, 0) + 2 * (size_t)col;
			const size_t ordered = place(&s, slice, row, 0);
			const int pair = 2 * col + 1 < n;
			if (BACK) {
				out[samples] = sign * in[ordered + (size_t)col];
				if (pair)
					out[samples + 1] = odd * in[ordered + (size_t)(n - 1 - col)];
			} else {
				out[ordered + (size_t)col] = sign * in[samples];
				if (pair)
					out[ordered + (size_t)(n - 1 - col)] = odd * in[samples + 1];
			}
		}
	}
}

/* ---------------------------------------------------------- rotations */

/* Whether k has a partner N - k of its own. */
static __device__ __forceinline__ int has_partner(const xc_stage_axis *a, int k)
{
	return a->size && k && 2 * k != a->size;
}

static __device__ __forceinline__ int partner(const xc_stage_axis *a, int k)
{
	return has_partner(a, k) ? a->size - k : k;
}

/* Values k and N - k of a spectrum to coefficients k and N - k. */
static __device__ __forceinline__ void rotate(const xc_stage_axis *a, int k, xc_complex *z,
                                              xc_complex *mirrored)
{
	if (!a->size)
		return;
	if (!k) {
		*z = *mirrored = xc_c_scale(*z, a->first);
		return;
	}
	const xc_complex turn = a->turns[k];
	const xc_complex p = xc_c_mul(turn, *z), q = xc_c_mul(xc_c_conj(turn), *mirrored);
	*z = xc_c_add(p, q);
	*mirrored = xc_c_turn(xc_c_sub(p, q));
}

static __device__ __forceinline__ void unrotate(const xc_stage_axis *a, int k, xc_complex *low,
                                                xc_complex *high)
{
	if (!a->size)
		return;
	if (!k) {
		*low = *high = xc_c_scale(*low, a->first);
		return;
	}
	const xc_complex turn = a->turns[k], turned = xc_c_turn(*high);
	const xc_complex p = xc_c_sub(*low, turned), q = xc_c_add(*low, turned);
	*low = xc_c_mul(xc_c_conj(turn), p);
	*high = xc_c_mul(turn, q);
}

/* Where coefficient k is; -1: nowhere, it counts as 0 (and place 0 is set to that). */
static __device__ __forceinline__ int coefficient_at(const xc_stage_axis *a, int k)
{
	if (!a->sine)
		return k;
	return k ? a->size - k : -1;
}

static __device__ __forceinline__ void put(const xc_stages *s, XC_REAL *out, int slice, int row,
                                           int col, XC_REAL value)
{
	const int i = coefficient_at(&s->slices, slice), j = coefficient_at(&s->rows, row);
	const int k = coefficient_at(&s->cols, col), none = i < 0 || j < 0 || k < 0;
	out[place(s, i < 0 ? 0 : i, j < 0 ? 0 : j, k < 0 ? 0 : k)] = none ? 0 : value;
}

static __device__ __forceinline__ XC_REAL get(const xc_stages *s, const XC_REAL *in, int slice,
                                              int row, int col)
{
	const int i = coefficient_at(&s->slices, slice), j = coefficient_at(&s->rows, row);
	const int k = coefficient_at(&s->cols, col);
	return i < 0 || j < 0 || k < 0 ? 0 : in[place(s, i, j, k)];
}

/* One complex value to coefficients j and M - j of its row, and back. */
static __device__ __forceinline__ void put_row(const xc_stages *s, XC_REAL *out, int slice, int row,
                                               int j, xc_complex z)
{
	if (!j) {
		put(s, out, slice, row, 0, z.re * s->cols.first);
		return;
	}
	/* The turns are those of pairs that are added: half of what is needed here. */
	z = xc_c_mul(xc_c_scale(s->cols.turns[j], 2), z);
	put(s, out, slice, row, j, z.re);
	if (has_partner(&s->cols, j))
		put(s, out, slice, row, s->cols.size - j, -z.im);
}

static __device__ __forceinline__ xc_complex get_row(const xc_stages *s, const XC_REAL *in,
                                                     int slice, int row, int j)
{
	if (!j)
		return xc_c(get(s, in, slice, row, 0) * s->cols.first, 0);
	return xc_c_mul(xc_c_conj(s->cols.turns[j]),
	                xc_c(get(s, in, slice, row, j), -get(s, in, slice, row, s->cols.size - j)));
}

static __device__ __forceinline__ size_t spectrum_at(const xc_stages *s, int slice, int row, int j)
{
	return ((size_t)slice * (size_t)s->rows.count + (size_t)row) *
	               (size_t)(s->cols.count / 2 + 1) + (size_t)j;
}

/* How many k there are that have no smaller partner. */
static inline __host__ __device__ int own_count(const xc_stage_axis *a)
{
	return a->size ? a->size / 2 + 1 : a->count;
}

/* The four values of a thread: slices k and its partner, rows likewise. */
static __device__ __forceinline__ void after_one(const xc_stages *s, const xc_complex *spectrum,
                                                 XC_REAL *out, int slice, int row, int j)
{
	const int slice2 = partner(&s->slices, slice), row2 = partner(&s->rows, row);
	xc_complex a = spectrum[spectrum_at(s, slice, row, j)];
	xc_complex b = spectrum[spectrum_at(s, slice, row2, j)];
	xc_complex c = a, d = b;
	if (slice2 != slice) {
		c = spectrum[spectrum_at(s, slice2, row, j)];
		d = spectrum[spectrum_at(s, slice2, row2, j)];
	}
	rotate(&s->rows, row, &a, &b);
	rotate(&s->rows, row, &c, &d);
	rotate(&s->slices, slice, &a, &c);
	rotate(&s->slices, slice, &b, &d);
	put_row(s, out, slice, row, j, a);
	if (row2 != row)
		put_row(s, out, slice, row2, j, b);
	if (slice2 != slice)
		put_row(s, out, slice2, row, j, c);
	if (slice2 != slice && row2 != row)
		put_row(s, out, slice2, row2, j, d);
}

static __device__ __forceinline__ void before_one(const xc_stages *s, const XC_REAL *in,
                                                  xc_complex *spectrum, int slice, int row, int j)
{
	const int slice2 = partner(&s->slices, slice), row2 = partner(&s->rows, row);
	xc_complex a = get_row(s, in, slice, row, j), b = a, c, d;
	if (row2 != row)
		b = get_row(s, in, slice, row2, j);
	c = a, d = b;
	if (slice2 != slice) {
		c = get_row(s, in, slice2, row, j);
		d = row2 != row ? get_row(s, in, slice2, row2, j) : c;
	}
	unrotate(&s->rows, row, &a, &b);
	unrotate(&s->rows, row, &c, &d);
	unrotate(&s->slices, slice, &a, &c);
	unrotate(&s->slices, slice, &b, &d);
	spectrum[spectrum_at(s, slice, row, j)] = a;
	if (row2 != row)
		spectrum[spectrum_at(s, slice, row2, j)] = b;
	if (slice2 != slice)
		spectrum[spectrum_at(s, slice2, row, j)] = c;
	if (slice2 != slice && row2 != row)
		spectrum[spectrum_at(s, slice2, row2, j)] = d;
}

/* After the FFT (forward), or before it (back). */
template <int BACK>
static __global__ void combine(const __grid_constant__ xc_stages s, const void *in, void *out)
{
	const int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (j > s.cols.count / 2)
		return;
	for (int slice = (int)blockIdx.z; slice < own_count(&s.slices); slice += (int)gridDim.z) {
		for (int row = (int)(blockIdx.y * blockDim.y + threadIdx.y); row < own_count(&s.rows);
		     row += (int)(gridDim.y * blockDim.y)) {
			if (BACK)
				before_one(&s, (const XC_REAL *)in, (xc_complex *)out, slice, row, j);
			else
				after_one(&s, (const xc_complex *)in, (XC_REAL *)out, slice, row, j);
		}
	}
}

/* Rows become columns. */
static __global__ void transpose(const XC_REAL *in, XC_REAL *out, int rows, int cols)
{
	__shared__ XC_REAL tile[32][33];
	const int x = (int)blockIdx.x * 32 + (int)threadIdx.x;
	for (int top = (int)blockIdx.y * 32; top < rows; top += (int)gridDim.y * 32) {
		for (int y = (int)threadIdx.y; y < 32; y += 8)
			if (x < cols && top + y < rows)
				tile[y][threadIdx.x] = in[(size_t)(top + y) * (size_t)cols + (size_t)x];
		__syncthreads();
		const int to = top + (int)threadIdx.x;
		for (int y = (int)threadIdx.y; y < 32; y += 8) {
			const int from = (int)blockIdx.x * 32 + y;
			if (from < cols && to < rows)
				out[(size_t)from * (size_t)rows + (size_t)to] = tile[threadIdx.x][y];
		}
		__syncthreads();
	}
}

#endif
