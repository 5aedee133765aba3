/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of a context.  They begin when there is first work for them and stay until
 * the context is freed, asleep while there is none.  (Not OpenMP's: those wait actively,
 * which slows down whatever else runs, end the process where no thread can be had, and
 * hang in the child of a fork().)
 */
#ifndef XC_SRC_CORE_POOL_H
#define XC_SRC_CORE_POOL_H

#include <pthread.h>
#include <sys/types.h>

enum { XC_MAX_THREADS = 1024 };

typedef struct xc_pool {
	pthread_mutex_t lock;
	pthread_cond_t posted, finished;
	pid_t process; /* whose threads they are */
	int threads;
	pthread_t thread[XC_MAX_THREADS - 1];
	/* The work under way, and how many of its workers have begun, and not ended. */
	void (*run)(void *user, int worker);
	void *user;
	int wanted, begun, busy;
	int stop;
} xc_pool;

/* 0, or -1: out of memory. */
int xc_pool_init(xc_pool *pool);
void xc_pool_free(xc_pool *pool);

/* Calls run(user, worker) for worker 0, by the calling thread, and for some or all of 1 to
 * workers - 1 at the same time: those that begin before worker 0 is done, as far as threads
 * can be had.  Returns when all are done. */
void xc_pool_run(xc_pool *pool, int workers, void (*run)(void *user, int worker), void *user);

#endif
