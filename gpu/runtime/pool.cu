/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/runtime/gpu.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

static cudaError_t get(const xc_gpu_pool *p, size_t size, void **memory)
{
	return p->kind == XC_GPU_PINNED_MEMORY ? cudaHostAlloc(memory, size, cudaHostAllocPortable)
	                                       : cudaMalloc(memory, size);
}

static void put(const xc_gpu_pool *p, void *memory)
{
	(void)(p->kind == XC_GPU_PINNED_MEMORY ? cudaFreeHost(memory) : cudaFree(memory));
}

/* The smallest unused piece of at least size and at most about twice size bytes. */
static xc_gpu_piece *find(xc_gpu_pool *p, size_t size)
{
	xc_gpu_piece *best = NULL;

	for (size_t i = 0; i < p->count; i++) {
		xc_gpu_piece *q = &p->pieces[i];
		if (!q->used && q->size >= size && q->size / 2 <= size && (!best || q->size < best->size))
			best = q;
	}
	return best;
}

static int make_room(xc_gpu_pool *p)
{
	if (p->count < p->room)
		return 1;
	const size_t room = p->room ? 2 * p->room : 16;
	void *pieces = realloc(p->pieces, room * sizeof *p->pieces);
	if (!pieces)
		return 0;
	p->pieces = (xc_gpu_piece *)pieces;
	p->room = room;
	return 1;
}

/* Frees all unused pieces. */
static void trim(xc_gpu_pool *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->pieces[i].used) {
			p->pieces[kept++] = p->pieces[i];
		} else {
			put(p, p->pieces[i].memory);
			p->held -= p->pieces[i].size;
		}
	}
	p->count = kept;
}

xc_status xc_gpu_pool_take(xc_gpu_pool *p, size_t size, void **memory, xc_gpu_error *e)
{
	*memory = NULL;
	if (size > SIZE_MAX / 2)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "more than there can be");
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!size)
		size = ALIGNMENT;
	xc_gpu_piece *piece = find(p, size);
	if (!piece) {
		if (!make_room(p))
			return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
		void *fresh = NULL;
		cudaError_t error = get(p, size, &fresh);
		if (error != cudaSuccess) {
			/* Freeing the cached pieces may make room. */
			trim(p);
			error = get(p, size, &fresh);
			(void)cudaGetLastError();
		}
		if (error != cudaSuccess)
			return xc_gpu_fail(e, xc_gpu_status(error), "%s", cudaGetErrorString(error));
		piece = &p->pieces[p->count++];
		piece->memory = fresh;
		piece->size = size;
		p->held += size;
	}
	piece->used = 1;
	*memory = piece->memory;
	return XC_OK;
}

int xc_gpu_pool_give(xc_gpu_pool *p, void *memory)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->pieces[i].memory == memory) {
			p->pieces[i].used = 0;
			return 1;
		}
	}
	return 0;
}

void xc_gpu_pool_free(xc_gpu_pool *p)
{
	for (size_t i = 0; i < p->count; i++)
		put(p, p->pieces[i].memory);
	free(p->pieces);
	memset(p, 0, sizeof *p);
}
