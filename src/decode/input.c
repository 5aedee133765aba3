/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/decode/input.h"

#include <string.h>

static size_t from_source(xc_input *in, uint8_t *to, size_t size)
{
	const xc_source *s = &in->source;

	if (in->failed)
		return 0;
	if (s->read_at) {
		const uint64_t at = in->offset + (in->end - in->at);
		const uint64_t left = at < s->size ? s->size - at : 0;
		size = left < size ? (size_t)left : size;
	}
	if (!size)
		return 0;
	const ptrdiff_t n = s->read_at ? s->read_at(s->user, in->offset, to, size)
	                               : s->read(s->user, to, size);
	in->failed = n < 0;
	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size;
}

size_t xc_input_read(xc_input *in, void *to, size_t size)
{
	uint8_t *next = to;
	size_t left = size;

	while (left) {
		if (in->at == in->end && left >= sizeof in->buffer) {
			const size_t n = from_source(in, next, left);
			in->offset += n;
			return size - left + n;
		}
		if (in->at == in->end) {
			in->at = in->end = 0;
			in->end = from_source(in, in->buffer, sizeof in->buffer);
		}
		const size_t n = in->end - in->at < left ? in->end - in->at : left;
		if (!n)
			break;
		memcpy(next, in->buffer + in->at, n);
		in->at += n;
		in->offset += n;
		next += n;
		left -= n;
	}
	return size - left;
}

uint64_t xc_input_skip(xc_input *in, uint64_t size)
{
	uint64_t left = size;

	if (in->source.read_at) {
		const uint64_t available = in->offset < in->source.size ? in->source.size - in->offset : 0;
		const uint64_t n = available < size ? available : size;
		xc_input_seek(in, in->offset + n);
		return n;
	}
	while (left) {
		if (in->at == in->end) {
			in->at = in->end = 0;
			in->end = from_source(in, in->buffer, sizeof in->buffer);
		}
		const size_t n = in->end - in->at < left ? in->end - in->at : (size_t)left;
		if (!n)
			break;
		in->at += n;
		in->offset += n;
		left -= n;
	}
	return size - left;
}

void xc_input_seek(xc_input *in, uint64_t offset)
{
	const uint64_t ahead = offset - in->offset;

	if (ahead <= in->end - in->at)
		in->at += (size_t)ahead;
	else
		in->at = in->end = 0;
	in->offset = offset;
}
