/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program does first. */
#ifndef XC_CLI_START_H
#define XC_CLI_START_H

/* program: its name in messages, a literal. */
void xc_cli_start(const char *program);

#endif
