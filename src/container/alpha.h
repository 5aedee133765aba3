/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha, which is kept losslessly: the differences of each row to the row above, deflated. */
#ifndef XC_SRC_CONTAINER_ALPHA_H
#define XC_SRC_CONTAINER_ALPHA_H

#include "src/core/picture.h"

/* Codes the alpha samples of a picture; the caller frees *out. */
xc_status xc_alpha_encode(xc_context *context, const xc_picture *picture, xc_buffer *out);

/* The same in rows.  shape: data and stride are not used, nor is the height. */
typedef struct xc_alpha_encoder xc_alpha_encoder;
xc_status xc_alpha_encoder_new(xc_context *context, const xc_picture *shape,
                               xc_alpha_encoder **encoder);
/* Takes the next rows, as a picture of so many. */
xc_status xc_alpha_encoder_rows(xc_context *context, xc_alpha_encoder *encoder,
                                const xc_picture *rows);
/* *out stays the encoder's. */
xc_status xc_alpha_encoder_end(xc_context *context, xc_alpha_encoder *encoder, xc_blob *out);
/* NULL is allowed. */
void xc_alpha_encoder_free(xc_context *context, xc_alpha_encoder *encoder);

/* Fills the alpha samples of a picture with 2 or 4 channels. */
xc_status xc_alpha_decode(xc_context *context, const uint8_t *data, size_t size,
                          const xc_picture *picture);

/* Alpha row by row, from the upper one on.  shape: of the whole picture, without data; the alpha's bytes
 * must stay.  A row has the samples of the picture's width; of 16-bit samples all high bytes come
 * before all low bytes.  It is valid until the next one. */
typedef struct xc_alpha_reader xc_alpha_reader;
xc_status xc_alpha_open(xc_context *context, const xc_blob *alpha, const xc_picture *shape,
                        xc_alpha_reader **reader);
xc_status xc_alpha_next(xc_alpha_reader *reader, const uint8_t **row);
/* NULL is allowed. */
void xc_alpha_close(xc_alpha_reader *reader);

#endif
