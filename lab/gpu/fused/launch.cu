/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of power.h and mixed.h.  Compiled once with XC_REAL_BITS 32 and once
 * with 64. */
#include "lab/gpu/fused/plan.h"

#include "lab/gpu/work.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* The registers that a thread may use, so that as many blocks as possible run side by side.  Its
 * points take 64 of them, or 32. */
constexpr int registers_of(int points)
{
	return points * (int)sizeof(xc_complex) > 128 ? 128 : 80;
}

constexpr int blocks_of(int threads, int registers)
{
	const int max = 65536 / registers / threads;
	return max > 16 ? 16 : max ? max : 1;
}

constexpr int power_threads(int log, int down)
{
	const int threads = 1 << (log - xc_line_ends(log) - 1);

	if (down)
		return threads << xc_fused_across(log);
	return threads > XC_FUSED_ROW_THREADS ? threads : XC_FUSED_ROW_THREADS;
}

template <int LOG, int DOWN, int BACK>
static __global__ void __launch_bounds__(power_threads(LOG, DOWN),
                                         blocks_of(power_threads(LOG, DOWN),
                                                   registers_of(2 << xc_line_ends(LOG))))
	power_kernel(const __grid_constant__ xc_fused_axis f)
{
	xc_power_block(&f, (xc_complex *)(void *)dynamic_shared, (int)blockIdx.x, (int)blockDim.x, LOG,
	               DOWN, BACK);
}

/* Columns and rows of a small frame in one cooperative launch, which takes longer than either.  Every
 * block adds to `count`, those of the rows before they wait for the columns: all of them add 2^31, so its
 * highest bit changes with each launch and nothing need be cleared. */
typedef struct small_frame {
	xc_fused_axis columns, rows;
	int column_blocks, row_threads;
	unsigned *count;
} small_frame;

/* Returns what was there; what the block wrote before is seen by those who see the sum. */
static __device__ __forceinline__ unsigned arrive(const small_frame *f)
{
	const unsigned add = blockIdx.x ? 1 : 0x80000000u - (gridDim.x - 1);
	unsigned old;

	asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;"
	             : "=r"(old)
	             : "l"(f->count), "r"(add)
	             : "memory");
	return old;
}

static __device__ __forceinline__ void wait_for_columns(const small_frame *f)
{
	const unsigned before = arrive(f);
	unsigned now;

	do
		asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(f->count) : "memory");
	while ((now ^ before) >> 31 == 0);
}

template <int COLUMNS, int ROWS, int BACK>
static __global__ void __launch_bounds__(power_threads(COLUMNS, 1))
	small_kernel(const __grid_constant__ small_frame f)
{
	xc_complex *const shared = (xc_complex *)(void *)dynamic_shared;
	const int row_block = (int)blockIdx.x - f.column_blocks;

	if (row_block < 0) {
		xc_power_block(&f.columns, shared, (int)blockIdx.x, (int)blockDim.x, COLUMNS, 1, BACK);
		__syncthreads();
		if (threadIdx.x == 0)
			arrive(&f);
		return;
	}
	if (threadIdx.x == 0)
		wait_for_columns(&f);
	__syncthreads();
	/* A row's threads are in one warp, and no warp waits for another one. */
	if ((int)threadIdx.x < f.row_threads)
		xc_power_block(&f.rows, shared, row_block, f.row_threads, ROWS, 0, BACK);
}

template <int DOWN, int BACK>
static __global__ void __launch_bounds__(XC_MIXED_THREADS)
	mixed_kernel(const __grid_constant__ xc_mixed_axis f)
{
	xc_mixed_block(&f, (xc_complex *)(void *)dynamic_shared, (int)blockIdx.x, (int)blockDim.x, DOWN,
	               BACK);
}

#define BOTH(name, ...) \
	{ \
		(const void *)name<__VA_ARGS__, 0>, (const void *)name<__VA_ARGS__, 1> \
	}

static const void *kernel_of(const xc_axis_plan *a, int back)
{
	static const void *const columns[][2] = {
		BOTH(power_kernel, 8, 1),  BOTH(power_kernel, 9, 1),  BOTH(power_kernel, 10, 1),
		BOTH(power_kernel, 11, 1), BOTH(power_kernel, 12, 1),
	};
	static const void *const rows[][2] = {
		BOTH(power_kernel, 7, 0),  BOTH(power_kernel, 8, 0),  BOTH(power_kernel, 9, 0),
		BOTH(power_kernel, 10, 0), BOTH(power_kernel, 11, 0), BOTH(power_kernel, 12, 0),
	};
	static const void *const mixed[][2] = {BOTH(mixed_kernel, 0), BOTH(mixed_kernel, 1)};

	if (a->engine == XC_AXIS_MIXED)
		return mixed[a->down][back];
	return a->down ? columns[a->log - XC_FUSED_MIN][back] : rows[a->log - XC_LINE_MIN][back];
}

/* For 256 and 512 rows by 256 and 512 columns; NULL for others. */
static const void *small_of(const xc_fused_plan *p, int back)
{
	static const void *const kernels[2][2][2] = {
		{BOTH(small_kernel, 8, 7), BOTH(small_kernel, 8, 8)},
		{BOTH(small_kernel, 9, 7), BOTH(small_kernel, 9, 8)},
	};
	const int columns = p->columns.log - 8, rows = p->rows.log - 7;

	if (p->columns.engine != XC_AXIS_POWER || p->rows.engine != XC_AXIS_POWER || columns < 0 ||
	    columns > 1 || rows > 1 || p->rows.threads > p->columns.threads)
		return NULL;
	return kernels[columns][rows][back];
}

typedef struct axis_state {
	xc_axis_plan plan;
	const void *kernel;
} axis_state;

typedef struct fused_state {
	axis_state axes[2]; /* columns and rows, in the order of their kernels */
	const void *small;  /* both axes in one kernel, or NULL */
	small_frame frame;
	int blocks;
	size_t shared;
} fused_state;

static int set_up_axis(axis_state *s, const xc_axis_plan *plan, int back, int sine, xc_lab_gpu *gpu)
{
	const size_t bytes = plan->table * sizeof(xc_complex);
	xc_complex *const table = (xc_complex *)malloc(bytes);

	if (!table)
		return xc_lab_refuse(gpu, "out of memory");
	xc_axis_table(plan, table);
	const xc_complex *const device_table = (const xc_complex *)xc_lab_table(gpu, table, bytes);
	free(table);
	if (!device_table)
		return -1;
	s->plan = *plan;
	s->kernel = kernel_of(plan, back);
	xc_axis_attach(&s->plan, device_table, sine);
	return xc_lab_allow_max(gpu, s->kernel);
}

/* Whether all blocks run at the same time. */
static int small_fits(const void *kernel, int blocks, int threads, size_t shared, xc_lab_gpu *gpu)
{
	int each = 0;
	const int able = xc_lab_attribute(gpu, cudaDevAttrCooperativeLaunch);
	const int processors = xc_lab_attribute(gpu, cudaDevAttrMultiProcessorCount);

	if (able < 0 || processors < 0 ||
	    xc_lab_check(gpu,
	                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared),
	                 "be described"))
		return -1;
	return able && each * processors >= blocks;
}

static int set_up_small(fused_state *s, const void *kernel, xc_lab_gpu *gpu)
{
	const xc_axis_plan *const columns = &s->axes[0].plan, *const rows = &s->axes[1].plan;
	const unsigned zero = 0;

	if (!kernel)
		return 0;
	s->blocks = columns->blocks + rows->blocks;
	s->shared = columns->shared > rows->shared ? columns->shared : rows->shared;
	if (xc_lab_allow_max(gpu, kernel))
		return -1;
	const int fits = small_fits(kernel, s->blocks, columns->threads, s->shared, gpu);
	if (fits <= 0)
		return fits;
	const small_frame f = {columns->job.axis, rows->job.axis, columns->blocks, rows->threads,
	                       (unsigned *)xc_lab_table(gpu, &zero, sizeof zero)};
	s->small = kernel;
	s->frame = f;
	return f.count ? 0 : -1;
}

static int set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	fused_state *const s = (fused_state *)state;
	const int back = job->direction == XCT_INVERSE;
	const int max = xc_lab_attribute(gpu, cudaDevAttrMaxSharedMemoryPerBlockOptin);
	xc_fused_plan plan;

	if (max < 0)
		return -1;
	if (job->in.slices > 1 || xc_fused_make(&plan, job->in.rows, job->in.cols, (size_t)max) ||
	    xc_mixed_few(&plan.columns))
		return XC_LAB_OTHER_SIZE;
	if (set_up_axis(&s->axes[0], &plan.columns, back, job->sine_rows, gpu))
		return -1;
	if (set_up_axis(&s->axes[1], &plan.rows, back, job->sine_cols, gpu))
		return -1;
	return set_up_small(s, small_of(&plan, back), gpu);
}

static int enqueue_small(const fused_state *s, const void *in, void *out, xc_lab_gpu *gpu)
{
	small_frame f = s->frame;
	void *arguments[] = {&f};

	f.columns.in = (const XC_REAL *)in;
	f.rows.in = f.columns.out = f.rows.out = (XC_REAL *)out;
	return xc_lab_check(gpu,
	                    cudaLaunchCooperativeKernel(s->small, dim3((unsigned)s->blocks),
	                                                dim3((unsigned)s->axes[0].plan.threads),
	                                                arguments, s->shared, gpu->stream),
	                    "start a kernel");
}

static int enqueue_axis(const axis_state *s, const void *in, void *out, xc_lab_gpu *gpu)
{
	const xc_axis_plan *const p = &s->plan;
	auto job = p->job;
	void *arguments[] = {&job};

	job.axis.in = (const XC_REAL *)in;
	job.axis.out = (XC_REAL *)out;
	return xc_lab_check(gpu,
	                    cudaLaunchKernel(s->kernel, dim3((unsigned)p->blocks),
	                                     dim3((unsigned)p->threads), arguments, p->shared,
	                                     gpu->stream),
	                    "start a kernel");
}

static int enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const fused_state *const s = (const fused_state *)state;
	cudaStreamCaptureStatus recorded = cudaStreamCaptureStatusNone;

	/* In a graph two launches cost less than the wait in between. */
	if (s->small && xc_lab_check(gpu, cudaStreamIsCapturing(gpu->stream, &recorded), "be asked"))
		return -1;
	if (s->small && recorded == cudaStreamCaptureStatusNone)
		return enqueue_small(s, in, out, gpu);
	const int failed = enqueue_axis(&s->axes[0], in, out, gpu);
	return failed ? failed : enqueue_axis(&s->axes[1], out, out, gpu);
}

/* Other sizes go through the three stages. */
extern const xc_lab_work XC_T(xc_lab_fused) = {sizeof(fused_state), set_up, enqueue, NULL,
                                               &XC_T(xc_lab_stages)};
