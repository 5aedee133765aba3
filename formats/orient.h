/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning pictures as their EXIF says.  The orientation is that of the tag 0x0112: 1 is upright, 2 to 4 mirror
 * and turn by 180 degrees, 5 to 8 exchange rows and columns. */
#ifndef XC_FORMATS_ORIENT_H
#define XC_FORMATS_ORIENT_H

#include <xcodec.h>

/* 1 to 8; 1 as well if EXIF is missing, damaged, or does not say. */
int xc_exif_orientation(const xc_blob *exif);

enum { XC_EXIF_MINIMAL = 26 };
/* EXIF that has the orientation and nothing else. */
void xc_exif_make(int orientation, unsigned char exif[XC_EXIF_MINIMAL]);

/* A picture that is turned while its rows come, and its metadata, which call it upright. */
typedef struct xc_turned {
	xc_picture picture; /* data is NULL: there is nothing to turn */
	xc_metadata metadata;
	int orientation;
	uint32_t rows; /* of the file, that have come */
	void *copies;  /* of metadata */
	uint64_t charged;
} xc_turned;

/* Begins with a picture of this shape; if it is upright, nothing is allocated. */
xc_status xc_turn_begin(xc_turned *turned, xc_context *context, const xc_picture *shape,
                        const xc_metadata *metadata);
/* Takes the next rows of the file. */
void xc_turn_rows(xc_turned *turned, const void *rows, size_t stride, uint32_t count);
/* Frees it all.  One that is all zero is allowed. */
void xc_turn_end(xc_turned *turned, xc_context *context);

#endif
