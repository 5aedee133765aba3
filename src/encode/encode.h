/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_SRC_ENCODE_ENCODE_H
#define XC_SRC_ENCODE_ENCODE_H

#include "src/pixels/forward.h"

/* What xc_encode() does within a call, with checked arguments. kept: coefficients of this very
 * picture from one call to the next, or NULL. */
xc_status xc_encode_picture(xc_context *context, const xc_picture *picture,
                            const xc_metadata *metadata, const xc_encode_options *options,
                            xc_coefficient_cache *cache, xc_buffer *out);

/* The same with the processor, into a file that is as the options say, however large. */
xc_status xc_encode_once(xc_context *context, const xc_pixels *pixels, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_buffer *out);

#endif
