/* SPDX-License-Identifier: BSD-2-Clause */
/* What PNM, PAM and PFM (lab/command/pfm.c) share: decimal numbers in text, and samples of any maximum. */
#ifndef XC_FORMATS_NETPBM_H
#define XC_FORMATS_NETPBM_H

#include "formats/file.h"

typedef struct xc_text {
	const uint8_t *data;
	size_t size, at;
	char *message;
	const char *format; /* for messages: "PNM" */
} xc_text;

/* Skips white space and comments ('#' to the end of the line). */
void xc_text_skip_space(xc_text *text);

/* Skips white space and comments, then reads a number of at most `most`; what names it in
 * messages. */
xc_status xc_text_number(xc_text *text, const char *what, uint32_t most, uint32_t *value);

/* Reads the width and the height at the start of a header. */
xc_status xc_text_size(xc_text *text, uint32_t *width, uint32_t *height);

/* Skips the one byte of white space between a header and binary samples.  A comment may
 * precede it; the end of its line then is that byte. */
xc_status xc_text_end_header(xc_text *text);

/* The depth of a picture whose samples go up to maxval. */
static inline uint32_t xc_raster_depth(uint32_t maxval)
{
	return maxval > 255 ? 16 : 8;
}

/* value (at most maxval, at most 65535) on the scale of `peak`, rounded. */
static inline uint32_t xc_raster_scale(uint32_t value, uint32_t maxval, uint32_t peak)
{
	/* 65535 * 65535 + 32767 still fits 32 bits. */
	return (value * peak + maxval / 2) / maxval;
}

/* Allocates reader's picture and fills it from the binary samples that start at `offset`,
 * big-endian if maxval needs two bytes. */
xc_status xc_raster_read_binary(xc_file_reader *reader, size_t offset, uint32_t maxval,
                                const char *format);

#endif
