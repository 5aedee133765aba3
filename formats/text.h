/* SPDX-License-Identifier: BSD-2-Clause */
/* The decimal numbers of PNM and PFM headers and of plain PNM samples. */
#ifndef XC_FORMATS_TEXT_H
#define XC_FORMATS_TEXT_H

#include "formats/internal.h"

typedef struct xc_text {
	const uint8_t *data;
	size_t size, at;
	char *message;
	const char *format; /* for messages: "PNM" */
} xc_text;

static inline int xc_text_is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static inline size_t xc_text_left(const xc_text *text)
{
	return text->size - text->at;
}

/* Passes white space and comments ('#' to the end of the line). */
void xc_text_skip_space(xc_text *text);

/* Passes white space and comments, then reads a number of at most `most`; what
 * names it in messages. */
xc_status xc_text_number(xc_text *text, const char *what, uint32_t most, uint32_t *value);

/* Passes the one white space byte that parts a header from binary samples;
 * a comment may stand before it, its line end counting as that byte. */
xc_status xc_text_end_header(xc_text *text);

#endif
