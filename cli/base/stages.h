/* SPDX-License-Identifier: BSD-2-Clause */
/* What --verbose and --json tell: timings by stage, the command's own and the
 * library's, and sizes. */
#ifndef XC_CLI_BASE_STAGES_H
#define XC_CLI_BASE_STAGES_H

#include "cli/base/clock.h"
#include "cli/base/json.h"

#include <xcodec.h>

typedef struct xc_cli_stages {
	xc_timing stage[40];
	size_t count;
	int wanted;
	xc_cli_clock begun; /* the current stage */
	xc_cli_clock calls; /* of the library, before the last one */
} xc_cli_stages;

/* The first stage begins.  wanted 0: nobody will ask, and no call does anything. */
void xc_cli_stages_start(xc_cli_stages *stages, int wanted);
/* The current stage was `name`, a literal, which may have been a stage before.  The next one
 * begins. */
void xc_cli_stages_end(xc_cli_stages *stages, const char *name);
/* The current stage was a library call that others follow; the next stage begins. */
void xc_cli_stages_end_call(xc_cli_stages *stages);
/* The current stage was the last library call: adds the stages of all, and the rest as "other". */
void xc_cli_stages_end_library(xc_cli_stages *stages, const xc_context *context);
/* Prints the table on stderr. */
void xc_cli_stages_print(const xc_cli_stages *stages);

/* Prints on stderr what a picture and its file are, and the device that the context's
 * last call used. */
void xc_cli_print_sizes(const char *path, const xc_picture *picture, uint64_t file_bytes,
                        const xc_context *context);

/* What --json tells: an array with an object for each file, also if there is one only, in the
 * order of the command line, however the work was shared out. */
typedef struct xc_cli_summary {
	xc_cli_json json; /* an open object, to be filled */
	char *text;
	size_t size;
} xc_cli_summary;

/* Begins with the names of both files; output NULL: there is none. kind: "picture", "array" or "jpeg", as what the XC
 * file holds; NULL: that is not known. Returns 0, or -1 after reporting that there is no memory. */
int xc_cli_summary_begin(xc_cli_summary *summary, const char *input, const char *output,
                         const char *kind);
/* Returns the text, which the caller frees; NULL after reporting that there is no memory. */
char *xc_cli_summary_end(xc_cli_summary *summary);
/* Adds to that text whether the input was deleted, and else why not, which needs no escapes. Returns the text, likewise. */
char *xc_cli_summary_deleted(char *text, const char *kept);

/* Adds a picture's shape and what its file takes. */
void xc_cli_summary_sizes(xc_cli_json *json, const xc_picture *picture, uint64_t file_bytes);
/* Adds the time of each stage. */
void xc_cli_summary_stages(xc_cli_json *json, const xc_cli_stages *stages);

/* Prints `count` texts, of which some may be NULL, and frees them. */
void xc_cli_summaries_print(char **texts, int count);
/* Where they come one by one: prints the next one of an array, after `before` others,
 * and ends the array. */
void xc_cli_summary_print(const char *text, int before);
void xc_cli_summaries_end(int count);

#endif
