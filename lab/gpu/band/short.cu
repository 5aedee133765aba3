/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/band/short.h"

#include "lab/gpu/work.h"

enum { THREADS = 128, HELD = 4 /* blocks of threads that a multiprocessor holds */ };

typedef struct short_state {
	xc_short_job job;
	int inverse;
} short_state;

template <int INVERSE, int ROUNDS>
static __global__ void __launch_bounds__(THREADS, HELD)
	blocks(const __grid_constant__ xc_short_job job)
{
	const unsigned unit = blockIdx.x * THREADS + threadIdx.x;
	if (unit < job.units)
		xc_short_block(&job, unit, INVERSE, ROUNDS);
}

static int set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	short_state *const s = (short_state *)state;

	s->inverse = job->direction == XCT_INVERSE;
	return xc_short_set_up(&s->job, job) ? xc_lab_refuse(gpu, "too many blocks") : 0;
}

static int enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const short_state *const s = (const short_state *)state;
	const unsigned grid = (s->job.units + THREADS - 1) / THREADS;
	static void (*const kernels[2][2])(const xc_short_job job) = {
		{blocks<0, 0>, blocks<0, 1>},
		{blocks<1, 0>, blocks<1, 1>},
	};
	xc_short_job job = s->job;

	job.in = (const int16_t *)in;
	job.out = (int16_t *)out;
	kernels[s->inverse][job.rounds != 0]<<<grid, THREADS, 0, gpu->stream>>>(job);
	return xc_lab_check_kernel(gpu);
}

const xc_lab_work xc_lab_short = {sizeof(short_state), set_up, enqueue};
