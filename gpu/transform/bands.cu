/* SPDX-License-Identifier: BSD-2-Clause */
/* Which transforms the module of the codec has. */
#include "gpu/transform/works.h"

const xc_gpu_work *xc_gpu_work_for(const xc_gpu_job *job)
{
	if (job->kind == XC_GPU_COPY)
		return &xc_gpu_copy;
	if (job->kind == XC_GPU_SHORT && job->precision == XC_PRECISION_16)
		return &xc_gpu_short;
	if (job->kind == XC_GPU_BAND && job->precision == XC_PRECISION_32)
		return &xc_gpu_bands_f32;
	if (job->kind == XC_GPU_BAND && job->precision == XC_PRECISION_64)
		return &xc_gpu_bands_f64;
	return NULL;
}
