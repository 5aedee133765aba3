/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/frame/cufft_plan.h"

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
