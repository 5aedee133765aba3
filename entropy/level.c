/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the functions of a SIMD level. From AVX2 on the inner loops use BMI2. */
#include "entropy/level.h"

#define LEVEL(tokenizer, suffix) \
	{ \
		sizeof(int16_t), xc_predict_dc16, tokenizer, xc_count_tokens16##suffix, \
			xc_code_tokens16##suffix, xc_restore_dc16, xc_restore_dc_only16, \
			xc_dc_only_finish16##suffix, xc_dc_only_two16##suffix, xc_stream_run_two16##suffix, \
			xc_stream_finish16##suffix, xc_plane_encode##suffix, xc_plane_decode##suffix \
	}

#define DEPTH16(suffix) \
	{ \
		sizeof(int32_t), xc_predict_dc32, xc_tokenize32_scalar, xc_count_tokens32, \
			xc_code_tokens32, xc_restore_dc32, xc_restore_dc_only32, xc_dc_only_finish32, NULL, \
			NULL, NULL, xc_plane_encode##suffix, xc_plane_decode##suffix \
	}

const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu, int depth16)
{
	static const xc_entropy_level levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = LEVEL(xc_tokenize16_scalar, ),
	     XC_CPU_ENTRY_SSE2(LEVEL(xc_tokenize16_sse2, ))
	         XC_CPU_ENTRY_NEON(LEVEL(xc_tokenize16_scalar, ))
	             XC_CPU_ENTRY_AVX2(LEVEL(xc_tokenize16_avx2, _bmi2))
	                 XC_CPU_ENTRY_AVX512(LEVEL(xc_tokenize16_avx512, _bmi2))};
	static const xc_entropy_level wide[XC_CPU_LEVELS] = {[XC_CPU_SCALAR] = DEPTH16(),
	                                                     XC_CPU_ENTRY_SSE2(DEPTH16())
	                                                         XC_CPU_ENTRY_NEON(DEPTH16())
	                                                             XC_CPU_ENTRY_AVX2(DEPTH16(_bmi2))
	                                                                 XC_CPU_ENTRY_AVX512(
																		 DEPTH16(_bmi2))};

	return depth16 ? &wide[cpu] : &levels[cpu];
}
