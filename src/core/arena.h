/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for results whose size is known only afterwards: reserve the worst case,
 * fill it, keep what was used.  One arena belongs to one thread at a time.
 *
 * Chunks of the usual size that arenas no longer need stay with the context for the
 * next call, up to a limit, unless its memory is limited: mapping fresh pages for each
 * picture costs a tenth of the time that coding it takes. */
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

/* At least `size` bytes, aligned to 64, or NULL.  Valid until the arena is freed,
 * but the next reserve() may give the same bytes unless keep() is called. */
void *xc_arena_reserve(xc_arena *arena, size_t size);
void xc_arena_keep(xc_arena *arena, size_t used);
void xc_arena_free(xc_arena *arena);

/* Scratch for one call, from the same chunks; aligned to 64, contents undefined.  NULL:
 * out of memory.  xc_scratch_free() accepts NULL. */
void *xc_scratch_allocate(xc_context *context, size_t size);
void xc_scratch_free(xc_context *context, void *scratch);

/* Frees the chunks that the context keeps. */
void xc_arena_drop_spares(xc_context *context);

#endif
