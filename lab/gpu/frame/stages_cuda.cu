/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transforms of whole frames around cuFFT, in three stages or row by row and column by
 * column.  Compiled once with XC_REAL_BITS 32 and once with 64.
 */
#include "lab/gpu/frame/stage_kernels.h"
#include "lab/gpu/frame/stage_plan.h"

#include "lab/gpu/frame/cufft_plan.h"
#include "lab/gpu/works.h"

enum { WIDE = XC_REAL_BITS == 64 };

/* One real FFT with what stands before and after it, and the arrays between. */
typedef struct stage_state {
	xc_stage_plan plan;
	cufftHandle fft;
	int has_fft;
	void *turns[3], *samples, *spectrum;
	size_t bytes; /* of the frame */
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

static int stage_tables(stage_state *t, char why[XC_DEVICE_MESSAGE])
{
	xc_stages *const s = &t->plan.s;
	xc_stage_axis *const axes[3] = {&s->slices, &s->rows, &s->cols};
	for (int i = 0; i < 3; i++) {
		if (!axes[i]->size)
			continue;
		xc_complex *const table = xc_stage_turns(axes[i], t->plan.back);
		if (!table)
			return xc_gpu_refuse(why, "out of memory");
		t->turns[i] = xc_gpu_table(table, (size_t)xc_stage_own_count(axes[i]) * sizeof *table, why);
		free(table);
		if (!t->turns[i])
			return -1;
		axes[i]->turns = (const xc_complex *)t->turns[i];
	}
	return 0;
}

static int stage_fft(stage_state *t, char why[XC_DEVICE_MESSAGE])
{
	const xc_stages *const s = &t->plan.s;
	const int sizes[3] = {s->slices.count, s->rows.count, s->cols.count};
	const int rank = t->plan.axes ? 3 : 1;
	t->bytes = t->plan.lines * (size_t)s->cols.count * sizeof(XC_REAL);
	t->samples = xc_gpu_memory_of(t->bytes, why);
	t->spectrum = !t->samples
	                  ? NULL
	                  : xc_gpu_memory_of(t->plan.lines * (size_t)s->width * sizeof(xc_complex),
	                                     why);
	if (!t->spectrum || xc_cufft_make(&t->fft, rank, sizes + 3 - rank,
	                                  t->plan.axes ? 1 : t->plan.lines, WIDE, t->plan.back, why))
		return -1;
	t->has_fft = 1;
	return 0;
}

static stage_state *stage_new(const xc_gpu_job *job, const xc_transform_size *size, int only_rows,
                              char why[XC_DEVICE_MESSAGE])
{
	stage_state *const t = (stage_state *)calloc(1, sizeof *t);
	if (!t) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	if (xc_stage_plan_make(&t->plan, job, size, only_rows))
		xc_gpu_refuse(why, "too large for cuFFT");
	else if (!stage_tables(t, why) && !stage_fft(t, why))
		return t;
	stage_finish(t);
	return NULL;
}

static unsigned blocks_for(const xc_stage_work *w, int each)
{
	return (w->count - 1) / (unsigned)(STAGE_THREADS * each) + 1;
}

typedef void (*combine_function)(const xc_stages s, const xc_stage_work w, const void *in,
                                 void *out);
typedef void (*permute_function)(const xc_stages s, const xc_stage_work w, const XC_REAL *in,
                                 XC_REAL *out);

static int run_combine(const xc_stage_plan *p, const void *in, void *out, cudaStream_t stream,
                       char why[XC_DEVICE_MESSAGE])
{
	static const combine_function functions[2][3] = {
		{combine<0, 0>, combine<0, 1>, combine<0, 2>},
		{combine<1, 0>, combine<1, 1>, combine<1, 2>},
	};
	functions[p->back][p->axes]<<<blocks_for(&p->own, stage_values(p->axes)), STAGE_THREADS, 0,
	                              stream>>>(p->s, p->own, in, out);
	return xc_gpu_check_kernel(why);
}

static int run_permute(const xc_stage_plan *p, const void *in, void *out, cudaStream_t stream,
                       char why[XC_DEVICE_MESSAGE])
{
	static const permute_function functions[2][2] = {
		{permute<0, 0>, permute<0, 1>},
		{permute<1, 0>, permute<1, 1>},
	};
	functions[p->back][p->aligned]<<<blocks_for(&p->runs, STAGE_RUNS), STAGE_THREADS, 0,
	                                 stream>>>(p->s, p->runs, (const XC_REAL *)in, (XC_REAL *)out);
	return xc_gpu_check_kernel(why);
}

static int stage_enqueue(stage_state *t, const void *in, void *out, cudaStream_t stream,
                         char why[XC_DEVICE_MESSAGE])
{
	const xc_stage_plan *const p = &t->plan;
	void *const first = p->back ? t->spectrum : t->samples;
	void *const second = p->back ? t->samples : t->spectrum;
	if (p->zero)
		return xc_gpu_check_call(cudaMemsetAsync(out, 0, t->bytes, stream), "clear", why);
	return (p->back ? run_combine : run_permute)(p, in, first, stream, why) ||
	               xc_cufft_run(t->fft, WIDE, p->back, first, second, stream, why) ||
	               (p->back ? run_permute : run_combine)(p, second, out, stream, why)
	           ? -1
	           : 0;
}

static void *stages_prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	return stage_new(job, &job->in, 0, why);
}

static int stages_enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                          char why[XC_DEVICE_MESSAGE])
{
	return stage_enqueue((stage_state *)own, in, out, stream, why);
}

extern const xc_gpu_work XC_T(xc_gpu_stages) = {stages_prepare, stages_enqueue, stage_finish};

/* ---------------------------------------------------------- row-column */

typedef struct rowcol_state {
	stage_state *along, *down; /* rows, and the columns as rows */
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
	const xc_transform_size along = {1, job->in.rows, job->in.cols};
	const xc_transform_size down = {1, job->in.cols, job->in.rows};
	r->along = stage_new(job, &along, 1, why);
	r->down = r->along ? stage_new(job, &down, 1, why) : NULL;
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

extern const xc_gpu_work XC_T(xc_gpu_rowcol) = {rowcol_prepare, rowcol_enqueue, rowcol_finish};
