/* SPDX-License-Identifier: BSD-2-Clause */
/* Scratch memory of the whole-frame transforms, and the sizes of arrays that they take. */
#ifndef XC_LAB_CPU_FRAME_MEMORY_H
#define XC_LAB_CPU_FRAME_MEMORY_H

#include "lab/registry.h"

/* `count` items of `size` bytes, all zero, aligned to a cache line.  Large ones are aligned to a
 * huge page and ask for it, because a panel's lines are far apart and each would need a translation
 * of its own.  NULL: out of memory, or count * size overflows.  Freed by free(). */
void *xc_frame_allocate(size_t count, size_t size);

/* a * b, or SIZE_MAX when that overflows (which no allocation can satisfy). */
size_t xc_frame_multiply(size_t a, size_t b);

/* Sizes of a transform whose output has the input's size: any volume, or one slice. */
int xc_frame_same_size(xc_direction direction, const xc_transform_size *in, xc_transform_size *out);
int xc_frame_same_plane(xc_direction direction, const xc_transform_size *in,
                        xc_transform_size *out);

#endif
