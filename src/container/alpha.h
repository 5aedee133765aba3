/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha in files of version 1: the differences of each row to the row above, deflated.  In later
 * versions it lies in segments, see entropy/plane.h. */
#ifndef XC_SRC_CONTAINER_ALPHA_H
#define XC_SRC_CONTAINER_ALPHA_H

#include "src/core/picture.h"

/* Fills the alpha samples of a picture with 2 or 4 channels. */
xc_status xc_deflated_alpha_decode(xc_context *context, const uint8_t *data, size_t size,
                                   const xc_picture *picture);

/* What xc_deflated_alpha_open() says before it looks at the data. */
xc_status xc_deflated_alpha_check(xc_context *context, const xc_blob *alpha);

/* Alpha row by row, from the upper one on.  shape: of the whole picture, without data; the alpha's bytes
 * must stay.  A row has the samples of the picture's width; of 16-bit samples all high bytes come
 * before all low bytes.  It is valid until the next one. */
typedef struct xc_deflated_alpha xc_deflated_alpha;
xc_status xc_deflated_alpha_open(xc_context *context, const xc_blob *alpha, const xc_picture *shape,
                                 xc_deflated_alpha **reader);
xc_status xc_deflated_alpha_next(xc_deflated_alpha *reader, const uint8_t **row);
/* NULL is allowed. */
void xc_deflated_alpha_close(xc_deflated_alpha *reader);

#endif
