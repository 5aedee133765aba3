/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A private folder that goes when the process goes, however it ends.
 *
 * A process of its own waits for that, then ends the programs that joined its group and removes the
 * folder.  So SIGKILL leaves nothing behind either.
 */
#ifndef XC_SWEEP_RUN_KEEPER_H
#define XC_SWEEP_RUN_KEEPER_H

#include <limits.h>
#include <sys/types.h>

typedef struct xc_sweep_keeper {
	char folder[PATH_MAX]; /* only the user may enter it */
	pid_t process;         /* also its group; 0: none was started */
	int pipe;              /* open as long as the folder is needed */
} xc_sweep_keeper;

/* Makes the folder, in TMPDIR or /tmp.  Called before any other thread exists.  Returns 0, or -1 after
 * reporting why not. */
int xc_sweep_keeper_start(xc_sweep_keeper *keeper);
/* Returns when the folder is gone.  A keeper of zeros is allowed. */
void xc_sweep_keeper_end(xc_sweep_keeper *keeper);

#endif
