/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMD level that the registry's algorithms run at: the best that this
 * processor and this build have, or what the environment variable XC_CPU names
 * ("scalar", "sse2", "neon", "avx2", "avx512") if they have it.
 */
#ifndef XC_TRANSFORM_LEVEL_H
#define XC_TRANSFORM_LEVEL_H

typedef enum xc_level {
	XC_LEVEL_SCALAR,
	XC_LEVEL_BASE, /* 16-byte vectors: SSE2 or NEON, which every processor has */
	XC_LEVEL_AVX2, /* with FMA */
	XC_LEVEL_AVX512
} xc_level;

xc_level xc_level_best(void);

#endif
