/* SPDX-License-Identifier: BSD-2-Clause */
/* Which table of kernels this processor runs; compiled once for each precision. */
#include "lab/cpu/frame/kernels.h"

#include "src/core/cpu.h"

const xc_frame_kernels *XC_T(xc_frame_kernels_best)(void)
{
#if XC_REAL_BITS == 80 /* no processor has vectors of these */
	return &xc_frame_kernels_scalar_f80;
#else
	static const xc_frame_kernels *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &XC_T(xc_frame_kernels_scalar),
	     XC_CPU_ENTRY_SSE2(&XC_T(xc_frame_kernels_base))
	         XC_CPU_ENTRY_NEON(&XC_T(xc_frame_kernels_base))
	             XC_CPU_ENTRY_AVX2(&XC_T(xc_frame_kernels_avx2))
	                 XC_CPU_ENTRY_AVX512(&XC_T(xc_frame_kernels_avx512))};
	return levels[xc_cpu_auto()];
#endif
}
