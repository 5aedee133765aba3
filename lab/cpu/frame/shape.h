/* SPDX-License-Identifier: BSD-2-Clause */
/* Shapes that whole-frame transforms take: the output has the input's size. */
#ifndef XC_LAB_CPU_FRAME_SHAPE_H
#define XC_LAB_CPU_FRAME_SHAPE_H

#include "lab/registry.h"

/* Any volume. */
int xc_frame_same_size(xc_direction direction, const xc_transform_size *in, xc_transform_size *out);
/* One slice. */
int xc_frame_same_plane(xc_direction direction, const xc_transform_size *in,
                        xc_transform_size *out);

#endif
