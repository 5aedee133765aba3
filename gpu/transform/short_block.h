/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT, as the work of one thread: a block of its own, 16 bytes a row, so a
 * warp reads and writes 512 bytes in a run and exchanges nothing.
 */
#ifndef XC_GPU_SHORT_BLOCK_H
#define XC_GPU_SHORT_BLOCK_H

#include <stddef.h>

#ifdef __CUDACC__
#define XC_UNROLL _Pragma("unroll")
#else
#define XC_UNROLL
#endif

#include "gpu/transform/short_fast.h"

typedef struct xc_short_job {
	const int16_t *in;
	int16_t *out;
	ptrdiff_t in_rows, in_cols, out_rows, out_cols;
	ptrdiff_t across, blocks; /* blocks side by side, and in all */
	int vectors;              /* rows of both arrays begin at multiples of 16 bytes */
	int rounds;               /* forward: divided, that is scaled; inverse: multiplied */
	float scale[64];
	int32_t step[64];         /* inverse: the same */
} xc_short_job;

/* 16 bytes at once. */
typedef struct __attribute__((aligned(16))) xc_short_row {
	int16_t x[8];
} xc_short_row;

XC_KERNEL void xc_short_load(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->in_rows && x + 8 <= job->in_cols) {
		xc_short_row row[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			row[r] = *(const xc_short_row *)(const void *)(job->in +
			                                               (y + r) * job->in_cols + x);
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			XC_UNROLL
			for (int c = 0; c < 8; c++)
				v[r][c] = row[r].x[c];
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		const ptrdiff_t row = y + r < job->in_rows ? y + r : job->in_rows - 1;
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			v[r][c] = job->in[row * job->in_cols +
			                  (x + c < job->in_cols ? x + c : job->in_cols - 1)];
	}
}

/* Held to 16 bits, which the GPU does while it packs two into one word. */
XC_KERNEL void xc_short_put(xc_short_row *out, const int32_t v[8])
{
#ifdef __CUDACC__
	uint32_t word[4];
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		asm("cvt.pack.sat.s16.s32 %0, %1, %2;"
		    : "=r"(word[i])
		    : "r"(v[2 * i + 1]), "r"(v[2 * i]));
	__stcs((uint4 *)out, make_uint4(word[0], word[1], word[2], word[3]));
#else
	for (int i = 0; i < 8; i++)
		out->x[i] = (int16_t)xc_short_held(v[i], INT16_MIN, INT16_MAX);
#endif
}

XC_KERNEL void xc_short_store(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->out_rows && x + 8 <= job->out_cols) {
		XC_UNROLL
		for (int r = 0; r < 8; r++) {
			xc_short_put((xc_short_row *)(void *)(job->out + (y + r) * job->out_cols + x),
			             v[r]);
		}
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			if (y + r < job->out_rows && x + c < job->out_cols)
				job->out[(y + r) * job->out_cols + x + c] = (int16_t)xc_short_held(
					v[r][c], INT16_MIN, INT16_MAX);
	}
}

#ifdef __CUDACC__
/* Whole numbers up to 2^22 become floats, and back, by adding 1.5 * 2^23: the GPU's
 * conversions are slow. */
#define XC_SHORT_FLOAT(i) (__int_as_float((i) + 0x4b400000) - 12582912.0f)
#define XC_SHORT_ROUND(x) (__float_as_int((x) + 12582912.0f) - 0x4b400000)
#else
#define XC_SHORT_FLOAT(i) ((float)(i))
#define XC_SHORT_ROUND(x) ((int32_t)rintf(x))
#endif

/* Quantized or the reverse: the product, rounded. */
XC_KERNEL void xc_short_scale(const xc_short_job *job, int32_t v[8][8])
{
	XC_UNROLL
	for (int i = 0; i < 64; i++)
		v[i / 8][i % 8] =
			XC_SHORT_ROUND(XC_SHORT_FLOAT(v[i / 8][i % 8]) * job->scale[i]);
}

/* Any block; a function of its own, so that it does not cost the others registers. */
#ifdef __CUDACC__
static __noinline__ __device__
#else
static
#endif
void xc_short_any_block(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, const int inverse)
{
	int32_t v[8][8];
	xc_short_load(job, y, x, v);
	if (inverse && job->rounds) {
		xc_short_scale(job, v);
		XC_UNROLL
		for (int i = 0; i < 64; i++)
			v[i / 8][i % 8] = xc_short_held(v[i / 8][i % 8], INT16_MIN, INT16_MAX);
	}
	if (inverse)
		xc_short8x8_inverse(v);
	else
		xc_short8x8_forward(v);
	if (!inverse && job->rounds)
		xc_short_scale(job, v);
	xc_short_store(job, y, x, v);
}

/* ------------------------------------------------- blocks of small values */

XC_KERNEL void xc_short_fast_load(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                  xc_short_pair w[8][4])
{
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		const int16_t *const in = job->in + (y + r) * job->in_cols + x;
#ifdef __CUDACC__
		const uint4 row = *(const uint4 *)(const void *)in;
		w[r][0] = row.x, w[r][1] = row.y, w[r][2] = row.z, w[r][3] = row.w;
#else
		for (int i = 0; i < 4; i++)
			w[r][i] = xc_short_make(in[2 * i], in[2 * i + 1]);
#endif
	}
}

XC_KERNEL void xc_short_fast_store(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                   const xc_short_pair word[4])
{
	int16_t *const out = job->out + y * job->out_cols + x;
#ifdef __CUDACC__
	__stcs((uint4 *)out, make_uint4(word[0], word[1], word[2], word[3]));
#else
	for (int i = 0; i < 4; i++) {
		out[2 * i] = (int16_t)xc_short_left(word[i]);
		out[2 * i + 1] = (int16_t)xc_short_right(word[i]);
	}
#endif
}

#ifdef __CUDACC__
/* 2^23 and the upper half of a word that has 2^31 added: exact. */
#define XC_SHORT_UPPER_FLOAT(a) \
	(__int_as_float((int)__byte_perm(a, 0x4b000000u, 0x7432)) - 8421376.0f)
/* The lower half is the value. */
#define XC_SHORT_NEAREST(x) ((uint32_t)__float_as_int((x) + 12582912.0f))
#else
#define XC_SHORT_UPPER_FLOAT(a) ((float)((int32_t)((a) >> 16) - 32768))
#define XC_SHORT_NEAREST(x) ((uint32_t)(int32_t)rintf(x))
#endif

XC_KERNEL void xc_short_fast_forward_block(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                           const xc_short_pair w[8][4], const int rounds)
{
	const uint32_t half = 1u << (XC_SHORT_DOUBLED - 1);
	int32_t v[8][8];
	xc_short_fast_columns_forward(w, v);
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		uint32_t row[8];
		xc_short_pair word[4];
		xc_short_fast_row_forward(v[r], row, rounds ? half + 0x80000000u : half);
		XC_UNROLL
		for (int c = 0; c < 8 && rounds; c++) {
			const float value = XC_SHORT_UPPER_FLOAT(row[c]);
			row[c] = XC_SHORT_NEAREST(value * job->scale[8 * r + c]);
		}
		XC_UNROLL
		for (int i = 0; i < 4; i++)
			word[i] = rounds ? XC_SHORT_LOWER(row[2 * i], row[2 * i + 1])
			                      : XC_SHORT_UPPER(row[2 * i], row[2 * i + 1]);
		xc_short_fast_store(job, y + r, x, word);
	}
}

XC_KERNEL void xc_short_fast_inverse_block(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                           const xc_short_pair w[8][4], const int rounds)
{
	int32_t v[8][8];
	XC_UNROLL
	for (int i = 0; i < 64; i++) {
		const xc_short_pair pair = w[i / 8][i / 2 % 4];
		int32_t value = i & 1 ? xc_short_right(pair) : xc_short_left(pair);
		if (rounds)
			value = xc_short_held(value * job->step[i], INT16_MIN, INT16_MAX);
		v[i / 8][i % 8] = value;
	}
	XC_UNROLL
	for (int c = 0; c < 8; c++) {
		int32_t column[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			column[r] = v[r][c];
		xc_short_fast_column_inverse(column, v, c, rounds);
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		xc_short_pair word[4];
		xc_short_fast_row_inverse(v[r], word, rounds);
		xc_short_fast_store(job, y + r, x, word);
	}
}

/* Steps are whole numbers of up to 2^15, so that products are exact. */
XC_KERNEL void xc_short_block(const xc_short_job *job, ptrdiff_t block, const int inverse,
                              const int rounds)
{
	const ptrdiff_t y = 8 * (block / job->across), x = 8 * (block % job->across);
	xc_short_pair w[8][4];
	int quick = 0;
	if (job->vectors && y + 8 <= job->in_rows && x + 8 <= job->in_cols &&
	    y + 8 <= job->out_rows && x + 8 <= job->out_cols) {
		xc_short_fast_load(job, y, x, w);
		quick = (inverse && rounds) || xc_short_small(w);
	}
	if (!quick)
		xc_short_any_block(job, y, x, inverse);
	else if (inverse)
		xc_short_fast_inverse_block(job, y, x, w, rounds);
	else
		xc_short_fast_forward_block(job, y, x, w, rounds);
}

#endif
