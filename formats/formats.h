/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picture files: their formats, reading into and writing from an xc_picture, and the same in rows.
 *
 * Whole files are bytes in memory, so that pipes, files and tests all work alike.
 */
#ifndef XC_FORMATS_FORMATS_H
#define XC_FORMATS_FORMATS_H

#include <xcodec.h>

/* The number of a format's row in table.c; these are named because some code means them alone. */
typedef enum xc_file_format {
	XC_FILE_UNKNOWN = 0,
	XC_FILE_PNG,
	XC_FILE_JPEG,
	XC_FILE_PPM, /* P3, P6 */
	XC_FILE_PGM, /* P2, P5; and P1, P4 when reading */
	XC_FILE_PNM, /* writing only: PGM or PPM, as the channels want it */
	XC_FILE_PAM, /* P7 */
	XC_FILE_BMP,
	XC_FILE_PFM, /* Pf, PF: 32-bit floats: an array, which formats/array/ reads */
	XC_FILE_XC,
	XC_FILE_FORMATS = 16 /* no format has this number or a larger one */
} xc_file_format;

enum { XC_FORMAT_NAMES = 4, XC_FILE_MESSAGE = 256 };

/* Kinds of metadata: a place for the text of comments alone, and for a ratio of pixel density. */
enum {
	XC_HOLDS_ICC = 1,
	XC_HOLDS_EXIF = 2,
	XC_HOLDS_XMP = 4,
	XC_HOLDS_IPTC = 8,
	XC_HOLDS_COMMENTS = 16,
	XC_HOLDS_TEXT = 32,
	XC_HOLDS_DENSITY = 64,
	XC_HOLDS_RATIO = 128,
	XC_HOLDS_COLOUR = 256, /* CICP, gamma and primaries */
	XC_HOLDS_BITS = 512    /* significant bits */
};

/* What is known of a format.  Members that do not apply are 0. */
typedef struct xc_format {
	const char *title;                     /* "PNG" */
	const char *family;                    /* for lists of what can be read; NULL: the title */
	const char *names[XC_FORMAT_NAMES];    /* "png"; the first is what a written file ends in */
	const char *suffixes[XC_FORMAT_NAMES]; /* more of them */
	const char *read_suffixes[XC_FORMAT_NAMES]; /* that no file is written with */
	const char *magic;                          /* the first bytes of a file, or */
	const char *netpbm;                         /* P, one of these, and white space or a comment */
	const struct xc_row_format *reader;         /* formats/rows_kind.h */
	const struct xc_row_output *writer;
	const char *unread, *unwritten; /* why there is none */
	int lossy;                      /* pixels change */
	unsigned holds;                 /* XC_HOLDS_*: what beside pixels the writer has a place for */
	int threads;                    /* the writer has work for several threads */
	/* The option of `xcodec decode` that sets xc_file_write()'s level. */
	struct {
		const char *name;
		int low, high;
		const char *help;
	} level;
} xc_format;

const xc_format *xc_format_of(xc_file_format format);

/* Lists of formats: titles of what can be read or written, names of the latter, or suffixes with
 * their dots. */
typedef enum xc_format_list {
	XC_FORMATS_READABLE,
	XC_FORMATS_WRITABLE,
	XC_FORMATS_NAMES,
	XC_FORMATS_SUFFIXES
} xc_format_list;
/* Writes such a list, with `last` before the last one, as in "png, jpg or bmp"; returns text. */
const char *xc_file_formats(xc_format_list list, const char *last, char text[XC_FILE_MESSAGE]);

/* The format by the magic number of the first bytes. */
xc_file_format xc_file_format_detect(const void *data, size_t size);
/* By a name such as "png", or by the suffix of a path; XC_FILE_UNKNOWN if it is no format's. */
xc_file_format xc_file_format_by_name(const char *name);
xc_file_format xc_file_format_by_path(const char *path);
/* Finds a program by PATH as the system does, and writes the file's name, cut to fit: 1, or 0 if
 * there is none. */
int xc_file_program(const char *name, char *path, size_t room);
/* Whether a file is by its first bytes one that no reader here takes. Then message says what it is,
 * and which program that is installed converts it: "a WebP file: 'dwebp ...' converts it". */
int xc_file_foreign(const void *data, size_t size, char message[XC_FILE_MESSAGE]);
/* The format of a file that is to be read: by more suffixes, such as "pbm", that no file is written
 * with. */
xc_file_format xc_file_format_to_read(const char *path);
/* Whether a path is named as a picture of a format that is neither read nor written. */
int xc_file_foreign_name(const char *path);
const char *xc_file_format_name(xc_file_format format);  /* "png" */
const char *xc_file_format_title(xc_file_format format); /* "PNG" */

/* What reading a file may take; 0 is no limit.  What it holds is charged to the context as well,
 * unless that is NULL. */
typedef struct xc_file_limits {
	uint64_t max_pixels, max_memory;
	uint64_t
		max_expansion; /* as in xc_limits; 16 times the bytes of metadata for each compressed one */
	uint64_t file_bytes; /* of the file; 0: not known */
	int keep_going; /* where pixels are missing or damaged, they are grey; see xc_file_picture */
	int pixels_alone; /* nothing else is wanted: no word about kinds that no XC file has a place for */
	xc_context *context;
} xc_file_limits;

/* A picture with everything it owns.  metadata's blobs point into `owned`. */
typedef struct xc_file_picture {
	xc_picture picture;
	xc_metadata metadata;
	void *owned[7];      /* malloc'ed: the pixels, ICC, EXIF, XMP, IPTC, text, palette */
	int damaged;         /* pixels are not those of the file, as the message says */
	xc_context *context; /* that `held` bytes of it are charged to, or NULL */
	uint64_t held;
} xc_file_picture;

/* A call tells its watcher from time to time which fraction is done, and fails with
 * XC_ERR_CANCELLED if it returns another number than 0. */
typedef struct xc_file_watcher {
	xc_progress report;
	void *user;
} xc_file_watcher;

/* Reads a picture of any supported format within the limits (NULL: none), which are checked before
 * anything is allocated; their file_bytes do not matter.  After a failure
 * message holds one line without a newline, and *out is empty.  After success it is empty,
 * or holds a warning, such as that metadata was left out because it is damaged.  watcher: NULL if
 * nobody watches.
 * Samples are scaled to 8 or 16 bits.  A palette becomes RGB, or grey if every entry of a
 * BMP palette is, and metadata has it.  Damaged pixels, and those of a PNG whose index the palette
 * does not have, may have other colours.  Transparency becomes alpha. */
xc_status xc_file_read(const void *data, size_t size, const xc_file_limits *limits,
                       const xc_file_watcher *watcher, xc_file_picture *out,
                       char message[XC_FILE_MESSAGE]);
void xc_file_picture_free(xc_file_picture *picture);
/* Whether that warning is about something beside the pixels. */
int xc_file_tells_loss(const char *message);

/* Writes picture as format into *out (malloc'ed, *out_size bytes, freed by the caller with
 * free()).  metadata is written where the format can hold it, and may be NULL.  PGM takes
 * 1 channel, PPM 3, JPEG 1 or 3 of 8 bits, BMP 1, 3 or 4 of 8 bits, PAM and PNG 1 to 4; anything
 * else is XC_ERR_UNSUPPORTED with a message that says which format fits.  level: zlib level 0 to 9
 * for PNG, quality 1 to 100 for JPEG, -1 for the default.
 * A PNG of colour has the palette of metadata, if all pixels have its colours.
 * watcher and message as above. */
xc_status xc_file_write(xc_file_format format, const xc_picture *picture,
                        const xc_metadata *metadata, int level, const xc_file_watcher *watcher,
                        uint8_t **out, size_t *out_size, char message[XC_FILE_MESSAGE]);

/*
 * Picture files in rows: a reader gives the rows of a picture from the upper one on, a
 * writer takes them, and neither holds the whole picture unless the file's own order makes it
 * (interlace, a BMP from below, progressive JPEG).  So a picture of any height passes through
 * memory that depends on its width.
 */

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
typedef struct xc_row_pool {
	void (*run)(void *user, uint32_t count, void (*work)(void *arg, uint32_t i), void *arg);
	void *user;
	uint32_t threads; /* how many pieces of work pay; 1: run is not called */
} xc_row_pool;

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

/* Begins a file and writes its header.  shape: as in xc_file_write(), data and stride are not used;
 * metadata may be NULL, and must stay until the end.  If it has a palette, a row of a PNG with
 * another colour is XC_ERR_ARGUMENT.  level: as there.  pool may be NULL, and
 * context, which the memory of the writer is charged to. */
enum { XC_JPEG_PROGRESSIVE = 256 }; /* added to a JPEG's level, its quality, or instead of it */
xc_status xc_rows_create(xc_file_format format, const xc_byte_sink *sink, const xc_picture *shape,
                         const xc_metadata *metadata, int level, const xc_row_pool *pool,
                         xc_context *context, xc_row_writer **writer,
                         char message[XC_FILE_MESSAGE]);
xc_status xc_rows_write(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count,
                        char message[XC_FILE_MESSAGE]);
/* Ends the file, whose rows have all come.  xc_rows_discard() must follow. */
xc_status xc_rows_end(xc_row_writer *writer, char message[XC_FILE_MESSAGE]);
/* How many colours of a palette equal an earlier one: their indices are not kept. */
uint32_t xc_file_equal_colours(const xc_metadata *metadata);

/* Frees the writer, complete or not.  NULL is allowed. */
void xc_rows_discard(xc_row_writer *writer);

/* Leaves out metadata that an encoder would refuse, with a warning in the message.  depth: of the
 * samples.  The blobs themselves stay whose they are. */
void xc_file_drop_wrong(xc_metadata *metadata, uint32_t depth, char message[XC_FILE_MESSAGE]);

/* The orientation of the tag 0x0112: 1 is upright, 2 to 4 mirror and turn by 180 degrees, 5 to 8
 * exchange rows and columns.  1 as well if EXIF is missing, damaged, or does not say. */
int xc_exif_orientation(const xc_blob *exif);
/* Changes the tag.  Returns 1, or 0 if there is none. */
int xc_exif_set_orientation(void *exif, size_t size, int orientation);

enum { XC_EXIF_MINIMAL = 26 };
/* EXIF that has the orientation and nothing else. */
void xc_exif_make(int orientation, unsigned char exif[XC_EXIF_MINIMAL]);

/* A picture that is turned while its rows come, and its metadata, which call it upright. */
typedef struct xc_turned {
	xc_picture picture; /* data is NULL: there is nothing to turn */
	xc_metadata metadata;
	int orientation;
	uint32_t rows; /* of the file, that have come */
	void *copies;  /* of metadata */
	uint64_t charged;
} xc_turned;

/* Begins with a picture of this shape; if it is upright, nothing is allocated. */
xc_status xc_turn_begin(xc_turned *turned, xc_context *context, const xc_picture *shape,
                        const xc_metadata *metadata);
/* Takes the next rows of the file. */
void xc_turn_rows(xc_turned *turned, const void *rows, size_t stride, uint32_t count);
/* Frees it all.  One that is all zero is allowed. */
void xc_turn_end(xc_turned *turned, xc_context *context);

#endif
