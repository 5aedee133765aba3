/* SPDX-License-Identifier: BSD-2-Clause */
/* The run-length codes of BMP, RLE8 and RLE4.  A code is a count and a pixel, or in RLE4 two
 * pixels that alternate.  The count zero is an escape: to the end of a line or of the
 * picture, to a jump, or to literal pixels.  Pixels that the codes jump over have colour 0. */
#include "formats/bmp.h"

enum { END_OF_LINE = 0, END_OF_PICTURE = 1, JUMP = 2 };

typedef struct decoder {
	const xc_bmp *bmp;
	xc_row_base *base;
	uint32_t x, y;  /* of the next pixel; y counts from the bottom */
	uint32_t width; /* with the padding to 32 bits, which ImageMagick codes as well */
} decoder;

static xc_status fail(const decoder *d, xc_status status, const char *what)
{
	return xc_file_fail(d->base->file.message, status, "BMP %s (at byte %llu)", what,
	                    (unsigned long long)xc_row_input_position(&d->base->input));
}

/* Takes n bytes: 1, or 0 if the file ends before. */
static int take(decoder *d, uint8_t *to, size_t n)
{
	return xc_row_input_copy(&d->base->input, to, n) == n;
}

/* Pixel number i of a byte that holds one (RLE8) or two (RLE4). */
static uint32_t index_in(const decoder *d, uint8_t byte, uint32_t i)
{
	if (d->bmp->bits == 8)
		return byte;
	return i % 2 ? byte & 15 : byte >> 4;
}

/* Writes n pixels, from one byte that is repeated (step 0) or from successive ones. */
static xc_status put_pixels(decoder *d, const uint8_t *from, uint32_t n, int step)
{
	const xc_picture *picture = &d->base->out.picture;
	if (d->y >= picture->height)
		return fail(d, XC_ERR_CORRUPT, "run goes past the edge of the picture");
	if (n > d->width - d->x)
		xc_file_warn(d->base->file.message, "BMP rows run past the edge of the picture: cut there");
	const uint32_t start = d->x < picture->width ? d->x : picture->width;
	uint8_t *to = xc_file_row(picture, picture->height - 1 - d->y) +
	              (size_t)start * picture->channels;
	uint32_t per_byte = 8 / d->bmp->bits;
	for (uint32_t i = 0; i < n && start + i < picture->width; i++, to += picture->channels) {
		uint32_t index = index_in(d, from[step ? i / per_byte : 0], i);
		if (index >= d->bmp->colours)
			return fail(d, XC_ERR_CORRUPT, "pixel has a colour beyond the palette");
		xc_bmp_put(to, d->bmp, index);
	}
	d->x = n < d->width - d->x ? d->x + n : d->width;
	return XC_OK;
}

/* Writes n literal pixels, which are padded to an even number of bytes. */
static xc_status literal(decoder *d, uint32_t n)
{
	uint8_t pixels[256], padding;
	size_t bytes = d->bmp->bits == 8 ? n : (n + 1) / 2;
	if (!take(d, pixels, bytes))
		return fail(d, XC_ERR_TRUNCATED, "ends in literal pixels");
	if (bytes & 1)
		take(d, &padding, 1); /* often missing at the end */
	return put_pixels(d, pixels, n, 1);
}

static xc_status jump(decoder *d)
{
	uint8_t way[2];
	if (!take(d, way, 2))
		return fail(d, XC_ERR_TRUNCATED, "ends in a jump");
	const uint32_t right = way[0], up = way[1];
	if (right > d->width - d->x || up > d->bmp->height - d->y)
		return fail(d, XC_ERR_CORRUPT, "jump goes past the edge of the picture");
	d->x += right;
	d->y += up;
	return XC_OK;
}

static xc_status escape(decoder *d, uint8_t code, int *done)
{
	switch (code) {
	case END_OF_LINE:
		if (d->y >= d->bmp->height)
			return fail(d, XC_ERR_CORRUPT, "has more lines than the picture");
		d->x = 0;
		d->y++;
		return XC_OK;
	case END_OF_PICTURE:
		*done = 1;
		return XC_OK;
	case JUMP:
		return jump(d);
	default:
		return literal(d, code);
	}
}

/* The end mark may be missing once every row is complete. */
static int is_complete(const decoder *d)
{
	return d->y >= d->bmp->height || (d->y == d->bmp->height - 1 && d->x >= d->bmp->width);
}

static xc_status decode(decoder *d)
{
	int done = 0;
	xc_status status = XC_OK;
	while (!status && !done) {
		uint8_t pair[2];
		if (!take(d, pair, 2))
			return is_complete(d) ? XC_OK
			                      : fail(d, XC_ERR_TRUNCATED, "ends before the picture is whole");
		status = pair[0] ? put_pixels(d, pair + 1, pair[0], 0) : escape(d, pair[1], &done);
	}
	return status;
}

static void fill(const xc_picture *picture, const xc_bmp *bmp)
{
	for (uint32_t y = 0; y < picture->height; y++) {
		uint8_t *to = xc_file_row(picture, y);
		for (uint32_t x = 0; x < picture->width; x++, to += picture->channels)
			xc_bmp_put(to, bmp, 0);
	}
}

xc_status xc_bmp_read_rle(xc_row_base *base, const xc_bmp *bmp)
{
	const uint32_t per_row = 32 / bmp->bits;
	decoder d = {.bmp = bmp, .base = base};
	d.width = (bmp->width + per_row - 1) / per_row * per_row;
	fill(&base->out.picture, bmp);
	return decode(&d);
}
