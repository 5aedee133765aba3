/* SPDX-License-Identifier: BSD-2-Clause */
/* The chunks of a PNG file that describe its colour (cICP, gAMA, cHRM, sBIT, sRGB) and those of text
 * (tEXt, zTXt, iTXt); and acTL, the mark of an animation. */
#ifndef XC_FORMATS_PNG_BESIDE_H
#define XC_FORMATS_PNG_BESIDE_H

#include "formats/file.h"

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
/* Takes such a chunk: its data, where these are in the file, and whether its checksum holds.  What is
 * damaged is left out with a warning.  Only memory and the limits are reasons to fail. */
xc_status xc_png_take_beside(xc_png_beside *beside, xc_file_reader *file, const void *type,
                             const uint8_t *data, size_t size, uint64_t offset, int intact);
/* Takes a chunk of text, which is intact. */
xc_status xc_png_take_text(xc_file_reader *file, const void *type, const uint8_t *data, size_t size,
                           uint64_t offset);
/* Sets the colour of file->out's metadata once all chunks before the pixels, colour profile included,
 * have been taken and out's picture has its shape.  Gamma and primaries count only where neither a
 * profile nor sRGB does, and where they differ from those of sRGB. */
void xc_png_settle_colour(xc_png_beside *beside, xc_file_reader *file);

/* Writes a chunk whose data are `head` and then `data`. */
typedef void (*xc_png_put)(void *user, const char type[5], const void *head, size_t head_size,
                           const void *data, size_t size);
/* Writes the chunks that metadata need.  They may stand before the pixels, in this order.  shape:
 * the picture's.  Leaves a warning where something cannot be written. */
void xc_png_put_beside(const xc_metadata *metadata, const xc_picture *shape, xc_png_put put,
                       void *user, char message[XC_FILE_MESSAGE]);
/* Those of text alone. */
void xc_png_put_text(const xc_blob *text, xc_png_put put, void *user,
                     char message[XC_FILE_MESSAGE]);

#endif
