/* SPDX-License-Identifier: BSD-2-Clause */
/* Which transform does a job. */
#include "lab/gpu/works.h"

const xc_gpu_work *xc_gpu_work_for(const xc_gpu_job *job)
{
	const int wide = job->precision == XC_PRECISION_64;
	switch (job->kind) {
	case XC_GPU_COPY:
		return &xc_gpu_copy;
	case XC_GPU_SHORT:
		return job->precision == XC_PRECISION_16 ? &xc_gpu_short : NULL;
	case XC_GPU_BAND:
		return wide ? &xc_gpu_bands_f64 : &xc_gpu_bands_f32;
#if XC_HAVE_FRAMES
	case XC_GPU_DMM:
		return wide ? &xc_gpu_dmm_f64 : &xc_gpu_dmm_f32;
	case XC_GPU_DMM_CUBLAS:
		return &xc_gpu_dmm_cublas;
	case XC_GPU_FFT_ROWCOL:
		return wide ? &xc_gpu_rowcol_f64 : &xc_gpu_rowcol_f32;
	case XC_GPU_FFT_MULTI:
		return wide ? &xc_gpu_fused_f64 : &xc_gpu_fused_f32;
	case XC_GPU_FFT_STAGES:
		return wide ? &xc_gpu_stages_f64 : &xc_gpu_stages_f32;
	case XC_GPU_REAL_FFT:
		return &xc_gpu_real_fft;
#endif
	default:
		return NULL;
	}
}
