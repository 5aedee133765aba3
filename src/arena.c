/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/arena.h"

struct xc_arena_chunk {
	xc_arena_chunk *next;
	char pad[64 - sizeof(xc_arena_chunk *)];
};

enum { CHUNK = 1 << 20 };

void *xc_arena_reserve(xc_arena *a, size_t size)
{
	if (size <= a->left)
		return a->next;
	const size_t n = size > CHUNK ? size : CHUNK;
	if (n > SIZE_MAX - sizeof(xc_arena_chunk))
		return NULL;
	xc_arena_chunk *chunk = xc_allocate(a->context, n + sizeof *chunk);
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
		xc_release(a->context, a->chunks);
		a->chunks = next;
	}
	a->next = NULL;
	a->left = 0;
}
