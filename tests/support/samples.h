/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures made to test with, and their samples as numbers.  The data of each picture is
 * freed with free(p.data).  Running out of memory ends the program.
 */
#ifndef XC_TESTS_SUPPORT_SAMPLES_H
#define XC_TESTS_SUPPORT_SAMPLES_H

#include <stdlib.h>
#include <xcodec.h>

#include "tests/support/bytes.h"

static inline void xc_test_picture_free(const xc_picture *picture)
{
	free(picture->data);
}
#define OWN_PICTURE __attribute__((cleanup(xc_test_picture_free))) xc_picture

static inline void xc_test_context_free(xc_context *const *context)
{
	xc_context_free(*context);
}
#define OWN_CONTEXT __attribute__((cleanup(xc_test_context_free))) xc_context *

static inline void xc_test_encoder_free(xc_encoder *const *e)
{
	xc_encoder_free(*e);
}
#define OWN_ENCODER __attribute__((cleanup(xc_test_encoder_free))) xc_encoder *
static inline void xc_test_decoder_free(xc_decoder *const *d)
{
	xc_decoder_free(*d);
}
#define OWN_DECODER __attribute__((cleanup(xc_test_decoder_free))) xc_decoder *

/* OWN_BUFFER(context, b); declares b, which a call with that context may fill; OWN_BUFFER_OF begins
 * with a value that such a call returned.  OWN_DECODED and OWN_DECODED_OF are those for a picture. */
typedef struct xc_test_owner {
	xc_context *context;
	xc_buffer *buffer;
	xc_picture *picture;
} xc_test_owner;
static inline void xc_test_owner_free(const xc_test_owner *o)
{
	xc_buffer_free(o->context, o->buffer);
	xc_picture_free(o->context, o->picture);
}
#define OWN_OF(context, type, member, name, ...) \
	type name = __VA_ARGS__; \
	__attribute__((cleanup(xc_test_owner_free), unused)) \
	const xc_test_owner name##_owner = {context, .member = &(name)}
#define OWN_BUFFER(context, name) OWN_OF(context, xc_buffer, buffer, name, {0})
#define OWN_BUFFER_OF(context, name, value) OWN_OF(context, xc_buffer, buffer, name, value)
#define OWN_DECODED(context, name) OWN_OF(context, xc_picture, picture, name, {0})
#define OWN_DECODED_OF(context, name, value) OWN_OF(context, xc_picture, picture, name, value)

/* Options as they are by default, but with loss whatever the picture; and as the preset jpeg has
 * them. */
static inline xc_encode_options xc_test_defaults(void)
{
	xc_encode_options o;

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSY;
	return o;
}
static inline xc_encode_options xc_test_jpeg(void)
{
	xc_encode_options o;

	xc_encode_options_jpeg(&o);
	return o;
}

/* Slow waves, a few hard edges and a little noise, with `padding` bytes of 0xee after each
 * row; alpha is noisy.  roughness 0 leaves only the waves, whose chroma survives
 * subsampling. */
xc_picture xc_test_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                           size_t padding, int roughness);

/* The rows of a low one again and again, which is made faster. */
xc_picture xc_test_tall(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                        int roughness);

/* RGB whose bytes are 0 or 255 at random: long segments, wide index entries, large tokens
 * at quality 100. */
xc_picture xc_test_noise(uint32_t width, uint32_t height, uint32_t depth);

/* Noise on a gradient, with `padding` samples after each row. */
xc_picture xc_sample_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                             size_t padding, uint64_t seed);

/* Slopes, edges and some noise, which compress well. */
xc_picture xc_smooth_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                             uint64_t seed);

/* Samples that are mostly the least or the largest. */
xc_picture xc_extreme_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                              uint64_t seed);

/* Calls `each` with an RGB picture of 8 bits, and one of 16 bits and half that size, at the
 * least and the largest quality and on both sides of those where something changes. */
void xc_test_qualities(uint32_t width, uint32_t height,
                       void (*each)(const xc_picture *picture, int quality));

/* A sample as a number, whatever the depth. */
uint32_t xc_sample_at(const xc_picture *picture, uint32_t x, uint32_t y, uint32_t channel);

/* 1 when size, channels, depth and every sample are equal. */
int xc_sample_equal(const xc_picture *a, const xc_picture *b);

#endif
