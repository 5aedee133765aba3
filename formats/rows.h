/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picture files in rows: a reader gives the rows of a picture from the upper one on, a
 * writer takes them, and neither holds the whole picture unless the file's own order makes it
 * (interlace, a BMP from below, progressive JPEG).  So a picture of any height passes through
 * memory that depends on its width.
 */
#ifndef XC_FORMATS_ROWS_H
#define XC_FORMATS_ROWS_H

#include "formats/formats.h"

/* Where the bytes of a file come from.  read returns how many bytes it put at `to`, fewer than
 * `size` only at the end of the file, or -1 when reading fails. */
typedef struct xc_byte_source {
	ptrdiff_t (*read)(void *user, void *to, size_t size);
	void *user;
} xc_byte_source;

/* Where they go.  write returns 0, or -1 when writing fails. */
typedef struct xc_byte_sink {
	int (*write)(void *user, const void *bytes, size_t size);
	void *user;
} xc_byte_sink;

/* Work that may be shared out: runs work(arg, i) for each i below `count`, in any order and on any
 * thread, and returns after the last.  The caller provides it. */
typedef struct xc_row_team {
	void (*run)(void *user, uint32_t count, void (*work)(void *arg, uint32_t i), void *arg);
	void *user;
	uint32_t threads; /* how many pieces of work pay; 1: run is not called */
} xc_row_team;

/* A picture file that is being read. */
typedef struct xc_row_reader {
	xc_picture picture;    /* its shape; stride: the bytes of a row; data is NULL */
	xc_metadata metadata;  /* what came before the pixels; all of it after xc_rows_finish() */
	xc_file_format format; /* of the file */
	int damaged;           /* as in xc_file_picture, so far */
} xc_row_reader;

/* Opens a file of any format that xc_file_read() takes.  After a failure *reader is NULL and
 * message holds one line; after success it is empty or holds a warning, here and in
 * xc_rows_finish(). */
xc_status xc_rows_open(const xc_byte_source *source, const xc_file_limits *limits,
                       xc_row_reader **reader, char message[XC_FILE_MESSAGE]);
/* Reads the next `count` rows; the caller never asks for more than are left. */
xc_status xc_rows_read(xc_row_reader *reader, void *rows, size_t stride, uint32_t count,
                       char message[XC_FILE_MESSAGE]);
/* Reads what follows the last row, and checks it. */
xc_status xc_rows_finish(xc_row_reader *reader, char message[XC_FILE_MESSAGE]);
/* Frees the reader and its metadata.  NULL is allowed. */
void xc_rows_close(xc_row_reader *reader);

/* A picture file that is being written. */
typedef struct xc_row_writer xc_row_writer;

/* Begins a file and writes its header.  shape: as in xc_file_write(), data and stride are not
 * used; metadata may be NULL, and must stay until the end.  level: as there.  team may be NULL, and context,
 * which the memory of the writer is charged to. */
xc_status xc_rows_create(xc_file_format format, const xc_byte_sink *sink, const xc_picture *shape,
                         const xc_metadata *metadata, int level, const xc_row_team *team,
                         xc_context *context, xc_row_writer **writer,
                         char message[XC_FILE_MESSAGE]);
xc_status xc_rows_write(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count,
                        char message[XC_FILE_MESSAGE]);
/* Ends the file, whose rows have all come.  xc_rows_discard() must follow. */
xc_status xc_rows_end(xc_row_writer *writer, char message[XC_FILE_MESSAGE]);
/* Frees the writer, complete or not.  NULL is allowed. */
void xc_rows_discard(xc_row_writer *writer);

#endif
