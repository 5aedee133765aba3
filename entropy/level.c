/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the functions of a SIMD level. From AVX2 on the inner loops use BMI2. */
#include "entropy/level.h"

#define LEVEL(tokenizer, suffix) \
	{ \
		sizeof(int16_t), xc_predict_dc16, tokenizer, xc_count_tokens16##suffix, \
			xc_code_tokens16##suffix, xc_restore_dc16, xc_restore_dc_only16, \
			xc_dc_only_finish16##suffix, xc_dc_only_two16##suffix, xc_stream_run_two16##suffix, \
			xc_stream_finish16##suffix \
	}

#define DEPTH16(suffix) \
	{ \
		sizeof(int32_t), xc_predict_dc32, xc_tokenize32_scalar, xc_count_tokens32, \
			xc_code_tokens32, xc_restore_dc32, xc_restore_dc_only32, xc_dc_only_finish32, NULL, \
			NULL, NULL \
	}

#define BOTH(tokenizer, suffix) \
	{ \
		LEVEL(tokenizer, suffix), DEPTH16(suffix) \
	}

const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu, int depth16)
{
	static const xc_entropy_level levels[XC_CPU_LEVELS][2] =
		{[XC_CPU_SCALAR] = BOTH(xc_tokenize16_scalar, ),
	     XC_CPU_ENTRY_SSE2(BOTH(xc_tokenize16_sse2, ))
	         XC_CPU_ENTRY_NEON(BOTH(xc_tokenize16_scalar, ))
	             XC_CPU_ENTRY_AVX2(BOTH(xc_tokenize16_avx2, _bmi2))
	                 XC_CPU_ENTRY_AVX512(BOTH(xc_tokenize16_avx512, _bmi2))};

	return &levels[cpu][depth16 != 0];
}
