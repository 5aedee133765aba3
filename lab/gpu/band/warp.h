/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the warps (gpu/runtime/warp.h) of all 8-band transforms have in common, and how those
 * without lapping read and write their blocks.  region.h has the lapped ones.
 *
 * A warp owns XC_WARP_BLOCKS blocks side by side.  A lane holds 8 rows of XC_COLS columns, 16 bytes
 * a row (8 in an array of half precision); XC_SHARE lanes side by side hold an 8x8 block.  xc_warp_to_rows() exchanges values among
 * them until each holds XC_ROWS whole rows of the block, and xc_warp_to_columns() reverses that.
 *
 * Each lane has a slot in shared memory for its values, which only this lane reads and writes.
 * Samples at and beyond the edges are put together there, by rule.
 *
 * Included with XC_REAL_BITS set.
 */
#ifndef XC_LAB_GPU_BAND_WARP_H
#define XC_LAB_GPU_BAND_WARP_H

#include "lab/gpu/threads.h"
#include "lab/cpu/band/band.h"
#include "lab/real.h"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#endif

/* What arrays hold: the numbers that the work is done in, or half precision. */
#if XC_REAL_BITS != 16
#define XC_SAMPLE XC_REAL
#define XC_FROM_SAMPLE(s) (s)
#define XC_TO_SAMPLE(x) (x)
#define XC_MINUS_SAMPLE(s) (-(s))
#else
#include "lab/half.h"
#define XC_SAMPLE uint16_t
#define XC_MINUS_SAMPLE(s) ((uint16_t)((s) ^ 0x8000))
#ifdef __CUDA_ARCH__
#define XC_FROM_SAMPLE(s) __half2float(__ushort_as_half(s))
#define XC_TO_SAMPLE(x) __half_as_ushort(__float2half_rn(x))
#else
#define XC_FROM_SAMPLE(s) xc_half_to_float(s)
#define XC_TO_SAMPLE(x) xc_half_of(x)
#endif
#endif

#define XC_COLS (16 / (int)sizeof(XC_REAL))
#define XC_SHARE (8 / XC_COLS)
#define XC_ROWS (8 / XC_SHARE)
#define XC_WARP_BLOCKS (32 / XC_SHARE)

typedef struct xc_lane {
	XC_REAL v[8 * XC_COLS];
} xc_lane;

/* Every lane's value becomes that of the lane whose number differs in `bit`. */
XC_GPU_INLINE void xc_warp_swap(XC_REAL value[XC_SLOTS], int bit)
{
#ifdef __CUDA_ARCH__
	value[0] = __shfl_xor_sync(XC_ALL_LANES, value[0], bit);
#else
	for (int i = 0; i < XC_SLOTS; i++)
		if (!(i & bit)) {
			const XC_REAL t = value[i];
			value[i] = value[i | bit];
			value[i | bit] = t;
		}
#endif
}

/* Every lane's value becomes that of the lane `distance` before it, or stays where there is
 * none. */
XC_GPU_INLINE void xc_warp_from_before(XC_REAL value[XC_SLOTS], int distance)
{
#ifdef __CUDA_ARCH__
	value[0] = __shfl_up_sync(XC_ALL_LANES, value[0], (unsigned)distance);
#else
	for (int i = XC_SLOTS - 1; i >= distance; i--)
		value[i] = value[i - distance];
#endif
}

/* Lanes that differ in `bit` hold `rows` rows of `cols` columns each, side by side: the lower one
 * takes the upper half of the rows of both, the other the lower half.  `back` reverses this; rows
 * and cols are then those of the result. */
XC_GPU_INLINE void xc_warp_halve(xc_lane lane[XC_SLOTS], int bit, int rows, int cols,
                                 const int back)
{
	xc_lane old[XC_SLOTS];

	XC_FOR_LANES(i)
		old[XC_SLOT(i)] = lane[XC_SLOT(i)];
	XC_UNROLL
	for (int r = 0; r < rows / 2; r++) {
		XC_UNROLL
		for (int c = 0; c < cols; c++) {
			const int top = r * cols + c, bottom = top + rows / 2 * cols;
			const int left = 2 * r * cols + c, right = left + cols;
			const int first = back ? left : top, second = back ? right : bottom;
			XC_REAL got[XC_SLOTS];
			XC_FOR_LANES(i) {
				const xc_lane *const l = &old[XC_SLOT(i)];
				got[XC_SLOT(i)] = i & bit ? l->v[first] : l->v[second];
			}
			xc_warp_swap(got, bit);
			XC_FOR_LANES(i) {
				const xc_lane *const l = &old[XC_SLOT(i)];
				XC_REAL *const v = lane[XC_SLOT(i)].v;
				v[back ? top : left] = i & bit ? got[XC_SLOT(i)] : l->v[first];
				v[back ? bottom : right] = i & bit ? l->v[second] : got[XC_SLOT(i)];
			}
		}
	}
}

XC_GPU_INLINE void xc_warp_to_rows(xc_lane lane[XC_SLOTS])
{
	xc_warp_halve(lane, 1, 8, XC_COLS, 0);
	if (XC_SHARE == 4)
		xc_warp_halve(lane, 2, 4, 4, 0);
}

XC_GPU_INLINE void xc_warp_to_columns(xc_lane lane[XC_SLOTS])
{
	if (XC_SHARE == 4)
		xc_warp_halve(lane, 2, 4, 4, 1);
	xc_warp_halve(lane, 1, 8, XC_COLS, 1);
}

typedef struct xc_warp_job {
	const XC_SAMPLE *in;
	XC_SAMPLE *out;
	xc_band_axis rows, cols;
	int across, down; /* warps, or regions, side by side and one above the other */
	int strips;       /* rows of blocks of each; 1 without lapping */
	int vectors;      /* both arrays can be accessed by 16 bytes */
	int bulk;         /* by the tensor memory accelerator, too, where there is one */
	int rounds;       /* coefficients are rounded to whole numbers */
	XC_REAL scale[64];
} xc_warp_job;

enum { XC_WARP_SAMPLES = 8 * 32 * XC_COLS }; /* of a warp's slots */

/* A lane's part of a row at once: 16 bytes, or 8.  What tests have in memory need not be aligned. */
typedef struct xc_vector {
#ifdef __CUDACC__
	__align__(XC_COLS * sizeof(XC_SAMPLE))
#endif
		XC_SAMPLE v[XC_COLS];
} xc_vector;

XC_GPU_INLINE void xc_vector_load(XC_REAL *to, const XC_SAMPLE *from)
{
	const xc_vector vector = *(const xc_vector *)(const void *)from;

	XC_UNROLL
	for (int i = 0; i < XC_COLS; i++)
		to[i] = XC_FROM_SAMPLE(vector.v[i]);
}

XC_GPU_INLINE xc_vector xc_vector_of(const XC_REAL *v)
{
	xc_vector vector;

	XC_UNROLL
	for (int i = 0; i < XC_COLS; i++)
		vector.v[i] = XC_TO_SAMPLE(v[i]);
	return vector;
}

XC_GPU_INLINE void xc_vector_copy(XC_SAMPLE *to, const XC_REAL *from)
{
	*(xc_vector *)(void *)to = xc_vector_of(from);
}

/* What is stored is not read again soon. */
XC_GPU_INLINE void xc_vector_store(XC_SAMPLE *to, xc_vector vector)
{
#if defined __CUDA_ARCH__ && XC_REAL_BITS == 16
	__stcs((int2 *)(void *)to, *(const int2 *)(const void *)&vector);
#elif defined __CUDA_ARCH__
	__stcs((int4 *)(void *)to, *(const int4 *)(const void *)&vector);
#else
	*(xc_vector *)(void *)to = vector;
#endif
}

/* Begins to bring one sample, or 16 bytes, to shared memory.  2 bytes are too few for that. */
XC_GPU_INLINE void xc_sample_fetch(XC_SAMPLE *to, const XC_SAMPLE *from)
{
#if defined __CUDA_ARCH__ && XC_REAL_BITS != 16
	__pipeline_memcpy_async(to, from, sizeof *to);
#else
	*to = *from;
#endif
}

XC_GPU_INLINE void xc_vector_fetch(XC_SAMPLE *to, const XC_SAMPLE *from)
{
#ifdef __CUDA_ARCH__
	__pipeline_memcpy_async(to, from, sizeof(xc_vector));
#else
	memcpy(to, from, sizeof(xc_vector));
#endif
}

/* The column of its block that a lane's values start at. */
XC_GPU_INLINE int xc_lane_column(int lane)
{
	return lane % XC_SHARE * XC_COLS;
}

XC_GPU_INLINE XC_SAMPLE *xc_lane_slot(XC_SAMPLE *slots, int lane, int row)
{
	return slots + (row * 32 + lane) * XC_COLS;
}

/* Only begins its copies, because warps at the edges would otherwise take far longer than the
 * others.  It waits only for values whose sign changes. */
XC_GPU_APART void xc_warp_fetch_edge(const xc_warp_job *job, XC_SAMPLE *slots, int lane, int y,
                                     int x)
{
	for (int c = 0; c < XC_COLS; c++) {
		const xc_band_source col = xc_band_locate(&job->cols, x + c);
		for (int r = 0; r < 8; r++) {
			const xc_band_source row = xc_band_locate(&job->rows, y + r);
			const XC_SAMPLE *const from = job->in + row.at * job->cols.in_size + col.at;
			XC_SAMPLE *const to = xc_lane_slot(slots, lane, r) + c;
			if (row.sign * col.sign < 0)
				*to = XC_MINUS_SAMPLE(*from);
			else if (row.sign * col.sign == 0)
				*to = 0;
			else
				xc_sample_fetch(to, from);
		}
	}
}

XC_GPU_INLINE int xc_warp_inside(const xc_warp_job *job, int y, int x)
{
	return job->vectors && y >= 0 && y + 8 <= (int)job->rows.in_size && x >= 0 &&
	       x + XC_COLS <= (int)job->cols.in_size;
}

/* Waits for this lane's copies. */
XC_GPU_INLINE void xc_warp_arrived(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_commit();
	__pipeline_wait_prior(0);
#endif
}

/* Loads a lane's values: directly if all are inside the frame, else by way of its slot. */
XC_GPU_INLINE void xc_warp_load(const xc_warp_job *job, xc_lane *lane, XC_SAMPLE *slots, int number,
                                int strip, int block)
{
	const int y = (int)job->rows.in_first + 8 * strip;
	const int x = (int)job->cols.in_first + 8 * block + xc_lane_column(number);
	const XC_SAMPLE *in = job->in + (ptrdiff_t)y * job->cols.in_size + x;

	if (xc_warp_inside(job, y, x)) {
		XC_UNROLL
		for (int r = 0; r < 8; r++) {
			xc_vector_load(lane->v + r * XC_COLS, in);
			in += job->cols.in_size;
		}
		return;
	}
	if (block < (int)job->cols.blocks)
		xc_warp_fetch_edge(job, slots, number, y, x);
	xc_warp_arrived();
	XC_UNROLL
	for (int r = 0; r < 8; r++)
		xc_vector_load(lane->v + r * XC_COLS, xc_lane_slot(slots, number, r));
}

XC_GPU_INLINE void xc_warp_store(const xc_warp_job *job, const xc_lane *lane, int number, int strip,
                                 int block)
{
	const int y = (int)job->rows.out_first + 8 * strip;
	const int x = (int)job->cols.out_first + 8 * block + xc_lane_column(number);
	const int rows = (int)job->rows.out_size - y, cols = (int)job->cols.out_size - x;
	XC_SAMPLE *out = job->out + (ptrdiff_t)y * job->cols.out_size + x;

	if (job->vectors && y >= 0 && rows >= 8 && x >= 0 && cols >= XC_COLS) {
		XC_UNROLL
		for (int r = 0; r < 8; r++) {
			xc_vector_store(out, xc_vector_of(lane->v + r * XC_COLS));
			out += job->cols.out_size;
		}
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		XC_UNROLL
		for (int c = 0; c < XC_COLS; c++)
			if (r >= -y && r < rows && c >= -x && c < cols)
				out[c] = XC_TO_SAMPLE(lane->v[r * XC_COLS + c]);
		out += job->cols.out_size;
	}
}

typedef struct xc_factors {
#ifdef __CUDACC__
	__align__(16)
#endif
		XC_REAL v[XC_COLS];
} xc_factors;

XC_GPU_INLINE void xc_lane_scale(xc_lane *lane, const XC_REAL *scale, int column)
{
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		const xc_factors factor = *(const xc_factors *)(const void *)(scale + 8 * r + column);
		XC_UNROLL
		for (int c = 0; c < XC_COLS; c++)
			lane->v[r * XC_COLS + c] = XC_MUL(lane->v[r * XC_COLS + c], factor.v[c]);
	}
}

/* To the nearest, ties to even. */
XC_GPU_INLINE void xc_lane_round(xc_lane *lane)
{
	XC_UNROLL
	for (int i = 0; i < 8 * XC_COLS; i++)
		lane->v[i] = XC_RINT(lane->v[i]);
}

/* Shifts down: the lower halves of the blocks wait for the next strip, and those of the strip above
 * become the upper halves. */
XC_GPU_INLINE void xc_lane_shift_down(xc_lane *lane, XC_REAL waiting[4 * XC_COLS])
{
	XC_UNROLL
	for (int i = 0; i < 4 * XC_COLS; i++) {
		const XC_REAL above = waiting[i];
		waiting[i] = lane->v[4 * XC_COLS + i];
		lane->v[4 * XC_COLS + i] = lane->v[i];
		lane->v[i] = above;
	}
}

/* Shifts right, from the block before, while the lanes hold whole rows. */
XC_GPU_INLINE void xc_warp_shift_right(xc_lane lane[XC_SLOTS])
{
	XC_UNROLL
	for (int r = 0; r < XC_ROWS; r++) {
		XC_UNROLL
		for (int j = 0; j < 4; j++) {
			XC_REAL right[XC_SLOTS];
			XC_FOR_LANES(i) {
				XC_REAL *const row = lane[XC_SLOT(i)].v + 8 * r;
				right[XC_SLOT(i)] = row[4 + j];
				row[4 + j] = row[j];
			}
			xc_warp_from_before(right, XC_SHARE);
			XC_FOR_LANES(i)
				lane[XC_SLOT(i)].v[8 * r + j] = right[XC_SLOT(i)];
		}
	}
}

#endif
