/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cuFFT's real FFT of all axes alone, to measure others against.  Its spectra change from
 * run to run as the samples do; what is in them means nothing.
 */
#include <limits.h>
#include <stdlib.h>

#include "lab/gpu/frame/cufft_plan.h"
#include "lab/gpu/works.h"

enum { SPECTRA = 32, SPECTRA_BYTES = 256 << 20 };

typedef struct state {
	cufftHandle fft;
	int has_fft, wide, back, count, next;
	void *spectra[SPECTRA];
} state;

static void finish(void *own)
{
	state *const s = (state *)own;
	if (!s)
		return;
	if (s->has_fft)
		(void)cufftDestroy(s->fft);
	for (int i = 0; i < s->count; i++)
		(void)cudaFree(s->spectra[i]);
	free(s);
}

static int set_up(state *s, const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const int sizes[3] = {(int)job->in.slices, (int)job->in.rows, (int)job->in.cols};
	const size_t bytes = 2 * job->in.slices * job->in.rows * (job->in.cols / 2 + 1) *
	                     xc_precision_bytes(job->precision);
	const size_t wanted = SPECTRA_BYTES / bytes + 1;
	if (job->in.slices > INT_MAX / 8 || job->in.rows > INT_MAX / 8 || job->in.cols > INT_MAX / 8)
		return xc_gpu_refuse(why, "too large for cuFFT");
	while (s->count < SPECTRA && (size_t)s->count < wanted) {
		void *const memory = xc_gpu_memory_of(bytes, why);
		if (!memory)
			return -1;
		s->spectra[s->count++] = memory;
		/* Small numbers. */
		if (xc_gpu_check_call(cudaMemset(memory, 0x3c, bytes), "clear", why))
			return -1;
	}
	if (xc_cufft_make(&s->fft, 3, sizes, 1, s->wide, s->back, why))
		return -1;
	s->has_fft = 1;
	return 0;
}

static void *prepare(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	state *const s = (state *)calloc(1, sizeof *s);
	if (!s) {
		xc_gpu_refuse(why, "out of memory");
		return NULL;
	}
	s->wide = job->precision == XC_PRECISION_64;
	s->back = job->direction == XC_INVERSE;
	if (!set_up(s, job, why))
		return s;
	finish(s);
	return NULL;
}

static int enqueue(void *own, const void *in, void *out, cudaStream_t stream,
                   char why[XC_DEVICE_MESSAGE])
{
	state *const s = (state *)own;
	void *const spectrum = s->spectra[s->next];
	s->next = (s->next + 1) % s->count;
	return xc_cufft_run(s->fft, s->wide, s->back, s->back ? spectrum : (void *)in,
	                    s->back ? out : spectrum, stream, why);
}

const xc_gpu_work xc_gpu_real_fft = {prepare, enqueue, finish};
