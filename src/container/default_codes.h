/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in Huffman codes, which a context makes once. */
#ifndef XC_SRC_CONTAINER_DEFAULT_CODES_H
#define XC_SRC_CONTAINER_DEFAULT_CODES_H

#include "entropy/huffman.h"
#include "src/core/context.h"

/* The codes, [luma, chroma][DC, AC], which stay as long as the context.  For one thread of a
 * call. */
const xc_huffman_code (*xc_default_codes(xc_context *context))[2];

#endif
