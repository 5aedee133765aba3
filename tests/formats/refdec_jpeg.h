/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference decoder's JPEGs: a second reading of section 12 of doc/format.md. */
#ifndef XC_TESTS_FORMATS_REFDEC_JPEG_H
#define XC_TESTS_FORMATS_REFDEC_JPEG_H

#include "tests/format/refdec_internal.h"

/* Returns NULL and the JPEG, which the caller frees, or what is wrong with the file. The SHA-256 is
 * left to the caller. Files of more than max_size bytes or max_blocks blocks are refused. */
const char *refdec_decode_jpeg(const uint8_t *file, size_t size, uint64_t max_size,
                               uint64_t max_blocks, uint8_t **jpeg, uint64_t *jpeg_size);

/* The rest is for the files of this decoder. */

/* [12.1] A number, after which *p is. */
uint64_t refdec_jpeg_number(refdec *d, const uint8_t **p, const uint8_t *end);
/* [12.4] Unpacks the description from p on into `size` bytes, by the dictionary of a quality; returns what follows it. */
const uint8_t *refdec_jpeg_unpack(refdec *d, const uint8_t *p, const uint8_t *end, uint64_t quality,
                                  uint8_t *out, uint64_t size);

typedef struct jpeg_component {
	int id, h, v, quant;
	uint32_t wide, high, columns, rows; /* blocks that it has, and of whole MCUs */
	uint32_t q[64];                     /* [8 u + v] */
	int16_t (*blocks)[64];              /* [row * columns + column][8 u + v] */
} jpeg_component;

typedef struct jpeg_picture {
	uint32_t width, height, mcus_wide, mcus_high;
	int components, progressive, h, v; /* the largest factors */
	jpeg_component component[4];
	refdec_set sets[712];
} jpeg_picture;

/* [12.3] Shapes, from d->bits on, which is behind them then. */
void refdec_read_jpeg_shapes(refdec *d, jpeg_picture *p);
/* [12.2] The segment of a rectangle of MCUs. */
void refdec_read_jpeg_segment(refdec *d, jpeg_picture *p, uint32_t x, uint32_t y, uint32_t wide,
                              uint32_t high);

/* The place [8 u + v] of each number of the zigzag order. */
extern const uint8_t refdec_jpeg_order[64];

#endif
