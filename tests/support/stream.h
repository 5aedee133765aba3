/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture given to an encoder in rows. */
#ifndef XC_TESTS_SUPPORT_STREAM_H
#define XC_TESTS_SUPPORT_STREAM_H

#include "tests/support/codec.h"

/* Where an encoder writes. */
typedef struct xc_test_sink {
	xc_bytes bytes;
	uint64_t writes, fail_at; /* this write, counted from 1, fails; 0: none */
} xc_test_sink;

int xc_test_write(void *sink, const void *data, size_t size);

/* Gives the picture in pieces of random height, some by way of xc_encoder_room(). */
xc_status xc_test_stream(xc_context *context, const xc_picture *picture,
                         const xc_metadata *metadata, const xc_encode_options *options,
                         uint64_t seed, xc_test_sink *sink);

/* Gives the rows from `first` on in that way. */
xc_status xc_test_stream_rows(xc_encoder *encoder, const xc_picture *picture, uint32_t first,
                              uint64_t seed);

#endif
