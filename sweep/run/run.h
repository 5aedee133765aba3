/* SPDX-License-Identifier: BSD-2-Clause */
/* All points of a sweep, several at a time. */
#ifndef XC_SWEEP_RUN_RUN_H
#define XC_SWEEP_RUN_RUN_H

#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "sweep/results.h"
#include "sweep/run/config.h"

#include <limits.h>
#include <sys/types.h>

/*
 * Points that were measured, kept as they come, so that a sweep that was interrupted can go on.
 *
 * The journal is a text of lines: a CRC-32C of the rest in hexadecimal, a blank, the key, a tab,
 * and the numbers. A line that is not whole does not count.
 */
typedef struct xc_sweep_journal {
	const char *path;
	int file;     /* -1: there is none */
	char **lines; /* of an earlier sweep, sorted, without the checksum */
	size_t count;
} xc_sweep_journal;

/*
 * A private folder that goes when the process goes, however it ends.
 *
 * A process of its own waits for that, then ends the programs that joined its group and removes the
 * folder.  So SIGKILL leaves nothing behind either.
 */
typedef struct xc_sweep_private_folder {
	char folder[PATH_MAX]; /* only the user may enter it */
	pid_t process;         /* also its group; 0: none was started */
	int pipe;              /* open as long as the folder is needed */
} xc_sweep_private_folder;

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
	int peak; /* as --peak says: see cli/base/settings.h */
	/* Called once for each picture, in their order, when all of its points are measured. Returns 0,
	 * or -1 to end the sweep. */
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
	xc_sweep_private_folder private;
} xc_sweep_run;

/* Measures everything. At any time as many pictures as jobs are in memory at the most. The first
 * failure ends the sweep: -1 after reporting it, else 0. The caller frees *run in both cases. */
int xc_sweep_run_all(xc_sweep_run *run, const xc_sweep_plan *plan);
/* Asks the programs what they are, and notes it with the configurations. Returns 0, or -1 after
 * reporting why not. */
int xc_sweep_versions(xc_sweep_run *run);
/* complete: the results are where they are wanted, and the journal goes. */
void xc_sweep_run_free(xc_sweep_run *run, int complete);

/* A picture that is swept: read when it is needed, and given to programs as files. */
typedef struct xc_sweep_original {
	const char *name; /* for messages */
	xc_picture picture;
	uint32_t peak;     /* of its samples, for xc_compare_all() */
	uint64_t bytes;    /* of its file */
	uint32_t checksum; /* CRC-32C of its file */
	char *pnm, *png;   /* files for programs; NULL: none wants one */
	xc_context *context;
	xc_cli_picture read;
} xc_sweep_original;

/* Reads it, chooses its peak by what --peak says, and writes the files that the configurations want
 * to the folder under names that begin with `number`. folder: NULL if no configuration is a
 * program. Returns 0, or -1 after reporting why not. */
int xc_sweep_original_read(xc_sweep_original *original, const char *path,
                           const xc_cli_limits *limits, const xc_sweep_setups *setups, int peak,
                           const char *folder, size_t number);
/* Frees it and removes the files; one of zeros is allowed. */
void xc_sweep_original_free(xc_sweep_original *original);

/* One picture, coded once and measured. */

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

/* Does that and measures: sets all but the point's place, configuration and quality. */
int xc_sweep_measure_point(xc_sweep_worker *worker, const xc_sweep_setup *setup,
                           const xc_sweep_original *original, xc_sweep_point *point,
                           xc_picture *decoded);
/* Frees what was decoded. */
void xc_sweep_worker_clear(xc_sweep_worker *worker);

/* Gives the pictures of a sweep once more, for its report. */
typedef struct xc_sweep_page_pictures {
	xc_sweep_viewer viewer; /* for xc_sweep_html() */
	const xc_sweep_run *run;
	xc_sweep_original original;
	xc_sweep_worker worker;
	xc_cli_progress progress;
	char *folder;
	int reported; /* a failure, so that nothing more need be said of it */
} xc_sweep_page_pictures;

/* Returns 0, or -1 after reporting why not. The caller frees the page's pictures, which must not
 * move, in both cases. */
int xc_sweep_page_pictures_start(xc_sweep_page_pictures *page_pictures, const xc_sweep_run *run);
void xc_sweep_page_pictures_free(xc_sweep_page_pictures *page_pictures);

#endif
