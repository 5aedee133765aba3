/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG files by a small encoder of our own, which chooses as no other does, and the way of a file to
 * coefficients, segments and back. */
#ifndef XC_TESTS_SUPPORT_JPEG_FILES_H
#define XC_TESTS_SUPPORT_JPEG_FILES_H

#include "jpeg/code.h"
#include "tests/support/bytes.h"

/* Adds a file of up to 80 x 80 pixels that depends on the seed alone: any process, sampling, scans,
 * restarts, paddings, ends of runs. */
void xc_test_jpeg_make(xc_bytes *file, uint64_t seed);

/* Takes a picture apart and puts it together again, in bands of `rows` MCU rows, all SIMD levels
 * taking part. Returns what the parser says; *wrong is NULL, or what went wrong with a good one.
 * *coded: bytes of description and segments. */
xc_jpeg_verdict xc_test_jpeg_same(const uint8_t *data, size_t size, uint32_t rows,
                                  const char **wrong, size_t *coded);

#endif
