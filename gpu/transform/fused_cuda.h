/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: the kernels of fused.h and their launches.  Included with XC_REAL_BITS. */
#include "gpu/transform/words.h"
#include "gpu/transform/fused.h"
#include "gpu/transform/fused_plan.h"

#include "gpu/transform/works.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* `THREADS` at most, so that registers suffice. */
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
static __global__ void __launch_bounds__(512) rows_kernel(const __grid_constant__ xc_fused_rows f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	if (BACK)
		xc_fused_rows_inverse(&f, shared, (int)blockIdx.x);
	else
		xc_fused_rows_forward(&f, shared, (int)blockIdx.x);
}

typedef void (*columns_function)(const xc_fused_columns f);
typedef void (*rows_function)(const xc_fused_rows f);

/* Other sizes go through the three stages, whose plan takes this one's place. */
typedef struct fused_state {
	xc_fused_plan plan;
	columns_function columns;
	rows_function rows;
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
	s->columns = columns[s->plan.per - 1][job->direction];
	s->rows = rows[job->direction];
	if (allow_shared((const void *)s->columns, s->plan.column_shared, why) ||
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

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const fused_state *const s = (const fused_state *)own;
	const xc_fused_plan *const p = &s->plan;
	xc_fused_columns columns = p->columns;
	xc_fused_rows rows = p->rows;
	if (s->stages)
		return stages_work->enqueue(s->stages, in, out, stream, why);
	columns.in = (const XC_REAL *)in;
	rows.in = columns.out = rows.out = (XC_REAL *)out;
	s->columns<<<p->column_blocks, columns.line.threads, p->column_shared, stream>>>(columns);
	if (xc_gpu_check_kernel(why))
		return -1;
	s->rows<<<p->row_blocks, rows.line.threads, p->row_shared, stream>>>(rows);
	return xc_gpu_check_kernel(why);
}

extern const xc_gpu_work XC_T(xc_gpu_fused) = { prepare, enqueue, finish };
