/* SPDX-License-Identifier: BSD-2-Clause */
/* What --json tells: an object for each file, or, where there may be several, an array in the
 * order of the command line, however the work was shared out. */
#ifndef XC_CLI_BASE_SUMMARY_H
#define XC_CLI_BASE_SUMMARY_H

#include "cli/base/json.h"
#include "cli/base/stages.h"

typedef struct xc_cli_summary {
	xc_cli_json json; /* an open object, to be filled */
	char *text;
	size_t size;
} xc_cli_summary;

/* Returns 0, or -1 after reporting that there is no memory. */
int xc_cli_summary_begin(xc_cli_summary *summary);
/* Returns the text, which the caller frees; NULL after reporting that there is no memory. */
char *xc_cli_summary_end(xc_cli_summary *summary);

/* Adds a picture's shape and what its file takes. */
void xc_cli_summary_sizes(xc_cli_json *json, const xc_picture *picture, uint64_t file_bytes);
/* Adds the time of each stage. */
void xc_cli_summary_stages(xc_cli_json *json, const xc_cli_stages *stages);

/* Prints `count` texts, of which some may be NULL, and frees them. */
void xc_cli_summaries_print(char **texts, int count, int array);

#endif
