/* SPDX-License-Identifier: BSD-2-Clause */
/* Short ways to what most tests of the codec begin with. */
#ifndef XC_TESTS_SUPPORT_CODEC_H
#define XC_TESTS_SUPPORT_CODEC_H

#include <xcodec.h>

#include "src/encode/encoder.h"
#include "tests/support/check.h"
#include "tests/support/samples.h"

/* CHECK and REQUIRE that the call returns XC_OK; they show the context's message. */
#define CHECK_OK(context, call) CHECK(!(call), "%s", xc_context_message(context))
#define REQUIRE_OK(context, call) REQUIRE(!(call), "%s", xc_context_message(context))

/* A context; running out of memory ends the program. */
xc_context *xc_test_context(void);

/* Failing is a failure of the case. */
void xc_test_limits(xc_context *context, uint64_t pixels, uint64_t memory, uint64_t metadata);

/* xc_encode() for tests of one way to code: with fine steps too the file is coded as the options
 * say, and not in the smallest way. */
static inline xc_status xc_test_coded(xc_context *context, const xc_picture *picture,
                                      const xc_encode_options *options, xc_buffer *out)
{
	const xc_pixels pixels = xc_pixels_of(picture);
	return xc_encode_once(context, &pixels, NULL, options, out);
}

/* The default options but for these four. */
xc_encode_options xc_test_options(int quality, xc_subsampling subsampling, xc_transform transform,
                                  xc_huffman huffman);

/* Kinds of coding besides Huffman codes made for Y, Cb and Cr; XC_TEST_COMPONENTS has no effect
 * on other options than those of 4:4:4. */
enum { XC_TEST_BUILT_IN = 1, XC_TEST_RANS = 2, XC_TEST_COMPONENTS = 4, XC_TEST_CODINGS = 8 };
void xc_test_coding(xc_encode_options *options, int coding);

/* Fails the case for every field that differs; wanted: NULL for none. */
void xc_check_metadata(const xc_metadata *found, const xc_metadata *wanted);

/* The orthonormal DCT-II of eight samples (ITU-T T.81, A.3.3): what sample x adds to
 * frequency u. */
double xc_test_dct(int u, int x);

#endif
