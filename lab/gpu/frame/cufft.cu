/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/frame/frame.h"

#include <limits.h>

int xc_cufft_make(cufftHandle *plan, int rank, const int *sizes, size_t batch, int wide, int back,
                  xc_lab_gpu *gpu)
{
	const cufftType forward = wide ? CUFFT_D2Z : CUFFT_R2C, inverse = wide ? CUFFT_Z2D : CUFFT_C2R;
	int n[3], used = 0;

	for (int i = 0; i < rank; i++)
		if (sizes[i] > 1 || i + 1 == rank)
			n[used++] = sizes[i];
	if (batch > INT_MAX)
		return xc_lab_refuse(gpu, "too many lines for cuFFT");
	const cufftResult r = cufftPlanMany(plan, used, n, NULL, 1, 0, NULL, 1, 0,
	                                    back ? inverse : forward, (int)batch);
	return r == CUFFT_SUCCESS ? 0 : xc_lab_refuse(gpu, "cuFFT makes no plan: error %d", (int)r);
}

int xc_cufft_run(cufftHandle plan, int wide, int back, void *in, void *out, xc_lab_gpu *gpu)
{
	cufftResult r = cufftSetStream(plan, gpu->stream);

	if (r == CUFFT_SUCCESS && wide)
		r = back ? cufftExecZ2D(plan, (cufftDoubleComplex *)in, (double *)out)
		         : cufftExecD2Z(plan, (double *)in, (cufftDoubleComplex *)out);
	else if (r == CUFFT_SUCCESS)
		r = back ? cufftExecC2R(plan, (cufftComplex *)in, (float *)out)
		         : cufftExecR2C(plan, (float *)in, (cufftComplex *)out);
	return r == CUFFT_SUCCESS ? 0 : xc_lab_refuse(gpu, "cuFFT fails: error %d", (int)r);
}

/* cuFFT's real FFT of all axes alone, to measure others against.  Each run has its own spectrum, as
 * it has its own samples; the contents of a spectrum mean nothing. */

enum { SPECTRA = 32, SPECTRA_BYTES = 256 << 20 };

typedef struct state {
	cufftHandle fft;
	int has_fft, wide, back, count, next;
	void *spectra[SPECTRA];
} state;

static void close(void *own)
{
	state *const s = (state *)own;
	if (s->has_fft)
		(void)cufftDestroy(s->fft);
}

static int set_up(void *own, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	state *const s = (state *)own;
	const int sizes[3] = {(int)job->in.slices, (int)job->in.rows, (int)job->in.cols};
	const size_t bytes = 2 * job->in.slices * job->in.rows * (job->in.cols / 2 + 1) *
	                     xc_precision_bytes(job->precision);
	const size_t wanted = SPECTRA_BYTES / bytes + 1;

	s->wide = job->precision == XCT_FLOAT64;
	s->back = job->direction == XCT_INVERSE;
	if (job->in.slices > INT_MAX / 8 || job->in.rows > INT_MAX / 8 || job->in.cols > INT_MAX / 8)
		return xc_lab_refuse(gpu, "too large for cuFFT");
	while (s->count < SPECTRA && (size_t)s->count < wanted) {
		void *const memory = xc_lab_memory(gpu, bytes);
		/* Small numbers. */
		if (!memory || xc_lab_check(gpu, cudaMemset(memory, 0x3c, bytes), "clear"))
			return -1;
		s->spectra[s->count++] = memory;
	}
	if (xc_cufft_make(&s->fft, 3, sizes, 1, s->wide, s->back, gpu))
		return -1;
	s->has_fft = 1;
	return 0;
}

static int enqueue(void *own, const void *in, void *out, xc_lab_gpu *gpu)
{
	state *const s = (state *)own;
	void *const spectrum = s->spectra[s->next];

	s->next = (s->next + 1) % s->count;
	return xc_cufft_run(s->fft, s->wide, s->back, s->back ? spectrum : (void *)in,
	                    s->back ? out : spectrum, gpu);
}

const xc_lab_work xc_lab_real_fft = {sizeof(state), set_up, enqueue, close};
