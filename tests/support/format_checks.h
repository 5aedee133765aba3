/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of formats/ expect of every reader and writer. */
#ifndef XC_TESTS_SUPPORT_FORMAT_CHECKS_H
#define XC_TESTS_SUPPORT_FORMAT_CHECKS_H

#include "tests/support/codec.h"
#include "tests/support/format_samples.h"

/* What the last call of formats/ said. */
extern char xc_format_message[XC_FILE_MESSAGE];

/* xc_file_read() without limits. */
xc_status xc_read_made(const void *file, size_t size, xc_file_picture *out);

/* The file must be refused with this status and one line, and nothing be left. */
void xc_check_refused(const void *file, size_t size, xc_status want, const char *what);

/* wanted() gives each sample that the picture must have. */
void xc_check_samples(const xc_picture *found, uint32_t width, uint32_t height, uint32_t channels,
                      uint32_t depth,
                      uint32_t (*wanted)(const void *user, uint32_t x, uint32_t y, uint32_t c),
                      const void *user);

/* The picture is written without a warning, detected as its format and read back, samples
 * and metadata (NULL: none). */
void xc_check_round_trip(xc_file_format format, const xc_picture *picture,
                         const xc_metadata *metadata, int level);

/* The same for pictures of several sizes and both depths, with padded rows. */
void xc_check_round_trips(xc_file_format format, uint32_t channels, int level);

#endif
