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
#define XC_JPEG_XMP_MORE "http://ns.adobe.com/xmp/extension/"
#define XC_JPEG_ICC "ICC_PROFILE"
#define XC_JPEG_PHOTOSHOP "Photoshop 3.0"

enum {
	XC_JPEG_PAYLOAD = 65533, /* the most bytes of a marker after its length */
	XC_JPEG_ICC_PARTS = 255,
	XC_JPEG_IPTC = 0x0404 /* the number of IPTC among Photoshop's resources */
};

/* The markers of a file as they come.  A colour profile and Photoshop's resources may be in several
 * pieces, which are kept until all have come. */
typedef struct xc_jpeg_markers {
	xc_file_reader *file;
	size_t exif_room;
	int joined;                     /* what came before the pixels has been given */
	xc_blob icc[XC_JPEG_ICC_PARTS]; /* data is malloc'ed */
	uint32_t icc_parts;             /* as the first piece counts them; 0: there is none */
	size_t icc_size;
	int icc_damaged, icc_told;
	void *photoshop;
	size_t photoshop_size, photoshop_room;
} xc_jpeg_markers;

/* Takes the payload of APP1 to APP15 but APP14 (by its number) or COM (-1).  What is damaged is left out
 * with a warning.  Only memory and the limits are reasons to fail. */
xc_status xc_jpeg_take_marker(xc_jpeg_markers *markers, int number, const uint8_t *data,
                              size_t size);
/* Puts the pieces that have come so far together.  May be called again when more have come. */
xc_status xc_jpeg_join_markers(xc_jpeg_markers *markers);
void xc_jpeg_free_markers(xc_jpeg_markers *markers);

#endif
