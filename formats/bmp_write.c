/* SPDX-License-Identifier: BSD-2-Clause */
/* BMP: 8 bits with a palette of greys, 24 bits, and 32 bits with alpha (BITMAPV5HEADER with masks).
 * The upper row comes first, as a negative height says, so that rows pass through. A colour profile
 * follows the pixels. */
#include "formats/rows_kind.h"

#include <string.h>

enum { FILE_HEADER = 14, INFO_HEADER = 40, V5_HEADER = 124, PALETTE = 256 * 4, PIECE = 4096 };
enum { BMP_RGB = 0, BMP_BITFIELDS = 3 }; /* compressions */

typedef struct bmp_writer {
	xc_row_writer base;
	uint32_t row_bytes, header, profile; /* bytes of a row, of the second header, of the profile */
} bmp_writer;

static void put16(uint8_t **p, uint32_t value)
{
	*(*p)++ = (uint8_t)value;
	*(*p)++ = (uint8_t)(value >> 8);
}

static void put32(uint8_t **p, uint32_t value)
{
	put16(p, value & 0xffff);
	put16(p, value >> 16);
}

/* What BITMAPV5HEADER has after the first 40 bytes: masks, the colour space,
 * where the profile is. */
static void put_v5(uint8_t **p, const bmp_writer *w, uint32_t pixel_bytes)
{
	static const uint32_t masks[4] = {0xff0000, 0x00ff00, 0x0000ff, 0xff000000};
	const int alpha = w->base.shape.channels == 4;

	for (int i = 0; i < 4; i++)
		put32(p, alpha ? masks[i] : 0);
	put32(p, w->profile ? 0x4d424544 : 0x73524742); /* "MBED", "sRGB" */
	*p += 36 + 12;                                  /* primaries and gamma, of no meaning here */
	put32(p, 4);                                    /* LCS_GM_IMAGES: perceptual */
	put32(p,
	      w->profile ? V5_HEADER + (w->base.shape.channels == 1 ? PALETTE : 0) + pixel_bytes : 0);
	put32(p, w->profile);
	put32(p, 0);
}

static void make_header(const bmp_writer *w, uint32_t pixel_bytes, uint8_t *p)
{
	const xc_picture *shape = &w->base.shape;
	const xc_metadata *m = w->base.metadata;
	const uint32_t palette = shape->channels == 1 ? PALETTE : 0;
	const uint32_t start = FILE_HEADER + w->header + palette;
	const int metres = m && m->density_unit == 1;

	*p++ = 'B';
	*p++ = 'M';
	put32(&p, start + pixel_bytes + w->profile);
	put32(&p, 0);
	put32(&p, start);
	put32(&p, w->header);
	put32(&p, shape->width);
	put32(&p, 0u - shape->height);
	put16(&p, 1);
	put16(&p, 8 * shape->channels);
	put32(&p, shape->channels == 4 ? BMP_BITFIELDS : BMP_RGB);
	put32(&p, pixel_bytes);
	put32(&p, metres ? m->density_x : 0);
	put32(&p, metres ? m->density_y : 0);
	put32(&p, palette ? 256 : 0);
	put32(&p, 0);
	if (w->header == V5_HEADER)
		put_v5(&p, w, pixel_bytes);
	for (uint32_t i = 0; palette && i < 256; i++)
		put32(&p, i * 0x010101);
}

static xc_status check(const xc_row_writer *base)
{
	const xc_picture *shape = &base->shape;

	if (shape->depth != 8)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "BMP holds 8 bits a sample, not %u: use png, pam or %s", shape->depth,
		                    shape->channels == 1 ? "pgm" : "ppm");
	if (shape->channels == 2)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "BMP holds no grey with alpha: use png or pam");
	return XC_OK;
}

static xc_status write_rows(xc_row_writer *base, const void *rows, size_t stride, uint32_t count)
{
	static const uint8_t padding[4];
	const bmp_writer *w = (const bmp_writer *)base;
	const uint32_t channels = base->shape.channels, width = base->shape.width;
	uint8_t piece[4 * PIECE];
	xc_status status = XC_OK;

	for (uint32_t y = 0; y < count && !status; y++) {
		const uint8_t *from = (const uint8_t *)rows + y * stride;
		for (uint32_t x = 0, n; x < width && !status; x += n, from += (size_t)n * channels) {
			n = width - x < PIECE ? width - x : PIECE;
			memcpy(piece, from, (size_t)n * channels);
			for (uint32_t i = 0; i < n && channels > 1; i++) {
				piece[i * channels] = from[i * channels + 2];
				piece[i * channels + 2] = from[i * channels];
			}
			status = xc_row_writer_put(base, piece, (size_t)n * channels);
		}
		if (!status)
			status = xc_row_writer_put(base, padding, w->row_bytes - width * channels);
	}
	return status;
}

static xc_status end(xc_row_writer *base)
{
	const bmp_writer *w = (const bmp_writer *)base;
	return w->profile ? xc_row_writer_put(base, base->metadata->icc.data, w->profile) : XC_OK;
}

static xc_status create(xc_row_writer *base)
{
	static const xc_row_writer_kind kind = {write_rows, end, NULL};
	bmp_writer *w = (bmp_writer *)base;
	const xc_picture *shape = &base->shape;
	uint8_t header[FILE_HEADER + V5_HEADER + PALETTE] = {0};
	xc_status status = check(base);

	if (status)
		return status;
	const uint64_t row = ((uint64_t)shape->width * shape->channels + 3) / 4 * 4;
	/* A grey picture has a palette of colours, which a profile for either may describe. */
	const int has_icc = base->metadata && base->metadata->icc.data &&
	                    (shape->channels == 1 || xc_row_writer_profile_fits(base));
	const size_t icc = has_icc ? base->metadata->icc.size : 0;
	if (shape->width > INT32_MAX || shape->height > INT32_MAX ||
	    row > (UINT32_MAX - sizeof header) / shape->height ||
	    icc > UINT32_MAX - sizeof header - row * shape->height)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "%u x %u pixels are too many for a BMP: use png or pam", shape->width,
		                    shape->height);
	base->kind = &kind;
	w->row_bytes = (uint32_t)row;
	w->profile = (uint32_t)icc;
	w->header = icc || shape->channels == 4 ? V5_HEADER : INFO_HEADER;
	make_header(w, (uint32_t)row * shape->height, header);
	return xc_row_writer_put(base, header,
	                         FILE_HEADER + w->header + (shape->channels == 1 ? PALETTE : 0));
}

const xc_row_output xc_bmp_row_output = {sizeof(bmp_writer), create};
