/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha, which is kept losslessly: the differences of each row to the row above, deflated. */
#ifndef XC_SRC_CONTAINER_ALPHA_H
#define XC_SRC_CONTAINER_ALPHA_H

#include "src/core/picture.h"

/* Codes the alpha samples of a picture; the caller frees *out. */
xc_status xc_alpha_encode(xc_context *context, const xc_picture *picture, xc_buffer *out);
/* Fills the alpha samples of a picture with 2 or 4 channels. */
xc_status xc_alpha_decode(xc_context *context, const uint8_t *data, size_t size,
                          const xc_picture *picture);

#endif
