/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixels of a BMP file.  A palette of greys gives a grey picture, any other one RGB.
 * Pixels of 16 and 32 bits are scaled to 8 bits a channel, or to 16 if a channel has more
 * than 8 bits.  They have alpha only if the file has a mask for it.
 * Rows that come from the upper one on pass through.  Where the lowest one comes first, and where
 * there are run lengths, the whole picture is decoded when the file is opened. */
#include "formats/bmp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A channel of a packed pixel. */
typedef struct field {
	uint32_t mask, shift, most; /* most is 0 if the file lacks the channel */
} field;

typedef struct reader {
	xc_row_base base;
	xc_bmp bmp;
	field fields[4];
	uint8_t *bytes;   /* a row of the file */
	size_t row_bytes; /* of it */
	uint32_t row;     /* the next one, in the file's order; of a whole picture the next to give */
} reader;

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

/* ------------------------------------------------------------------- input */

static xc_status fail_short(const reader *r, uint64_t row, uint64_t at)
{
	return xc_file_fail(r->base.file.message, XC_ERR_TRUNCATED,
	                    "BMP ends in row %" PRIu64 " of %u (at byte %" PRIu64 ")", row,
	                    r->bmp.height, at);
}

/* The bytes of the last row that are needed: its padding is often missing. */
static size_t last_row_bytes(const reader *r)
{
	return (size_t)(((uint64_t)r->bmp.width * r->bmp.bits + 7) / 8);
}

/* Makes sure, where the size of the file is known, that it has all pixels. */
static xc_status check_rows(const reader *r)
{
	const xc_row_input *in = &r->base.input;
	const uint64_t left = in->end - in->at, last = last_row_bytes(r);
	if (!in->ended || r->base.file.limits.keep_going ||
	    (left >= last && (left - last) / r->row_bytes >= (uint64_t)r->bmp.height - 1))
		return XC_OK;
	return fail_short(r, left / r->row_bytes, in->before + in->end);
}

/* The densest code of run lengths is a jump: 4 bytes for 255 x 255 pixels. */
static xc_status check_run_lengths(const reader *r)
{
	const xc_row_input *in = &r->base.input;
	const uint64_t most = ((uint64_t)(in->end - in->at) / 4 + 1) * 255 * 255;
	if (!in->ended || r->base.file.limits.keep_going ||
	    (uint64_t)r->bmp.width * r->bmp.height <= most)
		return XC_OK;
	return xc_file_fail(r->base.file.message, XC_ERR_TRUNCATED,
	                    "BMP is too short for %u x %u pixels (at byte %" PRIu64 ")", r->bmp.width,
	                    r->bmp.height, in->before + in->end);
}

/* Reads the next row of the file into the row y of the picture. */
static xc_status read_row(reader *r, uint8_t *to, uint32_t y)
{
	const xc_bmp *bmp = &r->bmp;
	const size_t got = xc_row_input_copy(&r->base.input, r->bytes, r->row_bytes);
	if (got < r->row_bytes && (r->row < bmp->height - 1 || got < last_row_bytes(r)))
		return fail_short(r, r->row, xc_row_input_position(&r->base.input));
	r->row++;
	if (bmp->bits == 24)
		unpack_bgr(bmp, r->bytes, to);
	else if (!xc_bmp_has_palette(bmp))
		unpack_fields(bmp, r->fields, r->bytes, to, &r->base.out.picture);
	else if (!unpack_indexed(bmp, r->bytes, to, r->base.out.picture.channels))
		return xc_file_fail(r->base.file.message, XC_ERR_CORRUPT,
		                    "BMP pixel has a colour beyond the palette of %u (in row %u)",
		                    bmp->colours, y);
	return XC_OK;
}

/* Skips bytes up to a position in the file: 1, or 0 if that is past its end. */
static int skip_to(xc_row_input *in, uint64_t position)
{
	while (xc_row_input_position(in) < position) {
		const uint8_t *bytes;
		const size_t n = xc_row_input_peek(in, 1, &bytes);
		const uint64_t left = position - xc_row_input_position(in);
		if (n == 0)
			return 0;
		xc_row_input_take(in, n < left ? n : (size_t)left);
	}
	return 1;
}

/* Reads the profile if it starts after what has been read.  It may not reach past `end`. */
static xc_status read_profile(reader *r, uint64_t end)
{
	xc_row_input *in = &r->base.input;
	const uint32_t size = r->bmp.profile_size;
	if (size == 0 || r->bmp.profile >= end)
		return XC_OK;
	r->bmp.profile_size = 0;
	if (size > XC_FILE_METADATA_MAX) {
		xc_file_warn(r->base.file.message, "BMP colour profile is too large: left out");
		return XC_OK;
	}
	xc_status status = xc_file_reserve(&r->base.file, size);
	uint8_t *bytes = status ? NULL : malloc(size);
	if (!bytes)
		return status ? status
		              : xc_file_fail(r->base.file.message, XC_ERR_MEMORY,
		                             "out of memory for a colour profile");
	if (xc_row_input_position(in) > r->bmp.profile || end - r->bmp.profile < size ||
	    !skip_to(in, r->bmp.profile) || xc_row_input_copy(in, bytes, size) < size) {
		free(bytes);
		xc_file_warn(r->base.file.message, "BMP colour profile lies outside the file: left out");
		return XC_OK;
	}
	r->base.out.owned[XC_OWNED_ICC] = bytes;
	r->base.out.metadata.icc = (xc_blob){bytes, size};
	return XC_OK;
}

/* ----------------------------------------------------------------- reading */

static xc_status read_rows(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	reader *r = (reader *)base;
	xc_status status = XC_OK;
	for (uint32_t i = 0; i < count && !status; i++)
		status = read_row(r, (uint8_t *)rows + i * stride, r->row);
	return status;
}

static xc_status finish_rows(xc_row_base *base)
{
	return read_profile((reader *)base, UINT64_MAX);
}

static xc_status give_rows(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	reader *r = (reader *)base;
	for (uint32_t i = 0; i < count; i++)
		memcpy((uint8_t *)rows + i * stride, xc_file_row(&base->out.picture, r->row++),
		       base->out.picture.stride);
	return XC_OK;
}

static void close_reader(xc_row_base *base)
{
	free(((reader *)base)->bytes);
}

static void set_density(reader *r)
{
	const uint32_t x = r->bmp.density_x, y = r->bmp.density_y;
	xc_metadata *metadata = &r->base.out.metadata;
	if (!x || !y || (x | y) >> 31)
		return;
	metadata->density_x = x;
	metadata->density_y = y;
	metadata->density_unit = 1;
}

/* Decodes the whole picture. */
static xc_status read_whole(reader *r, int run_lengths)
{
	xc_file_reader *file = &r->base.file;
	const xc_picture *p = &r->base.out.picture;
	xc_status status = run_lengths ? check_run_lengths(r) : check_rows(r);
	if (!status && run_lengths)
		status = xc_file_check_whole(file);
	if (!status)
		status = xc_file_reserve(file, (uint64_t)p->stride * p->height);
	if (!status)
		status = xc_file_allocate(file);
	if (!status && run_lengths)
		status = xc_bmp_read_rle(&r->base, &r->bmp);
	for (uint32_t y = 0; y < p->height && !status && !run_lengths && file->limits.keep_going; y++)
		xc_row_fill(p, xc_file_row(p, y));
	for (uint32_t y = p->height; y-- && !status && !run_lengths;)
		status = read_row(r, xc_file_row(p, y), y);
	if (file->limits.keep_going && (status == XC_ERR_CORRUPT || status == XC_ERR_TRUNCATED) &&
	    p->data && !r->base.input.failed) {
		r->base.out.damaged = 1;
		status = XC_OK;
	}
	r->row = 0;
	return status ? status : read_profile(r, UINT64_MAX);
}

static xc_status allocate_row(reader *r)
{
	r->row_bytes = (size_t)(((uint64_t)r->bmp.width * r->bmp.bits + 31) / 32 * 4);
	xc_status status = xc_file_reserve(&r->base.file, r->row_bytes);
	if (status)
		return status;
	r->bytes = malloc(r->row_bytes);
	return r->bytes ? XC_OK
	                : xc_file_fail(r->base.file.message, XC_ERR_MEMORY, "out of memory for a row");
}

static xc_status parse(reader *r)
{
	xc_bmp_head head = {.message = r->base.file.message};
	head.size = xc_row_input_peek(&r->base.input, XC_ROW_INPUT_SIZE, &head.data);
	xc_status status = xc_bmp_parse(&head, &r->bmp);
	if (!status)
		status = xc_file_shape_rows(&r->base.file, r->bmp.width, r->bmp.height,
		                            channels_of(&r->bmp), depth_of(&r->bmp));
	if (!status)
		status = read_profile(r, r->bmp.pixels);
	if (!status && !skip_to(&r->base.input, r->bmp.pixels))
		return xc_file_fail(head.message, XC_ERR_TRUNCATED,
		                    "BMP ends in its headers (at byte %" PRIu64 ")",
		                    xc_row_input_position(&r->base.input));
	return status;
}

static xc_status open_bmp(xc_row_base *base)
{
	static const xc_row_reader_kind by_rows = {read_rows, finish_rows, close_reader};
	static const xc_row_reader_kind whole = {give_rows, NULL, close_reader};
	reader *r = (reader *)base;
	xc_status status = parse(r);
	if (status)
		return status;
	const int run_lengths = r->bmp.compression == XC_BMP_RLE8 || r->bmp.compression == XC_BMP_RLE4;
	base->kind = r->bmp.top_down ? &by_rows : &whole;
	set_density(r);
	for (int c = 0; c < 4; c++)
		r->fields[c] = make_field(r->bmp.mask[c]);
	status = run_lengths ? XC_OK : allocate_row(r);
	if (!status)
		status = r->bmp.top_down ? check_rows(r) : read_whole(r, run_lengths);
	return status;
}

const xc_row_format xc_bmp_rows = {sizeof(reader), open_bmp};
