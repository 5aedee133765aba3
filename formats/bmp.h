/* SPDX-License-Identifier: BSD-2-Clause */
/* What the headers of a BMP file say. */
#ifndef XC_FORMATS_BMP_H
#define XC_FORMATS_BMP_H

#include "formats/rows_kind.h"

typedef enum xc_bmp_compression {
	XC_BMP_RGB = 0,
	XC_BMP_RLE8 = 1,
	XC_BMP_RLE4 = 2,
	XC_BMP_BITFIELDS = 3,
	XC_BMP_ALPHABITFIELDS = 6
} xc_bmp_compression;

enum { XC_BMP_RED, XC_BMP_GREEN, XC_BMP_BLUE, XC_BMP_ALPHA };

typedef struct xc_bmp {
	uint32_t width, height;
	int top_down;
	uint32_t bits; /* a pixel: 1, 2, 4, 8, 16, 24 or 32 */
	xc_bmp_compression compression;
	uint32_t mask[4];        /* of 16- and 32-bit pixels; zero: no such channel */
	uint8_t palette[256][3]; /* R, G, B */
	uint32_t colours;        /* entries that the file has */
	int grey;                /* every entry has R = G = B */
	/* where the pixels and the colour profile start in the file; a size of 0: there is none */
	uint64_t pixels, profile;
	uint32_t profile_size;
	uint32_t density_x, density_y; /* pixels per metre */
} xc_bmp;

/* The first bytes of a file, more than headers and palette take, or all of them. */
typedef struct xc_bmp_head {
	const uint8_t *data;
	size_t size;
	char *message;
} xc_bmp_head;

xc_status xc_bmp_parse(const xc_bmp_head *head, xc_bmp *bmp);

/* Decodes run lengths into out's picture, which has 1 channel if bmp->grey, else 3. */
xc_status xc_bmp_read_rle(xc_row_base *base, const xc_bmp *bmp);

static inline int xc_bmp_has_palette(const xc_bmp *bmp)
{
	return bmp->bits <= 8;
}

/* Writes a palette colour to a pixel of 1 or 3 channels. */
static inline void xc_bmp_put(uint8_t *pixel, const xc_bmp *bmp, uint32_t index)
{
	pixel[0] = bmp->palette[index][0];
	if (bmp->grey)
		return;
	pixel[1] = bmp->palette[index][1];
	pixel[2] = bmp->palette[index][2];
}

#endif
