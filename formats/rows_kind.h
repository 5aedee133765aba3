/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the formats that are read and written in rows give to rows.c, and what they share: input
 * through a buffer, and the way from rows to whole pictures.
 */
#ifndef XC_FORMATS_ROWS_KIND_H
#define XC_FORMATS_ROWS_KIND_H

#include "formats/file.h"
#include "formats/rows.h"

/* ---- input */

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

/* Allocates the buffer. */
xc_status xc_row_input_open(xc_row_input *input, const xc_byte_source *source, char *message);
/* The bytes must stay until xc_row_input_close(). */
void xc_row_input_open_memory(xc_row_input *input, const void *data, size_t size);
void xc_row_input_close(xc_row_input *input);

/* Sets *bytes to the next bytes, which stay until the next call, and returns how many there are: at
 * least `least` unless the file ends before.  least: at most XC_ROW_INPUT_SIZE. */
size_t xc_row_input_peek(xc_row_input *input, size_t least, const uint8_t **bytes);
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

/* ---- readers */

typedef struct xc_row_base xc_row_base;

/* As xc_rows_read() and so on.  close frees what the format allocated inside its reader, not the
 * reader.  finish and close may be NULL. */
typedef struct xc_row_reader_kind {
	xc_status (*read)(xc_row_base *reader, void *rows, size_t stride, uint32_t count);
	xc_status (*finish)(xc_row_base *reader);
	void (*close)(xc_row_base *reader);
} xc_row_reader_kind;

/* Every format's reader begins with this.  The functions of file.h take its member `file`, whose
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

/* Fills a row that is lost: grey and opaque. */
void xc_row_fill(const xc_picture *shape, void *row);

/* ---- writers */

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
	xc_row_team team;      /* threads is at least 1 */
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
/* Whether the metadata have a colour profile that a picture of these channels can have; leaves a warning if theirs
 * is for another kind. */
int xc_row_writer_profile_fits(const xc_row_writer *writer);
/* Writes bytes of the file. */
xc_status xc_row_writer_put(const xc_row_writer *writer, const void *bytes, size_t size);

/* ---- the formats, for table.c */

extern const xc_row_format xc_png_rows, xc_jpeg_rows, xc_pnm_rows, xc_pam_rows, xc_bmp_rows;
extern const xc_row_output xc_png_row_output, xc_jpeg_row_output, xc_netpbm_row_output,
	xc_bmp_row_output;

#endif
