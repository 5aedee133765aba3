/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to a decoder that gives rows: from functions, of a region, reduced.  xc_decode() is the
 * judge of what a whole file is. */
#include <string.h>

#include "fuzz/fuzz.h"

typedef struct bytes_source {
	const uint8_t *data;
	size_t size, at;
} bytes_source;

static ptrdiff_t read_at(void *user, uint64_t offset, void *to, size_t size)
{
	const bytes_source *s = user;
	const size_t left = offset < s->size ? s->size - (size_t)offset : 0;
	const size_t n = left < size ? left : size;
	if (n)
		memcpy(to, s->data + offset, n);
	return (ptrdiff_t)n;
}

static ptrdiff_t read_next(void *user, void *to, size_t size)
{
	bytes_source *s = user;
	const ptrdiff_t n = read_at(user, s->at, to, size);
	s->at += (size_t)n;
	return n;
}

/* Takes all rows; returns how they end, and a sum of them. */
static xc_status take(xc_context *c, const xc_source *source, const xc_decode_options *o,
                      uint64_t *sum)
{
	xc_decoder *d;
	const void *rows;
	size_t stride;
	uint32_t count = 1;
	xc_picture shape;
	*sum = 0;
	xc_status s = xc_decoder_new(c, source, o, &d);
	if (!s)
		xc_decoder_shape(d, &shape);
	while (!s && count) {
		s = xc_decoder_next(d, &rows, &stride, &count);
		for (uint32_t y = 0; !s && y < count; y++)
			for (size_t i = 0; i < shape.stride; i++)
				*sum = *sum * 31 + ((const uint8_t *)rows + y * stride)[i];
	}
	if (!s)
		s = xc_decoder_finish(d);
	FUZZ_CHECK(!s || xc_context_message(c)[0], "no message");
	xc_decoder_free(d);
	return s;
}

static void decode(const uint8_t *data, size_t size)
{
	xc_context *c = xc_fuzz_context((unsigned)size);
	bytes_source bytes = {data, size, 0};
	xc_decode_options o = {.keep_going = size / 8 & 1};
	xc_source memory = {.memory = data, .size = size};
	xc_source at = {.read_at = read_at, .size = size, .user = &bytes};
	const xc_source next = {.read = read_next, .user = &bytes};
	uint64_t sum[3];
	xc_info info;
	if (size && !xc_read_header(c, data, size, &info)) {
		o.scale = 1u << size / 2 % 4;
		if (size & 1) {
			o.region = (xc_rectangle){info.width / 3, info.height / 4, 0, 0};
			o.region.width = info.width - 2 * o.region.x;
			o.region.height = info.height - 2 * o.region.y;
		}
	}
	const xc_status s = size ? take(c, &memory, &o, &sum[0]) : XC_ERR_FORMAT;
	const xc_status t = take(c, &at, &o, &sum[1]), u = take(c, &next, &o, &sum[2]);
	/* What comes in another order only memory can tell, and of a region the rest is not read. */
	FUZZ_CHECK(s || t == XC_OK || t == XC_ERR_UNSUPPORTED || t == XC_ERR_LIMIT, "read_at: %d",
	           (int)t);
	FUZZ_CHECK(s || u == XC_OK || u == XC_ERR_UNSUPPORTED || u == XC_ERR_LIMIT, "read: %d", (int)u);
	FUZZ_CHECK(s || t || sum[0] == sum[1], "read_at gives other pixels");
	FUZZ_CHECK(s || u || sum[0] == sum[2], "read gives other pixels");
	xc_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_fuzz_fixed(data, size, decode);
	return 0;
}
