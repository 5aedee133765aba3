/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/transform/words.h"
#include "gpu/transform/short_block.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/transform/works.h"

enum { THREADS = 128 };

typedef struct short_state {
	xc_short_job job;
	int inverse;
} short_state;

template <int INVERSE, int ROUNDS>
static __global__ void __launch_bounds__(THREADS, 4)
	blocks(const __grid_constant__ xc_short_job job)
{
	const ptrdiff_t block = (ptrdiff_t)blockIdx.x * THREADS + threadIdx.x;
	if (block < job.blocks)
		xc_short_block(&job, block, INVERSE, ROUNDS);
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	short_state *const s = (short_state *)calloc(1, sizeof *s);
	if (!s) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	s->inverse = job->direction == XC_INVERSE;
	s->job.in_rows = (ptrdiff_t)job->in.rows;
	s->job.in_cols = (ptrdiff_t)job->in.cols;
	s->job.out_rows = (ptrdiff_t)job->out.rows;
	s->job.out_cols = (ptrdiff_t)job->out.cols;
	s->job.across = (s->job.in_cols + 7) / 8;
	s->job.blocks = s->job.across * ((s->job.in_rows + 7) / 8);
	s->job.vectors = s->job.in_cols % 8 == 0 && s->job.out_cols % 8 == 0;
	s->job.rounds = job->rounds;
	memcpy(s->job.scale, job->scale.f32, sizeof s->job.scale);
	for (int i = 0; i < 64 && s->inverse; i++)
		s->job.step[i] = (int32_t)s->job.scale[i];
	if (s->job.blocks / THREADS < INT_MAX)
		return s;
	xc_gpu_refuse(why, "too many blocks");
	free(s);
	return NULL;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	const short_state *const s = (const short_state *)own;
	const unsigned grid = (unsigned)((s->job.blocks + THREADS - 1) / THREADS);
	static void (*const kernels[2][2])(const xc_short_job job) = {
		{ blocks<0, 0>, blocks<0, 1> },
		{ blocks<1, 0>, blocks<1, 1> },
	};
	xc_short_job job = s->job;
	job.in = (const int16_t *)in;
	job.out = (int16_t *)out;
	kernels[s->inverse][job.rounds != 0]<<<grid, THREADS, 0, stream>>>(job);
	return xc_gpu_check_kernel(why);
}

const xc_gpu_work xc_gpu_short = { prepare, enqueue, free };
