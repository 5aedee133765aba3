/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for results whose size is known only afterwards: reserve the worst case, fill it, keep
 * what was used. One arena belongs to one thread at a time.
 *
 * Spare chunks of the usual size stay with the context for the next call, because mapping fresh
 * pages costs a tenth of the coding time. A context keeps a limited number of them, and none if its
 * memory is limited. */
#ifndef XC_SRC_CORE_ARENA_H
#define XC_SRC_CORE_ARENA_H

#include "src/core/context.h"

typedef struct xc_arena_chunk xc_arena_chunk;
typedef struct xc_arena {
	xc_context *context;
	xc_arena_chunk *chunks;
	char *next;
	size_t left;
} xc_arena;

/* Returns at least `size` bytes, aligned to 64, or NULL when out of memory. They are valid until
 * the arena is freed, but the next reserve() gives the same bytes again, except for the first
 * `used` ones, which xc_arena_keep() keeps. */
void *xc_arena_reserve(xc_arena *arena, size_t size);
void xc_arena_keep(xc_arena *arena, size_t used);
void xc_arena_free(xc_arena *arena);

/* Scratch for one call, from the same chunks: `size` bytes, aligned to 64, with undefined contents.
 * NULL: out of memory. xc_scratch_free() accepts NULL. */
void *xc_scratch_allocate(xc_context *context, size_t size);
void xc_scratch_free(xc_context *context, void *scratch);

#endif
