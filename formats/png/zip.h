/* SPDX-License-Identifier: BSD-2-Clause */
/* What PNG needs of a library for deflate: ISA-L, several times as fast as zlib, or zlib. */
#ifndef XC_FORMATS_PNG_ZIP_H
#define XC_FORMATS_PNG_ZIP_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of chunks; begins with 0. */
uint32_t xc_png_crc(uint32_t crc, const void *data, size_t size);

/* ---- inflating a zlib stream */

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

/* ---- deflating it in pieces, which any threads may do */

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
 * What the piece may refer to are the `window` bytes before `from`, at most XC_DEFLATE_WINDOW.
 * All pieces but the last end at a byte.  0: out of memory. */
size_t xc_deflater_run(xc_deflater *deflater, const uint8_t *from, size_t size, size_t window,
                       int last, uint8_t *to);
void xc_deflater_free(xc_deflater *deflater);

/* Adler-32 begins with 1; the sum of two pieces from the sums of each. */
uint32_t xc_png_adler(const void *data, size_t size);
uint32_t xc_png_adler_join(uint32_t first, uint32_t second, size_t second_size);

#endif
