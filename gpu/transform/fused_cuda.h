/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: the kernels of fused.h and their launches.  Included with XC_REAL_BITS. */
#include "gpu/transform/words.h"
#include "gpu/transform/fused_split.h"
#include "gpu/transform/fused_plan.h"

#include "gpu/transform/works.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* A kernel may be started while the one before it in the stream ends, and waits for it
 * here: what a launch takes is no longer between them. */
static XC_DEVICE void take_turn(void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
	cudaGridDependencySynchronize();
#endif
}

/* 1024 and 512 threads at most, so that registers suffice. */
template <int PER, int BACK>
static __global__ void __launch_bounds__(1024)
	columns_kernel(const __grid_constant__ xc_fused_columns f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	take_turn();
	if (BACK)
		xc_fused_columns_inverse(&f, shared, (int)blockIdx.x, PER);
	else
		xc_fused_columns_forward(&f, shared, (int)blockIdx.x, PER);
}

template <int BACK>
static __global__ void __launch_bounds__(512) rows_kernel(const __grid_constant__ xc_fused_rows f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	take_turn();
	if (BACK)
		xc_fused_rows_inverse(&f, shared, (int)blockIdx.x);
	else
		xc_fused_rows_forward(&f, shared, (int)blockIdx.x);
}

template <int BACK>
static __global__ void __launch_bounds__(256, 4) long_kernel(const __grid_constant__ xc_fused_split f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	take_turn();
	xc_fused_split_long(&f, shared, (int)blockIdx.x, BACK);
}

template <int BACK>
static __global__ void __launch_bounds__(256, 4)
	short_kernel(const __grid_constant__ xc_fused_split f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	take_turn();
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
	int early; /* kernels wait for one another themselves */
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

/* Whether the kernels that would run here were compiled with take_turn(). */
static int can_wait(rows_function rows)
{
	cudaFuncAttributes attributes;
	if (cudaFuncGetAttributes(&attributes, rows) == cudaSuccess)
		return attributes.ptxVersion >= 90 && attributes.binaryVersion >= 90;
	(void)cudaGetLastError();
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
	s->early = can_wait(s->rows);
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

template <typename job_type>
static int launch(const fused_state *s, void (*kernel)(const job_type job), const job_type &job,
                  int blocks, size_t shared, cudaStream_t stream, char why[XC_DEVICE_MESSAGE])
{
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = dim3((unsigned)blocks);
	config.blockDim = dim3((unsigned)job.line.threads);
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	config.attrs = &early;
	config.numAttrs = s->early ? 1 : 0;
	return xc_gpu_check_call(cudaLaunchKernelEx(&config, kernel, job), "start a kernel", why);
}

static int launch_columns(const fused_state *s, const xc_fused_plan *p, cudaStream_t stream,
                          char why[XC_DEVICE_MESSAGE])
{
	int failed = 0;
	if (!p->split)
		return launch(s, s->columns, p->columns, p->column_blocks, p->column_shared, stream, why);
	for (int pass = 0; pass < 2 && !failed; pass++) {
		if (pass == s->back)
			failed = launch(s, s->long_one, p->split_long, p->long_blocks, p->split_shared,
			                stream, why);
		else
			failed = launch(s, s->short_one, p->split_short, p->short_blocks,
			                p->split_shared, stream, why);
	}
	return failed;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const fused_state *const s = (const fused_state *)own;
	xc_fused_plan p = s->plan;
	if (s->stages)
		return stages_work->enqueue(s->stages, in, out, stream, why);
	xc_fused_point(&p, (const XC_REAL *)in, (XC_REAL *)out, s->back);
	if (launch_columns(s, &p, stream, why))
		return -1;
	return launch(s, s->rows, p.rows, p.row_blocks, p.row_shared, stream, why);
}

extern const xc_gpu_work XC_T(xc_gpu_fused) = { prepare, enqueue, finish };
