/* SPDX-License-Identifier: BSD-2-Clause */
/* The SIMD levels, by which kernels and entropy coders are chosen. */
#ifndef XC_SRC_CORE_CPU_H
#define XC_SRC_CORE_CPU_H

typedef enum xc_cpu {
	XC_CPU_SCALAR,
	XC_CPU_SSE2,
	XC_CPU_NEON,
	XC_CPU_AVX2, /* with FMA, BMI2 and LZCNT */
	XC_CPU_AVX512,
	XC_CPU_LEVELS
} xc_cpu;

const char *xc_cpu_name(xc_cpu cpu);
int xc_cpu_by_name(const char *name, xc_cpu *cpu); /* 0: no such level */
int xc_cpu_usable(xc_cpu cpu);

/* The level that the environment variable XC_CPU names if it is usable, otherwise the best. */
xc_cpu xc_cpu_auto(void);

/*
 * A table with an entry for each level that is built:
 *
 *	static const thing *const table[XC_CPU_LEVELS] = {
 *		[XC_CPU_SCALAR] = &scalar, XC_CPU_ENTRY_SSE2(&sse2) ...
 *	};
 *
 * xc_cpu_usable() says which entries can be used.
 */
#ifdef XC_HAVE_SSE2
#define XC_CPU_ENTRY_SSE2(...) [XC_CPU_SSE2] = __VA_ARGS__,
#else
#define XC_CPU_ENTRY_SSE2(...)
#endif
#ifdef XC_HAVE_NEON
#define XC_CPU_ENTRY_NEON(...) [XC_CPU_NEON] = __VA_ARGS__,
#else
#define XC_CPU_ENTRY_NEON(...)
#endif
#ifdef XC_HAVE_AVX2
#define XC_CPU_ENTRY_AVX2(...) [XC_CPU_AVX2] = __VA_ARGS__,
#else
#define XC_CPU_ENTRY_AVX2(...)
#endif
#ifdef XC_HAVE_AVX512
#define XC_CPU_ENTRY_AVX512(...) [XC_CPU_AVX512] = __VA_ARGS__,
#else
#define XC_CPU_ENTRY_AVX512(...)
#endif

/* A function in a table of a level that the encoder alone calls. A build that only decodes, such as
 * web/, leaves it out. */
#ifdef XC_DECODER_ALONE
#define XC_OF_ENCODER(...) 0
#else
#define XC_OF_ENCODER(...) __VA_ARGS__
#endif

#endif
