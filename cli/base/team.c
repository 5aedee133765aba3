/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/team.h"

typedef struct shared_work {
	uint32_t next, count;
	void (*work)(void *arg, uint32_t i);
	void *arg;
} shared_work;

static void share(void *user, int worker)
{
	shared_work *w = user;
	uint32_t i;

	(void)worker;
	while ((i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->count)
		w->work(w->arg, i);
}

static void run(void *user, uint32_t count, void (*work)(void *arg, uint32_t i), void *arg)
{
	xc_cli_team *team = user;
	shared_work w = {0, count, work, arg};

	xc_pool_run(&team->pool, (int)team->team.threads, share, &w);
}

const xc_row_team *xc_cli_team_begin(xc_cli_team *team, int threads)
{
	team->open = threads > 1 && !xc_pool_init(&team->pool);
	if (!team->open)
		return NULL;
	team->team = (xc_row_team){run, team, (uint32_t)threads};
	return &team->team;
}

void xc_cli_team_end(xc_cli_team *team)
{
	if (team->open)
		xc_pool_free(&team->pool);
	team->open = 0;
}
