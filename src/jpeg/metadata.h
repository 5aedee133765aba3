/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata of a JPEG's markers (ITU-T T.81, JFIF in T.871, XMP and MPF by their own standards), of the JPEGs that XC
 * files keep (src/jpeg/kept.c) and of those that libjpeg decodes (formats/jpeg/). */
#ifndef XC_SRC_JPEG_METADATA_H
#define XC_SRC_JPEG_METADATA_H

#include <xcodec.h>

/* Kinds that are left out, bits of a word: 1 to 15 are APP1 to APP15. */
enum {
	XC_LEFT_EXTENDED_XMP = 16,
	XC_LEFT_MPF,
	XC_LEFT_JUMBF,
	XC_LEFT_SECOND_EXIF,
	XC_LEFT_SECOND_XMP,
	XC_LEFT_SECOND_ICC,
	XC_LEFT_PHOTOSHOP,
	XC_LEFT_DAMAGED_EXIF,
	XC_LEFT_DAMAGED_ICC,
	XC_LEFT_DAMAGED_IPTC,
	XC_LEFT_DAMAGED_TEXT,
	XC_LEFT_SECOND_PICTURE,
	XC_LEFT_VIDEO,
	XC_LEFT_KINDS
};

/* The name of a kind; app: where that of APPn is put. */
const char *xc_jpeg_left_out(int kind, char app[16]);

/* markers: 0xff, a code, a length and a payload each; the first one that is none of these, and SOS, end them. */

enum { XC_JPEG_PARTS = 5 }; /* kinds of blobs */

/* How many bytes of room the metadata need; sets those of each part. */
size_t xc_jpeg_metadata_bytes(const uint8_t *markers, size_t size, size_t parts[XC_JPEG_PARTS]);
/* Sets the blobs and the density that the markers have in `to`, in the room, and the kinds in *left_out. */
void xc_jpeg_metadata(const uint8_t *markers, size_t size, const size_t parts[XC_JPEG_PARTS],
                      uint8_t *room, xc_metadata *to, uint32_t *left_out);

#endif
