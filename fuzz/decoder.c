/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to a decoder that gives rows: from memory, from functions, of a region,
 * reduced, each with another SIMD level and number of threads. xc_decode() is the judge of
 * what a whole file is. */
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

static uint64_t add_row(uint64_t sum, const uint8_t *row, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		sum = sum * 31 + row[i];
	return sum;
}

/* Takes all rows; returns how they end, and a sum of them. */
static xc_status take(xc_context *c, const xc_source *source, const xc_decode_options *o,
                      uint64_t *sum)
{
	OWN_DECODER d = NULL;
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
			*sum = add_row(*sum, (const uint8_t *)rows + y * stride, shape.stride);
	}
	if (!s)
		s = xc_decoder_finish(d);
	FUZZ_CHECK(!s || xc_context_message(c)[0], "no message");
	return s;
}

/* A part of the whole picture is what a decoder of that part gives. */
static void judge(xc_context *c, const uint8_t *data, size_t size, const xc_decode_options *part,
                  uint64_t expected)
{
	xc_decode_options o = {.keep_going = part->keep_going};
	OWN_DECODED(c, p);
	uint64_t sum = 0;
	xc_rectangle r = part->region;

	if (xc_decode(c, data, size, &o, &p))
		return;
	if (!r.width)
		r = (xc_rectangle){0, 0, p.width, p.height};
	const size_t pixel = (size_t)p.channels * p.depth / 8;
	for (uint32_t y = r.y; y < r.y + r.height; y++)
		sum = add_row(sum, (const uint8_t *)p.data + y * p.stride + r.x * pixel, r.width * pixel);
	FUZZ_CHECK(sum == expected, "xc_decode() gives other pixels");
}

static void decode(const uint8_t *data, size_t size)
{
	xc_context *all[XC_CPU_LEVELS];
	const int n = xc_fuzz_contexts(all);
	xc_context *const c = all[size % (size_t)n], *const d = all[(size + 1) % (size_t)n],
					  *const e = all[(size + 2) % (size_t)n];
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
	const xc_status t = take(d, &at, &o, &sum[1]), u = take(e, &next, &o, &sum[2]);
	/* What comes in another order only memory can tell, and of a region the rest is not read. */
	FUZZ_CHECK(s || t == XC_OK || t == XC_ERR_UNSUPPORTED || t == XC_ERR_LIMIT, "read_at: %d",
	           (int)t);
	FUZZ_CHECK(s || u == XC_OK || u == XC_ERR_UNSUPPORTED || u == XC_ERR_LIMIT, "read: %d", (int)u);
	FUZZ_CHECK(s || t || sum[0] == sum[1], "read_at gives other pixels");
	FUZZ_CHECK(s || u || sum[0] == sum[2], "read gives other pixels");
	if (!s && o.scale == 1)
		judge(d, data, size, &o, sum[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_fuzz_fixed(data, size, decode);
	return 0;
}
