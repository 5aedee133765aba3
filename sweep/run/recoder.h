/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives the pictures of a sweep once more, for its report. */
#ifndef XC_SWEEP_RUN_RECODER_H
#define XC_SWEEP_RUN_RECODER_H

#include "sweep/html.h"
#include "sweep/run/measure.h"
#include "sweep/run/run.h"

typedef struct xc_sweep_recoder {
	xc_sweep_viewer viewer; /* for xc_sweep_html() */
	const xc_sweep_run *run;
	xc_sweep_original original;
	xc_sweep_worker worker;
	xc_cli_progress progress;
	char *folder;
	int reported; /* a failure, so that nothing more need be said of it */
} xc_sweep_recoder;

/* Returns 0, or -1 after reporting why not.  The caller frees the recoder, which must not move, in both cases. */
int xc_sweep_recoder_start(xc_sweep_recoder *recoder, const xc_sweep_run *run);
void xc_sweep_recoder_free(xc_sweep_recoder *recoder);

#endif
