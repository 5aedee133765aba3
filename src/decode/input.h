/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a file in order, from a caller's functions. */
#ifndef XC_SRC_DECODE_INPUT_H
#define XC_SRC_DECODE_INPUT_H

#include <xcodec.h>

/* What is read at once where little is wanted. */
enum { XC_INPUT_BUFFER = 4096 };

typedef struct xc_input {
	xc_source source;
	uint64_t offset; /* of the next byte */
	size_t at, end;  /* of the buffer: bytes not taken yet */
	int failed;      /* reading failed, which looks like the end of the file otherwise */
	uint8_t buffer[XC_INPUT_BUFFER];
} xc_input;

/* Copies the next bytes; returns how many, fewer than `size` only at the end. */
size_t xc_input_read(xc_input *input, void *to, size_t size);
/* Leaves bytes out; returns how many. */
uint64_t xc_input_skip(xc_input *input, uint64_t size);
/* Goes to another place, which needs read_at. */
void xc_input_seek(xc_input *input, uint64_t offset);

#endif
