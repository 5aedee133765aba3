/* SPDX-License-Identifier: BSD-2-Clause */
/* Short ways to what most tests of the codec begin with. */
#ifndef XC_TESTS_SUPPORT_CODEC_H
#define XC_TESTS_SUPPORT_CODEC_H

#include <xcodec.h>

#include "tests/support/check.h"
#include "tests/support/samples.h"

/* Fails the case, with the context's message, unless the call returns XC_OK; and leaves
 * the function that holds it (which returns nothing). */
#define CHECK_OK(context, call) CHECK(!(call), "%s", xc_context_message(context))
#define REQUIRE_OK(context, call) REQUIRE(!(call), "%s", xc_context_message(context))

/* A context; running out of memory ends the program. */
xc_context *xc_test_context(void);

/* The default options but for these four. */
xc_encode_options xc_test_options(int quality, xc_subsampling subsampling, xc_transform transform,
                                  xc_huffman huffman);

#endif
