/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture, coded once and measured. */
#ifndef XC_SWEEP_RUN_MEASURE_H
#define XC_SWEEP_RUN_MEASURE_H

#include "cli/base/progress.h"
#include "sweep/run/config.h"
#include "sweep/run/original.h"
#include "sweep/results.h"

/* One of those who work at the same time. */
typedef struct xc_sweep_worker {
	xc_context *context;
	xc_cli_progress *progress;
	const xc_cli_limits *limits;
	const char *folder;   /* for programs; NULL: there are none */
	pid_t group;          /* of these */
	xc_picture decoded;   /* by xcodec; kept for the next one of its shape */
	xc_file_picture file; /* by a program */
} xc_sweep_worker;

/* Encodes and decodes: sets the point's bytes and seconds, and *decoded, which is valid until the next call.
 * Returns 0, or -1 after reporting why not. */
int xc_sweep_code(xc_sweep_worker *worker, const xc_sweep_setup *setup,
                  const xc_sweep_original *original, xc_sweep_point *point, xc_picture *decoded);
/* Does that and measures: sets all but the point's place, configuration and quality. */
int xc_sweep_measure_point(xc_sweep_worker *worker, const xc_sweep_setup *setup,
                           const xc_sweep_original *original, xc_sweep_point *point,
                           xc_picture *decoded);
/* Frees what was decoded. */
void xc_sweep_worker_clear(xc_sweep_worker *worker);

#endif
