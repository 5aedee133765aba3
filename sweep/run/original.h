/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture that is swept: read when it is needed, and given to programs as files. */
#ifndef XC_SWEEP_RUN_ORIGINAL_H
#define XC_SWEEP_RUN_ORIGINAL_H

#include "cli/base/picture.h"
#include "sweep/run/config.h"

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

/* Reads it, chooses its peak by what --peak says, and writes the files that the configurations want to the folder under names that begin with `number`.
 * folder: NULL if no configuration is a program.  Returns 0, or -1 after reporting why not. */
int xc_sweep_original_read(xc_sweep_original *original, const char *path,
                           const xc_cli_limits *limits, const xc_sweep_setups *setups, int peak,
                           const char *folder, size_t number);
/* Frees it and removes the files; one of zeros is allowed. */
void xc_sweep_original_free(xc_sweep_original *original);

#endif
