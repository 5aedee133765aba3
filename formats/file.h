/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers and writers of picture files share.
 *
 * Sizes are checked in one place.  A reader learns the shape from the header and calls
 * xc_file_shape_rows(), which refuses what is over a limit, and rows that no size_t fits.  The
 * reader then makes sure that the file is long enough for such a picture.  Only what holds the whole
 * picture reserves its memory and calls xc_file_allocate(), after which its size fits a size_t.
 */
#ifndef XC_FORMATS_FILE_H
#define XC_FORMATS_FILE_H

#include "formats/formats.h"

/* A blob of metadata is dropped beyond this, the library's default. */
#define XC_FILE_METADATA_MAX ((size_t)64 << 20)

/* Index into xc_file_picture.owned. */
enum { XC_OWNED_PIXELS, XC_OWNED_ICC, XC_OWNED_EXIF, XC_OWNED_XMP, XC_OWNED_IPTC, XC_OWNED_TEXT };

/* What a reader counts and fills. */
typedef struct xc_file_reader {
	xc_file_limits limits;
	uint64_t held;               /* bytes reserved so far */
	uint64_t inflated, deflated; /* bytes of metadata, after and before it was inflated */
	xc_file_picture *out;
	char *message;
} xc_file_reader;

/* Sets the message and returns status. */
xc_status xc_file_fail(char message[XC_FILE_MESSAGE], xc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Leaves a warning for a call that will succeed; the first one stays.  One about metadata says that
 * it is "left out", which xc_file_tells_loss() looks for. */
void xc_file_warn(char message[XC_FILE_MESSAGE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Counts bytes against the limits; called before they are allocated. */
xc_status xc_file_reserve(xc_file_reader *reader, uint64_t bytes);
/* After they were freed. */
void xc_file_unreserve(xc_file_reader *reader, uint64_t bytes);

/* Whether so many pixels may come of so many bytes. */
xc_status xc_file_check_expansion(const xc_file_reader *reader, uint64_t pixels, uint64_t bytes);
/* Of a picture that is held as a whole before its rows are given: where the file's size is not known,
 * it may have XC_ANY_FILE_PIXELS. */
xc_status xc_file_check_whole(const xc_file_reader *reader);
/* Whether metadata may grow by `more` when it is inflated. */
int xc_file_may_inflate(const xc_file_reader *reader, uint64_t more);

/* Sets all of out->picture but its data, or says why not. */
xc_status xc_file_shape_rows(xc_file_reader *reader, uint32_t width, uint32_t height,
                             uint32_t channels, uint32_t depth);
/* Allocates the pixels of that shape; their contents are undefined. */
xc_status xc_file_allocate(xc_file_reader *reader);

/* Makes a copy of metadata, which the caller owns. */
xc_status xc_file_copy(xc_file_reader *reader, const void *data, size_t size, xc_blob *copy);

/* Whether the bytes are UTF-8 without zero bytes. */
int xc_file_is_utf8(const void *data, size_t size);

/* Some text of a file: UTF-8, or Latin-1, which is turned into UTF-8. */
typedef struct xc_file_text {
	const void *data;
	size_t size;
	int latin1;
} xc_file_text;

/* Adds a pair to the metadata's text.  A pair is left out with a warning if either has a zero byte or
 * is no UTF-8, or if all text would be longer than XC_FILE_METADATA_MAX.  Only memory and the limits
 * are reasons to fail. */
xc_status xc_file_add_pair(xc_file_reader *reader, xc_file_text key, xc_file_text value);

/* Takes the next whole pair of a metadata's text, of which *at bytes are taken: 1, or 0 at the end. */
int xc_file_next_pair(const xc_blob *text, size_t *at, const char **key, const char **value);

static inline uint8_t *xc_file_row(const xc_picture *picture, uint32_t y)
{
	return (uint8_t *)picture->data + (size_t)y * picture->stride;
}

/* Sets sample number i of a row. */
static inline void xc_file_put(void *row, size_t i, uint32_t depth, uint32_t value)
{
	if (depth == 8)
		((uint8_t *)row)[i] = (uint8_t)value;
	else
		((uint16_t *)row)[i] = (uint16_t)value;
}

/* ImageMagick's program as it is installed: "magick", or "convert". */
const char *xc_file_magick(void);

/* White space of ASCII, whatever the locale. */
static inline int xc_file_is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static inline uint32_t xc_load_le16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t xc_load_le32(const uint8_t *p)
{
	return xc_load_le16(p) | xc_load_le16(p + 2) << 16;
}

static inline uint32_t xc_load_be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | (uint32_t)p[1];
}

static inline uint32_t xc_load_be32(const uint8_t *p)
{
	return xc_load_be16(p) << 16 | xc_load_be16(p + 2);
}

static inline void xc_store_be16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static inline void xc_store_be32(uint8_t *p, uint32_t value)
{
	xc_store_be16(p, value >> 16);
	xc_store_be16(p + 2, value & 0xffff);
}

#endif
