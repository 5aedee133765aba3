/* SPDX-License-Identifier: BSD-2-Clause */
/* The chunks of a PNG file that describe its colour (cICP, gAMA, cHRM, sBIT, sRGB) and those of text
 * (tEXt, zTXt, iTXt); and acTL, the mark of an animation. */
#ifndef XC_FORMATS_PNG_BESIDE_H
#define XC_FORMATS_PNG_BESIDE_H

#include "formats/rows_kind.h"

/* What the chunks that have come so far said, before it is clear what of it counts. */
typedef struct xc_png_beside {
	int srgb, animated;
	size_t significant; /* the channels that sBIT has */
	uint8_t significant_bits[4];
	uint64_t significant_at; /* in the file, for messages */
	uint32_t gamma, primaries[8];
} xc_png_beside;

/* Whether a chunk is one of these. */
int xc_png_is_beside(const void *type);
/* Takes such a chunk: its data, NULL if its checksum does not hold or they are too many, and where
 * they are in the file.  What is damaged is left out with a warning.  Only memory and the limits are
 * reasons to fail. */
xc_status xc_png_take_beside(xc_png_beside *beside, xc_file_reader *file, const void *type,
                             const uint8_t *data, size_t size, uint64_t offset);
/* Takes a chunk of text, which is intact. */
xc_status xc_png_take_text(xc_file_reader *file, const void *type, const uint8_t *data, size_t size,
                           uint64_t offset);
/* Sets the colour of file->out's metadata once all chunks before the pixels, colour profile included,
 * have been taken and out's picture has its shape.  Gamma and primaries count only where neither a
 * profile nor sRGB does, and where they differ from those of sRGB. */
void xc_png_settle_colour(xc_png_beside *beside, xc_file_reader *file);

/* Writes the chunks that the writer's metadata need.  They may stand before the pixels, in this order.
 * Leaves a warning where something cannot be written. */
xc_status xc_png_put_beside(const xc_row_writer *writer);
/* Those of text alone. */
xc_status xc_png_put_text(const xc_row_writer *writer);

#endif
