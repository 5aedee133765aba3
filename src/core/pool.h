/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a context. They begin with their first work, sleep between calls and stay until
 * the context is freed. (OpenMP's threads wait actively, which slows down whatever else runs, end
 * the process where no thread can be had, and hang in the child of a fork().) */
#ifndef XC_SRC_CORE_POOL_H
#define XC_SRC_CORE_POOL_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

enum { XC_MAX_THREADS = 1024 };

typedef struct xc_pool {
	pthread_mutex_t lock;
	pthread_cond_t posted, finished, raised;
	pid_t process; /* the one that the threads belong to */
	int threads;
	pthread_t thread[XC_MAX_THREADS - 1];
	/* The current work; the workers that it wants, that have begun, that are busy. */
	void (*run)(void *user, int worker);
	void *user;
	int wanted, begun, busy;
	int waiting; /* in xc_pool_wait(), asleep; changed atomically */
	int stop;
} xc_pool;

/* 0, or -1: out of memory. */
int xc_pool_init(xc_pool *pool);
void xc_pool_free(xc_pool *pool);

/* Calls run(user, 0) in the calling thread and, at the same time, run(user, worker) in other
 * threads for workers 1 to workers - 1, as far as threads can be started and begin before worker 0
 * ends. Returns when all are done. */
void xc_pool_run(xc_pool *pool, int workers, void (*run)(void *user, int worker), void *user);

/* Called within that work: sets a flag, and waits until another worker has set it. Workers must not
 * wait for each other in a circle. */
void xc_pool_raise(xc_pool *pool, uint32_t *flag);
void xc_pool_wait(xc_pool *pool, const uint32_t *flag);

#endif
