/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/words.h"
#include "lab/gpu/band/short_block.h"

#include <stdlib.h>

#include "lab/gpu/works.h"

enum { THREADS = 128, HELD = 4 /* blocks of threads that a multiprocessor holds */ };

/* Blocks one below the other by one thread, in frames that keep the device busy for this many
 * rounds. */
enum { HIGH = 2, HIGH_ROUNDS = 3 };

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
		xc_short_blocks(&job, unit, INVERSE, ROUNDS);
}

/* The number of blocks that one thread does, or 0. */
static unsigned choose_high(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const int processors = xc_gpu_attribute(cudaDevAttrMultiProcessorCount, why);
	if (processors < 0)
		return 0;
	return xc_gpu_samples(&job->in) / 64 / THREADS / HELD / (size_t)processors < HIGH_ROUNDS ? 1
	                                                                                         : HIGH;
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const unsigned high = choose_high(job, why);
	short_state *const s = high ? (short_state *)malloc(sizeof *s) : NULL;
	if (!s) {
		if (high)
			xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	s->inverse = job->direction == XC_INVERSE;
	if (!xc_short_set_up(&s->job, job, high))
		return s;
	xc_gpu_refuse(why, "too many blocks");
	free(s);
	return NULL;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const short_state *const s = (const short_state *)own;
	const unsigned grid = (s->job.units + THREADS - 1) / THREADS;
	static void (*const kernels[2][2])(const xc_short_job job) = {
		{blocks<0, 0>, blocks<0, 1>},
		{blocks<1, 0>, blocks<1, 1>},
	};
	xc_short_job job = s->job;
	job.in = (const int16_t *)in;
	job.out = (int16_t *)out;
	kernels[s->inverse][job.rounds != 0]<<<grid, THREADS, 0, stream>>>(job);
	return xc_gpu_check_kernel(why);
}

const xc_gpu_work xc_gpu_short = {prepare, enqueue, free};
