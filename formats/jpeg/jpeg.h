/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG (ITU-T T.81, JFIF in T.871) through libjpeg.  libjpeg codes the pixels; what lies in the
 * markers APP1, APP2, APP13 and COM is read and written here, and other APPs are named.
 */
#ifndef XC_FORMATS_JPEG_JPEG_H
#define XC_FORMATS_JPEG_JPEG_H

#include "formats/rows_kind.h"

#include <stdio.h>

#include <jpeglib.h>

/* What the markers begin with, zero bytes included. */
#define XC_JPEG_EXIF "Exif\0"
#define XC_JPEG_XMP "http://ns.adobe.com/xap/1.0/"
#define XC_JPEG_ICC "ICC_PROFILE"
#define XC_JPEG_PHOTOSHOP "Photoshop 3.0"

enum {
	XC_JPEG_PAYLOAD = 65533, /* the most bytes of a marker after its length */
	XC_JPEG_ICC_PARTS = 255
};

/* The markers of a file as they come. */
typedef struct xc_jpeg_markers {
	xc_file_reader *file;
	uint8_t *data; /* each with its code and length, as src/jpeg/metadata.h wants them */
	size_t size, room, joined;
	uint32_t left_out; /* kinds */
} xc_jpeg_markers;

/* Takes the payload of APP1 to APP15 but APP14, or of COM, by its code.  Only memory and the limits are
 * reasons to fail. */
xc_status xc_jpeg_take_marker(xc_jpeg_markers *markers, int code, const uint8_t *data, size_t size);
/* Sets the metadata that have come so far.  last: after the pixels, when warnings name what is left out. */
xc_status xc_jpeg_join_markers(xc_jpeg_markers *markers, int last);
void xc_jpeg_free_markers(xc_jpeg_markers *markers);

#endif
