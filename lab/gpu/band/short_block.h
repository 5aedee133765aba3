/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT, as the work of one thread.  A thread has whole blocks, 16 bytes a row, so a
 * warp reads and writes 512 bytes in a run and exchanges nothing.  Everything is in registers.
 */
#ifndef XC_LAB_GPU_BAND_SHORT_BLOCK_H
#define XC_LAB_GPU_BAND_SHORT_BLOCK_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "lab/gpu/ops.h"
#include "lab/gpu/band/short_fast.h"

typedef struct xc_short_job {
	const int16_t *in;
	int16_t *out;
	ptrdiff_t in_rows, in_cols, out_rows, out_cols;
	unsigned across, down; /* blocks side by side, and one below the other */
	unsigned high, units;  /* blocks that a thread does, one below the other; threads */
	int vectors;           /* rows of both arrays begin at multiples of 16 bytes */
	int whole;             /* and all blocks are whole, in both */
	int rounds;            /* forward: divided, that is scaled; inverse: multiplied */
	int32_t limit;         /* of values in small blocks */
	float scale[64];
	int32_t factor[8][XC_SHORT_FACTORS]; /* inverse: of the columns of small blocks */
} xc_short_job;

/* 16 bytes at once. */
typedef struct __attribute__((aligned(16))) xc_short_row {
	int16_t x[8];
} xc_short_row;

XC_GPU_INLINE void xc_short_load(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x, int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->in_rows && x + 8 <= job->in_cols) {
		xc_short_row row[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			row[r] = *(const xc_short_row *)(const void *)(job->in + (y + r) * job->in_cols + x);
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
			v[r][c] =
				job->in[row * job->in_cols + (x + c < job->in_cols ? x + c : job->in_cols - 1)];
	}
}

/* 8 numbers of 16 bits, as words. */
XC_GPU_INLINE void xc_short_put_words(int16_t *out, const xc_short_pair word[4])
{
#ifdef __CUDA_ARCH__
	__stcs((uint4 *)(void *)out, make_uint4(word[0], word[1], word[2], word[3]));
#else
	memcpy(out, word, 4 * sizeof *word);
#endif
}

/* Holds values to 16 bits, which the GPU does while it packs two into one word. */
XC_GPU_INLINE void xc_short_put(int16_t *out, const int32_t v[8])
{
	xc_short_pair word[4];
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		word[i] = xc_short_hold(v[2 * i], v[2 * i + 1]);
	xc_short_put_words(out, word);
}

XC_GPU_INLINE void xc_short_store(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                  int32_t v[8][8])
{
	if (job->vectors && y + 8 <= job->out_rows && x + 8 <= job->out_cols) {
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			xc_short_put(job->out + (y + r) * job->out_cols + x, v[r]);
		return;
	}
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			if (y + r < job->out_rows && x + c < job->out_cols)
				job->out[(y + r) * job->out_cols + x + c] = (int16_t)xc_short_held(v[r][c],
				                                                                   INT16_MIN,
				                                                                   INT16_MAX);
	}
}

#ifdef __CUDA_ARCH__
/* Whole numbers up to 2^22 become floats, and back, by adding 1.5 * 2^23: the GPU's
 * conversions are slow. */
#define XC_SHORT_FLOAT(i) (__int_as_float((i) + 0x4b400000) - 12582912.0f)
#define XC_SHORT_ROUND(x) (__float_as_int((x) + 12582912.0f) - 0x4b400000)
#else
#define XC_SHORT_FLOAT(i) ((float)(i))
#define XC_SHORT_ROUND(x) ((int32_t)rintf(x))
#endif

/* Quantizes or the reverse: multiplies and rounds. */
XC_GPU_INLINE void xc_short_scale(const xc_short_job *job, int32_t v[8][8])
{
	XC_UNROLL
	for (int i = 0; i < 64; i++)
		v[i / 8][i % 8] = XC_SHORT_ROUND(XC_SHORT_FLOAT(v[i / 8][i % 8]) * job->scale[i]);
}

/* Any block. */
XC_GPU_APART void xc_short_any_block(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                     const int inverse)
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
		xc_short8x8(v, 1);
	else
		xc_short8x8(v, 0);
	if (!inverse && job->rounds)
		xc_short_scale(job, v);
	xc_short_store(job, y, x, v);
}

/* ------------------------------------------------- blocks of small values */

XC_GPU_INLINE void xc_short_fast_load(const int16_t *in, ptrdiff_t cols, xc_short_pair w[8][4])
{
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
#ifdef __CUDA_ARCH__
		const uint4 row = *(const uint4 *)(const void *)in;
		w[r][0] = row.x, w[r][1] = row.y, w[r][2] = row.z, w[r][3] = row.w;
#else
		for (int i = 0; i < 4; i++)
			w[r][i] = xc_short_make(in[2 * i], in[2 * i + 1]);
#endif
		in += cols;
	}
}

#ifdef __CUDA_ARCH__
/* 2^23 and the upper half of a word that has 2^31 added: exact. */
#define XC_SHORT_UPPER_FLOAT(a) \
	(__int_as_float((int)__byte_perm(a, 0x4b000000u, 0x7432)) - 8421376.0f)
/* The lower half is the value. */
#define XC_SHORT_NEAREST(x) ((uint32_t)__float_as_int((x) + 12582912.0f))
#else
#define XC_SHORT_UPPER_FLOAT(a) ((float)((int32_t)((a) >> 16) - 32768))
#define XC_SHORT_NEAREST(x) ((uint32_t)(int32_t)rintf(x))
#endif

XC_GPU_INLINE void xc_short_fast_columns(const xc_short_job *job, const xc_short_pair w[8][4],
                                         int32_t v[8][8], const int inverse, const int rounds)
{
	const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	int32_t factor[XC_SHORT_FACTORS];
	if (!inverse) {
		xc_short_fast_columns_forward(w, v);
		return;
	}
	xc_short_inverse_factors(ones, factor);
	XC_UNROLL
	for (int c = 0; c < 8; c++) {
		int32_t column[8];
		XC_UNROLL
		for (int r = 0; r < 8; r++)
			column[r] = c & 1 ? xc_short_right(w[r][c / 2]) : xc_short_left(w[r][c / 2]);
		xc_short_fast_column_inverse(column, rounds ? job->factor[c] : factor, v, c);
	}
}

/* Row r, into 4 words. */
XC_GPU_INLINE void xc_short_fast_row(const xc_short_job *job, const int32_t v[8], int r,
                                     xc_short_pair word[4], const int inverse, const int rounds)
{
	const uint32_t half = 1u << (XC_SHORT_DOUBLED - 1);
	uint32_t row[8];
	if (inverse) {
		xc_short_fast_row_inverse(v, word);
		return;
	}
	xc_short_fast_row_forward(v, row, rounds ? half + 0x80000000u : half);
	XC_UNROLL
	for (int c = 0; c < 8 && rounds; c++)
		row[c] = XC_SHORT_NEAREST(XC_SHORT_UPPER_FLOAT(row[c]) * job->scale[8 * r + c]);
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		word[i] = rounds ? XC_SHORT_LOWER(row[2 * i], row[2 * i + 1])
		                 : XC_SHORT_UPPER(row[2 * i], row[2 * i + 1]);
}

/* The block at a place of both arrays. */
XC_GPU_INLINE void xc_short_block(const xc_short_job *job, ptrdiff_t at, const int inverse,
                                  const int rounds)
{
	xc_short_pair w[8][4];
	int32_t v[8][8];
	xc_short_fast_load(job->in + at, job->in_cols, w);
	if (!xc_short_small(w, job->limit)) {
		xc_short_any_block(job, at / job->in_cols, at % job->in_cols, inverse);
		return;
	}
	xc_short_fast_columns(job, w, v, inverse, rounds);
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		xc_short_pair word[4];
		xc_short_fast_row(job, v[r], r, word, inverse, rounds);
		xc_short_put_words(job->out + at, word);
		at += job->in_cols;
	}
}

/* A thread's blocks, one below the other.  Only the quantized forward transform has several; the
 * others do not gain by it. */
XC_GPU_INLINE void xc_short_blocks(const xc_short_job *job, unsigned unit, const int inverse,
                                   const int rounds)
{
	const int several = rounds && !inverse;
	const unsigned x = unit % job->across;
	unsigned y = unit / job->across * job->high, left = job->high;
	ptrdiff_t at = 8 * ((ptrdiff_t)y * job->in_cols + x);
	do {
		if (job->whole)
			xc_short_block(job, at, inverse, rounds);
		else
			xc_short_any_block(job, 8 * (ptrdiff_t)y, 8 * (ptrdiff_t)x, inverse);
		at += 8 * job->in_cols;
	} while (several && ++y < job->down && --left);
}

/* ----------------------------------------------------------------- the job */

/* Steps are whole numbers of up to 2^15, so that products are exact. */
static inline void xc_short_set_steps(xc_short_job *s, int inverse)
{
	int32_t step[64];
	s->limit = XC_SHORT_FAST_LIMIT;
	if (!inverse)
		return;
	for (int i = 0; i < 64; i++)
		step[i] = s->rounds ? (int32_t)s->scale[i] : 1;
	for (int c = 0; c < 8; c++) {
		int32_t column[8];
		for (int r = 0; r < 8; r++)
			column[r] = step[8 * r + c];
		xc_short_inverse_factors(column, s->factor[c]);
	}
	s->limit = xc_short_inverse_limit(step);
}

/* Sets up everything but the arrays.  `high` is the number of blocks of a thread, where it does
 * several.  Returns 0, or -1 if there are too many blocks. */
static inline int xc_short_set_up(xc_short_job *s, const xc_lab_job *job, unsigned high)
{
	const int inverse = job->direction == XC_INVERSE;
	const ptrdiff_t across = (ptrdiff_t)(job->in.cols + 7) / 8;
	const ptrdiff_t down = (ptrdiff_t)(job->in.rows + 7) / 8;
	memset(s, 0, sizeof *s);
	s->in_rows = (ptrdiff_t)job->in.rows;
	s->in_cols = (ptrdiff_t)job->in.cols;
	s->out_rows = (ptrdiff_t)job->out.rows;
	s->out_cols = (ptrdiff_t)job->out.cols;
	s->vectors = job->in.cols % 8 == 0 && job->out.cols % 8 == 0;
	s->whole = s->vectors && job->in.rows % 8 == 0 && job->out.rows % 8 == 0;
	s->rounds = job->rounds;
	s->high = job->rounds && !inverse ? high : 1;
	if (across > INT_MAX || down > INT_MAX / across)
		return -1;
	s->across = (unsigned)across;
	s->down = (unsigned)down;
	s->units = s->across * ((s->down + s->high - 1) / s->high);
	memcpy(s->scale, job->scale.f32, sizeof s->scale);
	xc_short_set_steps(s, inverse);
	return 0;
}

#endif
