/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/stream.h"

#include <string.h>

int xc_test_write(void *user, const void *data, size_t size)
{
	xc_test_sink *sink = user;

	CHECK(size, "nothing is written");
	if (++sink->writes == sink->fail_at)
		return 1;
	CHECK(!sink->fail_at || sink->writes < sink->fail_at, "a write after one that failed");
	xc_bytes_add(&sink->bytes, data, size);
	return 0;
}

/* Puts rows where the encoder wants them; returns how many. */
static uint32_t fill_room(xc_encoder *e, const xc_picture *p, uint32_t y, uint32_t n, void **rows,
                          size_t *stride)
{
	uint32_t room = 0;
	const xc_status s = xc_encoder_room(e, rows, stride, &room);

	CHECK(!s && room, "room for %u rows at %u: status %d", room, y, (int)s);
	n = n < room ? n : room;
	for (uint32_t i = 0; i < n; i++)
		memcpy((char *)*rows + i * *stride, (const char *)p->data + (y + i) * p->stride,
		       (size_t)p->width * p->channels * (p->depth / 8));
	return n;
}

xc_status xc_test_stream_rows(xc_encoder *e, const xc_picture *p, uint32_t first, uint64_t seed)
{
	static const uint32_t max[] = {1, 3, 40, 300, 100000};
	const uint32_t step = max[check_below(&seed, COUNT(max))];
	xc_status s = XC_OK;

	for (uint32_t y = first, n; !s && y < p->height; y += n) {
		void *rows = (char *)p->data + y * p->stride;
		size_t stride = p->stride;
		n = 1 + check_below(&seed, step);
		n = n < p->height - y ? n : p->height - y;
		if (check_below(&seed, 3) == 0)
			n = fill_room(e, p, y, n, &rows, &stride);
		s = xc_encoder_rows(e, rows, stride, n);
	}
	return s;
}

xc_status xc_test_stream(xc_context *c, const xc_picture *p, const xc_metadata *m,
                         const xc_encode_options *o, uint64_t seed, xc_test_sink *sink)
{
	const xc_picture shape = {p->width, p->height, p->channels, p->depth, 0, NULL};
	OWN_ENCODER e = NULL;
	xc_status s = xc_encoder_new(c, &shape, m, o, xc_test_write, sink, &e);

	CHECK(!s == !!e, "an encoder after a failure, or none without");
	if (!s)
		s = xc_test_stream_rows(e, p, 0, seed);
	if (!s)
		s = xc_encoder_end(e);
	return s;
}
