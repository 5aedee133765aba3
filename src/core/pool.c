/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a context. One mutex guards all members but `waiting`. */
#include "src/core/floats.h"
#include "src/core/pool.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* Bytes. Kernels hold a few blocks of coefficients on the stack, with sanitizers twice as much. */
enum { STACK = 1 << 20 };

int xc_pool_init(xc_pool *p)
{
	p->process = getpid();
	p->threads = p->wanted = p->begun = p->busy = p->waiting = p->stop = 0;
	pthread_cond_t *const conditions[] = {&p->posted, &p->finished, &p->raised};
	int n = 0;
	while (n < 3 && !pthread_cond_init(conditions[n], NULL))
		n++;
	if (n == 3 && !pthread_mutex_init(&p->lock, NULL))
		return 0;
	while (n)
		pthread_cond_destroy(conditions[--n]);
	return -1;
}

static void *work(void *pool)
{
	xc_pool *p = pool;

	(void)xc_floats_begin();
	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->stop && p->begun >= p->wanted)
			pthread_cond_wait(&p->posted, &p->lock);
		if (p->stop)
			break;
		const int worker = ++p->begun;
		p->busy++;
		pthread_mutex_unlock(&p->lock);
		p->run(p->user, worker);
		pthread_mutex_lock(&p->lock);
		if (--p->busy == 0)
			pthread_cond_signal(&p->finished);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* All signals are blocked in these threads, so that the caller's threads handle them. */
static void start(xc_pool *p, int threads)
{
	pthread_attr_t attributes;
	sigset_t all, before;

	if (p->threads >= threads || pthread_attr_init(&attributes))
		return;
	(void)pthread_attr_setstacksize(&attributes, STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (p->threads < threads && !pthread_create(&p->thread[p->threads], &attributes, work, p))
		p->threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}

void xc_pool_run(xc_pool *p, int workers, void (*run)(void *user, int worker), void *user)
{
	/* After a fork() the threads belong to the parent, which may hold the lock. */
	if (workers > 1 && p->process != getpid() && xc_pool_init(p))
		workers = 1;
	if (workers > 1)
		start(p, workers - 1);
	if (workers == 1 || !p->threads) {
		run(user, 0);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->run = run;
	p->user = user;
	p->begun = 0;
	p->wanted = workers - 1 < p->threads ? workers - 1 : p->threads;
	if (p->wanted < p->threads)
		for (int i = 0; i < p->wanted; i++)
			pthread_cond_signal(&p->posted);
	else
		pthread_cond_broadcast(&p->posted);
	pthread_mutex_unlock(&p->lock);
	run(user, 0);
	pthread_mutex_lock(&p->lock);
	p->wanted = 0; /* whoever has not begun need not */
	while (p->busy)
		pthread_cond_wait(&p->finished, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

/* In a sequentially consistent order the waiter sees the flag, or this sees `waiting`. */
void xc_pool_raise(xc_pool *p, uint32_t *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&p->waiting, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->raised);
	pthread_mutex_unlock(&p->lock);
}

void xc_pool_wait(xc_pool *p, const uint32_t *flag)
{
	/* Most waits are shorter than it takes to sleep and wake. */
	enum { YIELDS = 100 };

	for (int i = 0; i < YIELDS && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); i++)
		sched_yield();
	if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&p->lock);
	__atomic_add_fetch(&p->waiting, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(flag, __ATOMIC_SEQ_CST))
		pthread_cond_wait(&p->raised, &p->lock);
	__atomic_sub_fetch(&p->waiting, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&p->lock);
}

void xc_pool_free(xc_pool *p)
{
	if (p->process != getpid())
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = 1;
	pthread_cond_broadcast(&p->posted);
	pthread_mutex_unlock(&p->lock);
	for (int i = 0; i < p->threads; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->raised);
	pthread_cond_destroy(&p->finished);
	pthread_cond_destroy(&p->posted);
	pthread_mutex_destroy(&p->lock);
}
