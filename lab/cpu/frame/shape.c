/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cpu/frame/shape.h"

#include "lab/cpu/frame/memory.h"

#include <stdint.h>

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
