/* SPDX-License-Identifier: BSD-2-Clause */
#include "transform/level.h"

#include <stdlib.h>
#include <string.h>

static int usable(xc_level level)
{
	switch (level) {
	case XC_LEVEL_SCALAR:
		return 1;
#if defined XC_HAVE_SSE2 || defined XC_HAVE_NEON
	case XC_LEVEL_BASE:
		return 1;
#endif
#ifdef XC_HAVE_AVX2
	case XC_LEVEL_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
		       __builtin_cpu_supports("popcnt");
#endif
#ifdef XC_HAVE_AVX512
	case XC_LEVEL_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512vbmi") &&
		       __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("fma") &&
		       __builtin_cpu_supports("bmi2");
#endif
	default:
		return 0;
	}
}

xc_level xc_level_best(void)
{
	static const struct {
		const char *name;
		xc_level level;
	} names[] = {
		{ "scalar", XC_LEVEL_SCALAR }, { "sse2", XC_LEVEL_BASE },
		{ "neon", XC_LEVEL_BASE },     { "avx2", XC_LEVEL_AVX2 },
		{ "avx512", XC_LEVEL_AVX512 },
	};
	const char *wish = getenv("XC_CPU");
	for (size_t i = 0; wish && i < sizeof names / sizeof *names; i++)
		if (!strcmp(wish, names[i].name) && usable(names[i].level))
			return names[i].level;
	int level = XC_LEVEL_AVX512;
	while (!usable((xc_level)level))
		level--;
	return (xc_level)level;
}
