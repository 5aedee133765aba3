/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are passed over by their names, counted by their suffixes. */
#ifndef XC_CLI_STREAM_PASSED_H
#define XC_CLI_STREAM_PASSED_H

#include <stdint.h>

enum { XC_CLI_PASSED_KINDS = 32 };
typedef struct xc_cli_passed_kind {
	char what[24]; /* ".heic" */
	uint64_t count;
} xc_cli_passed_kind;
typedef struct xc_cli_passed {
	xc_cli_passed_kind kind[XC_CLI_PASSED_KINDS]; /* the last one: all that have no other */
	uint64_t all;
} xc_cli_passed;

/* Counts a file, or, by a kind that is no suffix, something else.  One thread at a time. */
void xc_cli_passed_file(xc_cli_passed *passed, const char *path);
void xc_cli_passed_other(xc_cli_passed *passed, const char *what);
/* A warning with all counts, the largest first: "subject: warning: 3 files DONE: 2 .heic, 1 .tif".  Nothing if there
 * are none. */
void xc_cli_passed_tell(xc_cli_passed *passed, const char *subject, const char *done);

#endif
