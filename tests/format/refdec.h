/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference decoder: a second reading of doc/format.md, slow and simple. */
#ifndef XC_TESTS_FORMAT_REFDEC_H
#define XC_TESTS_FORMAT_REFDEC_H

#include <stddef.h>
#include <stdint.h>

/* How messages begin that say that the file is of a later release, or that a limit forbids it. */
#define REFDEC_UNSUPPORTED "unsupported: "
#define REFDEC_LIMIT "limit: "

typedef struct refdec_picture {
	uint32_t width, height, channels, depth;
	uint32_t layers;   /* segments of a tile */
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

/* A tile of one component, or of three with h x v blocks of the first one in an MCU, and the
 * payload of its file's chunk RANS (NULL: built-in frequencies). */
typedef struct refdec_tile {
	int depth, components, h, v;
	uint64_t mcus_wide, mcus_high;
	const uint8_t *frequencies;
	size_t frequencies_size;
} refdec_tile;

/* Decodes a segment of rANS. Sets the coefficients of each block as [8 u + v], of a DC its
 * difference. Returns NULL, or what is wrong. */
const char *refdec_decode_rans(const refdec_tile *tile, const uint8_t *segment, size_t size,
                               int32_t (*blocks)[64]);

/* Decodes a lossless segment of width, height, channels, depth and max_error. */
const char *refdec_decode_lossless(const uint32_t shape[5], const uint8_t *segment, size_t size,
                                   uint16_t *samples);

#endif
