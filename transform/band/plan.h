/* SPDX-License-Identifier: BSD-2-Clause */
/* What the algorithms of block.h and lapped.h are made of. */
#ifndef XC_BAND_PLAN_H
#define XC_BAND_PLAN_H

#include "transform/band/run.h"
#include "transform/registry.h"

/* xc_algorithm.details */
typedef struct xc_band_details {
	xc_band_transform transform;
	int stored_edges; /* the 2006 work's rule instead of the symmetric one */
	int plain;        /* without vectors, whatever the processor has */
} xc_band_details;

int xc_band_size_same(xc_direction direction, const xc_transform_size *in, xc_transform_size *out);
int xc_band_size_stored(xc_direction direction, const xc_transform_size *in,
                        xc_transform_size *out);
int xc_band_prepare(xc_plan *plan);
void xc_band_execute(const xc_plan *plan, const void *in, void *out);
void xc_band_finish(xc_plan *plan);

#endif
