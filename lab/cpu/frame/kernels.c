/* SPDX-License-Identifier: BSD-2-Clause */
/* Which table of kernels this processor runs. */
#include "lab/cpu/frame/kernels.h"

#include "src/core/cpu.h"

const xc_frame_kernels_f32 *xc_frame_kernels_best_f32(void)
{
	static const xc_frame_kernels_f32 *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_frame_kernels_scalar_f32,
	     XC_CPU_ENTRY_SSE2(&xc_frame_kernels_base_f32) XC_CPU_ENTRY_NEON(&xc_frame_kernels_base_f32)
	         XC_CPU_ENTRY_AVX2(&xc_frame_kernels_avx2_f32)
	             XC_CPU_ENTRY_AVX512(&xc_frame_kernels_avx512_f32)};
	return levels[xc_cpu_auto()];
}

const xc_frame_kernels_f64 *xc_frame_kernels_best_f64(void)
{
	static const xc_frame_kernels_f64 *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_frame_kernels_scalar_f64,
	     XC_CPU_ENTRY_SSE2(&xc_frame_kernels_base_f64) XC_CPU_ENTRY_NEON(&xc_frame_kernels_base_f64)
	         XC_CPU_ENTRY_AVX2(&xc_frame_kernels_avx2_f64)
	             XC_CPU_ENTRY_AVX512(&xc_frame_kernels_avx512_f64)};
	return levels[xc_cpu_auto()];
}

/* x87 and the like have no vectors. */
const xc_frame_kernels_f80 *xc_frame_kernels_best_f80(void)
{
	return &xc_frame_kernels_scalar_f80;
}
