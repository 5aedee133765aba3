/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SWEEP_RUN_SPAWN_H
#define XC_SWEEP_RUN_SPAWN_H

#include <sys/types.h>

/* Runs a program, found by PATH, with nothing to read on standard input, and waits for its end.  The
 * process joins the group.  What it says goes to the file `log`.  Returns 0, or -1 after reporting why
 * not and, if it failed, the end of what it said; name and config: for messages.  name NULL: it may fail, and
 * nothing is reported. */
int xc_sweep_spawn(char *const argv[], pid_t group, const char *log, const char *name,
                   const char *config);

#endif
