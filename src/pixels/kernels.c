/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/kernels.h"

const xc_kernels *xc_kernels_get(xc_cpu cpu)
{
	static const xc_kernels *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_kernels_scalar,
	     XC_CPU_ENTRY_SSE2(&xc_kernels_sse2) XC_CPU_ENTRY_NEON(&xc_kernels_neon)
	         XC_CPU_ENTRY_AVX2(&xc_kernels_avx2) XC_CPU_ENTRY_AVX512(&xc_kernels_avx512)};

	return levels[cpu];
}
