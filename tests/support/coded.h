/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_TESTS_SUPPORT_CODED_H
#define XC_TESTS_SUPPORT_CODED_H

#include "src/encode/encode.h"

/* xc_encode() for tests of one way to code: with fine steps too the file is coded as the options say, and not in the
 * smallest way. */
static inline xc_status xc_test_coded(xc_context *context, const xc_picture *picture,
                                      const xc_encode_options *options, xc_buffer *out)
{
	const xc_pixels pixels = xc_pixels_of(picture);
	return xc_encode_once(context, &pixels, NULL, options, out);
}

#endif
