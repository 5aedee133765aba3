/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of one kind that is kept when it is given back, because allocating it
 * stops the whole GPU.  A piece is reused for anything that takes at least half of it,
 * so that a process that works on pictures of any sizes holds at most about twice what it
 * used at once.
 */
#ifndef XC_GPU_RUNTIME_POOL_H
#define XC_GPU_RUNTIME_POOL_H

#include "gpu/module.h"

typedef struct xc_gpu_piece {
	void *memory;
	size_t size;
	int used;
} xc_gpu_piece;

typedef struct xc_gpu_pool {
	xc_gpu_memory kind;
	xc_gpu_piece *pieces;
	size_t count, room;
	uint64_t held;
} xc_gpu_pool;

/* On failure e->text says why, without a word about memory. */
xc_status xc_gpu_pool_take(xc_gpu_pool *pool, size_t size, void **memory, xc_gpu_error *e);
/* 1 if it was of this pool. */
int xc_gpu_pool_give(xc_gpu_pool *pool, void *memory);
void xc_gpu_pool_free(xc_gpu_pool *pool);

#endif
