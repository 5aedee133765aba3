/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files that must not survive SIGHUP, SIGINT, SIGQUIT, SIGTERM or SIGXCPU. */
#ifndef XC_CLI_BASE_CLEANUP_H
#define XC_CLI_BASE_CLEANUP_H

/* Files that can be written at a time, by as many threads. */
enum { XC_CLI_WRITERS = 64 };

/* Called once, by main(): installs the handlers, and turns SIGPIPE and SIGXFSZ
 * into the errors EPIPE and EFBIG. */
void xc_cli_signals_prepare(void);

/* Creates a file that must not be there yet, for writing: its descriptor, or -1 with errno.
 * A signal removes it from now on, until xc_cli_temporary_done() is given *number.  Neither
 * returns once a signal ends the process: what fails from then on is no error. */
int xc_cli_temporary_create(const char *path, int *number);
void xc_cli_temporary_done(int number);

#endif
