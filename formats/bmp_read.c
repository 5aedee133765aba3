/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels of a BMP file.  A palette of greys gives a grey picture, any other one RGB.
 * Pixels of 16 and 32 bits are scaled to 8 bits a channel, or to 16 if a channel has more
 * than 8 bits.  They have alpha only if the file has a mask for it. */
#include "formats/bmp.h"

#include <inttypes.h>

/* A channel of a packed pixel. */
typedef struct field {
	uint32_t mask, shift, most; /* most is 0 if the file lacks the channel */
} field;

static field make_field(uint32_t mask)
{
	field f = {mask, 0, mask};
	while (f.most && !(f.most & 1)) {
		f.most >>= 1;
		f.shift++;
	}
	return f;
}

static uint32_t channels_of(const xc_bmp *bmp)
{
	if (xc_bmp_has_palette(bmp))
		return bmp->grey ? 1 : 3;
	return bmp->bits != 24 && bmp->mask[XC_BMP_ALPHA] ? 4 : 3;
}

static uint32_t depth_of(const xc_bmp *bmp)
{
	if (bmp->bits == 16 || bmp->bits == 32)
		for (int c = 0; c < 4; c++)
			if (make_field(bmp->mask[c]).most > 255)
				return 16;
	return 8;
}

/* Returns 0 if a pixel has a colour that the palette lacks. */
static int unpack_indexed(const xc_bmp *bmp, const uint8_t *from, uint8_t *to, size_t channels)
{
	uint32_t per_byte = 8 / bmp->bits, mask = (1u << bmp->bits) - 1;
	for (uint32_t x = 0; x < bmp->width; x++, to += channels) {
		uint32_t shift = (per_byte - 1 - x % per_byte) * bmp->bits;
		uint32_t index = from[x / per_byte] >> shift & mask;
		if (index >= bmp->colours)
			return 0;
		xc_bmp_put(to, bmp, index);
	}
	return 1;
}

static void unpack_bgr(const xc_bmp *bmp, const uint8_t *from, uint8_t *to)
{
	for (uint32_t x = 0; x < bmp->width; x++, from += 3, to += 3) {
		to[0] = from[2];
		to[1] = from[1];
		to[2] = from[0];
	}
}

/* Rounded; the products of a 32-bit mask need 64 bits. */
static uint32_t extract(uint32_t pixel, const field *f, uint32_t peak)
{
	if (f->most == 0)
		return 0;
	uint64_t value = (pixel & f->mask) >> f->shift;
	return f->most == peak ? (uint32_t)value : (uint32_t)((value * peak + f->most / 2) / f->most);
}

static void unpack_fields(const xc_bmp *bmp, const field fields[4], const uint8_t *from, void *to,
                          const xc_picture *picture)
{
	uint32_t peak = picture->depth == 8 ? 255 : 65535;
	size_t bytes = bmp->bits / 8, i = 0;
	for (uint32_t x = 0; x < bmp->width; x++, from += bytes) {
		uint32_t pixel = bytes == 2 ? xc_load_le16(from) : xc_load_le32(from);
		for (uint32_t c = 0; c < picture->channels; c++)
			xc_file_put(to, i++, picture->depth, extract(pixel, &fields[c], peak));
	}
}

static xc_status read_plain(xc_file_reader *reader, const xc_bmp *bmp)
{
	const xc_picture *picture = &reader->out->picture;
	uint64_t row = ((uint64_t)bmp->width * bmp->bits + 31) / 32 * 4; /* in the file */
	/* The padding of the last row is often missing, so it is not counted. */
	uint64_t last = ((uint64_t)bmp->width * bmp->bits + 7) / 8;
	uint64_t left = reader->size - bmp->pixels;
	if (left < last || (left - last) / row < bmp->height - 1)
		return xc_file_fail(reader->message, XC_ERR_TRUNCATED,
		                    "BMP ends in row %" PRIu64 " of %u (at byte %zu)", left / row,
		                    bmp->height, reader->size);
	xc_status status = xc_file_allocate(reader);
	if (status)
		return status;
	field fields[4];
	for (int c = 0; c < 4; c++)
		fields[c] = make_field(bmp->mask[c]);
	const uint8_t *from = reader->data + bmp->pixels;
	for (uint32_t i = 0; i < bmp->height; i++, from += i < bmp->height ? row : 0) {
		uint32_t y = bmp->top_down ? i : bmp->height - 1 - i;
		uint8_t *to = xc_file_row(picture, y);
		if (bmp->bits == 24)
			unpack_bgr(bmp, from, to);
		else if (!xc_bmp_has_palette(bmp))
			unpack_fields(bmp, fields, from, to, picture);
		else if (!unpack_indexed(bmp, from, to, picture->channels))
			return xc_file_fail(reader->message, XC_ERR_CORRUPT,
			                    "BMP pixel has a colour beyond the palette of %u (in row %u)",
			                    bmp->colours, y);
	}
	return XC_OK;
}

static xc_status read_metadata(xc_file_reader *reader, const xc_bmp *bmp)
{
	xc_metadata *metadata = &reader->out->metadata;
	if (bmp->density_x && bmp->density_y && !((bmp->density_x | bmp->density_y) >> 31)) {
		metadata->density_x = bmp->density_x;
		metadata->density_y = bmp->density_y;
		metadata->density_unit = 1;
	}
	if (bmp->profile_size == 0)
		return XC_OK;
	if (bmp->profile_size <= XC_FILE_METADATA_MAX)
		return xc_file_copy(reader, reader->data + bmp->profile, bmp->profile_size, XC_OWNED_ICC,
		                    "a colour profile", &metadata->icc);
	xc_file_warn(reader->message, "BMP colour profile is too large: left out");
	return XC_OK;
}

xc_status xc_bmp_read(xc_file_reader *reader)
{
	xc_bmp bmp;
	xc_status status = xc_bmp_parse(reader, &bmp);
	if (!status)
		status = xc_file_shape(reader, bmp.width, bmp.height, channels_of(&bmp), depth_of(&bmp));
	if (!status)
		status = read_metadata(reader, &bmp);
	if (status)
		return status;
	if (bmp.compression == XC_BMP_RLE8 || bmp.compression == XC_BMP_RLE4)
		return xc_bmp_read_rle(reader, &bmp);
	return read_plain(reader, &bmp);
}
