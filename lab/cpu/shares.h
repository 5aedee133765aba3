/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work in shares, one for each thread.  Neither what a share is nor its result may depend on the
 * thread that runs it, so one thread gives the same bits as many.
 */
#ifndef XC_LAB_CPU_SHARES_H
#define XC_LAB_CPU_SHARES_H

#include <stddef.h>

typedef void (*xc_share_task)(void *context, int share, int shares);

static inline void xc_shares_run(int shares, xc_share_task task, void *context)
{
#if defined _OPENMP
	if (shares > 1) {
#pragma omp parallel for schedule(static, 1) num_threads(shares)
		for (int i = 0; i < shares; i++)
			task(context, i, shares);
		return;
	}
#endif
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
