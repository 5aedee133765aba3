/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program does first and last. */
#ifndef XC_CLI_START_H
#define XC_CLI_START_H

/* program: its name in messages, a literal. */
void xc_cli_start(const char *program);

/* Called last: returns `status`, or a failure, which it reports, if standard output
 * could not be written. */
int xc_cli_end(int status);

/* The path of a file in the folder of the program: 1, or 0 where it has none of that name. */
enum { XC_CLI_PATH_SIZE = 4096 };
int xc_cli_find_beside(char path[XC_CLI_PATH_SIZE], const char *name);

#endif
