/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: the kernels of fused.h and their launches.  Included with XC_REAL_BITS. */
#include "gpu/transform/words.h"
#include "gpu/transform/fused_split.h"
#include "gpu/transform/fused_plan.h"

#include "gpu/transform/works.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* As many blocks of rows as a multiprocessor is to hold of the forward transform, of 512
 * threads at most; the inverse needs few registers by itself. */
#if XC_REAL_BITS == 64 || (defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800)
enum { ROWS_CTAS = 2 };
#else
enum { ROWS_CTAS = 3 };
#endif

template <int PER, int BACK>
static __global__ void __launch_bounds__(1024)
	columns_kernel(const __grid_constant__ xc_fused_columns f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	if (BACK)
		xc_fused_columns_inverse(&f, shared, (int)blockIdx.x, PER);
	else
		xc_fused_columns_forward(&f, shared, (int)blockIdx.x, PER);
}

template <int BACK>
static __global__ void __launch_bounds__(512, BACK ? 1 : ROWS_CTAS)
	rows_kernel(const __grid_constant__ xc_fused_rows f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	if (BACK)
		xc_fused_rows_inverse(&f, shared, (int)blockIdx.x);
	else
		xc_fused_rows_forward(&f, shared, (int)blockIdx.x);
}

template <int BACK>
static __global__ void __launch_bounds__(256, 4)
	long_kernel(const __grid_constant__ xc_fused_split f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	xc_fused_split_long(&f, shared, (int)blockIdx.x, BACK);
}

template <int BACK>
static __global__ void __launch_bounds__(256, 4)
	short_kernel(const __grid_constant__ xc_fused_split f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	if (BACK)
		xc_fused_split_short_inverse(&f, shared, (int)blockIdx.x);
	else
		xc_fused_split_short_forward(&f, shared, (int)blockIdx.x);
}

typedef void (*split_function)(const xc_fused_split f);
typedef void (*columns_function)(const xc_fused_columns f);
typedef void (*rows_function)(const xc_fused_rows f);

/* Other sizes go through the three stages, whose plan takes this one's place. */
typedef struct fused_state {
	xc_fused_plan plan;
	columns_function columns;
	split_function long_one, short_one;
	rows_function rows;
	int back;
	void *table, *stages;
} fused_state;

static const xc_gpu_work *const stages_work = &XC_T(xc_gpu_stages);

static void finish(void *own)
{
	fused_state *const s = (fused_state *)own;
	if (!s)
		return;
	(void)cudaFree(s->table);
	if (s->stages)
		stages_work->finish(s->stages);
	free(s);
}

static int allow_shared(const void *kernel, size_t bytes, char why[XC_DEVICE_MESSAGE])
{
	return xc_gpu_check_call(cudaFuncSetAttribute(kernel,
	                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
	                                              (int)bytes), "give shared memory", why);
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

static int set_up(fused_state *s, const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	static const columns_function columns[2][2] = {
		{ columns_kernel<1, 0>, columns_kernel<1, 1> },
#if XC_REAL_BITS == 32
		{ columns_kernel<2, 0>, columns_kernel<2, 1> },
#endif
	};
	static const split_function longs[2] = { long_kernel<0>, long_kernel<1> };
	static const split_function shorts[2] = { short_kernel<0>, short_kernel<1> };
	static const rows_function rows[2] = { rows_kernel<0>, rows_kernel<1> };
	int device = 0, most = 0;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	if (xc_gpu_check_call(e, "be described", why))
		return -1;
	if (job->in.slices > 1 ||
	    xc_fused_make(&s->plan, job->in.rows, job->in.cols, (size_t)most)) {
		s->stages = stages_work->prepare(job, why);
		return s->stages ? 0 : -1;
	}
	s->back = job->direction == XC_INVERSE;
	s->columns = s->plan.split ? NULL : columns[s->plan.per - 1][s->back];
	s->long_one = longs[s->back];
	s->short_one = shorts[s->back];
	s->rows = rows[s->back];
	if ((s->columns && allow_shared((const void *)s->columns, s->plan.column_shared, why)) ||
	    allow_shared((const void *)s->rows, s->plan.row_shared, why))
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

/* One of the two passes of columns that are split. */
static int split_pass(const fused_state *s, const xc_fused_plan *p, int is_long,
                      cudaStream_t stream, char why[XC_DEVICE_MESSAGE])
{
	const split_function kernel = is_long ? s->long_one : s->short_one;
	const xc_fused_split *const split = is_long ? &p->split_long : &p->split_short;
	const int blocks = is_long ? p->long_blocks : p->short_blocks;
	kernel<<<blocks, split->line.threads, p->split_shared, stream>>>(*split);
	return xc_gpu_check_kernel(why);
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const fused_state *const s = (const fused_state *)own;
	xc_fused_plan p = s->plan;
	if (s->stages)
		return stages_work->enqueue(s->stages, in, out, stream, why);
	xc_fused_point(&p, (const XC_REAL *)in, (XC_REAL *)out, s->back);
	if (p.split) {
		if (split_pass(s, &p, !s->back, stream, why) ||
		    split_pass(s, &p, s->back, stream, why))
			return -1;
	} else {
		s->columns<<<p.column_blocks, p.columns.line.threads, p.column_shared, stream>>>(
			p.columns);
		if (xc_gpu_check_kernel(why))
			return -1;
	}
	s->rows<<<p.row_blocks, p.rows.line.threads, p.row_shared, stream>>>(p.rows);
	return xc_gpu_check_kernel(why);
}

extern const xc_gpu_work XC_T(xc_gpu_fused) = { prepare, enqueue, finish };
