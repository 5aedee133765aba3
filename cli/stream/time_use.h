/* SPDX-License-Identifier: BSD-2-Clause */
/* What the workers of a batch spent their time on, which tells what bounded it. */
#ifndef XC_CLI_STREAM_TIME_USE_H
#define XC_CLI_STREAM_TIME_USE_H

#include "cli/base/stages.h"
#include "cli/stream/spread.h"

typedef enum xc_cli_use {
	XC_CLI_USE_READING, /* and unpacking */
	XC_CLI_USE_CODING,
	XC_CLI_USE_GPU, /* copies to it and from it, and waiting for it */
	XC_CLI_USE_WRITING,
	XC_CLI_USES
} xc_cli_use;

typedef struct xc_cli_time_use {
	double seconds[XC_CLI_USES];
} xc_cli_time_use;

/* Adds the stages of a picture. */
void xc_cli_time_use_add(xc_cli_time_use *use, const xc_cli_stages *stages);
void xc_cli_time_use_sum(xc_cli_time_use *sum, const xc_cli_time_use *more);
/* Says on stderr how much was done in so many seconds, how many pictures by GPUs, and what bounded it. */
void xc_cli_time_use_say(const xc_cli_time_use *use, const xc_cli_tally *tally, int workers,
                         uint64_t by_gpu, double seconds);

#endif
