/* SPDX-License-Identifier: BSD-2-Clause */
/* What lapped transforms do at the edges of a plane, where a block has no neighbour. */
#ifndef XC_SRC_PIXELS_LAPPED_H
#define XC_SRC_PIXELS_LAPPED_H

#include <stddef.h>

#include <xcodec.h>

/* Which edge of the plane: where rows or columns begin, or where they end. */
typedef enum xc_plane_end { XC_PLANE_FIRST, XC_PLANE_LAST } xc_plane_end;

/* The edge step (the decoder's if `inverse` is 1) for 4 samples between the plane's edge and the
 * middle of its blocks, in place, for `lines` of them. samples is the first of the 4 in the order
 * of rows or columns; they are `step` apart, the lines `line_step`. The TDLT has no such step. */
void xc_lapped_end(xc_transform transform, int inverse, xc_plane_end end, float *samples,
                   size_t step, size_t lines, size_t line_step);

#endif
