/* SPDX-License-Identifier: BSD-2-Clause */
/* Split columns (split_work.h): what one block of threads does. */
#ifndef XC_LAB_GPU_FUSED_FUSED_SPLIT_H
#define XC_LAB_GPU_FUSED_FUSED_SPLIT_H

#include "lab/gpu/fused/split_long.h"
#include "lab/gpu/fused/split_short.h"

static XC_DEVICE void xc_fused_split_block(const xc_fused_split *f, const xc_split_work *w,
                                           xc_complex *shared, const int log, const int back)
{
	if (back && w->second)
		xc_split_long_inverse(f, w, shared, log);
	else if (back)
		xc_split_short_inverse(f, w, shared, log);
	else if (w->second)
		xc_split_short_forward(f, w, shared, log);
	else
		xc_split_long_forward(f, w, shared, log);
}

#endif
