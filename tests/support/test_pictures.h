/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures to test with: files of the tree or of the shared folder, and made ones. */
#ifndef XC_TESTS_SUPPORT_TEST_PICTURES_H
#define XC_TESTS_SUPPORT_TEST_PICTURES_H

#include <xcodec.h>

#include "formats/formats.h"

/* Reads samples/NAME of the source tree; 0: not there or damaged. */
int xc_test_sample(const char *name, xc_file_picture *out);

/* Reads NAME of the folder with large pictures (XC_SHARED, by default ../shared beside
 * the source tree); 0: not there. */
int xc_test_shared(const char *name, xc_file_picture *out);

/* A picture of the four numbers with `padding` bytes behind each row; malloc'ed, freed
 * with free(p.data).  Slow waves, a few hard edges and a little noise; alpha is noisy.
 * roughness 0 leaves only the waves, whose chroma survives subsampling. */
xc_picture xc_test_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                           size_t padding, int roughness);

/* RGB whose bytes are 0 or 255 at random: long segments, wide index entries, large tokens at
 * quality 100.  Freed likewise. */
xc_picture xc_test_noise(uint32_t width, uint32_t height, uint32_t depth);

/* Calls `each` with an RGB picture of 8 bits, and one of 16 bits and half that size, at the
 * least and the largest quality and on both sides of those where something changes. */
void xc_test_qualities(uint32_t width, uint32_t height,
                       void (*each)(const xc_picture *picture, int quality));

#endif
