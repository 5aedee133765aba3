/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference decoder: a second reading of doc/format.md, slow and simple. */
#ifndef XC_TESTS_FORMAT_REFDEC_H
#define XC_TESTS_FORMAT_REFDEC_H

#include <stddef.h>
#include <stdint.h>

typedef struct refdec_picture {
	uint32_t width, height, channels, depth;
	uint16_t *samples; /* [height][width][channels], freed by the caller */
} refdec_picture;

/* Returns NULL, or what is wrong with the file; the picture is then empty.  Files of
 * more than max_pixels are refused. */
const char *refdec_decode(const uint8_t *file, size_t size, uint64_t max_pixels,
                          refdec_picture *picture);

/* Goes on after damaged segments, as section 8 allows: damaged[i] becomes 1 for every one of them.
 * Files of more than that many segments are refused.  damaged NULL: refdec_decode(). */
const char *refdec_decode_damaged(const uint8_t *file, size_t size, uint64_t max_pixels,
                                  uint8_t *damaged, uint64_t segments, refdec_picture *picture);

#endif
