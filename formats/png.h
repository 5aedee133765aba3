/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PNG (ISO/IEC 15948).  libpng decodes and encodes the pixels.  Before that our own code walks the
 * chunks.  It tells a truncated file from a damaged one, bounds the pixels by the compressed bytes
 * before anything is allocated, and carries metadata byte for byte, which libpng would not do for a
 * colour profile or an EXIF block that it finds odd.
 */
#ifndef XC_FORMATS_PNG_H
#define XC_FORMATS_PNG_H

#include "formats/file.h"

enum { XC_PNG_SIGNATURE = 8, XC_PNG_CHUNK_OVERHEAD = 12 }; /* length, type and CRC */

#define XC_PNG_XMP_KEYWORD "XML:com.adobe.xmp"

/* Where a chunk's data are; offset 0: the file has no such chunk. */
typedef struct xc_png_chunk {
	size_t offset;
	uint32_t size;
} xc_png_chunk;

typedef struct xc_png_index {
	uint64_t idat_bytes;
	xc_png_chunk icc, exif, xmp, density;
} xc_png_index;

/* Walks the chunks up to IEND. */
xc_status xc_png_scan(const xc_file_reader *reader, xc_png_index *index);

/* Sets reader's metadata.  A damaged block is left out with a warning.  Only memory and the
 * limits are reasons to fail. */
xc_status xc_png_read_metadata(xc_file_reader *reader, const xc_png_index *index);

#endif
