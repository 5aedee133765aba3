/* SPDX-License-Identifier: BSD-2-Clause */
/* The module with the transforms of whole frames, xcodec-cufft.so. */
#include "gpu/module.h"
#include "gpu/transform/works.h"

const xc_gpu_work *xc_gpu_work_for(const xc_gpu_job *job)
{
	const int wide = job->precision == XC_PRECISION_64;
	switch (job->kind) {
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
	default:
		return NULL;
	}
}

extern "C" __attribute__((visibility("default"))) const xc_gpu_module *xc_gpu_module_get(void);

const xc_gpu_module *xc_gpu_module_get(void)
{
	static xc_gpu_module module;
	module.abi = XC_GPU_ABI;
	module.transform = &xc_gpu_transforms;
	return &module;
}
