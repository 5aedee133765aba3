/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: the transforms of whole frames around cuFFT, in three stages or row by row and
 * column by column.  Included with XC_REAL_BITS.
 */
#include "gpu/transform/stage_kernels.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/transform/cufft_plan.h"
#include "gpu/transform/works.h"

enum { WIDE = XC_REAL_BITS == 64 };

/* One real FFT with what stands before and after it, and the arrays between. */
typedef struct stage_state {
	xc_stages s;
	int back, zero;               /* zero: a sine transform of one sample */
	cufftHandle fft;
	int has_fft;
	void *turns[3], *samples, *spectrum;
	size_t bytes;                 /* of the frame */
} stage_state;

static void stage_finish(void *own)
{
	stage_state *const t = (stage_state *)own;
	if (!t)
		return;
	if (t->has_fft)
		(void)cufftDestroy(t->fft);
	for (int i = 0; i < 3; i++)
		(void)cudaFree(t->turns[i]);
	(void)cudaFree(t->samples);
	(void)cudaFree(t->spectrum);
	free(t);
}

static int make_axis(xc_stage_axis *a, void **turns, char why[XC_DEVICE_MESSAGE])
{
	const long double pi = 3.141592653589793238462643383279502884L;
	const long double n = (long double)a->size, scale = sqrtl(0.5L / n);
	const size_t count = (size_t)a->size / 2 + 1;
	xc_complex *const table = (xc_complex *)malloc(count * sizeof *table);
	if (!table)
		return xc_gpu_refuse(why, "out of memory");
	for (size_t k = 0; k < count; k++) {
		const long double angle = pi * (long double)k / (2 * n);
		table[k].re = (XC_REAL)(scale * cosl(angle));
		table[k].im = (XC_REAL)(-scale * sinl(angle));
	}
	*turns = xc_gpu_table(table, count * sizeof *table, why);
	free(table);
	a->turns = (const xc_complex *)*turns;
	a->first = (XC_REAL)sqrtl(1 / n);
	return *turns ? 0 : -1;
}

static int stage_tables(stage_state *t, char why[XC_DEVICE_MESSAGE])
{
	xc_stage_axis *const axes[3] = { &t->s.slices, &t->s.rows, &t->s.cols };
	const int sizes[3] = { t->s.slices.size, t->s.rows.size, t->s.cols.size };
	int rank = 1;
	size_t batch = 1;
	for (int i = 0; i < 3; i++)
		if (axes[i]->size && make_axis(axes[i], &t->turns[i], why))
			return -1;
	if (t->s.rows.size)
		rank = 3;
	else
		batch = (size_t)t->s.rows.count;
	const size_t lines = (size_t)t->s.slices.count * (size_t)t->s.rows.count;
	t->bytes = lines * (size_t)t->s.cols.count * sizeof(XC_REAL);
	t->samples = xc_gpu_memory_of(t->bytes, why);
	t->spectrum = !t->samples ? NULL
	                          : xc_gpu_memory_of(lines * (size_t)(t->s.cols.count / 2 + 1) *
	                                             sizeof(xc_complex), why);
	if (!t->spectrum || xc_cufft_make(&t->fft, rank, sizes + 3 - rank, batch, WIDE, t->back, why))
		return -1;
	t->has_fft = 1;
	return 0;
}

/* All axes, or (`only_rows`) the rows alone. */
static stage_state *stage_new(const xc_gpu_job *job, size_t slices, size_t rows, size_t cols,
                              int only_rows, char why[XC_DEVICE_MESSAGE])
{
	stage_state *const t = (stage_state *)calloc(1, sizeof *t);
	if (!t) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	t->back = job->direction == XC_INVERSE;
	if (slices > INT_MAX / 8 || rows > INT_MAX / 8 || cols > INT_MAX / 8) {
		xc_gpu_refuse(why, "too large for cuFFT");
		stage_finish(t);
		return NULL;
	}
	t->s.slices.count = (int)slices;
	t->s.rows.count = (int)rows;
	t->s.cols.count = t->s.cols.size = (int)cols;
	t->s.slices.size = only_rows ? 0 : (int)slices;
	t->s.rows.size = only_rows ? 0 : (int)rows;
	if (!only_rows) {
		t->s.rows.sine = job->sine_rows;
		t->s.cols.sine = job->sine_cols;
		t->zero = (job->sine_rows && rows == 1) || (job->sine_cols && cols == 1);
	}
	/* The last axis is the one that cuFFT halves. */
	while (!only_rows && t->s.cols.size == 1 && (t->s.rows.size > 1 || t->s.slices.size > 1)) {
		t->s.cols = t->s.rows;
		t->s.rows = t->s.slices;
		t->s.slices.size = t->s.slices.count = 1;
		t->s.slices.sine = 0;
	}
	if (!stage_tables(t, why))
		return t;
	stage_finish(t);
	return NULL;
}

static dim3 grid_for(int cols, int rows, int slices)
{
	const unsigned high = (unsigned)(rows + 7) / 8;
	return dim3((unsigned)(cols + 31) / 32, high > 65535 ? 65535 : high,
	            slices > 65535 ? 65535 : (unsigned)slices);
}

static int stage_enqueue(stage_state *t, const void *in, void *out, cudaStream_t stream,
                         char why[XC_DEVICE_MESSAGE])
{
	const dim3 threads(32, 8);
	const dim3 pairs = grid_for((t->s.cols.count + 1) / 2, t->s.rows.count, t->s.slices.count);
	const dim3 own = grid_for(t->s.cols.count / 2 + 1, own_count(&t->s.rows),
	                          own_count(&t->s.slices));
	if (t->zero)
		return xc_gpu_check_call(cudaMemsetAsync(out, 0, t->bytes, stream), "clear", why);
	if (t->back)
		combine<1><<<own, threads, 0, stream>>>(t->s, in, t->spectrum);
	else
		permute<0><<<pairs, threads, 0, stream>>>(t->s, (const XC_REAL *)in,
		                                          (XC_REAL *)t->samples);
	if (xc_gpu_check_kernel(why) ||
	    xc_cufft_run(t->fft, WIDE, t->back, t->back ? t->spectrum : t->samples,
	                 t->back ? t->samples : t->spectrum, stream, why))
		return -1;
	if (t->back)
		permute<1><<<pairs, threads, 0, stream>>>(t->s, (const XC_REAL *)t->samples,
		                                          (XC_REAL *)out);
	else
		combine<0><<<own, threads, 0, stream>>>(t->s, t->spectrum, out);
	return xc_gpu_check_kernel(why);
}

static void *stages_prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	return stage_new(job, job->in.slices, job->in.rows, job->in.cols, 0, why);
}

static int stages_enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                          char why[XC_DEVICE_MESSAGE])
{
	return stage_enqueue((stage_state *)own, in, out, stream, why);
}

extern const xc_gpu_work XC_T(xc_gpu_stages) = { stages_prepare, stages_enqueue, stage_finish };

/* ---------------------------------------------------------- row-column */

typedef struct rowcol_state {
	stage_state *along, *down;    /* rows, and the columns as rows */
	void *frame, *turned;
	int rows, cols;
} rowcol_state;

static void rowcol_finish(void *own)
{
	rowcol_state *const r = (rowcol_state *)own;
	if (!r)
		return;
	stage_finish(r->along);
	stage_finish(r->down);
	(void)cudaFree(r->frame);
	(void)cudaFree(r->turned);
	free(r);
}

static void *rowcol_prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	rowcol_state *const r = (rowcol_state *)calloc(1, sizeof *r);
	if (!r) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	r->along = stage_new(job, 1, job->in.rows, job->in.cols, 1, why);
	r->down = r->along ? stage_new(job, 1, job->in.cols, job->in.rows, 1, why) : NULL;
	r->frame = r->down ? xc_gpu_memory_of(r->along->bytes, why) : NULL;
	r->turned = r->frame ? xc_gpu_memory_of(r->along->bytes, why) : NULL;
	if (r->turned) {
		r->rows = (int)job->in.rows;
		r->cols = (int)job->in.cols;
		return r;
	}
	rowcol_finish(r);
	return NULL;
}

static int turn(const void *in, void *out, int rows, int cols, cudaStream_t stream,
                char why[XC_DEVICE_MESSAGE])
{
	const unsigned down = (unsigned)(rows + 31) / 32;
	const dim3 grid((unsigned)(cols + 31) / 32, down > 65535 ? 65535 : down);
	transpose<<<grid, dim3(32, 8), 0, stream>>>((const XC_REAL *)in, (XC_REAL *)out, rows, cols);
	return xc_gpu_check_kernel(why);
}

static int rowcol_enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                          char why[XC_DEVICE_MESSAGE])
{
	rowcol_state *const r = (rowcol_state *)own;
	return stage_enqueue(r->along, in, r->frame, stream, why) ||
	                       turn(r->frame, r->turned, r->rows, r->cols, stream, why) ||
	                       stage_enqueue(r->down, r->turned, r->frame, stream, why) ||
	                       turn(r->frame, out, r->cols, r->rows, stream, why)
	               ? -1
	               : 0;
}

extern const xc_gpu_work XC_T(xc_gpu_rowcol) = { rowcol_prepare, rowcol_enqueue, rowcol_finish };
