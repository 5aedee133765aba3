/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/entropy_level.h"

#include "config.h"

static const xc_entropy_level scalar = {xc_tokenize16_scalar, xc_count_tokens16, xc_code_tokens16,
                                        xc_stream_run_two16, xc_stream_finish16};
#ifdef XC_HAVE_SSE2
static const xc_entropy_level sse2 = {xc_tokenize16_sse2, xc_count_tokens16, xc_code_tokens16,
                                      xc_stream_run_two16, xc_stream_finish16};
#endif
#ifdef XC_HAVE_AVX2
static const xc_entropy_level avx2 = {xc_tokenize16_avx2, xc_count_tokens16_bmi2,
                                      xc_code_tokens16_bmi2, xc_stream_run_two16_bmi2,
                                      xc_stream_finish16_bmi2};
#endif
#ifdef XC_HAVE_AVX512
static const xc_entropy_level avx512 = {xc_tokenize16_avx512, xc_count_tokens16_bmi2,
                                        xc_code_tokens16_bmi2, xc_stream_run_two16_bmi2,
                                        xc_stream_finish16_bmi2};
#endif

const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu)
{
	switch (cpu) {
#ifdef XC_HAVE_SSE2
	case XC_CPU_SSE2:
		return &sse2;
#endif
#ifdef XC_HAVE_AVX2
	case XC_CPU_AVX2:
		return &avx2;
#endif
#ifdef XC_HAVE_AVX512
	case XC_CPU_AVX512:
		return &avx512;
#endif
	default:
		return &scalar;
	}
}
