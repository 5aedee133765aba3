/* SPDX-License-Identifier: BSD-2-Clause */
/* The pairs of `xcodec compare`: which they are, what was measured, how it is shown. */
#ifndef XC_CLI_COMPARE_H
#define XC_CLI_COMPARE_H

#include "cli/base/command.h"
#include "cli/base/io.h"

#include <xcodec.h>

typedef struct xc_cli_pair {
	const char *paths[2]; /* A and B */
	char *owned[2];       /* these paths, if they were made of folders; else NULL */
	char *map;            /* where the picture of the difference goes; NULL: nowhere */
	int done;             /* what follows was measured */
	xc_comparison comparison;
	double ms_ssim_y;
} xc_cli_pair;

typedef struct xc_cli_pairs {
	xc_cli_pair *pair;
	int count;
	int many; /* there may be several: they are shown as a table, or an array */
} xc_cli_pairs;

/* Makes the pairs of operands: A B A B..., or the files of two folders whose names are the same but for
 * the suffix.  Gives each a place for its map, if `map` is not NULL: that file, or its own name in that
 * folder.  Returns -1 to go on, else the exit status after reporting why not.  The caller frees the
 * pairs in any case. */
int xc_cli_pairs_make(const xc_cli_command *self, char **operands, int count, const char *map,
                      xc_cli_pairs *pairs);
void xc_cli_pairs_free(xc_cli_pairs *pairs);

/* Prints what was measured of the pairs that are done. */
void xc_cli_pairs_print(const xc_cli_pairs *pairs);
void xc_cli_pairs_print_json(const xc_cli_pairs *pairs);

#endif
