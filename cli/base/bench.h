/* SPDX-License-Identifier: BSD-2-Clause */
/* The benchmarks of `xcodec bench`. */
#ifndef XC_CLI_BASE_BENCH_H
#define XC_CLI_BASE_BENCH_H

#include "cli/base/options.h"

/* To add a benchmark, declare it here and give it its line in bench.c. */
typedef struct xc_cli_benchmark {
	const char *name;    /* "transforms" */
	const char *summary; /* one line */
	/* For the help of all benchmarks; NULL: it has its own help alone. */
	const xc_cli_option *options;
	/* argv[0] is "bench", argv[1] the name, then options; returns the exit status. */
	int (*run)(const xc_cli_command *bench, int argc, char **argv);
} xc_cli_benchmark;

extern const xc_cli_benchmark xc_cli_bench_codec;
extern const xc_cli_benchmark xc_cli_bench_transforms;
extern const xc_cli_benchmark xc_cli_bench_gpu;

#endif
