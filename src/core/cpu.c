/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out which SIMD levels this processor and this build have. xc_context_new() asks once. */
#include "src/core/cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[XC_CPU_LEVELS] = {
	[XC_CPU_SCALAR] = "scalar", [XC_CPU_SSE2] = "sse2",     [XC_CPU_NEON] = "neon",
	[XC_CPU_AVX2] = "avx2",     [XC_CPU_AVX512] = "avx512",
};

const char *xc_cpu_name(xc_cpu cpu)
{
	return names[cpu];
}

int xc_cpu_by_name(const char *name, xc_cpu *cpu)
{
	for (int i = 0; i < XC_CPU_LEVELS; i++) {
		if (!strcmp(name, names[i])) {
			*cpu = (xc_cpu)i;
			return 1;
		}
	}
	return 0;
}

static int always(void)
{
	return 1;
}

#ifdef XC_HAVE_AVX2
/* LZCNT, which not every compiler can ask for, is older than BMI2. */
static int has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("popcnt");
}
#endif

#ifdef XC_HAVE_AVX512
static int has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
	       __builtin_cpu_supports("avx512vnni");
}
#endif

int xc_cpu_usable(xc_cpu cpu)
{
	static int (*const has[XC_CPU_LEVELS])(
		void) = {[XC_CPU_SCALAR] = always,
	             XC_CPU_ENTRY_SSE2(always) XC_CPU_ENTRY_NEON(always) XC_CPU_ENTRY_AVX2(has_avx2)
	                 XC_CPU_ENTRY_AVX512(has_avx512)};

	return has[cpu] && has[cpu]();
}

xc_cpu xc_cpu_auto(void)
{
	const char *wish = getenv("XC_CPU");
	xc_cpu cpu;

	if (wish && xc_cpu_by_name(wish, &cpu) && xc_cpu_usable(cpu))
		return cpu;
	for (int i = XC_CPU_LEVELS - 1; i > 0; i--)
		if (xc_cpu_usable((xc_cpu)i))
			return (xc_cpu)i;
	return XC_CPU_SCALAR;
}
