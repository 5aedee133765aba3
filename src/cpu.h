/* SPDX-License-Identifier: BSD-2-Clause */
/* The SIMD levels, and which of them this processor and this build have. */
#ifndef XC_CPU_H
#define XC_CPU_H

typedef enum xc_cpu {
	XC_CPU_SCALAR,
	XC_CPU_SSE2,
	XC_CPU_NEON,
	XC_CPU_AVX2,
	XC_CPU_AVX512,
	XC_CPU_LEVELS
} xc_cpu;

const char *xc_cpu_name(xc_cpu cpu);
int xc_cpu_by_name(const char *name, xc_cpu *cpu); /* 0: no such level */
int xc_cpu_usable(xc_cpu cpu);

/* What the environment variable XC_CPU names if that is usable, otherwise the best. */
xc_cpu xc_cpu_auto(void);

#endif
