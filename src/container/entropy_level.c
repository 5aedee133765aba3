/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/container/entropy_level.h"

#define PLAIN xc_count_tokens16, xc_code_tokens16, xc_stream_run_two16, xc_stream_finish16
#define BMI2 \
	xc_count_tokens16_bmi2, xc_code_tokens16_bmi2, xc_stream_run_two16_bmi2, xc_stream_finish16_bmi2

const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu)
{
	static const xc_entropy_level levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = {xc_tokenize16_scalar, PLAIN},
	     XC_CPU_ENTRY_SSE2({xc_tokenize16_sse2, PLAIN})
	         XC_CPU_ENTRY_NEON({xc_tokenize16_scalar, PLAIN})
	             XC_CPU_ENTRY_AVX2({xc_tokenize16_avx2, BMI2})
	                 XC_CPU_ENTRY_AVX512({xc_tokenize16_avx512, BMI2})};
	return &levels[cpu];
}
