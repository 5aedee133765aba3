/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of fused.h, fused_split.h and mixed.h.  Compiled once with XC_REAL_BITS 32 and
 * once with 64. */
#include "lab/gpu/words.h"
#include "lab/gpu/fused/fused_split.h"
#include "lab/gpu/fused/mixed.h"
#include "lab/gpu/fused/fused_plan.h"

#include "lab/gpu/works.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Registers a thread is to get along with, so that as many blocks as possible run side by
 * side: points take 64, or 32. */
constexpr int registers_of(int points)
{
	return points * (int)sizeof(xc_complex) > 128 ? 128 : 80;
}

constexpr int blocks_of(int threads, int registers)
{
	const int most = 65536 / registers / threads;
	return most > 16 ? 16 : most ? most : 1;
}

constexpr int column_threads(int log)
{
	return 1 << (log - xc_line_ends(log) - 1 + xc_fused_across(log));
}

constexpr int row_threads(int log)
{
	const int threads = 1 << (log - xc_line_ends(log) - 1);
	return threads > XC_FUSED_ROW_THREADS ? threads : XC_FUSED_ROW_THREADS;
}

template <int LOG, int BACK>
static __global__ void __launch_bounds__(column_threads(LOG),
                                         blocks_of(column_threads(LOG),
                                                   registers_of(2 << xc_line_ends(LOG))))
	columns_kernel(const __grid_constant__ xc_fused_columns f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	if (BACK)
		xc_fused_columns_inverse(&f, shared, (int)blockIdx.x, LOG);
	else
		xc_fused_columns_forward(&f, shared, (int)blockIdx.x, LOG);
}

template <int LOG, int BACK>
static __global__ void __launch_bounds__(row_threads(LOG),
                                         blocks_of(row_threads(LOG),
                                                   registers_of(2 << xc_line_ends(LOG))))
	rows_kernel(const __grid_constant__ xc_fused_rows f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	if (BACK)
		xc_fused_rows_inverse(&f, shared, (int)blockIdx.x, (int)blockDim.x, LOG);
	else
		xc_fused_rows_forward(&f, shared, (int)blockIdx.x, (int)blockDim.x, LOG);
}

/* Blocks of threads take their work in the order in which they begin, whatever their
 * numbers: those that wait are waiting for some that run and that wait for nothing. */
template <int LOG, int BACK>
static __global__ void __launch_bounds__(XC_SPLIT_THREADS,
                                         blocks_of(XC_SPLIT_THREADS, registers_of(16)))
	split_kernel(const __grid_constant__ xc_fused_split f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	__shared__ unsigned ticket;
	if (threadIdx.x == 0)
		ticket = atomicAdd(f.done + f.strips, 1);
	__syncthreads();
	const xc_split_work work = xc_split_work_of(&f, (int)ticket, LOG);
	volatile unsigned *const done = f.done + work.strip;
	if (work.second) {
		if (threadIdx.x == 0)
			while (*done >> xc_split_blocks(LOG) == 0)
				;
		__threadfence();
		__syncthreads();
	}
	xc_fused_split_block(&f, &work, shared, LOG, BACK);
	if (!work.second) {
		__threadfence();
		__syncthreads();
		if (threadIdx.x == 0)
			atomicAdd(f.done + work.strip, 1);
	}
}

template <int BACK>
static __global__ void __launch_bounds__(XC_MIXED_THREADS)
	mixed_columns_kernel(const __grid_constant__ xc_mixed_columns f)
{
	xc_mixed_columns_block(&f, (xc_complex *)(void *)dynamic_shared, (int)blockIdx.x,
	                       (int)blockDim.x, BACK);
}

template <int BACK>
static __global__ void __launch_bounds__(XC_MIXED_THREADS)
	mixed_rows_kernel(const __grid_constant__ xc_mixed_rows f)
{
	xc_mixed_rows_block(&f, (xc_complex *)(void *)dynamic_shared, (int)blockIdx.x, (int)blockDim.x,
	                    BACK);
}

typedef void (*split_function)(const xc_fused_split f);
typedef void (*columns_function)(const xc_fused_columns f);
typedef void (*rows_function)(const xc_fused_rows f);
typedef void (*mixed_columns_function)(const xc_mixed_columns f);
typedef void (*mixed_rows_function)(const xc_mixed_rows f);

#define BOTH(kernel, log) \
	{ \
		kernel<log, 0>, kernel<log, 1> \
	}

static columns_function columns_of(int log, int back)
{
	static const columns_function functions[][2] = {
		BOTH(columns_kernel, 8),
		BOTH(columns_kernel, 9),
		BOTH(columns_kernel, 10),
		BOTH(columns_kernel, 11),
	};
	return functions[log - XC_FUSED_LEAST][back];
}

static rows_function rows_of(int log, int back)
{
	static const rows_function functions[][2] = {
		BOTH(rows_kernel, 7),  BOTH(rows_kernel, 8),  BOTH(rows_kernel, 9),
		BOTH(rows_kernel, 10), BOTH(rows_kernel, 11), BOTH(rows_kernel, 12),
	};
	return functions[log - XC_LINE_LEAST][back];
}

static split_function split_of(int log, int back)
{
	static const split_function functions[][2] = {
		BOTH(split_kernel, 12),
		BOTH(split_kernel, 13),
	};
	return functions[log - XC_SPLIT_LEAST][back];
}

/* Other sizes go through the three stages, whose plan takes this one's place. */
typedef struct fused_state {
	xc_fused_plan plan;
	columns_function columns;
	split_function split;
	rows_function rows;
	mixed_columns_function mixed_columns;
	mixed_rows_function mixed_rows;
	void *table, *done, *stages;
} fused_state;

static const xc_gpu_work *const stages_work = &XC_T(xc_gpu_stages);

static void finish(void *own)
{
	fused_state *const s = (fused_state *)own;
	if (!s)
		return;
	(void)cudaFree(s->table);
	(void)cudaFree(s->done);
	if (s->stages)
		stages_work->finish(s->stages);
	free(s);
}

static int make_table(fused_state *s, const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const size_t bytes = s->plan.table * sizeof(xc_complex);
	xc_complex *const table = (xc_complex *)malloc(bytes);
	if (!table)
		return xc_gpu_refuse(why, "out of memory");
	xc_fused_table(&s->plan, table);
	s->table = xc_gpu_table(table, bytes, why);
	free(table);
	if (!s->table)
		return -1;
	xc_fused_attach(&s->plan, (const xc_complex *)s->table, job->sine_cols, job->sine_rows);
	return 0;
}

/* A number for each strip, and the next block's. */
static size_t done_bytes(const xc_fused_plan *p)
{
	return sizeof(unsigned) * ((size_t)p->split_columns.strips + 1);
}

static int choose_columns(fused_state *s, int back, char why[XC_DEVICE_MESSAGE])
{
	xc_fused_plan *const p = &s->plan;
	if (p->column_launch.blocks) {
		s->mixed_columns = back ? mixed_columns_kernel<1> : mixed_columns_kernel<0>;
		return xc_gpu_allow_most((const void *)s->mixed_columns, why);
	}
	if (p->split) {
		s->split = split_of(p->column_log, back);
		s->done = xc_gpu_memory_of(done_bytes(p), why);
		p->split_columns.done = (unsigned *)s->done;
		return s->done ? 0 : -1;
	}
	s->columns = columns_of(p->column_log, back);
	return xc_gpu_allow_most((const void *)s->columns, why);
}

static int choose_rows(fused_state *s, int back, char why[XC_DEVICE_MESSAGE])
{
	if (s->plan.row_launch.blocks) {
		s->mixed_rows = back ? mixed_rows_kernel<1> : mixed_rows_kernel<0>;
		return xc_gpu_allow_most((const void *)s->mixed_rows, why);
	}
	s->rows = rows_of(s->plan.row_log, back);
	return xc_gpu_allow_most((const void *)s->rows, why);
}

static int set_up(fused_state *s, const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const int most = xc_gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, why);
	if (most < 0)
		return -1;
	if (job->in.slices > 1 || xc_fused_make(&s->plan, job->in.rows, job->in.cols, (size_t)most) ||
	    xc_mixed_few(&s->plan.mixed_columns, &s->plan.column_launch)) {
		s->stages = stages_work->prepare(job, why);
		return s->stages ? 0 : -1;
	}
	const int back = job->direction == XC_INVERSE;
	if (choose_columns(s, back, why) || choose_rows(s, back, why))
		return -1;
	return make_table(s, job, why);
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	fused_state *const s = (fused_state *)calloc(1, sizeof *s);
	if (!s) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	if (!set_up(s, job, why))
		return s;
	finish(s);
	return NULL;
}

static int enqueue_columns(const fused_state *s, const xc_fused_plan *p, cudaStream_t stream,
                           char why[XC_DEVICE_MESSAGE])
{
	const xc_mixed_launch *const l = &p->column_launch;
	if (l->blocks) {
		s->mixed_columns<<<l->blocks, l->threads, l->shared, stream>>>(p->mixed_columns);
		return xc_gpu_check_kernel(why);
	}
	if (!p->split) {
		s->columns<<<p->column_blocks, p->column_threads, p->column_shared, stream>>>(p->columns);
		return xc_gpu_check_kernel(why);
	}
	if (xc_gpu_check_call(cudaMemsetAsync(s->done, 0, done_bytes(p), stream), "be cleared", why))
		return -1;
	s->split<<<p->split_blocks, XC_SPLIT_THREADS, p->split_shared, stream>>>(p->split_columns);
	return xc_gpu_check_kernel(why);
}

static int enqueue_rows(const fused_state *s, const xc_fused_plan *p, cudaStream_t stream,
                        char why[XC_DEVICE_MESSAGE])
{
	const xc_mixed_launch *const l = &p->row_launch;
	if (l->blocks)
		s->mixed_rows<<<l->blocks, l->threads, l->shared, stream>>>(p->mixed_rows);
	else
		s->rows<<<p->row_blocks, p->row_threads, p->row_shared, stream>>>(p->rows);
	return xc_gpu_check_kernel(why);
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const fused_state *const s = (const fused_state *)own;
	xc_fused_plan p = s->plan;
	if (s->stages)
		return stages_work->enqueue(s->stages, in, out, stream, why);
	xc_fused_point(&p, (const XC_REAL *)in, (XC_REAL *)out);
	return enqueue_columns(s, &p, stream, why) ? -1 : enqueue_rows(s, &p, stream, why);
}

extern const xc_gpu_work XC_T(xc_gpu_fused) = {prepare, enqueue, finish};
