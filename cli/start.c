/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/start.h"

#include "cli/base/cleanup.h"
#include "cli/base/report.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* If the caller closed standard input, output or error, the next file that is opened would
 * take its place.  This opens one there whose use fails. */
static void hold_standard_files(void)
{
	static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int i = 0; i < 3; i++)
		if (fcntl(i, F_GETFD) < 0)
			open("/dev/null", useless[i]);
}

/* A command that runs where it was built uses the CUDA modules that were built there. */
static void use_modules_beside(void)
{
	static const char module[] = "/xcodec-cuda.so";
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof module);

	if (n <= 0)
		return;
	path[n] = '\0';
	char *slash = strrchr(path, '/');
	if (!slash)
		return;
	memcpy(slash, module, sizeof module);
	if (access(path, R_OK) == 0)
		setenv("XC_CUDA_MODULE", path, 0);
}

void xc_cli_start(const char *program)
{
	xc_cli_program = program;
	hold_standard_files();
	use_modules_beside();
	xc_cli_signals_prepare();
}
