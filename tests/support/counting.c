/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/counting.h"

#include <stdlib.h>
#include <string.h>

/* Before each block lie its size and room that keeps the alignment of malloc. */
enum { FRONT = 16 };

static void *allocate(void *user, size_t size)
{
	xc_counting *c = user;
	const uint64_t call = __atomic_add_fetch(&c->calls, 1, __ATOMIC_RELAXED);
	if ((c->fail_at && call >= c->fail_at) || size > SIZE_MAX - FRONT)
		return NULL;
	char *base = malloc(size + FRONT);
	if (!base)
		return NULL;
	*(size_t *)(void *)base = size;
	/* Not zero, so that nobody relies on it. */
	memset(base + FRONT, 0xdb, size < 4096 ? size : 4096);
	__atomic_add_fetch(&c->blocks, 1, __ATOMIC_RELAXED);
	const uint64_t now = __atomic_add_fetch(&c->bytes, size, __ATOMIC_RELAXED);
	uint64_t peak = __atomic_load_n(&c->peak, __ATOMIC_RELAXED);
	while (now > peak && !__atomic_compare_exchange_n(&c->peak, &peak, now, 0, __ATOMIC_RELAXED,
	                                                  __ATOMIC_RELAXED))
		;
	return base + FRONT;
}

static void release(void *user, void *memory)
{
	xc_counting *c = user;
	if (!memory)
		return;
	char *base = (char *)memory - FRONT;
	__atomic_sub_fetch(&c->blocks, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&c->bytes, *(size_t *)(void *)base, __ATOMIC_RELAXED);
	free(base);
}

void xc_counting_init(xc_counting *c, uint64_t fail_at)
{
	*c = (xc_counting){{allocate, release, c}, fail_at, 0, 0, 0, 0};
}
