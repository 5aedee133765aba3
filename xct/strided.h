/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between arrays of any strides, with a factor for each index of an axis: what batches, strides
 * and scalings need around the engines, which take dense arrays. */
#ifndef XC_XCT_STRIDED_H
#define XC_XCT_STRIDED_H

#include "lab/registry.h"

enum { XC_STRIDED_AXES = 3 }; /* slices, rows, columns */

typedef struct xc_strided {
	size_t size[XC_STRIDED_AXES], in_stride[XC_STRIDED_AXES], out_stride[XC_STRIDED_AXES];
	/* size[i] factors of the precision, which a sample is multiplied with; all or none are NULL. */
	const void *weights[XC_STRIDED_AXES];
	xct_precision precision;
} xc_strided;

/* in and out may be equal where the strides are. */
void xc_strided_copy(const xc_strided *layout, struct xc_pool *pool, int threads, const void *in,
                     void *out);

#endif
