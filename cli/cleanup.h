/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary files that must not survive SIGINT, SIGTERM or SIGHUP. */
#ifndef XC_CLI_CLEANUP_H
#define XC_CLI_CLEANUP_H

/* Files that can be written at a time, by as many threads. */
enum { XC_CLI_WRITERS = 64 };

/* Called once, by main(): installs the handlers, and turns SIGPIPE and SIGXFSZ
 * into the errors EPIPE and EFBIG. */
void xc_cli_signals_prepare(void);

/* A signal removes the file from now on, until xc_cli_cleanup_remove() is given the
 * number that this returns; -1: the path is too long, or XC_CLI_WRITERS files are
 * there already. */
int xc_cli_cleanup_add(const char *path);
void xc_cli_cleanup_remove(int number);

#endif
