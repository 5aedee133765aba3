/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files, which are removed when the process ends: by exit(), by SIGHUP, SIGINT, SIGPIPE,
 * SIGQUIT, SIGTERM, SIGXCPU, and by a crash. */
#ifndef XC_CLI_BASE_CLEANUP_H
#define XC_CLI_BASE_CLEANUP_H

#include <sys/types.h>

/* Files that can be written at the same time, by as many threads; bytes of a name. */
enum { XC_CLI_WRITERS = 64, XC_CLI_TEMPORARY_NAME = 64 };
#define XC_CLI_MODE_UNKNOWN ((mode_t)-1)

/* Called once, by main().  Installs the handlers, and turns SIGXFSZ into the error EFBIG.  A
 * signal that the caller ignores stays ignored. */
void xc_cli_signals_prepare(void);

/* What a signal that ends the process makes it say, from now on; NULL: nothing. */
void xc_cli_last_words(const char *text);

/* Creates a file that must not exist yet in a folder, for writing, which nobody but its owner can
 * open; *usual is the mode that a new file of others would have there, which is found out if it is
 * XC_CLI_MODE_UNKNOWN. Returns its descriptor, or -1 with errno. A signal removes the file until
 * xc_cli_temporary_done() is given *number; `folder` must stay open until then. Neither function
 * returns once a signal ends the process: a failure after that is no error. */
int xc_cli_temporary_create(int folder, const char *name, mode_t *usual, int *number);
void xc_cli_temporary_done(int number);

#endif
