/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that `xcodec sweep` writes. */
#ifndef XC_CLI_SWEEP_H
#define XC_CLI_SWEEP_H

#include "cli/base/io.h"
#include "sweep/bd_table.h"
#include "sweep/run/run.h"

typedef struct xc_sweep_files {
	const char *csv, *json, *html; /* as the options name them; NULL: not wanted */
	int force;
	xc_cli_output outputs[3]; /* CSV, JSON, HTML: between check and write */
} xc_sweep_files;

/* Whether a name is that of standard output or input; NULL is none. */
int xc_sweep_is_standard(const char *path);

/* Whether one of them goes to standard output. */
int xc_sweep_files_to_standard(const xc_sweep_files *files);
/* Makes sure that the files can be written and are none of those that are read.  Returns 0, or -1 after
 * reporting why not. */
int xc_sweep_files_check(xc_sweep_files *files, const xc_sweep_plan *plan);

/* The name of the journal, beside the first file that is no device; to be freed.  *name is NULL if there
 * is no such file.  Returns 0, or -1 after reporting why not. */
int xc_sweep_files_journal(const xc_sweep_files *files, char **name);

/* Each file becomes complete or is not there.  Returns 0, or -1 after reporting why not. */
int xc_sweep_files_write(xc_sweep_files *files, const xc_sweep_run *run,
                         const xc_sweep_bd_table *bd);
/* Leaves what has not been written, checked or not. */
void xc_sweep_files_end(xc_sweep_files *files);

#endif
