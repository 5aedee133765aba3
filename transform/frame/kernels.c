/* SPDX-License-Identifier: BSD-2-Clause */
/* Which table of kernels this processor runs. */
#include "transform/frame/kernels.h"

#include "transform/level.h"

const xc_frame_kernels_f32 *xc_frame_kernels_best_f32(void)
{
	switch (xc_level_best()) {
#if defined XC_HAVE_AVX512
	case XC_LEVEL_AVX512:
		return &xc_frame_kernels_avx512_f32;
#endif
#if defined XC_HAVE_AVX2
	case XC_LEVEL_AVX2:
		return &xc_frame_kernels_avx2_f32;
#endif
	case XC_LEVEL_SCALAR:
		return &xc_frame_kernels_scalar_f32;
	default:
		return &xc_frame_kernels_base_f32;
	}
}

const xc_frame_kernels_f64 *xc_frame_kernels_best_f64(void)
{
	switch (xc_level_best()) {
#if defined XC_HAVE_AVX512
	case XC_LEVEL_AVX512:
		return &xc_frame_kernels_avx512_f64;
#endif
#if defined XC_HAVE_AVX2
	case XC_LEVEL_AVX2:
		return &xc_frame_kernels_avx2_f64;
#endif
	case XC_LEVEL_SCALAR:
		return &xc_frame_kernels_scalar_f64;
	default:
		return &xc_frame_kernels_base_f64;
	}
}

/* x87 and the like have no vectors. */
const xc_frame_kernels_f80 *xc_frame_kernels_best_f80(void)
{
	return &xc_frame_kernels_scalar_f80;
}
