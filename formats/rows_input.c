/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/rows_kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

xc_status xc_row_input_open(xc_row_input *input, const xc_byte_source *source, char *message)
{
	*input = (xc_row_input){.source = *source};
	input->buffer = malloc(XC_ROW_INPUT_SIZE);
	input->bytes = input->buffer;
	if (!input->buffer)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for reading");
	return XC_OK;
}

void xc_row_input_open_memory(xc_row_input *input, const void *data, size_t size)
{
	*input = (xc_row_input){.bytes = data, .end = size, .ended = 1};
}

void xc_row_input_close(xc_row_input *input)
{
	free(input->buffer);
	*input = (xc_row_input){.ended = 1};
}

/* Fills the buffer as far as the file goes. */
static void refill(xc_row_input *input)
{
	const size_t kept = input->end - input->at;
	memmove(input->buffer, input->buffer + input->at, kept);
	input->before += input->at;
	input->at = 0;
	input->end = kept;
	const size_t room = XC_ROW_INPUT_SIZE - kept;
	const ptrdiff_t got = input->source.read(input->source.user, input->buffer + kept, room);
	input->failed |= got < 0;
	input->end += got > 0 ? (size_t)got : 0;
	input->ended = got < 0 || (size_t)got < room;
}

size_t xc_row_input_peek(xc_row_input *input, size_t least, const uint8_t **bytes)
{
	if (input->end - input->at < least && !input->ended)
		refill(input);
	*bytes = input->bytes + input->at;
	return input->end - input->at;
}

void xc_row_input_take(xc_row_input *input, size_t size)
{
	input->at += size;
}

/* Reads at least a buffer's bytes past it, straight to their place, if it is empty; returns how many. */
static size_t read_past(xc_row_input *input, void *to, size_t size)
{
	if (input->at < input->end || input->ended || size < XC_ROW_INPUT_SIZE)
		return 0;
	const ptrdiff_t got = input->source.read(input->source.user, to, size);
	const size_t n = got > 0 ? (size_t)got : 0;
	input->failed |= got < 0;
	input->ended = n < size;
	input->before += input->end + n;
	input->at = input->end = 0;
	return n;
}

size_t xc_row_input_copy(xc_row_input *input, void *to, size_t size)
{
	uint8_t *out = to;
	size_t done = 0;
	while (done < size) {
		const uint8_t *bytes;
		done += read_past(input, out + done, size - done);
		if (done == size)
			break;
		size_t n = xc_row_input_peek(input, 1, &bytes);
		if (n == 0)
			break;
		n = n < size - done ? n : size - done;
		memcpy(out + done, bytes, n);
		xc_row_input_take(input, n);
		done += n;
	}
	return done;
}

xc_status xc_row_input_failed(const xc_row_input *input, char *message)
{
	return xc_file_fail(message, XC_ERR_TRUNCATED,
	                    "the file cannot be read (from byte %" PRIu64 ")",
	                    input->before + input->end);
}
