/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_LAB_SCALING_H
#define XC_LAB_SCALING_H

#include <xct.h>

/* What sample i of an axis of the input, sample i of the output, and all of them are multiplied with. */
typedef struct xc_axis_scale {
	long double in, out, factor;
} xc_axis_scale;

/* kind: up to XCT_DST4.  Relative to the orthonormal transform. */
xc_axis_scale xc_scaling_at(xct_scaling scaling, xct_kind kind, xct_direction direction, size_t n,
                            size_t i);

/* The kind whose forward transform is this one's inverse. */
xct_kind xc_kind_transposed(xct_kind kind);

/* Whether the descriptor's kind and precision have its scaling. */
int xc_scaling_possible(const xct_descriptor *descriptor);

#endif
