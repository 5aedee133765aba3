/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/kernels.h"

#include "config.h"

const xc_kernels *xc_kernels_get(xc_cpu cpu)
{
	switch (cpu) {
#ifdef XC_HAVE_SSE2
	case XC_CPU_SSE2:
		return &xc_kernels_sse2;
#endif
#ifdef XC_HAVE_NEON
	case XC_CPU_NEON:
		return &xc_kernels_neon;
#endif
#ifdef XC_HAVE_AVX2
	case XC_CPU_AVX2:
		return &xc_kernels_avx2;
#endif
#ifdef XC_HAVE_AVX512
	case XC_CPU_AVX512:
		return &xc_kernels_avx512;
#endif
	default:
		return &xc_kernels_scalar;
	}
}
