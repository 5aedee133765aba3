/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of the laboratory. Another program has them, xcodec-lab, since the libraries that
 * they need take longer to load than a small picture takes to encode.
 */
#include "cli/base/options.h"
#include "cli/base/report.h"
#include "cli/base/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "xcodec-lab";

/* What there is to say without that program; its manual page is installed with this one. */
static int help(const xc_cli_command *self, const char *path)
{
	printf("Usage: xcodec %s [OPTION]...\n\n"
	       "Belongs to the laboratory, which is not installed: there is no '%s'.\n"
	       "'make lab' builds it, 'make install-lab' installs it. See the manual page.\n",
	       self->name, path);
	return xc_cli_flush_output() ? XC_CLI_FAILED : XC_CLI_DONE;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	const int asks = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
	char path[XC_CLI_PATH_SIZE];
	char **arguments = calloc((size_t)argc + 2, sizeof *arguments);

	if (!arguments) {
		xc_cli_error(self->name, "out of memory");
		return XC_CLI_FAILED;
	}
	if (!xc_cli_find_beside(path, program))
		snprintf(path, sizeof path, XC_PKGLIBEXECDIR "/%s", program);
	arguments[0] = path;
	memcpy(arguments + 1, argv, (size_t)argc * sizeof *argv);
	/* OpenMP's threads would spin where they wait, which slows down whatever else runs. */
	setenv("OMP_WAIT_POLICY", "passive", 0);
	execv(path, arguments);
	int status = XC_CLI_FAILED;
	if (errno == ENOENT && asks)
		status = help(self, path);
	else if (errno == ENOENT)
		xc_cli_error(self->name,
		             "there is no '%s'; 'make lab' builds it, 'make install-lab' installs it",
		             path);
	else
		xc_cli_error(self->name, "cannot start '%s': %s", path, strerror(errno));
	free(arguments);
	return status;
}

const xc_cli_command xc_cli_transform_command = {
	.name = "transform",
	.summary = "run one of the transforms on an array",
	.run = run,
};

const xc_cli_command xc_cli_generate = {
	.name = "generate",
	.summary = "make an array for the transforms",
	.run = run,
};

const xc_cli_benchmark xc_cli_bench_transforms = {
	.name = "transforms",
	.run = run,
};
