/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/frame/frame.h"

#include <limits.h>

int xc_cufft_make(xc_cufft *fft, int rank, const int *sizes, size_t batch, size_t step,
                  xc_lab_gpu *gpu)
{
	static const cufftType types[2][3] = {{CUFFT_R2C, CUFFT_C2R, CUFFT_C2C},
	                                      {CUFFT_D2Z, CUFFT_Z2D, CUFFT_Z2Z}};
	int n[3], used = 0;

	for (int i = 0; i < rank; i++)
		if (sizes[i] > 1 || i + 1 == rank)
			n[used++] = sizes[i];
	if (batch > INT_MAX || step > INT_MAX)
		return xc_lab_refuse(gpu, "too many lines for cuFFT");
	/* Without layouts arrays are dense. */
	int *const layout = step > 1 ? n : NULL;
	const cufftResult r = cufftPlanMany(&fft->plan, used, n, layout, (int)step, 1, layout,
	                                    (int)step, 1,
	                                    types[fft->wide][fft->complex ? 2 : fft->back], (int)batch);
	fft->made = r == CUFFT_SUCCESS;
	return fft->made ? 0 : xc_lab_refuse(gpu, "cuFFT makes no plan: error %d", (int)r);
}

static cufftResult execute(const xc_cufft *fft, void *in, void *out)
{
	const int way = fft->back ? CUFFT_INVERSE : CUFFT_FORWARD;

	if (fft->complex && fft->wide)
		return cufftExecZ2Z(fft->plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, way);
	if (fft->complex)
		return cufftExecC2C(fft->plan, (cufftComplex *)in, (cufftComplex *)out, way);
	if (fft->wide)
		return fft->back ? cufftExecZ2D(fft->plan, (cufftDoubleComplex *)in, (double *)out)
		                 : cufftExecD2Z(fft->plan, (double *)in, (cufftDoubleComplex *)out);
	return fft->back ? cufftExecC2R(fft->plan, (cufftComplex *)in, (float *)out)
	                 : cufftExecR2C(fft->plan, (float *)in, (cufftComplex *)out);
}

int xc_cufft_run(const xc_cufft *fft, void *in, void *out, xc_lab_gpu *gpu)
{
	cufftResult r = cufftSetStream(fft->plan, gpu->stream);

	if (r == CUFFT_SUCCESS)
		r = execute(fft, in, out);
	return r == CUFFT_SUCCESS ? 0 : xc_lab_refuse(gpu, "cuFFT fails: error %d", (int)r);
}

void xc_cufft_close(xc_cufft *fft)
{
	if (fft->made)
		(void)cufftDestroy(fft->plan);
	fft->made = 0;
}

/* cuFFT's FFT of all axes alone, to measure others against.  Each run of a real one has its own spectrum,
 * as it has its own samples; the contents of a spectrum mean nothing.  The columns of a complex one are
 * pairs. */

enum { SPECTRA = 32, SPECTRA_BYTES = 256 << 20 };

typedef struct state {
	xc_cufft fft;
	int count, next;
	void *spectra[SPECTRA];
} state;

static void close(void *own)
{
	xc_cufft_close(&((state *)own)->fft);
}

static int set_up(void *own, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	state *const s = (state *)own;
	const int pairs = job->kind == XC_LAB_COMPLEX_FFT;
	const int sizes[3] = {(int)job->in.slices, (int)job->in.rows, (int)job->in.cols >> pairs};
	const size_t bytes = 2 * job->in.slices * job->in.rows * (job->in.cols / 2 + 1) *
	                     xc_precision_bytes(job->precision);
	const size_t wanted = pairs ? 0 : SPECTRA_BYTES / bytes + 1;

	s->fft.wide = job->precision == XCT_FLOAT64;
	s->fft.back = job->direction == XCT_INVERSE;
	s->fft.complex = pairs;
	if (job->in.slices > INT_MAX / 8 || job->in.rows > INT_MAX / 8 || job->in.cols > INT_MAX / 8)
		return xc_lab_refuse(gpu, "too large for cuFFT");
	while (s->count < SPECTRA && (size_t)s->count < wanted) {
		void *const memory = xc_lab_memory(gpu, bytes);
		/* Small numbers. */
		if (!memory || xc_lab_check(gpu, cudaMemset(memory, 0x3c, bytes), "clear"))
			return -1;
		s->spectra[s->count++] = memory;
	}
	return xc_cufft_make(&s->fft, 3, sizes, 1, 1, gpu);
}

static int enqueue(void *own, const void *in, void *out, xc_lab_gpu *gpu)
{
	state *const s = (state *)own;
	void *const spectrum = s->spectra[s->next];

	if (s->fft.complex)
		return xc_cufft_run(&s->fft, (void *)in, out, gpu);
	s->next = (s->next + 1) % s->count;
	return xc_cufft_run(&s->fft, s->fft.back ? spectrum : (void *)in, s->fft.back ? out : spectrum,
	                    gpu);
}

const xc_lab_work xc_lab_fft = {sizeof(state), set_up, enqueue, close};
