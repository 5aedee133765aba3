/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The 16-bit DCT, as the work of one thread.  A thread has a whole block, 16 bytes a row, so a
 * warp reads and writes 512 bytes in a run and exchanges nothing.  Everything is in registers.
 */
#ifndef XC_LAB_GPU_BAND_SHORT_H
#define XC_LAB_GPU_BAND_SHORT_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "lab/gpu/ops.h"
#include "lab/gpu/threads.h"
#undef XC_V /* the codec's is float */
#include "lab/cpu/band/short8x8.h"

typedef struct xc_short_job {
	const int16_t *in;
	int16_t *out;
	ptrdiff_t in_rows, in_cols, out_rows, out_cols;
	unsigned across, units; /* blocks side by side, and in all */
	int vectors;            /* rows of both arrays begin at multiples of 16 bytes */
	int rounds;             /* forward: divided, that is scaled; inverse: multiplied */
	float scale[64];
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
		for (int i = 0; i < 64; i++)
			v[i / 8][i % 8] = row[i / 8].x[i % 8];
		return;
	}
	XC_UNROLL
	for (int i = 0; i < 64; i++) {
		const ptrdiff_t row = y + i / 8 < job->in_rows ? y + i / 8 : job->in_rows - 1;
		const ptrdiff_t col = x + i % 8 < job->in_cols ? x + i % 8 : job->in_cols - 1;
		v[i / 8][i % 8] = job->in[row * job->in_cols + col];
	}
}

XC_GPU_INLINE void xc_short_store(const xc_short_job *job, ptrdiff_t y, ptrdiff_t x,
                                  int32_t v[8][8])
{
	XC_UNROLL
	for (int r = 0; r < 8; r++) {
		int16_t *const out = job->out + (y + r) * job->out_cols + x;
		xc_short_row row;
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			row.x[c] = (int16_t)v[r][c];
		if (y + r >= job->out_rows)
			break;
		if (job->vectors && x + 8 <= job->out_cols) {
			*(xc_short_row *)(void *)out = row;
			continue;
		}
		XC_UNROLL
		for (int c = 0; c < 8; c++)
			if (x + c < job->out_cols)
				out[c] = row.x[c];
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

XC_GPU_INLINE void xc_short_block(const xc_short_job *job, unsigned unit, const int inverse,
                                  const int rounds)
{
	const ptrdiff_t y = 8 * (ptrdiff_t)(unit / job->across),
					x = 8 * (ptrdiff_t)(unit % job->across);
	int32_t v[8][8];

	xc_short_load(job, y, x, v);
	if (inverse && rounds) {
		xc_short_scale(job, v);
		XC_UNROLL
		for (int i = 0; i < 64; i++)
			v[i / 8][i % 8] = xc_short_held(v[i / 8][i % 8], INT16_MIN, INT16_MAX);
	}
	if (inverse)
		xc_short8x8(v, 1);
	else
		xc_short8x8(v, 0);
	if (!inverse && rounds)
		xc_short_scale(job, v);
	xc_short_store(job, y, x, v);
}

/* Sets up everything but the arrays.  Returns 0, or -1 if there are too many blocks. */
static inline int xc_short_set_up(xc_short_job *s, const xc_lab_job *job)
{
	const size_t across = (job->in.cols + 7) / 8, down = (job->in.rows + 7) / 8;

	memset(s, 0, sizeof *s);
	s->in_rows = (ptrdiff_t)job->in.rows;
	s->in_cols = (ptrdiff_t)job->in.cols;
	s->out_rows = (ptrdiff_t)job->out.rows;
	s->out_cols = (ptrdiff_t)job->out.cols;
	s->vectors = job->in.cols % 8 == 0 && job->out.cols % 8 == 0;
	s->rounds = job->rounds;
	if (across > INT_MAX || down > INT_MAX / across)
		return -1;
	s->across = (unsigned)across;
	s->units = (unsigned)(across * down);
	memcpy(s->scale, job->scale.f32, sizeof s->scale);
	return 0;
}

#endif
