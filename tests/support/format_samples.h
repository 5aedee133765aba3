/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Picture files made for the tests of formats/, byte by byte, without the code
 * under test and without libpng; and what every reader and writer must do.  Running out
 * of memory ends the program.
 */
#ifndef XC_TESTS_SUPPORT_FORMAT_SAMPLES_H
#define XC_TESTS_SUPPORT_FORMAT_SAMPLES_H

#include "tests/support/codec.h"
#include "tests/support/test_pictures.h"

/* A PNG of any colour type; samples hold `channels` numbers a pixel (1 for a
 * palette, whose index it is). */
typedef struct xc_sample_png {
	uint32_t width, height;
	int type, bits, interlaced;
	uint16_t *samples;
	uint8_t palette[256][3];
	int colours;        /* of the palette */
	int transparent;    /* entries of tRNS for a palette; else 1: key is given */
	uint8_t alpha[256]; /* of the palette */
	uint16_t key[3];    /* the colour that is transparent */
} xc_sample_png;

uint32_t xc_sample_png_channels(const xc_sample_png *png);
void xc_sample_png_fill(xc_sample_png *png, uint64_t seed); /* allocates samples */
void xc_sample_png_chunk(xc_bytes *bytes, const char *type, const void *data, size_t size);
void xc_sample_png_header(xc_bytes *bytes, const xc_sample_png *png);
void xc_sample_png_body(xc_bytes *bytes, const xc_sample_png *png); /* PLTE ... IEND */
void xc_sample_png_make(xc_bytes *bytes, const xc_sample_png *png);
/* Corrects the checksum of every chunk that lies inside the file. */
void xc_sample_png_fix(uint8_t *data, size_t size);

/* A BMP: headers and palette; the pixels are added by the caller.  The palette
 * has entry i = { 3 i + 1, 5 i + 2, 7 i + 3 } (R, G, B, modulo 256), or greys. */
typedef struct xc_sample_bmp {
	uint32_t header; /* bytes of it */
	int32_t width, height;
	uint32_t bits, compression, colours;
	int grey;
	uint32_t mask[4];
	uint32_t density;
} xc_sample_bmp;
void xc_sample_bmp_start(xc_bytes *bytes, const xc_sample_bmp *bmp);

/* A JPEG file of this shape, made by libjpeg. */
typedef struct xc_sample_jpeg {
	uint32_t width, height;
	int components; /* 1, 3 or 4 (CMYK) */
	int progressive, restart;
	int colour; /* libjpeg's J_COLOR_SPACE of the file; 0: YCbCr, grey or CMYK */
	int h, v;   /* subsampling; 0: 2 x 2 */
} xc_sample_jpeg;
#ifdef XC_HAVE_LIBJPEG
/* markers: bytes that follow the JFIF header, or NULL. */
void xc_sample_jpeg_make(xc_bytes *bytes, const xc_sample_jpeg *jpeg, const xc_bytes *markers);
#endif
/* A marker with its length. */
void xc_sample_jpeg_marker(xc_bytes *bytes, uint32_t code, const void *data, size_t size);

/* Small files of every kind; the n-th one, or 0 when there are no more.  bytes is
 * replaced.  `min` is the size below which a truncated file cannot be read. */
int xc_sample_file(unsigned n, const char **name, xc_bytes *bytes, size_t *min);

/* format_checks.c */

/* What the last call of formats/ said. */
extern char xc_format_message[XC_FILE_MESSAGE];

/* xc_file_read() without limits. */
xc_status xc_read_made(const void *file, size_t size, xc_file_picture *out);

/* The file must be refused with this status and one line, and nothing be left. */
/* What a short file gives whose rows have 2^31 pixels of 3 bytes or more: they fit no
 * memory of 32 bits. */
#define XC_LONG_ROW (SIZE_MAX > UINT32_MAX ? XC_ERR_TRUNCATED : XC_ERR_LIMIT)
void xc_check_refused(const void *file, size_t size, xc_status want, const char *what);

/* The file is read with exactly these limits and refused with one pixel or byte less. */
void xc_check_limits(const void *file, size_t size, uint64_t pixels, uint64_t memory);

/* wanted() gives each sample that the picture must have. */
void xc_check_samples(const xc_picture *found, uint32_t width, uint32_t height, uint32_t channels,
                      uint32_t depth,
                      uint32_t (*wanted)(const void *user, uint32_t x, uint32_t y, uint32_t c),
                      const void *user);

/* The picture is written without a warning, detected as its format and read back, samples
 * and metadata (NULL: none). */
void xc_check_round_trip(xc_file_format format, const xc_picture *picture,
                         const xc_metadata *metadata, int level);

/* The same for pictures of several sizes and both depths, with padded rows. */
void xc_check_round_trips(xc_file_format format, uint32_t channels, int level);

#endif
