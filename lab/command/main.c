/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec-lab: the subcommands of the laboratory, which xcodec runs by their names. */
#include "cli/base/report.h"
#include "cli/start.h"

#include "lab/command/common.h"

#include <stdio.h>
#include <string.h>

static const xc_cli_command *const commands[] = {
	&xc_lab_transform,
	&xc_lab_generate,
	&xc_lab_bench,
};

enum { COMMANDS = sizeof commands / sizeof *commands };

int main(int argc, char **argv)
{
	xc_cli_start("xcodec");
	for (int i = 0; argc > 1 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i]->name))
			return xc_cli_end(commands[i]->run(commands[i], argc - 1, argv + 1));
	fputs("xcodec-lab: is a part of xcodec; run 'xcodec transform', 'xcodec generate' or "
	      "'xcodec bench transforms'\n",
	      stderr);
	return XC_CLI_USAGE;
}
