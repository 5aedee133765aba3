/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BMP files, with headers from BITMAPCOREHEADER (12 bytes) to BITMAPV5HEADER (124) and those of
 * OS/2 2 (16 and 64), which begin alike.  See "Bitmap Storage" in the Windows GDI documentation.
 *
 * A palette of greys gives a grey picture, any other one RGB. Pixels of 16 and 32 bits are scaled
 * to 8 bits a channel, or to 16 if a channel has more than 8 bits. They have alpha only if the file
 * has a mask for it. Rows that come from the upper one on pass through. Where the lowest one comes
 * first, and where there are run lengths, the whole picture is decoded when the file is opened.
 */
#include "formats/rows_kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BMP_RGB = 0, BMP_RLE8 = 1, BMP_RLE4 = 2, BMP_BITFIELDS = 3, BMP_ALPHABITFIELDS = 6 };

enum { BMP_RED, BMP_GREEN, BMP_BLUE, BMP_ALPHA };

typedef struct bmp_info {
	uint32_t width, height;
	int top_down;
	uint32_t bits; /* a pixel: 1, 2, 4, 8, 16, 24 or 32 */
	uint32_t compression;
	uint32_t mask[4];        /* of 16- and 32-bit pixels; zero: no such channel */
	uint8_t palette[256][3]; /* R, G, B */
	uint32_t colours;        /* entries that the file has */
	int grey;                /* every entry has R = G = B */
	/* where the pixels and the colour profile start in the file; a size of 0: there is none */
	uint64_t pixels, profile;
	uint32_t profile_size;
	uint32_t density_x, density_y; /* pixels per metre */
	int has_gap;                   /* bytes that say something lie before the pixels */
	const char *colours_of;        /* what the header says about colours that is left out; NULL */
} bmp_info;

static inline int has_palette(const bmp_info *bmp)
{
	return bmp->bits <= 8;
}

/* Writes a palette colour to a pixel of 1 or 3 channels. */
static inline void put_colour(uint8_t *pixel, const bmp_info *bmp, uint32_t index)
{
	pixel[0] = bmp->palette[index][0];
	if (bmp->grey)
		return;
	pixel[1] = bmp->palette[index][1];
	pixel[2] = bmp->palette[index][2];
}

/* ----------------------------------------------------------------- headers */

enum {
	FILE_HEADER = 14,
	CORE_HEADER = 12,
	INFO_HEADER = 40,
	V2_HEADER = 52,
	V3_HEADER = 56,
	OS2_HEADER = 64,
	V4_HEADER = 108,
	V5_HEADER = 124,
	MASKS = FILE_HEADER + INFO_HEADER, /* the same place inside a header and after it */
	COLOUR_SPACE = FILE_HEADER + 56,
	PROFILE = FILE_HEADER + 112
};

#define PROFILE_EMBEDDED 0x4d424544u /* "MBED" as the file writes it backwards */
#define PROFILE_LINKED 0x4c494e4bu   /* "LINK" */

/* The first bytes of a file, more than headers and palette take, or all of them. */
typedef struct bmp_head {
	const uint8_t *data;
	size_t size;
	char *message;
} bmp_head;

static xc_status truncated(const bmp_head *head)
{
	return xc_file_fail(head->message, XC_ERR_TRUNCATED, "BMP ends in its headers (at byte %zu)",
	                    head->size);
}

static xc_status check_size(const bmp_head *head, uint32_t *header)
{
	static const uint32_t known[] = {CORE_HEADER, 16,         INFO_HEADER, V2_HEADER,
	                                 V3_HEADER,   OS2_HEADER, V4_HEADER,   V5_HEADER};

	if (head->size < FILE_HEADER + 4)
		return truncated(head);
	*header = xc_load_le32(head->data + FILE_HEADER);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (*header == known[i])
			return head->size - FILE_HEADER < *header ? truncated(head) : XC_OK;
	return xc_file_fail(head->message, XC_ERR_UNSUPPORTED,
	                    "BMP header of %u bytes is not known (at byte %d)", *header, FILE_HEADER);
}

static void parse_core(const uint8_t *p, bmp_info *bmp, uint32_t *planes)
{
	bmp->width = xc_load_le16(p + 18);
	bmp->height = xc_load_le16(p + 20);
	*planes = xc_load_le16(p + 22);
	bmp->bits = xc_load_le16(p + 24);
}

static void parse_info(const uint8_t *p, uint32_t header, bmp_info *bmp, uint32_t *planes,
                       uint32_t *colours)
{
	uint32_t width = xc_load_le32(p + 18), height = xc_load_le32(p + 22);

	/* A negative height means that the top row comes first. */
	bmp->top_down = height >> 31;
	bmp->height = bmp->top_down ? 0u - height : height;
	/* A negative width has no meaning; it fails as an empty picture. */
	bmp->width = width >> 31 ? 0 : width;
	*planes = xc_load_le16(p + 26);
	bmp->bits = xc_load_le16(p + 28);
	if (header < INFO_HEADER)
		return;
	bmp->compression = xc_load_le32(p + 30);
	bmp->density_x = xc_load_le32(p + 38);
	bmp->density_y = xc_load_le32(p + 42);
	*colours = xc_load_le32(p + 46);
}

static xc_status check_kind(const bmp_info *bmp, uint32_t header, uint32_t planes, char *message)
{
	uint32_t bits = bmp->bits, compression = bmp->compression;

	if (planes != 1)
		return xc_file_fail(message, XC_ERR_CORRUPT, "BMP has %u planes instead of 1", planes);
	if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "BMP of %u bits a pixel is not supported",
		                    bits);
	int fits = compression == BMP_RGB || (compression == BMP_RLE8 && bits == 8) ||
	           (compression == BMP_RLE4 && bits == 4);
	/* In OS/2 the number 3 is another compression. */
	if (compression == BMP_BITFIELDS || compression == BMP_ALPHABITFIELDS)
		fits = header != OS2_HEADER && (bits == 16 || bits == 32);
	if (!fits)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "BMP compression %u at %u bits a pixel is not supported", compression,
		                    bits);
	if (bmp->top_down && (compression == BMP_RLE8 || compression == BMP_RLE4))
		return xc_file_fail(message, XC_ERR_CORRUPT, "BMP with run lengths cannot be top-down");
	return XC_OK;
}

/* The bits of a mask must be adjacent, and no two masks may share a bit. */
static int masks_are_sane(const uint32_t mask[4])
{
	uint32_t seen = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t m = mask[i];
		if (seen & m)
			return 0;
		seen |= m;
		if (m && (m / (m & (0u - m)) & (m / (m & (0u - m)) + 1)) != 0)
			return 0;
	}
	return (mask[0] | mask[1] | mask[2]) != 0;
}

/* Moves *end, where the headers end, past the masks if those follow. */
static xc_status parse_masks(const bmp_head *head, uint32_t header, bmp_info *bmp, size_t *end)
{
	static const uint32_t bits_555[4] = {0x7c00, 0x03e0, 0x001f, 0};
	static const uint32_t bits_888[4] = {0xff0000, 0x00ff00, 0x0000ff, 0};

	if (bmp->compression == BMP_RGB) {
		for (int i = 0; i < 4; i++)
			bmp->mask[i] = bmp->bits == 16 ? bits_555[i] : bits_888[i];
		return XC_OK;
	}
	int masks = header >= V3_HEADER || bmp->compression == BMP_ALPHABITFIELDS ? 4 : 3;
	size_t masks_end = MASKS + 4 * (size_t)masks;
	if (masks_end > *end)
		*end = masks_end;
	if (head->size < *end)
		return truncated(head);
	for (int i = 0; i < masks; i++)
		bmp->mask[i] = xc_load_le32(head->data + MASKS + 4 * i) &
		               (bmp->bits == 16 ? 0xffff : UINT32_MAX);
	if (!masks_are_sane(bmp->mask))
		return xc_file_fail(head->message, XC_ERR_CORRUPT,
		                    "BMP colour masks contradict each other (at byte %d)", MASKS);
	return XC_OK;
}

/* The palette lies between the headers, which end at *end, and the pixels; moves *end past it. */
static xc_status parse_palette(const bmp_head *head, uint32_t header, uint32_t colours, size_t *end,
                               bmp_info *bmp)
{
	size_t entry = header == CORE_HEADER ? 3 : 4;
	uint32_t max = 1u << bmp->bits;

	if (colours == 0)
		colours = max;
	/* Some files have more entries than pixels can name, or count some without room for them. */
	if (colours > max)
		colours = max;
	if (colours > (bmp->pixels - *end) / entry)
		colours = (uint32_t)((bmp->pixels - *end) / entry);
	if (head->size < *end + colours * entry)
		return truncated(head);
	if (colours == 0)
		return xc_file_fail(head->message, XC_ERR_CORRUPT, "BMP has no palette (at byte %zu)",
		                    *end);
	bmp->colours = colours;
	bmp->grey = 1;
	for (uint32_t i = 0; i < bmp->colours; i++) {
		const uint8_t *from = head->data + *end + i * entry;
		for (int c = 0; c < 3; c++)
			bmp->palette[i][c] = from[2 - c];
		bmp->grey &= from[0] == from[1] && from[1] == from[2];
	}
	*end += colours * entry;
	return XC_OK;
}

/* What a header from V4 on says about colours. Calibrated ones have primaries and gamma, which may be missing. */
static void parse_colours(const bmp_head *head, uint32_t header, bmp_info *bmp)
{
	static const uint8_t none[PROFILE - COLOUR_SPACE - 8] = {0};
	const uint32_t space = xc_load_le32(head->data + COLOUR_SPACE);

	if (space == 0 && memcmp(head->data + COLOUR_SPACE + 4, none, sizeof none) != 0)
		bmp->colours_of = "calibrated colours";
	if (space == PROFILE_LINKED)
		bmp->colours_of = "a linked colour profile";
	if (header < V5_HEADER || space != PROFILE_EMBEDDED)
		return;
	bmp->profile = FILE_HEADER + (uint64_t)xc_load_le32(head->data + PROFILE);
	bmp->profile_size = xc_load_le32(head->data + PROFILE + 4);
}

static xc_status parse_headers(const bmp_head *head, bmp_info *bmp)
{
	uint32_t header = 0, planes = 0, colours = 0;

	*bmp = (bmp_info){0};
	xc_status status = check_size(head, &header);
	if (status)
		return status;
	if (header == CORE_HEADER)
		parse_core(head->data, bmp, &planes);
	else
		parse_info(head->data, header, bmp, &planes, &colours);
	status = check_kind(bmp, header, planes, head->message);
	if (status)
		return status;
	size_t end = FILE_HEADER + header;
	bmp->pixels = xc_load_le32(head->data + 10);
	if (bmp->bits == 16 || bmp->bits == 32)
		status = parse_masks(head, header, bmp, &end);
	if (!status && bmp->pixels < end)
		return xc_file_fail(head->message, XC_ERR_CORRUPT,
		                    "BMP pixels start inside the headers (at byte %u)",
		                    (unsigned)bmp->pixels);
	if (!status && has_palette(bmp))
		status = parse_palette(head, header, colours, &end, bmp);
	if (!status && header >= V4_HEADER)
		parse_colours(head, header, bmp);
	for (size_t i = end; !status && i < bmp->pixels && i < head->size; i++)
		bmp->has_gap |= head->data[i] && (!bmp->profile_size || i < bmp->profile);
	return status;
}

/* ------------------------------------------------------------------ pixels */

/* A channel of a packed pixel. */
typedef struct field {
	uint32_t mask, shift, max; /* most is 0 if the file lacks the channel */
} field;

typedef struct reader {
	xc_row_base base;
	bmp_info bmp;
	field fields[4];
	uint32_t first;   /* pixel of 16 or 32 bits */
	uint32_t unused;  /* bits that no field has and that differ from those of the first pixel */
	uint8_t *bytes;   /* a row of the file */
	size_t row_bytes; /* of it */
	uint32_t row;     /* the next one, in the file's order; of a whole picture the next to give */
} reader;

static field make_field(uint32_t mask)
{
	field f = {mask, 0, mask};

	while (f.max && !(f.max & 1)) {
		f.max >>= 1;
		f.shift++;
	}
	return f;
}

static uint32_t channels_of(const bmp_info *bmp)
{
	if (has_palette(bmp))
		return bmp->grey ? 1 : 3;
	return bmp->bits != 24 && bmp->mask[BMP_ALPHA] ? 4 : 3;
}

static uint32_t depth_of(const bmp_info *bmp)
{
	if (bmp->bits == 16 || bmp->bits == 32)
		for (int c = 0; c < 4; c++)
			if (make_field(bmp->mask[c]).max > 255)
				return 16;
	return 8;
}

/* Returns 0 if a pixel has a colour that the palette lacks. */
static int unpack_indexed(const bmp_info *bmp, const uint8_t *from, uint8_t *to, size_t channels)
{
	uint32_t per_byte = 8 / bmp->bits, mask = (1u << bmp->bits) - 1;

	for (uint32_t x = 0; x < bmp->width; x++, to += channels) {
		uint32_t shift = (per_byte - 1 - x % per_byte) * bmp->bits;
		uint32_t index = from[x / per_byte] >> shift & mask;
		if (index >= bmp->colours)
			return 0;
		put_colour(to, bmp, index);
	}
	return 1;
}

static void unpack_bgr(const bmp_info *bmp, const uint8_t *from, uint8_t *to)
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
	if (f->max == 0)
		return 0;
	uint64_t value = (pixel & f->mask) >> f->shift;
	return f->max == peak ? (uint32_t)value : (uint32_t)((value * peak + f->max / 2) / f->max);
}

static void unpack_fields(reader *r, const uint8_t *from, void *to)
{
	const xc_picture *picture = &r->base.out.picture;
	const field *fields = r->fields;
	uint32_t peak = picture->depth == 8 ? 255 : 65535, all = 0;
	size_t bytes = r->bmp.bits / 8, i = 0;

	for (uint32_t x = 0; x < picture->width; x++, from += bytes) {
		uint32_t pixel = bytes == 2 ? xc_load_le16(from) : xc_load_le32(from);
		for (uint32_t c = 0; c < picture->channels; c++)
			xc_file_put(to, i++, picture->depth, extract(pixel, &fields[c], peak));
		r->first = r->row == 1 && !x ? pixel : r->first; /* the row was counted */
		all |= pixel ^ r->first;
	}
	for (uint32_t c = 0; c < picture->channels; c++)
		all &= ~fields[c].mask;
	r->unused |= all;
}

/* ------------------------------------------------------------- run lengths */

/* The run-length codes of BMP, RLE8 and RLE4.  A code is a count and a pixel, or in RLE4 two
 * pixels that alternate.  The count zero is an escape: to the end of a line or of the
 * picture, to a jump, or to literal pixels.  Pixels that the codes jump over have colour 0. */
enum { END_OF_LINE = 0, END_OF_PICTURE = 1, JUMP = 2 };

typedef struct decoder {
	const bmp_info *bmp;
	xc_row_base *base;
	uint32_t x, y;  /* of the next pixel; y counts from the bottom */
	uint32_t width; /* with the padding to 32 bits, which ImageMagick codes as well */
} decoder;

static xc_status fail_code(const decoder *d, xc_status status, const char *what)
{
	return xc_file_fail(d->base->file.message, status, "BMP %s (at byte %llu)", what,
	                    (unsigned long long)xc_row_input_position(&d->base->input));
}

/* Takes n bytes: 1, or 0 if the file ends before. */
static int take_bytes(decoder *d, uint8_t *to, size_t n)
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
		return fail_code(d, XC_ERR_CORRUPT, "run goes past the edge of the picture");
	if (n > d->width - d->x)
		xc_file_warn(d->base->file.message, "BMP rows run past the edge of the picture: cut there");
	const uint32_t start = d->x < picture->width ? d->x : picture->width;
	uint8_t *to = xc_file_row(picture, picture->height - 1 - d->y) +
	              (size_t)start * picture->channels;
	uint32_t per_byte = 8 / d->bmp->bits;
	for (uint32_t i = 0; i < n && start + i < picture->width; i++, to += picture->channels) {
		uint32_t index = index_in(d, from[step ? i / per_byte : 0], i);
		if (index >= d->bmp->colours)
			return fail_code(d, XC_ERR_CORRUPT, "pixel has a colour beyond the palette");
		put_colour(to, d->bmp, index);
	}
	d->x = n < d->width - d->x ? d->x + n : d->width;
	return XC_OK;
}

/* Writes n literal pixels, which are padded to an even number of bytes. */
static xc_status literal(decoder *d, uint32_t n)
{
	uint8_t pixels[256], padding;
	size_t bytes = d->bmp->bits == 8 ? n : (n + 1) / 2;

	if (!take_bytes(d, pixels, bytes))
		return fail_code(d, XC_ERR_TRUNCATED, "ends in literal pixels");
	if (bytes & 1)
		take_bytes(d, &padding, 1); /* often missing at the end */
	return put_pixels(d, pixels, n, 1);
}

static xc_status jump(decoder *d)
{
	uint8_t way[2];

	if (!take_bytes(d, way, 2))
		return fail_code(d, XC_ERR_TRUNCATED, "ends in a jump");
	const uint32_t right = way[0], up = way[1];
	if (right > d->width - d->x || up > d->bmp->height - d->y)
		return fail_code(d, XC_ERR_CORRUPT, "jump goes past the edge of the picture");
	d->x += right;
	d->y += up;
	return XC_OK;
}

static xc_status escape(decoder *d, uint8_t code, int *done)
{
	switch (code) {
	case END_OF_LINE:
		if (d->y >= d->bmp->height)
			return fail_code(d, XC_ERR_CORRUPT, "has more lines than the picture");
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
		if (!take_bytes(d, pair, 2))
			return is_complete(d)
			           ? XC_OK
			           : fail_code(d, XC_ERR_TRUNCATED, "ends before the picture is whole");
		status = pair[0] ? put_pixels(d, pair + 1, pair[0], 0) : escape(d, pair[1], &done);
	}
	return status;
}

static void fill_picture(const xc_picture *picture, const bmp_info *bmp)
{
	for (uint32_t y = 0; y < picture->height; y++) {
		uint8_t *to = xc_file_row(picture, y);
		for (uint32_t x = 0; x < picture->width; x++, to += picture->channels)
			put_colour(to, bmp, 0);
	}
}

/* Decodes run lengths into the picture. */
static xc_status read_run_lengths(xc_row_base *base, const bmp_info *bmp)
{
	const uint32_t per_row = 32 / bmp->bits;
	decoder d = {.bmp = bmp, .base = base};

	d.width = (bmp->width + per_row - 1) / per_row * per_row;
	fill_picture(&base->out.picture, bmp);
	return decode(&d);
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
	const uint64_t max = ((uint64_t)(in->end - in->at) / 4 + 1) * 255 * 255;

	if (!in->ended || r->base.file.limits.keep_going ||
	    (uint64_t)r->bmp.width * r->bmp.height <= max)
		return XC_OK;
	return xc_file_fail(r->base.file.message, XC_ERR_TRUNCATED,
	                    "BMP is too short for %u x %u pixels (at byte %" PRIu64 ")", r->bmp.width,
	                    r->bmp.height, in->before + in->end);
}

/* Reads the next row of the file into the row y of the picture. */
static xc_status read_row(reader *r, uint8_t *to, uint32_t y)
{
	const bmp_info *bmp = &r->bmp;
	const size_t got = xc_row_input_copy(&r->base.input, r->bytes, r->row_bytes);

	if (got < r->row_bytes && (r->row < bmp->height - 1 || got < last_row_bytes(r)))
		return fail_short(r, r->row, xc_row_input_position(&r->base.input));
	r->row++;
	if (bmp->bits == 24)
		unpack_bgr(bmp, r->bytes, to);
	else if (!has_palette(bmp))
		unpack_fields(r, r->bytes, to);
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

static xc_status finish(xc_row_base *base)
{
	reader *r = (reader *)base;
	const xc_status status = read_profile(r, UINT64_MAX);

	if (r->bmp.colours_of)
		xc_file_kinds_add(&base->file.left_out, r->bmp.colours_of);
	if (r->bmp.has_gap)
		xc_file_kinds_add(&base->file.left_out, "bytes before the pixels");
	if (r->unused)
		xc_file_kinds_add(&base->file.left_out, "bits that no channel has");
	if (!status)
		xc_file_name_rest(base);
	return status;
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
	status = status ? status : xc_file_reserve(file, (uint64_t)p->stride * p->height);
	status = status ? status : xc_file_allocate(file);
	if (!status && run_lengths)
		status = read_run_lengths(&r->base, &r->bmp);
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
	bmp_head head = {.message = r->base.file.message};

	head.size = xc_row_input_peek(&r->base.input, XC_ROW_INPUT_SIZE, &head.data);
	xc_status status = parse_headers(&head, &r->bmp);
	if (!status)
		status = xc_file_shape_rows(&r->base.file, r->bmp.width, r->bmp.height,
		                            channels_of(&r->bmp), depth_of(&r->bmp));
	if (!status && has_palette(&r->bmp))
		status = xc_file_keep_palette(&r->base.file, r->bmp.palette, r->bmp.colours, NULL, 0,
		                              (int)r->bmp.bits);
	status = status ? status : read_profile(r, r->bmp.pixels);
	if (!status && !skip_to(&r->base.input, r->bmp.pixels))
		return xc_file_fail(head.message, XC_ERR_TRUNCATED,
		                    "BMP ends in its headers (at byte %" PRIu64 ")",
		                    xc_row_input_position(&r->base.input));
	return status;
}

static xc_status open_bmp(xc_row_base *base)
{
	static const xc_row_reader_kind by_rows = {read_rows, finish, close_reader};
	static const xc_row_reader_kind whole = {give_rows, finish, close_reader};
	reader *r = (reader *)base;
	xc_status status = parse(r);

	if (status)
		return status;
	const int run_lengths = r->bmp.compression == BMP_RLE8 || r->bmp.compression == BMP_RLE4;
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
