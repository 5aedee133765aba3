/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in Huffman codes, which a context makes once. */
#ifndef XC_SRC_CONTAINER_DEFAULT_CODES_H
#define XC_SRC_CONTAINER_DEFAULT_CODES_H

#include "entropy/huffman.h"
#include "src/core/context.h"

/* Makes the codes if the context does not hold them yet. */
xc_status xc_default_codes_make(xc_context *context);

/* The codes that xc_default_codes_make() made: [luma, chroma][DC, AC].  They stay as long as
 * the context. */
const xc_huffman_code (*xc_default_codes(xc_context *context))[2];

#endif
