/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of a job.  Included with XC_REAL_BITS set. */
#ifndef XC_LAB_GPU_FRAME_STAGE_PLAN_H
#define XC_LAB_GPU_FRAME_STAGE_PLAN_H

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "lab/gpu/ops.h"
#include "lab/gpu/frame/stages.h"

typedef struct xc_stage_plan {
	xc_stages s;
	xc_stage_work runs, own; /* before and after the FFT; the other way round if back */
	int back, axes;
	int aligned;  /* samples, and all rows of them, to 16 bytes */
	int zero;     /* a sine transform of one sample */
	size_t lines; /* rows in all */
} xc_stage_plan;

/* Factor k of an axis: sqrt(1 / 2N) exp(-i pi k / 2N), but for k = 0.  Value 0 is its own mirror
 * image and forwards is added to itself, so its factor is half of sqrt(1 / N) forwards and
 * sqrt(1 / N) backwards.  It is 0 in a sine transform, which has no coefficient 0. */
static inline xc_complex xc_stage_turn(const xc_stage_axis *a, int k, int back)
{
	const long double pi = 3.141592653589793238462643383279502884L;
	const long double n = (long double)a->size, angle = pi * (long double)k / (2 * n);
	const long double zero = a->sine ? 0 : sqrtl(back ? 1 / n : 0.25L / n);
	const long double scale = k ? sqrtl(0.5L / n) : zero;
	const xc_complex turn = {(XC_REAL)(scale * cosl(angle)), (XC_REAL)(-scale * sinl(angle))};
	return turn;
}

/* How many k have no smaller partner: the number of factors. */
static inline int xc_stage_own_count(const xc_stage_axis *a)
{
	return a->size ? a->size / 2 + 1 : a->count;
}

static inline xc_complex *xc_stage_turns(const xc_stage_axis *a, int back)
{
	const int count = xc_stage_own_count(a);
	xc_complex *const table = (xc_complex *)malloc((size_t)count * sizeof *table);
	for (int k = 0; table && k < count; k++)
		table[k] = xc_stage_turn(a, k, back);
	return table;
}

static inline xc_stage_work xc_stage_work_of(int cols, int rows, int slices)
{
	xc_stage_work w;
	w.cols = (unsigned)cols;
	w.rows = (unsigned)rows;
	w.count = w.cols * w.rows * (unsigned)slices;
	w.by_cols = UINT_MAX / w.cols;
	w.by_rows = UINT_MAX / w.rows;
	return w;
}

static inline void xc_stage_axes(xc_stages *s, const xc_lab_job *job, const xc_transform_size *size,
                                 int only_rows)
{
	s->slices.count = (int)size->slices;
	s->rows.count = (int)size->rows;
	s->cols.count = s->cols.size = (int)size->cols;
	if (only_rows)
		return;
	s->slices.size = s->slices.count;
	s->rows.size = s->rows.count;
	s->rows.sine = job->sine_rows;
	s->cols.sine = job->sine_cols;
	/* The last axis is the one that the FFT halves. */
	while (s->cols.size == 1 && (s->rows.size > 1 || s->slices.size > 1)) {
		s->cols = s->rows;
		s->rows = s->slices;
		s->slices.size = s->slices.count = 1;
		s->slices.sine = 0;
	}
}

/* All axes, or (`only_rows`) the rows alone.  0; -1: too large. */
static inline int xc_stage_plan_make(xc_stage_plan *p, const xc_lab_job *job,
                                     const xc_transform_size *size, int only_rows)
{
	xc_stages *const s = &p->s;
	if (size->slices > INT_MAX / 8 || size->rows > INT_MAX / 8 || size->cols > INT_MAX / 8)
		return -1;
	xc_stage_axes(s, job, size, only_rows);
	p->back = job->direction == XC_INVERSE;
	p->zero = !only_rows &&
	          ((job->sine_rows && size->rows == 1) || (job->sine_cols && size->cols == 1));
	p->axes = only_rows ? 0 : s->slices.count == 1 ? 1 : 2;
	p->lines = (size_t)s->slices.count * (size_t)s->rows.count;
	s->width = s->cols.count / 2 + 1;
	/* The numbers of units, and of threads beyond the last one, fit in 32 bits. */
	if (p->lines > (UINT_MAX - 65536) / (size_t)s->width)
		return -1;
	p->aligned = s->cols.count % (2 * XC_STAGE_RUN) == 0;
	p->runs = xc_stage_work_of(p->aligned ? s->cols.count / (2 * XC_STAGE_RUN)
	                                      : (s->cols.count + 1) / 2,
	                           s->rows.count, s->slices.count);
	p->own = xc_stage_work_of(s->width, xc_stage_own_count(&s->rows),
	                          xc_stage_own_count(&s->slices));
	return 0;
}

#endif
