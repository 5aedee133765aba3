/* SPDX-License-Identifier: BSD-2-Clause */
/* Dividing up memory, so that every piece begins at a multiple of 256 bytes. */
#ifndef XC_GPU_RUNTIME_LAYOUT_H
#define XC_GPU_RUNTIME_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Takes `bytes` bytes from *size on, which grows; SIZE_MAX: more than there can be.  Returns
 * the offset of the piece. */
static inline size_t xc_gpu_take_room(size_t *size, uint64_t bytes)
{
	const size_t at = *size;
	const uint64_t room = (bytes + 255) / 256 * 256;

	*size = room > SIZE_MAX / 2 || at > SIZE_MAX / 2 ? SIZE_MAX : at + (size_t)room;
	return at;
}

/* The same as a pointer into the memory at `base`; NULL if that is, to measure. */
static inline void *xc_gpu_partition(char *base, size_t *size, uint64_t bytes)
{
	const size_t at = xc_gpu_take_room(size, bytes);
	return base ? base + at : NULL;
}

#endif
