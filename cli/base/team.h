/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that share out the work of a picture file's writer. */
#ifndef XC_CLI_BASE_TEAM_H
#define XC_CLI_BASE_TEAM_H

#include "formats/formats.h"

#include "src/core/pool.h"

typedef struct xc_cli_team {
	xc_row_team team;
	xc_pool pool;
	int open;
} xc_cli_team;

/* Begins a team of so many threads, which must not move, and is ended also where this fails.  NULL: one
 * thread, or none more to be had. */
const xc_row_team *xc_cli_team_begin(xc_cli_team *team, int threads);
/* A team of zeros is allowed. */
void xc_cli_team_end(xc_cli_team *team);

#endif
