/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers and writers of picture files give to rows.c, and what they share.
 *
 * Sizes are checked in one place. A reader learns the shape from the header and calls
 * xc_file_shape_rows(), which refuses what is over a limit, and rows that no size_t fits. The
 * reader then makes sure that the file is long enough for such a picture. Only what holds the whole
 * picture reserves its memory and calls xc_file_allocate(), after which its size fits a size_t.
 */
#ifndef XC_FORMATS_ROWS_KIND_H
#define XC_FORMATS_ROWS_KIND_H

#include "formats/formats.h"

#include <string.h>

/* A blob of metadata is dropped beyond this, the library's default. */
#define XC_FILE_METADATA_MAX ((size_t)64 << 20)

/* Index into xc_file_picture.owned. */
enum {
	XC_OWNED_PIXELS,
	XC_OWNED_ICC,
	XC_OWNED_EXIF,
	XC_OWNED_XMP,
	XC_OWNED_IPTC,
	XC_OWNED_TEXT,
	XC_OWNED_PALETTE
};

/* Kinds of what a file holds that are left out, each named once: "tIME, sPLT". */
enum { XC_FILE_KINDS = 160 };
typedef struct xc_file_kinds {
	char text[XC_FILE_KINDS]; /* ends by ", ..." if they are too many for it */
} xc_file_kinds;

/* Adds a kind, unless it is there. */
void xc_file_kinds_add(xc_file_kinds *kinds, const char *kind);

/* What a reader counts and fills. */
typedef struct xc_file_reader {
	xc_file_limits limits;
	uint64_t held;               /* bytes reserved so far */
	uint64_t inflated, deflated; /* bytes of metadata, after and before it was inflated */
	xc_file_picture *out;
	char *message;
	xc_file_kinds
		left_out; /* what no XC file has a place for; rows.c tells it at the end of a file */
} xc_file_reader;

/* Sets the message and returns status. */
xc_status xc_file_fail(char message[XC_FILE_MESSAGE], xc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Leaves a warning for a call that will succeed; the first one stays.  One about metadata says that
 * it is "left out", which xc_file_tells_loss() looks for. */
void xc_file_warn(char message[XC_FILE_MESSAGE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Leaves one beside another that may be there already, as far as there is room. */
void xc_file_warn_too(char message[XC_FILE_MESSAGE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Counts bytes against the limits; called before they are allocated. */
xc_status xc_file_reserve(xc_file_reader *reader, uint64_t bytes);
/* After they were freed. */
void xc_file_unreserve(xc_file_reader *reader, uint64_t bytes);

/* Whether a file of `bytes` bytes may have `pixels` pixels. */
xc_status xc_file_check_expansion(const xc_file_reader *reader, uint64_t pixels, uint64_t bytes);
/* The same for a picture that is held as a whole before its rows are given: where the file's size is not
 * known, it may have XC_ANY_FILE_PIXELS. */
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

/* ---- palette.c */

enum { XC_PALETTE_MAX = 256, XC_PALETTE_PLACES = 1024 };

/* Sets palette and palette_bits of the metadata to `count` colours, the first `alphas` of which
 * have an alpha. */
xc_status xc_file_keep_palette(xc_file_reader *reader, const uint8_t (*rgb)[3], uint32_t count,
                               const uint8_t *alpha, uint32_t alphas, int bits);

/* The index of each colour of a palette, by a hash of its four bytes. */
typedef struct xc_palette_map {
	uint32_t colour[XC_PALETTE_PLACES];
	uint16_t entry[XC_PALETTE_PLACES]; /* index + 1; 0: the place is free */
} xc_palette_map;

/* Where the samples of the original went, which were brought to 255 or 65535. metadata: or NULL. */
static inline uint32_t xc_file_maxval(const xc_metadata *metadata, uint32_t depth)
{
	const uint32_t full = depth == 8 ? 255 : 65535, m = metadata ? metadata->maxval : 0;
	return m < full && m > (depth == 8 ? 0 : 255) ? m : full;
}

/* Whether there is a palette that a map can hold. metadata: may be NULL. */
int xc_palette_is_valid(const xc_metadata *metadata);
/* Returns how many colours equal an earlier one. */
uint32_t xc_palette_map_fill(xc_palette_map *map, const xc_blob *palette);
/* Sets the indices (NULL: looks only) of `count` pixels of 8 bits a sample: 1, or 0 if a colour is not there. */
int xc_palette_map_find(const xc_palette_map *map, const uint8_t *pixels, uint32_t channels,
                        uint32_t count, uint8_t *indices);
/* Whether all pixels have colours of the metadata's palette. */
int xc_palette_holds(const xc_metadata *metadata, const xc_picture *picture);

/* Whether CICP says what pixels without a profile are taken for: the colours and the transfer of sRGB. */
static inline int xc_file_is_srgb(const xc_metadata *m)
{
	return memcmp(m->cicp, "\x01\x0d\x00\x01", sizeof m->cicp) == 0;
}

/* Whether the bytes are UTF-8 without zero bytes. */
int xc_file_is_utf8(const void *data, size_t size);

/* Some text of a file: UTF-8, or Latin-1, which is turned into UTF-8. */
typedef struct xc_file_text {
	const void *data;
	size_t size;
	int latin1;
} xc_file_text;

/* Adds a pair to the metadata's text. A pair is left out with a warning if either has a zero byte
 * or is no UTF-8, or if all text would be longer than XC_FILE_METADATA_MAX. Only memory and the
 * limits are reasons to fail. */
xc_status xc_file_add_pair(xc_file_reader *reader, xc_file_text key, xc_file_text value);

/* Takes the next whole pair of a metadata's text, of which *at bytes are taken:
 * 1, or 0 at the end. */
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

enum { XC_ROW_INPUT_SIZE = 1 << 16 };

/* A file that is read once from its start on: from a source through a buffer, or from memory,
 * which then is the buffer. */
typedef struct xc_row_input {
	xc_byte_source source; /* read is NULL when all bytes are in memory */
	const uint8_t *bytes;  /* the next bytes are bytes[at] to bytes[end - 1] */
	size_t at, end;
	uint8_t *buffer; /* malloc'ed, or NULL */
	uint64_t before; /* position in the file of bytes[0] */
	int ended;       /* the source has no more bytes */
	int failed;      /* reading failed, which looks like the end of the file otherwise */
} xc_row_input;

/* The bytes must stay until the reader is closed. */
void xc_row_input_open_memory(xc_row_input *input, const void *data, size_t size);

/* Sets *bytes to the next bytes, which stay until the next call, and returns how many there are: at
 * least `min` unless the file ends before.  least: at most XC_ROW_INPUT_SIZE. */
size_t xc_row_input_peek(xc_row_input *input, size_t min, const uint8_t **bytes);
/* Goes on by `size` of the bytes that the last peek gave. */
void xc_row_input_take(xc_row_input *input, size_t size);
/* Copies the next bytes and goes on; returns how many, fewer than `size` only at the end. */
size_t xc_row_input_copy(xc_row_input *input, void *to, size_t size);

/* What a reader returns where `failed` is set and bytes are missing. */
xc_status xc_row_input_failed(const xc_row_input *input, char *message);

/* The position in the file of the next byte. */
static inline uint64_t xc_row_input_position(const xc_row_input *input)
{
	return input->before + input->at;
}

typedef struct xc_row_base xc_row_base;

/* As xc_rows_read() and so on.  close frees what the format allocated inside its reader, not the
 * reader.  finish and close may be NULL. */
typedef struct xc_row_reader_kind {
	xc_status (*read)(xc_row_base *reader, void *rows, size_t stride, uint32_t count);
	xc_status (*finish)(xc_row_base *reader);
	void (*close)(xc_row_base *reader);
} xc_row_reader_kind;

/* Every format's reader begins with this.  The functions above take its member `file`, whose
 * `out` is &out, and whose `message` is that of the call. */
struct xc_row_base {
	xc_row_reader reader;
	const xc_row_reader_kind *kind;
	xc_row_input input;
	xc_file_reader file;
	xc_file_picture out;
	uint64_t rows; /* given so far */
	int lost;      /* the rows that are left cannot be read */
};

/* size: of the reader, which begins with an xc_row_base and is zero beyond it.  open: reads the
 * header, and sets kind and out's picture.  It calls xc_file_shape_rows() and reserves what it
 * allocates.  When it fails, close is called as well if kind has been set. */
typedef struct xc_row_format {
	size_t size;
	xc_status (*open)(xc_row_base *reader);
} xc_row_format;

/* Names the bytes that the file still has as left out. */
void xc_file_name_rest(xc_row_base *reader);

/* Fills a row that is lost: grey and opaque. */
void xc_row_fill(const xc_picture *shape, void *row);

typedef struct xc_row_writer_kind {
	xc_status (*write)(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count);
	xc_status (*end)(xc_row_writer *writer);
	void (*discard)(
		xc_row_writer *writer); /* frees what is inside the writer; this and end may be NULL */
} xc_row_writer_kind;

/* Every format's writer begins with this. */
struct xc_row_writer {
	const xc_row_writer_kind *kind;
	xc_byte_sink sink;
	xc_picture shape;            /* well-formed, but for data and stride */
	const xc_metadata *metadata; /* or NULL */
	int level;
	xc_file_format format; /* of the output */
	xc_row_pool pool;      /* threads is at least 1 */
	xc_context *context;   /* that `held` bytes are charged to, or NULL */
	uint64_t held;
	char *message; /* of the call */
};

/* create: sets kind and writes the header.  When it fails, discard is called as well if kind has
 * been set. */
typedef struct xc_row_output {
	size_t size; /* of the writer, zero beyond the xc_row_writer */
	xc_status (*create)(xc_row_writer *writer);
} xc_row_output;

/* Charges bytes before they are allocated, until they are taken off or the writer is discarded. */
xc_status xc_row_writer_reserve(xc_row_writer *writer, uint64_t bytes);
void xc_row_writer_unreserve(xc_row_writer *writer, uint64_t bytes);
/* Whether the metadata have a colour profile that a picture of these channels can have; leaves a
 * warning if theirs is for another kind. */
int xc_row_writer_profile_fits(const xc_row_writer *writer);
/* Writes bytes of the file. */
xc_status xc_row_writer_put(const xc_row_writer *writer, const void *bytes, size_t size);

extern const xc_row_format xc_png_rows, xc_jpeg_rows, xc_pnm_rows, xc_pam_rows, xc_bmp_rows;
extern const xc_row_output xc_png_row_output, xc_jpeg_row_output, xc_netpbm_row_output,
	xc_bmp_row_output;

#endif
