/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's first half: the pixels of one tile to quantized coefficients. */
#ifndef XC_SRC_PIXELS_FORWARD_H
#define XC_SRC_PIXELS_FORWARD_H

#include "src/pixels/forward_steps.h"

xc_status xc_forward_scratch_init(xc_context *context, xc_forward_scratch *scratch,
                                  const xc_forward *forward);
void xc_forward_scratch_free(xc_context *context, xc_forward_scratch *scratch);

/* coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t. */
void xc_forward_tile(const xc_forward *forward, xc_forward_scratch *scratch, const xc_tile *tile,
                     void *coefficients);

#endif
