/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cpu/frame/frame.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

size_t xc_frame_multiply(size_t a, size_t b)
{
	size_t product;
	return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

void *xc_frame_allocate(size_t count, size_t size)
{
	size_t bytes = xc_frame_multiply(count, size);

	if (bytes > SIZE_MAX / 2)
		return NULL;
	if (bytes == 0)
		bytes = 1;
	const size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
	bytes = (bytes + alignment - 1) / alignment * alignment;
	void *memory = aligned_alloc(alignment, bytes);
	if (!memory)
		return NULL;
#if defined __linux__ && defined MADV_HUGEPAGE
	/* Advice: nothing depends on whether it is taken. */
	if (alignment == HUGE_PAGE)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	memset(memory, 0, bytes);
	return memory;
}

int xc_frame_same_size(xc_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	(void)direction;
	const size_t plane = xc_frame_multiply(in->rows, in->cols);
	const size_t samples = xc_frame_multiply(plane, in->slices);
	/* Every size in bytes, of the widest samples, must be a size_t. */
	if (!in->slices || !in->rows || !in->cols || samples > SIZE_MAX / 64)
		return -1;
	*out = *in;
	return 0;
}

int xc_frame_same_plane(xc_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	return in->slices == 1 ? xc_frame_same_size(direction, in, out) : -1;
}
