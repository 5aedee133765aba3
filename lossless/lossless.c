/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels of the lossless coder, and the memory that they need. src/encode/ and src/decode/ call
 * it. */
#include "lossless/lossless.h"

#include "lossless/code.h"

extern xc_tile_encoder xc_tile_encode_scalar, xc_tile_encode_avx2, xc_tile_encode_avx512;
extern xc_tile_decoder xc_tile_decode_scalar, xc_tile_decode_avx2, xc_tile_decode_avx512;
extern xc_tile_scratch xc_tile_encode_scratch_scalar, xc_tile_decode_scratch_scalar;

static size_t samples_of(const xc_lossless_shape *s)
{
	return (size_t)s->width * s->height * s->channels * (s->depth / 8);
}

/* Callers put samples after the scratch. */
static size_t aligned(size_t n)
{
	return (n + 63) / 64 * 64;
}

size_t xc_lossless_bound(const xc_lossless_shape *s)
{
	/* Samples are stored if they take no more bytes. */
	return samples_of(s) + 1;
}

size_t xc_lossless_encode_scratch(const xc_lossless_shape *s)
{
	return aligned(xc_tile_encode_scratch_scalar(s));
}

size_t xc_lossless_decode_scratch(const xc_lossless_shape *s)
{
	return aligned(xc_tile_decode_scratch_scalar(s));
}

const xc_lossless_level *xc_lossless_level_get(xc_cpu cpu)
{
	static const xc_lossless_level scalar = {XC_OF_ENCODER(xc_tile_encode_scalar),
	                                         xc_tile_decode_scalar};
#ifdef XC_HAVE_AVX2
	static const xc_lossless_level avx2 = {xc_tile_encode_avx2, xc_tile_decode_avx2};
#endif
#ifdef XC_HAVE_AVX512
	static const xc_lossless_level avx512 = {xc_tile_encode_avx512, xc_tile_decode_avx512};
#endif
	static const xc_lossless_level *const levels[XC_CPU_LEVELS] = {[XC_CPU_SCALAR] = &scalar,
	                                                               XC_CPU_ENTRY_SSE2(&scalar)
	                                                                   XC_CPU_ENTRY_NEON(&scalar)
	                                                                       XC_CPU_ENTRY_AVX2(&avx2)
	                                                                           XC_CPU_ENTRY_AVX512(
																				   &avx512)};

	return levels[cpu];
}
