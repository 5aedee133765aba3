/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configurations of a sweep.  One is a text
 *
 *   [NAME:] [CODEC:] OPTION...
 *
 * CODEC is one of foreign.h, which then also serves as a name; without it the options are those of
 * `xcodec encode` that describe the coding.  --qualities LIST among the options is the sweep's own.
 */
#ifndef XC_SWEEP_RUN_CONFIG_H
#define XC_SWEEP_RUN_CONFIG_H

#include "cli/base/settings.h"
#include "sweep/run/foreign.h"
#include "sweep/run/qualities.h"

typedef struct xc_sweep_setup {
	char *name, *options; /* without the name */
	char *identity;       /* all that decides what it makes; xc_sweep_setup_prepare() */
	int is_foreign;
	xc_sweep_foreign foreign; /* its commands */
	xc_cli_encoder encoder;   /* for xcodec itself */
	xc_sweep_words words;     /* which the encoder's options point into */
	xc_sweep_qualities qualities;
} xc_sweep_setup;

/* What holds where a configuration says nothing. */
typedef struct xc_sweep_defaults {
	const xc_cli_encoder *encoder;
	const xc_sweep_qualities *qualities;
} xc_sweep_defaults;

typedef struct xc_sweep_setups {
	xc_sweep_setup *setup;
	size_t count;
} xc_sweep_setups;

/* Adds xcodec as the options of the command say, which is called "xcodec".  Returns -1 to go on, or the exit status
 * of a reported error, as those below. */
int xc_sweep_setups_add_own(xc_sweep_setups *setups, const xc_sweep_defaults *defaults);
/* Adds the configuration of a text, or of each line of a file that neither is blank nor begins with
 * '#'. */
int xc_sweep_setups_add(xc_sweep_setups *setups, const xc_cli_command *self, const char *text,
                        const xc_sweep_defaults *defaults);
int xc_sweep_setups_read(xc_sweep_setups *setups, const xc_cli_command *self, const char *path,
                         const xc_sweep_defaults *defaults);
void xc_sweep_setups_free(xc_sweep_setups *setups);

/* Makes sure that programs are installed, reads files of tables, and writes the identities.  Returns 0, or
 * -1 after reporting why not. */
int xc_sweep_setups_prepare(xc_sweep_setups *setups, xc_context *context);

#endif
