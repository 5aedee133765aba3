/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PNG (ISO/IEC 15948) in rows.  Our own code walks the chunks, checks their order and their
 * checksums, and carries metadata byte for byte.  It turns the common kinds of pixels, 8 and 16
 * bits without interlacing, palette or tRNS, into rows by itself; libpng gets the others.
 */
#ifndef XC_FORMATS_PNG_PNG_H
#define XC_FORMATS_PNG_PNG_H

#include "formats/rows_kind.h"

#include <string.h>

#define XC_PNG_XMP_KEYWORD "XML:com.adobe.xmp"

enum { XC_PNG_SIGNATURE = 8 };
extern const uint8_t xc_png_signature[XC_PNG_SIGNATURE];

/* Samples of 16 bits have the high byte first. */
static inline int xc_png_swaps(const xc_picture *picture)
{
	return picture->depth == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static inline void xc_png_swap(uint8_t *to, const uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i += 2) {
		uint16_t sample;
		memcpy(&sample, from + i, sizeof sample);
		sample = (uint16_t)(sample << 8 | sample >> 8);
		memcpy(to + i, &sample, sizeof sample);
	}
}

/* The chunks of a file, one after another. */
typedef struct xc_png_chunks {
	xc_row_input *input;
	xc_file_reader *file; /* for its message */
	char type[5];         /* of the chunk that the input is in */
	uint32_t size, left;  /* its data, and how many were not taken */
	uint32_t crc;         /* of what was taken */
	uint64_t start;       /* the chunk's first byte in the file */
} xc_png_chunks;

static inline int xc_png_is_critical(const xc_png_chunks *chunks)
{
	return !(chunks->type[0] & 0x20);
}

/* XC_ERR_CORRUPT, with this text and the place of the chunk. */
xc_status xc_png_damaged(const xc_png_chunks *chunks, const char *what);

/* XC_ERR_TRUNCATED: the file ends inside this chunk. */
xc_status xc_png_cut(const xc_png_chunks *chunks);

/* Enters the next chunk; the last one must have been left. */
xc_status xc_png_enter(xc_png_chunks *chunks);
/* Takes some of the chunk's data, which stay until the next call; *size is 0 after the last. */
xc_status xc_png_take(xc_png_chunks *chunks, const uint8_t **data, size_t *size);
/* Takes `size` of the chunk's data, which it must have. */
xc_status xc_png_copy(xc_png_chunks *chunks, uint8_t *to, size_t size);
/* Leaves the chunk, whose data may remain. A wrong checksum makes *intact 0. intact
 * NULL: it is an error. */
xc_status xc_png_leave(xc_png_chunks *chunks, int *intact);

/* A chunk of metadata; data is malloc'ed. */
typedef struct xc_png_kept {
	uint64_t offset; /* of the data in the file; 0: the file has no such chunk so far */
	uint8_t *data;   /* NULL after it was used, and if it is damaged or too large */
	uint32_t size;
} xc_png_kept;

/* What the chunks that have come so far said, before it is clear what of it counts. */
typedef struct xc_png_beside {
	int srgb, intent, animated; /* intent: of sRGB; 0 is the usual one */
	int seen;                   /* a bit for each chunk of colour */
	size_t significant;         /* the channels that sBIT has */
	uint8_t significant_bits[4];
	uint64_t significant_at; /* in the file, for messages */
} xc_png_beside;

typedef struct xc_png_metadata {
	xc_png_kept icc, exif, xmp, density;
	xc_png_beside beside;
	uint64_t used; /* the position up to which chunks were used */
} xc_png_metadata;

/* Names a chunk that is left out; second: the file had one before. Those of an animation are told by its mark. */
void xc_png_leave_out(const xc_png_chunks *chunks, int second);
/* Takes the chunk, which was entered, if it is one of these and the first of its kind, and
 * leaves it in any case. */
xc_status xc_png_keep_chunk(xc_png_metadata *metadata, xc_png_chunks *chunks);
/* Sets file->out's metadata from what was kept since the last call; until: the input's position.  A
 * damaged block is left out with a warning.  Only memory and the limits are reasons to fail. */
xc_status xc_png_use_metadata(xc_png_metadata *metadata, xc_file_reader *file, uint64_t until);
void xc_png_free_metadata(xc_png_metadata *metadata);

enum { XC_PNG_GREY, XC_PNG_RGB = 2, XC_PNG_PALETTE, XC_PNG_GREY_ALPHA, XC_PNG_RGBA = 6 };

/* The signature, IHDR, a palette and its transparency. */
enum { XC_PNG_HEAD_MAX = 8 + 12 + 13 + 12 + 768 + 12 + 256 };

typedef struct xc_png_reader {
	xc_row_base base; /* first */
	xc_png_chunks chunks;
	xc_png_metadata metadata;
	uint32_t width, height;
	int type, bits, interlaced;     /* of IHDR; bits is 0 before it */
	uint32_t palette;               /* colours of the palette */
	uint32_t alphas;                /* of the palette, that tRNS has */
	const uint8_t *colours, *alpha; /* in the head */
	int has_palette, has_key;       /* PLTE, tRNS */
	int in_pixels;                 /* the chunk is an IDAT, and only others were before the first */
	uint32_t done;                 /* rows that were read */
	uint8_t head[XC_PNG_HEAD_MAX]; /* the chunks that libpng needs, whole */
	size_t head_size;
	struct xc_png_fast *fast; /* one of the two is NULL */
	struct xc_png_slow *slow;
} xc_png_reader;

/* Takes some of the compressed pixels; *size is 0 after the last, and then the next chunk is
 * entered. */
xc_status xc_png_take_pixels(xc_png_reader *reader, const uint8_t **data, size_t *size);

xc_status xc_png_fast_open(xc_png_reader *reader);
xc_status xc_png_fast_read(xc_png_reader *reader, uint8_t *rows, size_t stride, uint32_t count);
/* Reads the end of the compressed pixels. */
xc_status xc_png_fast_finish(xc_png_reader *reader);
void xc_png_fast_close(xc_png_reader *reader);

xc_status xc_png_slow_open(xc_png_reader *reader);
xc_status xc_png_slow_read(xc_png_reader *reader, uint8_t *rows, size_t stride, uint32_t count);
void xc_png_slow_close(xc_png_reader *reader);

/* ---- filter.c: the five filters, on rows as they are in the file: a byte that names the filter,
 * and then the samples, 16 bits with the high byte first.  A pixel has 1, 2, 3, 4, 6 or 8 bytes. */

enum { XC_PNG_NONE, XC_PNG_SUB, XC_PNG_UP, XC_PNG_AVERAGE, XC_PNG_PAETH, XC_PNG_FILTERS };

/* How many rows at most are turned back at once; fewer take longer. */
enum { XC_PNG_ABREAST = 8 };
/* Bytes after the last row that are read and written, though not changed. */
enum { XC_PNG_FILTER_SLACK = 8 };

/* Turns `count` rows of `bytes` bytes, and the filter's one before each, into samples in place.
 * The row above the first one, without a filter byte, ends where that begins.  Returns how
 * many rows have a filter that exists: the first ones. */
uint32_t xc_png_unfilter(uint8_t *rows, size_t bytes, uint32_t pixel, uint32_t count);

/* Filters a row of `bytes` samples into bytes + 1 at `to`.  above: zeros for the first row.
 * filter: XC_PNG_FILTERS takes the one with the least sum of magnitudes. */
void xc_png_filter(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes,
                   uint32_t pixel, int filter);

/* The definition of the filters, byte by byte, which tests compare with. */
uint8_t xc_png_predict(int filter, uint8_t left, uint8_t above, uint8_t corner);

/* The checksum of chunks; begins with 0. */
uint32_t xc_png_crc(uint32_t crc, const void *data, size_t size);

/* Inflating a zlib stream. */

typedef struct xc_inflater xc_inflater;

typedef enum xc_inflate_result {
	XC_INFLATE_MORE, /* the room is full, or all input is used */
	XC_INFLATE_END,  /* the stream has ended, and its checksum holds */
	XC_INFLATE_DAMAGED
} xc_inflate_result;

xc_inflater *xc_inflater_new(void); /* NULL: out of memory */
/* Takes input away from *from, and room from *to. */
xc_inflate_result xc_inflater_run(xc_inflater *inflater, const uint8_t **from, size_t *from_size,
                                  uint8_t **to, size_t *to_size);
void xc_inflater_free(xc_inflater *inflater);

/* Deflating it in pieces, which any threads may do. */

enum { XC_DEFLATE_WINDOW = 32768 };

typedef struct xc_deflater xc_deflater; /* one a thread */

enum { XC_DEFLATER_MEMORY = 1 << 19 }; /* bytes that one holds at the most */
/* level: 0 to 9 as zlib's, or -1: the fastest that is worth while.  NULL: out of memory. */
xc_deflater *xc_deflater_new(int level);
/* The size of the first two bytes of a stream, and of the Adler-32 of all its data at its end. */
enum { XC_DEFLATE_HEAD = 2, XC_DEFLATE_TAIL = 4 };
void xc_deflate_head(int level, uint8_t head[XC_DEFLATE_HEAD]);
size_t xc_deflate_bound(size_t size);
/* Deflates `size` bytes into xc_deflate_bound(size) bytes at `to` and returns how many those are.
 * The piece may refer to the `window` bytes before `from`, at most XC_DEFLATE_WINDOW.
 * All pieces but the last end at a byte.  0: out of memory. */
size_t xc_deflater_run(xc_deflater *deflater, const uint8_t *from, size_t size, size_t window,
                       int last, uint8_t *to);
void xc_deflater_free(xc_deflater *deflater);

/* Adler-32 begins with 1; the sum of two pieces from the sums of each. */
uint32_t xc_png_adler(const void *data, size_t size);
uint32_t xc_png_adler_join(uint32_t first, uint32_t second, size_t second_size);

#endif
