/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work in shares, one for each thread.  Neither what a share is nor its result may depend on the
 * thread that runs it, so one thread gives the same bits as many.
 */
#ifndef XC_LAB_CPU_SHARES_H
#define XC_LAB_CPU_SHARES_H

#include <stddef.h>

#include "src/core/pool.h"

typedef void (*xc_share_task)(void *context, int share, int shares);

/* The workers of a pool take one share after the other. */
typedef struct xc_shares {
	xc_share_task task;
	void *context;
	int shares, next;
} xc_shares;

static inline void xc_shares_work(void *user, int worker)
{
	xc_shares *const s = (xc_shares *)user;

	(void)worker;
	for (int i; (i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->shares;)
		s->task(s->context, i, s->shares);
}

/* pool NULL: OpenMP's threads take them, or this one where there is no OpenMP. */
static inline void xc_shares_run(struct xc_pool *pool, int shares, xc_share_task task,
                                 void *context)
{
	if (pool && shares > 1) {
		xc_shares s = {task, context, shares, 0};
		xc_pool_run(pool, shares, xc_shares_work, &s);
		return;
	}
#pragma omp parallel for num_threads(shares) schedule(static, 1) if (shares > 1)
	for (int i = 0; i < shares; i++)
		task(context, i, shares);
}

/* The first item of a share; the share ends where the next one starts. */
static inline size_t xc_share_first(size_t items, int share, int shares)
{
	const size_t n = (size_t)shares, i = (size_t)share;
	const size_t rest = items % n;
	return items / n * i + (i < rest ? i : rest);
}

#endif
