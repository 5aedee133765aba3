/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/start.h"

#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

int xc_cli_find_beside(char path[XC_CLI_PATH_SIZE], const char *name)
{
	const ssize_t n = readlink("/proc/self/exe", path, XC_CLI_PATH_SIZE);
	size_t folder = n > 0 && n < XC_CLI_PATH_SIZE ? (size_t)n : 0;

	while (folder && path[folder - 1] != '/')
		folder--;
	const size_t left = XC_CLI_PATH_SIZE - folder;
	return folder && (size_t)snprintf(path + folder, left, "%s", name) < left &&
	       access(path, R_OK) == 0;
}

/* A command that runs where it was built uses the CUDA modules that were built there. */
static void use_modules_beside(void)
{
	char path[XC_CLI_PATH_SIZE];

	if (xc_cli_find_beside(path, "xcodec-cuda.so"))
		setenv("XC_CUDA_MODULE", path, 0);
}

void xc_cli_start(const char *program)
{
	xc_cli_program = program;
	hold_standard_files();
	use_modules_beside();
	xc_cli_signals_prepare();
}

int xc_cli_end(int status)
{
	return status == XC_CLI_DONE && xc_cli_flush_output() ? XC_CLI_FAILED : status;
}
