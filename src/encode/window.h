/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for the rows that an encoder has under way. A window that holds a whole picture for a
 * device stays with the context for the next picture, so that its pages are not fresh ones and stay
 * pinned for the device. */
#ifndef XC_SRC_ENCODE_WINDOW_H
#define XC_SRC_ENCODE_WINDOW_H

#include "src/core/context.h"

/* `size` bytes, aligned to 64; NULL: out of memory. whole: for a device that wants the whole
 * picture. */
uint8_t *xc_encode_window_take(xc_context *context, size_t size, int whole);
/* Accepts NULL. */
void xc_encode_window_give(xc_context *context, uint8_t *window);

#endif
