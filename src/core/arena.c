/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory in chunks for one thread at a time. Spare chunks are a list in the context; a spin lock is
 * enough, because it is held for a few instructions. */
#include "src/core/arena.h"

struct xc_arena_chunk {
	xc_arena_chunk *next;
	size_t size;   /* of the bytes after this header */
	size_t spares; /* in a list of spare chunks: how many begin here */
	char pad[64 - sizeof(xc_arena_chunk *) - 2 * sizeof(size_t)];
};

/* Under AddressSanitizer scratch has its exact size, so that an access past it is found. */
#if defined __SANITIZE_ADDRESS__
enum { WHOLE_SCRATCH = 0 };
#else
enum { WHOLE_SCRATCH = 1 };
#endif

/* A context keeps at most MAX_SPARES spare chunks, enough for twelve threads, and SPARES_OF_THREAD
 * more for each thread of its pool. */
enum { CHUNK = 1 << 20, MAX_SPARES = 64, SPARES_OF_THREAD = 4 };

static void lock(xc_context *c)
{
	while (__atomic_test_and_set(&c->chunk_lock, __ATOMIC_ACQUIRE))
		;
}

static void unlock(xc_context *c)
{
	__atomic_clear(&c->chunk_lock, __ATOMIC_RELEASE);
}

/* Frees all spare chunks. */
static void close_spares(xc_context *c, void *spares)
{
	for (xc_arena_chunk *chunk = spares, *next; chunk; chunk = next) {
		next = chunk->next;
		xc_release(c, chunk);
	}
}

/* Returns a chunk with room for n bytes; NULL: out of memory. */
static xc_arena_chunk *get_chunk(xc_context *c, size_t n)
{
	xc_arena_chunk *chunk = NULL;

	if (n == CHUNK) {
		lock(c);
		chunk = c->attached[XC_ATTACHED_CHUNKS].data;
		if (chunk)
			c->attached[XC_ATTACHED_CHUNKS].data = chunk->next;
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
	chunk->next = c->attached[XC_ATTACHED_CHUNKS].data;
	chunk->spares = chunk->next ? chunk->next->spares + 1 : 1;
	const size_t max = MAX_SPARES + SPARES_OF_THREAD * (size_t)c->pool.threads;
	const int keep = chunk->size == CHUNK && chunk->spares <= max &&
	                 c->limits.max_memory == UINT64_MAX;
	if (keep)
		c->attached[XC_ATTACHED_CHUNKS] = (xc_attachment){chunk, close_spares};
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
	/* A context with a memory limit keeps no chunks, so there a whole one would waste memory. */
	const int whole = WHOLE_SCRATCH && size < CHUNK && c->limits.max_memory == UINT64_MAX;
	xc_arena_chunk *chunk = get_chunk(c, whole ? CHUNK : size);
	return chunk ? chunk + 1 : NULL;
}

void xc_scratch_free(xc_context *c, void *scratch)
{
	if (scratch)
		put_chunk(c, (xc_arena_chunk *)scratch - 1);
}
