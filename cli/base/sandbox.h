/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sandbox of the commands that parse files of strangers: what a file that took over a decoder could
 * do with the process.  Landlock leaves the named inputs to be read and the results' folder to be
 * written, seccomp the system calls that a codec makes.  Linux only; elsewhere, and where the kernel
 * has neither, nothing happens.  SECURITY.md says what it keeps off.
 *
 * Called once by a subcommand, after its options were parsed, before the first byte of an input is
 * read and before the first thread is started: Landlock holds for the calling thread and for those that
 * it starts later.
 */
#ifndef XC_CLI_BASE_SANDBOX_H
#define XC_CLI_BASE_SANDBOX_H

#include "cli/base/options.h"
#include "cli/base/settings.h"

#include <stddef.h>

/* What stays allowed.  NULL and "-" stand for nothing. */
typedef struct xc_cli_sandbox {
	int off;                     /* --no-sandbox */
	const xc_cli_limits *limits; /* with the device to work on */
	int many;                    /* files, which "auto" gives to GPUs together */
	char *const *inputs; /* files to read; if a folder is among them, every file may be read */
	int count;
	const char *also_read; /* one more */
	int reads_all;         /* every file may be read: a list names them later */
	const char *result;    /* a file; all below its folder can be written */
	const char *folder;    /* all below it can be written, and folders be made */
	int deletes;           /* the named files, and those below the named folders, may be deleted */
} xc_cli_sandbox;

extern const xc_cli_option xc_cli_sandbox_options[]; /* base: int, xc_cli_sandbox.off */

/* Enters it for good: 0, or -1 after reporting why not.  0 as well, and nothing has changed, if it is
 * off, if a GPU may be used, whose driver needs more, or if the kernel has none. */
int xc_cli_sandbox_enter(const xc_cli_sandbox *allowed);

/* Writes what the kernel has for it, such as "Landlock 7, seccomp" or "none". */
void xc_cli_sandbox_describe(char *text, size_t size);

#endif
