/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/core/arena.h"

struct xc_arena_chunk {
	xc_arena_chunk *next;
	size_t size; /* of what follows */
	char pad[64 - sizeof(xc_arena_chunk *) - sizeof(size_t)];
};

/* Under AddressSanitizer scratch has its own size, so that reaching past it shows. */
#if defined __SANITIZE_ADDRESS__
enum { WHOLE_SCRATCH = 0 };
#else
enum { WHOLE_SCRATCH = 1 };
#endif
enum { CHUNK = 1 << 20, MOST_SPARES = 64 };

static void lock(xc_context *c)
{
	while (__atomic_test_and_set(&c->spare_lock, __ATOMIC_ACQUIRE))
		;
}

static void unlock(xc_context *c)
{
	__atomic_clear(&c->spare_lock, __ATOMIC_RELEASE);
}

/* A chunk with room for n bytes; NULL: out of memory. */
static xc_arena_chunk *get_chunk(xc_context *c, size_t n)
{
	xc_arena_chunk *chunk = NULL;
	if (n == CHUNK) {
		lock(c);
		chunk = c->spare;
		if (chunk) {
			c->spare = chunk->next;
			c->spares--;
		}
		unlock(c);
	}
	if (!chunk)
		chunk = xc_allocate(c, n + sizeof *chunk);
	if (chunk)
		chunk->size = n;
	return chunk;
}

static void put_chunk(xc_context *c, xc_arena_chunk *chunk)
{
	lock(c);
	const int keep = chunk->size == CHUNK && c->spares < MOST_SPARES &&
	                 c->limits.max_memory == UINT64_MAX;
	if (keep) {
		chunk->next = c->spare;
		c->spare = chunk;
		c->spares++;
	}
	unlock(c);
	if (!keep)
		xc_release(c, chunk);
}

void *xc_arena_reserve(xc_arena *a, size_t size)
{
	if (size <= a->left)
		return a->next;
	const size_t n = size > CHUNK ? size : CHUNK;
	if (n > SIZE_MAX - sizeof(xc_arena_chunk))
		return NULL;
	xc_arena_chunk *chunk = get_chunk(a->context, n);
	if (!chunk)
		return NULL;
	chunk->next = a->chunks;
	a->chunks = chunk;
	a->next = (char *)(chunk + 1);
	a->left = n;
	return a->next;
}

void xc_arena_keep(xc_arena *a, size_t used)
{
	const size_t n = (used + 63) / 64 * 64;
	const size_t step = n < a->left ? n : a->left;
	a->next += step;
	a->left -= step;
}

void xc_arena_free(xc_arena *a)
{
	while (a->chunks) {
		xc_arena_chunk *next = a->chunks->next;
		put_chunk(a->context, a->chunks);
		a->chunks = next;
	}
	a->next = NULL;
	a->left = 0;
}

void *xc_scratch_allocate(xc_context *c, size_t size)
{
	if (size > SIZE_MAX - sizeof(xc_arena_chunk))
		return NULL;
	/* Under a limit each byte counts, and nothing is kept anyway. */
	const int whole = WHOLE_SCRATCH && size < CHUNK && c->limits.max_memory == UINT64_MAX;
	xc_arena_chunk *chunk = get_chunk(c, whole ? CHUNK : size);
	return chunk ? chunk + 1 : NULL;
}

void xc_scratch_free(xc_context *c, void *scratch)
{
	if (scratch)
		put_chunk(c, (xc_arena_chunk *)scratch - 1);
}

void xc_arena_drop_spares(xc_context *c)
{
	while (c->spare) {
		xc_arena_chunk *next = c->spare->next;
		xc_release(c, c->spare);
		c->spare = next;
	}
	c->spares = 0;
}
