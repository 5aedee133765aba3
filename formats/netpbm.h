/* SPDX-License-Identifier: BSD-2-Clause */
/* What PNM and PAM share: decimal numbers in text, and
 * samples of any maximum. */
#ifndef XC_FORMATS_NETPBM_H
#define XC_FORMATS_NETPBM_H

#include "formats/rows_kind.h"

typedef struct xc_text {
	xc_row_input *input;
	char *message;
	const char *format; /* for messages: "PNM" */
	xc_file_kinds *left_out;
} xc_text;

/* The next byte, which stays, or -1 at the end. */
static inline int xc_text_look(const xc_text *text)
{
	xc_row_input *in = text->input;
	const uint8_t *bytes;

	if (in->at == in->end && xc_row_input_peek(in, 1, &bytes) == 0)
		return -1;
	return in->bytes[in->at];
}

static inline unsigned long long xc_text_position(const xc_text *text)
{
	return xc_row_input_position(text->input);
}

/* Skips white space and comments ('#' to the end of the line), which are named as left out. */
void xc_text_skip_space(xc_text *text);

/* Reads the width and the height at the start of a header. */
xc_status xc_text_size(xc_text *text, uint32_t *width, uint32_t *height);

/* Skips the one byte of white space between a header and binary samples.  A comment may
 * precede it; the end of its line then is that byte. */
xc_status xc_text_end_header(xc_text *text);

/* value (at most maxval, at most 65535) on the scale of `peak`, rounded. */
static inline uint32_t xc_raster_scale(uint32_t value, uint32_t maxval, uint32_t peak)
{
	/* 65535 * 65535 + 32767 still fits 32 bits. */
	return (value * peak + maxval / 2) / maxval;
}

#endif
