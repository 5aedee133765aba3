/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes coefficients of JPEGs in segments that do not depend on each other: some MCU rows of all
 * components, or some MCU columns of them, by rANS in up to sixteen lanes. A lane takes a row of blocks, one column after the lane
 * above it. jpeg/model.h has the contexts. All SIMD levels give the same.
 */
#ifndef XC_JPEG_CODE_H
#define XC_JPEG_CODE_H

#include "jpeg/jpeg.h"
#include "jpeg/model.h"
#include "src/core/cpu.h"

/* What the segments of a file have in common. */
typedef struct xc_jpeg_coding {
	int components;
	uint8_t chroma[XC_JPEG_COMPONENTS];
	uint32_t columns[XC_JPEG_COMPONENTS];                  /* blocks */
	uint32_t h[XC_JPEG_COMPONENTS], v[XC_JPEG_COMPONENTS]; /* of an MCU */
	xc_jpeg_across across[XC_JPEG_COMPONENTS];
	uint32_t weights[2][64][XC_JPEG_WEIGHTS]; /* xc_jpeg_weights, twice in one number */
} xc_jpeg_coding;

void xc_jpeg_coding_make(const xc_jpeg *jpeg, xc_jpeg_coding *coding);

/* Frequencies for coding and decoding. */
typedef struct xc_jpeg_encode_codes {
	xc_code_symbol symbols[XC_JPEG_SHAPES * XC_SYMBOLS];
	xc_bucket buckets[XC_JPEG_SHAPES * XC_SYMBOLS];
	/* Four bits for each slot of each symbol in turn: the bucket that has it. A table of slots, four
	 * times as large, would be slower. */
	uint16_t bucket_of[XC_JPEG_SHAPES * XC_FREQUENCY_ONE / 4 + 16];
} xc_jpeg_encode_codes;

typedef struct xc_jpeg_decode_codes {
	xc_bucket buckets[XC_JPEG_SHAPES * XC_SYMBOLS];
} xc_jpeg_decode_codes;

/* used: what may be coded; other codes are not set. */
void xc_jpeg_encode_codes_make(xc_shape_index shapes[XC_JPEG_SHAPES],
                               const uint8_t used[XC_JPEG_SHAPES], xc_jpeg_encode_codes *codes);
void xc_jpeg_decode_codes_make(xc_shape_index shapes[XC_JPEG_SHAPES], xc_jpeg_decode_codes *codes);

/* Symbols of even and of odd lanes, and one shape more, for lanes that take none. */
typedef uint32_t xc_jpeg_counts[2][XC_JPEG_SHAPES + 1][XC_SYMBOLS];
/* Replaces shapes where one of the file's own, made of the sum of n counts, pays, and sets which have
 * counts. */
void xc_jpeg_choose_shapes(xc_jpeg_counts *counts, int n, xc_shape_index shapes[XC_JPEG_SHAPES],
                           uint8_t used[XC_JPEG_SHAPES]);
/* Shapes as bytes, at most XC_JPEG_SHAPES_BYTES, and back: NULL: they are damaged. */
enum { XC_JPEG_SHAPES_BYTES = XC_JPEG_SHAPES * 512 };
uint8_t *xc_jpeg_shapes_write(xc_shape_index shapes[XC_JPEG_SHAPES], uint8_t *out);
const uint8_t *xc_jpeg_shapes_read(const uint8_t *data, const uint8_t *end,
                                   xc_shape_index shapes[XC_JPEG_SHAPES]);

/* Rows of a bundle in the segment of a band; its lanes that have states. */
uint32_t xc_jpeg_bundle_of(const xc_jpeg_coding *coding, const xc_jpeg_band *band);
uint32_t xc_jpeg_lanes_of(const xc_jpeg_coding *coding, const xc_jpeg_band *band);

/* Memory of coding and of decoding segments of up to `rows` MCU rows, aligned to 64. */
size_t xc_jpeg_encode_scratch(const xc_jpeg_coding *coding, uint32_t rows);
size_t xc_jpeg_decode_scratch(const xc_jpeg_coding *coding);

typedef struct xc_jpeg_level {
	/* Records the symbols of a band in scratch, and counts them; returns how many records there are. */
	size_t (*record)(const xc_jpeg_coding *coding, const xc_jpeg_band *band, void *scratch,
	                 xc_jpeg_counts counts);
	/* Codes them into the same memory; returns where *size bytes are. */
	const uint8_t *(*encode)(const xc_jpeg_coding *coding, const xc_jpeg_encode_codes *codes,
	                         const xc_jpeg_band *band, void *scratch, size_t records, size_t *size);
	/* Sets the coefficients of a band. 0: the bytes are damaged. */
	int (*decode)(const xc_jpeg_coding *coding, const xc_jpeg_decode_codes *codes,
	              const uint8_t *data, size_t size, const xc_jpeg_band *band, void *scratch);
} xc_jpeg_level;

const xc_jpeg_level *xc_jpeg_level_get(xc_cpu cpu);

/* For jpeg/coder.c: a record is shapes and symbols of sixteen lanes, XC_JPEG_IDLE and more where there
 * is none, and their raw bits below a bit that is set. */
enum { XC_JPEG_IDLE = XC_JPEG_SHAPES * XC_SYMBOLS };
typedef struct xc_jpeg_record {
	uint16_t symbol[16], raw[16];
} xc_jpeg_record;

/* What a bundle of rows of blocks leaves for the one below it, by column. */
typedef struct xc_jpeg_above {
	int32_t down[8];
	uint8_t class, row, column, unused;
} xc_jpeg_above;

size_t xc_jpeg_above_bytes(const xc_jpeg_coding *coding);

#endif
