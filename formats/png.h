/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PNG (ISO/IEC 15948).  libpng decodes and encodes the pixels.  The chunks around
 * them are walked here first: that tells a truncated file from a damaged one,
 * bounds the pixels by the compressed bytes before anything is allocated, and
 * carries metadata byte for byte, which libpng would not do for a colour profile
 * or an EXIF block that it finds odd.
 */
#ifndef XC_FORMATS_PNG_H
#define XC_FORMATS_PNG_H

#include "formats/internal.h"

enum { XC_PNG_SIGNATURE = 8, XC_PNG_CHUNK_OVERHEAD = 12 }; /* length, type and CRC */

#define XC_PNG_XMP_KEYWORD "XML:com.adobe.xmp"

/* Where a chunk's data are; offset 0: there is no such chunk. */
typedef struct xc_png_chunk {
	size_t offset;
	uint32_t size;
} xc_png_chunk;

typedef struct xc_png_index {
	uint64_t idat_bytes;
	xc_png_chunk icc, exif, xmp, density;
	xc_png_chunk srgb, gamma, primaries; /* only looked at */
} xc_png_index;

/* Walks the chunks up to IEND. */
xc_status xc_png_scan(const xc_file_reader *reader, xc_png_index *index);

/* Fills in reader's metadata.  A block that is damaged is left out with a warning, and
 * so are a gamma and primaries other than sRGB's, which nothing here has room for;
 * memory and the limits are the only reasons to fail. */
xc_status xc_png_read_metadata(xc_file_reader *reader, const xc_png_index *index);

/* A chunk to be written; data is malloc'ed. */
typedef struct xc_png_payload {
	char type[5];
	uint8_t *data;
	size_t size;
} xc_png_payload;

enum { XC_PNG_PAYLOADS = 4 };

/* Makes the chunks for what metadata holds, in the order in which they are to be
 * written; those that are not needed have a size of 0.  channels: the picture's.
 * xc_png_free_payloads() frees them, also after a failure. */
xc_status xc_png_make_payloads(const xc_metadata *metadata, uint32_t channels,
                               xc_png_payload payloads[XC_PNG_PAYLOADS], char *message);
void xc_png_free_payloads(xc_png_payload payloads[XC_PNG_PAYLOADS]);

#endif
