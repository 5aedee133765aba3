/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec bench: finds the benchmark by its name and runs it. */
#include "cli/base/bench.h"

#include <string.h>

static const xc_cli_benchmark *const benchmarks[] = {
	&xc_cli_bench_codec,
#ifdef XC_HAVE_LAB
	&xc_cli_bench_transforms,
#endif
	&xc_cli_bench_gpu,
};

enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static int run(const xc_cli_command *self, int argc, char **argv)
{
	xc_cli_command all = *self; /* whose name is printed before the options */
	xc_cli_group groups[BENCHMARKS + 1] = {{NULL, NULL, NULL}};
	int operands, status, g = 0;

	for (int i = 0; argc > 1 && i < BENCHMARKS; i++)
		if (!strcmp(argv[1], benchmarks[i]->name))
			return benchmarks[i]->run(self, argc, argv);
	if (argc > 1 && argv[1][0] != '-')
		return xc_cli_misuse(self, "no benchmark '%s'", argv[1]);
	/* Without a benchmark, --help is the only option. */
	all.name = "bench codec|" XC_CLI_IF_LAB("transforms|") "gpu";
	for (int i = 0; i < BENCHMARKS; i++)
		if (benchmarks[i]->options)
			groups[g++] = (xc_cli_group){benchmarks[i]->summary, benchmarks[i]->options, NULL};
	if (argc > 1 && !xc_cli_asks_for_help(argv[1]))
		return xc_cli_misuse(self, "the benchmark comes first");
	status = argc > 1 ? xc_cli_parse(&all, groups, argc, argv, &operands) : -1;
	return status >= 0 ? status : xc_cli_misuse(self, "wants the name of a benchmark");
}

const xc_cli_command xc_cli_bench = {
	.name = "bench",
	.operands = "[PICTURE...]",
	.summary = "measure how fast the codec" XC_CLI_IF_LAB(", the transforms") " and the GPU are",
	.description =
		"Measures on this machine and prints tables. What is compared runs in turn, "
		"round by round, so that whatever else the machine does hits all alike; the "
		"first round does not count. codec: every stage of encoder and decoder, and all "
		"of it against libjpeg, with the pictures laid out on a large one (default a "
		"picture of its own). " XC_CLI_IF_LAB(
			"transforms: the algorithms of 'xcodec transform', with options of its own (see "
			"'xcodec bench transforms --help'). ") "gpu: the codec on a GPU.",
	.run = run,
};
