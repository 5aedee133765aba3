/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose results are whose: each result of a job has one input.
 *
 * Rank 0 claims the results of all inputs, in the order of these, before any work on them, so what is refused does not
 * depend on threads or ranks.  It knows from the manifests what inputs earlier runs had claimed results for.
 * An input is known by its path, in which that of its root is whole and without links, so that "card1/a.png"
 * and "card2/a.png" are two.
 */
#ifndef XC_CLI_STREAM_CLAIMS_H
#define XC_CLI_STREAM_CLAIMS_H

#include "cli/stream/items.h"
#include "cli/stream/names.h"

typedef struct xc_cli_claims {
	const char *suffix; /* of results */
	int keep_suffix;    /* after that of the input */
	int force;          /* the last input has a result that several would have */
	xc_cli_names results;
	char *root, *real; /* the root of the last input, as it was given and whole */
	struct xc_cli_bad {
		uint64_t input;
		char *note;
	} * bad; /* shards that were finished, with entries that failed */
	size_t bad_count;
	xc_cli_item *held; /* that replace results of earlier ones */
	size_t held_count, held_next;
	int waited;
} xc_cli_claims;

/* Takes a line of a manifest: 0, or -1: out of memory. */
int xc_cli_claims_note(xc_cli_claims *claims, char mark, char *const text[3]);
/* Both for xc_cli_inputs.  Claims the result of an item: what to do with that, after reporting why. */
xc_cli_claim xc_cli_claims_take(void *claims, xc_cli_item *item);
int xc_cli_claims_held(void *claims, xc_cli_item *item);
void xc_cli_claims_free(xc_cli_claims *claims);

/* Tells the state of a file from that of a changed one; compared with the begin of a note. */
enum { XC_CLI_STAMP = 64, XC_CLI_NOTE = 640 };
struct stat;
void xc_cli_claims_stamp(char stamp[XC_CLI_STAMP], const struct stat *status);

#endif
