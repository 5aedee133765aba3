/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transforms of whole frames around cuFFT, in three stages or row by row and column by
 * column.  Compiled once with XC_REAL_BITS 32 and once with 64.
 */
#include "lab/gpu/frame/stages.h"

#include "lab/gpu/frame/frame.h"

/* STAGE_BYTES: the bytes that a thread has on their way at once. */
enum { STAGE_THREADS = 256, STAGE_BYTES = 32, STAGE_RUNS = STAGE_BYTES / 16 };

/* The number of the i-th of a thread's `count` units of work. */
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

template <int SCATTER, int BACK>
static __global__ void __launch_bounds__(STAGE_THREADS)
	move(const __grid_constant__ xc_stages s, const __grid_constant__ xc_stage_work w,
         const XC_REAL *in, XC_REAL *out)
{
	xc_stage_move(&s, &w, work_number(0, 1), in, out, SCATTER, BACK);
}

template <int BACK>
static __global__ void __launch_bounds__(STAGE_THREADS)
	alone(const __grid_constant__ xc_stages s, const __grid_constant__ xc_stage_work own,
          const __grid_constant__ xc_stage_work w, const void *in, void *out)
{
	xc_stage_alone(&s, &own, &w, work_number(0, 1), in, out, BACK);
}

/* Rows become columns. */
static __global__ void transpose(const XC_REAL *in, XC_REAL *out, int rows, int cols)
{
	__shared__ XC_REAL square[32][33];
	const int left = (int)blockIdx.x * 32, x = (int)threadIdx.x, y = (int)threadIdx.y;

	for (int top = (int)blockIdx.y * 32; top < rows; top += (int)gridDim.y * 32) {
		XC_UNROLL
		for (int i = y; i < y + 32; i += 8)
			if (left + x < cols && top + i < rows)
				square[i][x] = in[(size_t)(top + i) * (size_t)cols + (size_t)(left + x)];
		__syncthreads();
		XC_UNROLL
		for (int i = y; i < y + 32; i += 8)
			if (left + i < cols && top + x < rows)
				out[(size_t)(left + i) * (size_t)rows + (size_t)(top + x)] = square[x][i];
		__syncthreads();
	}
}

/* One real FFT with the stages before and after it, and the arrays between. */
typedef struct stage_state {
	xc_stage_plan plan;
	xc_cufft fft;
	void *samples, *spectrum;
	size_t bytes; /* of the frame */
} stage_state;

static void stage_close(void *state)
{
	xc_cufft_close(&((stage_state *)state)->fft);
}

static int stage_tables(stage_state *t, xc_lab_gpu *gpu)
{
	xc_stages *const s = &t->plan.s;
	xc_stage_axis *const axes[3] = {&s->slices, &s->rows, &s->cols};

	for (int i = 0; i < 3; i++) {
		if (!axes[i]->size)
			continue;
		xc_complex *const table = xc_stage_turns(axes[i], t->plan.back);
		if (!table)
			return xc_lab_refuse(gpu, "out of memory");
		axes[i]->turns = (const xc_complex *)xc_lab_table(gpu, table,
		                                                  (size_t)xc_stage_own_count(axes[i]) *
		                                                      sizeof *table);
		free(table);
		if (!axes[i]->turns)
			return -1;
	}
	return 0;
}

static int stage_fft(stage_state *t, xc_lab_gpu *gpu)
{
	const xc_stages *const s = &t->plan.s;
	const int sizes[3] = {s->slices.count, s->rows.count, s->cols.count};
	const int rank = t->plan.axes ? 3 : 1;

	t->bytes = t->plan.lines * (size_t)s->cols.count * sizeof(XC_REAL);
	t->samples = xc_lab_memory(gpu, t->bytes);
	if (t->samples)
		t->spectrum = xc_lab_memory(gpu, t->plan.lines * (size_t)s->width * sizeof(xc_complex));
	t->fft.wide = XC_REAL_BITS == 64;
	t->fft.back = t->plan.back;
	if (!t->spectrum)
		return -1;
	return xc_cufft_make(&t->fft, rank, sizes + 3 - rank, t->plan.axes ? 1 : t->plan.lines, 1, gpu);
}

static int stage_set_up(stage_state *t, const xc_lab_job *job, const xc_transform_size *size,
                        int only_rows, xc_lab_gpu *gpu)
{
	if (xc_stage_plan_make(&t->plan, job, size, only_rows))
		return xc_lab_refuse(gpu, "too large for cuFFT");
	return stage_tables(t, gpu) || stage_fft(t, gpu) ? -1 : 0;
}

static unsigned blocks_for(const xc_stage_work *w, int each)
{
	return (w->count - 1) / (unsigned)(STAGE_THREADS * each) + 1;
}

typedef void (*combine_function)(const xc_stages s, const xc_stage_work w, const void *in,
                                 void *out);
typedef void (*permute_function)(const xc_stages s, const xc_stage_work w, const XC_REAL *in,
                                 XC_REAL *out);

static int run_combine(const xc_stage_plan *p, const void *in, void *out, xc_lab_gpu *gpu)
{
	static const combine_function functions[2][3] = {
		{combine<0, 0>, combine<0, 1>, combine<0, 2>},
		{combine<1, 0>, combine<1, 1>, combine<1, 2>},
	};
	const auto one = p->back ? alone<1> : alone<0>;

	if (p->way == XC_STAGE_NAIVE)
		one<<<blocks_for(&p->alone, 1), STAGE_THREADS, 0, gpu->stream>>>(p->s, p->own, p->alone, in,
		                                                                 out);
	else
		functions[p->back][p->axes]<<<blocks_for(&p->own, stage_values(p->axes)), STAGE_THREADS, 0,
		                              gpu->stream>>>(p->s, p->own, in, out);
	return xc_lab_check_kernel(gpu);
}

static int run_permute(const xc_stage_plan *p, const void *in, void *out, xc_lab_gpu *gpu)
{
	static const permute_function functions[2][2] = {
		{permute<0, 0>, permute<0, 1>},
		{permute<1, 0>, permute<1, 1>},
	};
	static const permute_function plain[2][2] = {
		{move<0, 0>, move<0, 1>},
		{move<1, 0>, move<1, 1>},
	};
	const int one = p->way == XC_STAGE_GATHER || p->way == XC_STAGE_SCATTER;
	const permute_function function = one ? plain[p->way == XC_STAGE_SCATTER][p->back]
	                                      : functions[p->back][p->aligned];
	const xc_stage_work *const work = one ? &p->samples : &p->runs;

	function<<<blocks_for(work, one ? 1 : STAGE_RUNS), STAGE_THREADS, 0,
	           gpu->stream>>>(p->s, *work, (const XC_REAL *)in, (XC_REAL *)out);
	return xc_lab_check_kernel(gpu);
}

static int stage_enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const stage_state *const t = (const stage_state *)state;
	const xc_stage_plan *const p = &t->plan;
	void *const first = p->back ? t->spectrum : t->samples;
	void *const second = p->back ? t->samples : t->spectrum;

	if (p->zero)
		return xc_lab_check(gpu, cudaMemsetAsync(out, 0, t->bytes, gpu->stream), "clear");
	const int failed = (xc_lab_stage(gpu, 0) &&
	                    (p->back ? run_combine : run_permute)(p, in, first, gpu)) ||
	                   (xc_lab_stage(gpu, 1) && xc_cufft_run(&t->fft, first, second, gpu)) ||
	                   (xc_lab_stage(gpu, 2) &&
	                    (p->back ? run_permute : run_combine)(p, second, out, gpu));
	return failed ? -1 : 0;
}

static int stages_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	return stage_set_up((stage_state *)state, job, &job->in, 0, gpu);
}

extern const xc_lab_work XC_T(xc_lab_stages) = {sizeof(stage_state), stages_set_up, stage_enqueue,
                                                stage_close,         NULL,          1};

typedef struct rowcol_state {
	stage_state along, down; /* rows, and the columns as rows */
	void *frame, *turned;
	int rows, cols;
} rowcol_state;

static int rowcol_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	rowcol_state *const r = (rowcol_state *)state;
	const xc_transform_size along = {1, job->in.rows, job->in.cols};
	const xc_transform_size down = {1, job->in.cols, job->in.rows};

	r->rows = (int)job->in.rows;
	r->cols = (int)job->in.cols;
	if (stage_set_up(&r->along, job, &along, 1, gpu) || stage_set_up(&r->down, job, &down, 1, gpu))
		return -1;
	r->frame = xc_lab_memory(gpu, r->along.bytes);
	r->turned = r->frame ? xc_lab_memory(gpu, r->along.bytes) : NULL;
	return r->turned ? 0 : -1;
}

static int turn(const void *in, void *out, int rows, int cols, xc_lab_gpu *gpu)
{
	const unsigned down = (unsigned)(rows + 31) / 32;
	const dim3 grid((unsigned)(cols + 31) / 32, down > 65535 ? 65535 : down);

	transpose<<<grid, dim3(32, 8), 0, gpu->stream>>>((const XC_REAL *)in, (XC_REAL *)out, rows,
	                                                 cols);
	return xc_lab_check_kernel(gpu);
}

static int rowcol_enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	rowcol_state *const r = (rowcol_state *)state;
	const int failed = stage_enqueue(&r->along, in, r->frame, gpu) ||
	                   turn(r->frame, r->turned, r->rows, r->cols, gpu) ||
	                   stage_enqueue(&r->down, r->turned, r->frame, gpu) ||
	                   turn(r->frame, out, r->cols, r->rows, gpu);

	return failed ? -1 : 0;
}

static void rowcol_close(void *state)
{
	rowcol_state *const r = (rowcol_state *)state;
	stage_close(&r->along);
	stage_close(&r->down);
}

extern const xc_lab_work XC_T(xc_lab_rowcol) = {sizeof(rowcol_state), rowcol_set_up, rowcol_enqueue,
                                                rowcol_close};
