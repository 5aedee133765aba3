/* SPDX-License-Identifier: BSD-2-Clause */
/* A temporary file that must not survive SIGINT, SIGTERM or SIGHUP. */
#ifndef XC_CLI_CLEANUP_H
#define XC_CLI_CLEANUP_H

/* Called once, by main(): installs the handlers, and turns SIGPIPE and SIGXFSZ
 * into the errors EPIPE and EFBIG. */
void xc_cli_signals_prepare(void);

/* The file that a signal removes, from now on; 0, or -1 if the path is too long.
 * One file at a time. */
int xc_cli_cleanup_set(const char *path);
void xc_cli_cleanup_clear(void);

#endif
