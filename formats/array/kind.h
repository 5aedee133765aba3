/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the formats of formats/array/ share: bytes from any place of a file, bytes to a sink,
 * attachments, shapes. Each format is a row of the table in table.c.
 *
 * Sizes are checked in one place: a reader calls xc_array_shape_file() with what the header says,
 * which refuses what overflows and what the file is too short for. Only then may it allocate.
 */
#ifndef XC_FORMATS_ARRAY_KIND_H
#define XC_FORMATS_ARRAY_KIND_H

#include "formats/array/array.h"
#include "formats/rows_kind.h"

enum {
	XC_ARRAY_FIRST = 4096, /* the first bytes of a file, by which it is recognized */
	XC_ARRAY_BUFFER = 1 << 18,
	XC_ARRAY_PIECE = 1 << 20,       /* bytes of a file in one attachment of what follows values */
	XC_ARRAY_HEADER_MAX = 64 << 20, /* headers are held in memory */
	XC_ARRAY_DEFLATE = 1032         /* no stream of zlib becomes longer by more than this factor */
};

/* A file from any of its places, through a buffer. */
typedef struct xc_array_bytes {
	xc_array_source source;
	uint8_t *buffer; /* have bytes of the file from `begin` on */
	uint64_t begin;
	size_t have;
	uint64_t next;  /* the byte that the source gives next */
	uint64_t limit; /* the file is not longer; its size, where that is known */
	int failed;     /* reading failed, which looks like the end of the file otherwise */
	struct xc_array_gunzip *gunzip; /* the source, where the file is compressed */
} xc_array_bytes;

typedef struct xc_array_kind xc_array_kind;

/* xc_array_input, complete. */
typedef struct xc_array_reading {
	xc_array_input input;
	const xc_array_kind *kind;
	xc_array_bytes bytes;
	const uint8_t *first; /* XC_ARRAY_FIRST bytes or less, and a zero; while the file is opened, */
	size_t first_size;
	const char *name, *raw; /* as are these */
	char *message;          /* of the call */
	uint64_t start, end;    /* of the values in the file */
	uint64_t at;            /* values that were read */
	int swap;               /* the file has the other byte order than the machine */
	uint8_t *header;        /* what is attached of it, malloc'ed, or NULL */
	size_t header_size;
	int header_late;   /* it is attached only if something follows the values */
	uint8_t *packed;   /* the attachment that was given last */
	uint64_t trailing; /* of the bytes after `end`, those that were given */
	void *own;         /* the kind's, malloc'ed */
} xc_array_reading;

struct xc_array_output {
	const xc_array_kind *kind;
	xc_byte_sink sink;
	xc_array_shape shape;
	const xc_array_part *part; /* the caller's, while the file is begun */
	uint64_t values, at;       /* of the shape; those that were written */
	char *message;             /* of the call */
	int swap;
	uint8_t *buffer;
	size_t used;
	xc_array_attachments attachments;
	char pending[5]; /* the name of the next attachment, if it is known; "" at the end */
	const void *pending_bytes;
	size_t pending_size;
	int pending_known;
	uint8_t *header; /* the one that was attached, or NULL */
	size_t header_size;
	uint64_t memory; /* of `own`, which the first write allocates; 0: it does not */
	int same;        /* that header is the file's: what followed the values may follow them again */
	void *own;
};

struct xc_array_kind {
	const char *format;  /* "NPY" */
	const char *letters; /* of its attachments: with h a header, t trace headers, z what follows */
	const char *suffixes[4]; /* "npy" */
	int seeks;               /* needs any byte at any time */
	/* Whether a file is of this kind. suffix: whether it has one of those. NULL: by the suffix. */
	int (*is)(const uint8_t *first, size_t size, int suffix);
	xc_status (*open)(xc_array_reading *r);
	/* The next values. NULL: they follow each other from `start` on. */
	xc_status (*read)(xc_array_reading *r, void *values, uint64_t count);
	/* The attachments between header and values; *packed stays NULL after the last. */
	xc_status (*attached)(xc_array_reading *r, size_t *size);
	void (*input_end)(const xc_array_reading *r, char message[XC_FILE_MESSAGE]);
	void (*close)(xc_array_reading *r); /* what `own` has */
	/* Sets what a header that was attached says of values: slope, intercept, fill. NULL: nothing. */
	void (*about)(const uint8_t *header, size_t size, xc_array_input *input);
	/* Writes what comes before the values. NULL: no such file is written. */
	xc_status (*create)(xc_array_output *o);
	xc_status (*write)(xc_array_output *o, const void *values, uint64_t count);
	xc_status (*end)(xc_array_output *o);
	void (*discard)(xc_array_output *o);
};

extern const xc_array_kind xc_array_npy, xc_array_pfm, xc_array_raw, xc_array_segy, xc_array_su,
	xc_array_nifti, xc_array_tiff;

/*
 * Tags of a TIFF that are kept, as its attached header: a byte 0; u32 pages, rows, columns; and for each
 * page u16 how many tags (XC_TIFF_SAME: those of the page before), each u16 tag, u16 type, u32 count, and
 * its values. All is little-endian.
 */
enum { XC_TIFF_NODATA = 42113, XC_TIFF_HEAD = 13, XC_TIFF_SAME = 0xffff, XC_TIFF_TAGS_MAX = 4096 };
/* Bytes of a value of a type; 0: an unknown one. unit: of a number, of which rationals have two. */
size_t xc_tiff_value_size(unsigned type, size_t *unit);
/* 1 if a tag says something of values, 0 if it says how they were stored, -1 if it leads to another
 * directory. */
int xc_tiff_keeps(unsigned tag, unsigned type);

/* Sets the fill value by the text of GDAL's tag for it, and by all tags that were kept. */
void xc_tiff_fill(xc_array_input *input, const char *text, size_t size);
void xc_tiff_about(const uint8_t *header, size_t size, xc_array_input *input);

/* The writer of TIFF, which does not need libtiff. */
xc_status xc_tiff_create(xc_array_output *o);
xc_status xc_tiff_write(xc_array_output *o, const void *values, uint64_t count);

/* ---- table.c */

const xc_array_kind *xc_array_kind_of(const uint8_t *first, size_t size, const char *name);
const xc_array_kind *xc_array_kind_by_name(const char *name);
const xc_array_kind *xc_array_kind_of_attached(const char name[5]);
/* What follows the last dot; the name itself if it has neither dot nor slash. gzip: set if the name
 * ends in .gz, which is left away; may be NULL. */
void xc_array_suffix(const char *name, char suffix[8], int *gzip);
/* The type of "f32" and so on, of `length` letters: -1 if it is none. */
int xc_array_type_by_name(const char *name, size_t length);

/* ---- bytes.c */

xc_status xc_array_bytes_open(xc_array_bytes *b, const xc_array_source *source, char *message);
void xc_array_bytes_close(xc_array_bytes *b);
/* Reads through gzip from now on, if the file is compressed. */
xc_status xc_array_bytes_inflate(xc_array_bytes *b, char *message);
/* What the first bytes of a file in gzip hold, up to `room` bytes; 0: it is none. */
size_t xc_array_gunzip_start(const void *start, size_t size, uint8_t *to, size_t room);
/* Reads `size` bytes from the byte `at` on; returns how many there are. ahead: bytes that may
 * be read at once. Of what cannot seek, only later bytes can be read, and those of the buffer. */
size_t xc_array_get(xc_array_bytes *b, uint64_t at, void *to, size_t size, size_t ahead);

/* Compresses bytes into an attachment, which replaces r->packed. */
xc_status xc_array_pack(xc_array_reading *r, const void *bytes, size_t size, size_t *packed);
/* Takes one apart; *bytes is malloc'ed, and a zero follows them. */
xc_status xc_array_unpack(char *message, const void *packed, size_t packed_size, uint8_t **bytes,
                          size_t *size);

/* ---- read.c */

/* Sets shape and start; sizes: the slowest first, `dimensions` of them. */
xc_status xc_array_shape_file(xc_array_reading *r, xc_array_type type, int dimensions,
                              const uint64_t *sizes, uint64_t start);
/* The next values, which follow each other from `start` on. */
xc_status xc_array_read_flat(xc_array_reading *r, void *values, uint64_t count);
/* Keeps the bytes before the values as the header. */
xc_status xc_array_keep_header(xc_array_reading *r);
xc_status xc_array_short(xc_array_reading *r); /* the message that the file ends too soon */

/* ---- write.c */

xc_status xc_array_put(xc_array_output *o, const void *bytes, size_t size);
xc_status xc_array_put_values(xc_array_output *o, const void *values, uint64_t count);
/* Looks at the next attachment: 1 if it is this kind's of that letter. */
xc_status xc_array_look(xc_array_output *o, char letter, int *is);

/* ---- shapes.c */

enum { XC_ARRAY_SIZES = 32 }; /* dimensions that a header may name */
/* Sets all but the type; 0 if there are more than four dimensions, too many values, or none. */
int xc_array_shape_set(int dimensions, const uint64_t *sizes, xc_array_shape *shape,
                       uint64_t *values);
int xc_array_same_shape(const xc_array_shape *a, const xc_array_shape *b);
/* Where a number of decimal digits ends; NULL: there is none, or it is above 2^63. */
const char *xc_array_digits(const char *text, uint64_t *value);
/* Exchanges the bytes of each value. */
void xc_array_swap(void *values, uint64_t count, size_t size);

static inline size_t xc_array_value_size(xc_array_type type)
{
	static const uint8_t sizes[XC_ARRAY_TYPES] = {4, 8, 1, 2, 4, 1, 2, 4};

	return sizes[type];
}

static inline int xc_array_big_endian(void)
{
	const uint16_t one = 1;

	return !*(const uint8_t *)&one;
}

static inline uint64_t xc_load_le64(const uint8_t *p)
{
	return xc_load_le32(p) | (uint64_t)xc_load_le32(p + 4) << 32;
}

static inline void xc_store_le(uint8_t *p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* Numbers of 2, 4 or 8 bytes in either order. */
static inline uint64_t xc_array_number(const uint8_t *p, int bytes, int little)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * (little ? i : bytes - 1 - i);
	return value;
}

#endif
