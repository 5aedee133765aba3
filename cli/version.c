/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "cli/base/settings.h"

#include <stdio.h>

#if defined __clang__
#define COMPILER "clang " __clang_version__
#elif defined __GNUC__
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

#ifdef XC_HAVE_FFTW
#define FFTW ", FFTW"
#else
#define FFTW ""
#endif

#ifdef XC_HAVE_LIBPNG
#define LIBPNG ", libpng"
#else
#define LIBPNG ", no PNG"
#endif

#ifdef _OPENMP
#define OPENMP ", OpenMP"
#else
#define OPENMP ""
#endif

int xc_cli_version(void)
{
	xc_context *context;
	xc_cli_limits limits;

	xc_cli_limits_default(&limits);
	context = xc_cli_context(&limits);
	if (!context)
		return XC_CLI_FAILED;
	printf("xcodec %s\n", xc_version_string());
	printf("SIMD level    %s\n", xc_context_cpu(context));
	printf("threads       %d\n", xc_context_threads(context));
	printf("built with    " COMPILER LIBPNG FFTW OPENMP "\n");
	xc_context_free(context);
	return XC_CLI_DONE;
}
