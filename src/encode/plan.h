/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from a picture's shape and the options alone, wherever it is encoded. */
#ifndef XC_SRC_ENCODE_PLAN_H
#define XC_SRC_ENCODE_PLAN_H

#include "src/container/container.h"

typedef struct xc_encode_plan {
	xc_header header;
	xc_geometry geometry;
	int quant_preset;
	uint32_t steps[2][64];
	float tables[2][64]; /* luma, chroma; see quant/tables.h */
} xc_encode_plan;

/* The options as given, or the defaults for NULL, once they and the metadata are found to
 * be right. */
xc_status xc_encode_take_options(xc_context *context, const xc_encode_options *options,
                                 const xc_metadata *metadata, xc_encode_options *taken);

/* Of the picture only the four numbers count. */
void xc_encode_plan_init(xc_encode_plan *plan, const xc_picture *picture,
                         const xc_encode_options *options);

#endif
