/* SPDX-License-Identifier: BSD-2-Clause */
/* All points of a sweep, several at a time. */
#ifndef XC_SWEEP_RUN_RUN_H
#define XC_SWEEP_RUN_RUN_H

#include "sweep/run/config.h"
#include "sweep/run/journal.h"
#include "sweep/run/keeper.h"
#include "sweep/results.h"

/* What is to be done. */
typedef struct xc_sweep_plan {
	char **paths; /* of the pictures */
	size_t picture_count;
	xc_sweep_setups setups; /* prepared */
	xc_cli_limits limits;   /* the threads are shared by the jobs */
	int jobs;               /* points at a time, 1 to XC_CLI_WRITERS; 0: one a thread */
	int verbosity;
	const char *journal; /* its name, or NULL */
	int resume;
	int peak; /* as --peak says: see cli/base/range.h */
	/* Called once for each picture, in their order, when all of its points are measured.  Returns 0, or -1 to
	 * end the sweep. */
	int (*complete)(void *user, const xc_sweep_results *results, size_t picture);
	void *user;
} xc_sweep_plan;

/* What came of it.  Points of xc_sweep_results are in order whatever the number of jobs. */
typedef struct xc_sweep_run {
	const xc_sweep_plan *plan;
	xc_sweep_results results;
	xc_sweep_picture *pictures;
	xc_sweep_config *configs;
	xc_sweep_point *points;
	struct xc_sweep_source {
		uint64_t bytes;
		uint32_t checksum;
	} * sources; /* by picture */
	int jobs;
	xc_sweep_journal journal;
	xc_sweep_keeper keeper;
} xc_sweep_run;

/* Measures everything.  At any time as many pictures as jobs are in memory at the most.  The first failure ends
 * the sweep: -1 after reporting it, else 0.  The caller frees *run in both cases. */
int xc_sweep_run_all(xc_sweep_run *run, const xc_sweep_plan *plan);
/* Asks the programs what they are, and notes it with the configurations.  Returns 0, or -1 after reporting why not. */
int xc_sweep_versions(xc_sweep_run *run);
/* complete: the results are where they are wanted, and the journal goes. */
void xc_sweep_run_free(xc_sweep_run *run, int complete);

#endif
