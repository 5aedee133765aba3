/* SPDX-License-Identifier: BSD-2-Clause */
/* Room for segments in a picture's part of the arena.  They come in any order. */
#ifndef XC_GPU_ENCODE_ARENA_H
#define XC_GPU_ENCODE_ARENA_H

#include "gpu/encode/job.h"

enum { XC_GPU_SEGMENT_SLACK = 8 /* bytes after a segment that may be read */ };

XC_GPU_INLINE size_t xc_gpu_arena_units(uint32_t bytes)
{
	return ((size_t)bytes + XC_GPU_SEGMENT_SLACK + 15) / 16;
}

/* Takes room for a segment, and notes where it is, which it returns. */
XC_GPU_INLINE uint32_t xc_gpu_take_arena(const xc_gpu_encode_job *j, uint32_t picture,
                                         uint32_t tile, uint32_t bytes)
{
	const size_t at = (size_t)picture * j->tiles + tile;
	j->sizes[at] = bytes;
	j->places[at] = (uint32_t)XC_ATOMIC_ADD(&j->states[picture].used,
	                                        (unsigned long long)xc_gpu_arena_units(bytes));
	return j->places[at];
}

/* The segment at a place; NULL: there is no room. */
XC_GPU_INLINE uint32_t *xc_gpu_arena_at(const xc_gpu_encode_job *j, uint32_t picture,
                                        uint32_t place, uint32_t bytes)
{
	return ((size_t)place + xc_gpu_arena_units(bytes)) * 16 > j->arena_bytes
	           ? NULL
	           : (uint32_t *)(void *)(j->arena + picture * j->arena_bytes + (size_t)place * 16);
}

#endif
