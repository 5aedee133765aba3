/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/format_samples.h"

#include <stdlib.h>
#include <string.h>

char xc_format_message[XC_FILE_MESSAGE];
static char *const message = xc_format_message;

xc_status xc_read_made(const void *file, size_t size, xc_file_picture *out)
{
	return xc_file_read(file, size, NULL, NULL, out, message);
}

void xc_check_refused(const void *file, size_t size, xc_status want, const char *what)
{
	xc_file_picture read;
	const xc_status status = xc_read_made(file, size, &read);

	CHECK(status == want && message[0] && !strchr(message, '\n'), "%.60s: %d, not %d: %s", what,
	      status, want, message);
	CHECK(!read.picture.data && !read.owned[0] && !read.picture.width, "%.60s: not empty", what);
	xc_file_picture_free(&read);
}

void xc_check_limits(const void *file, size_t size, uint64_t pixels, uint64_t memory)
{
	for (unsigned less = 0; less < 3; less++) {
		xc_file_picture read;
		const xc_file_limits limits = {.max_pixels = pixels - (less == 1),
		                               .max_memory = memory - (less == 2)};
		const xc_status status = xc_file_read(file, size, &limits, NULL, &read, message);
		CHECK(status == (less ? XC_ERR_LIMIT : XC_OK), "limits, %u: %d %s", less, status, message);
		CHECK(!less == !!read.picture.data && !less == (!message[0] || xc_file_tells_loss(message)),
		      "'%s'", message);
		xc_file_picture_free(&read);
	}
}

void xc_check_samples(const xc_picture *found, uint32_t width, uint32_t height, uint32_t channels,
                      uint32_t depth,
                      uint32_t (*wanted)(const void *user, uint32_t x, uint32_t y, uint32_t c),
                      const void *user)
{
	REQUIRE(found->width == width && found->height == height, "%u x %u", found->width,
	        found->height);
	REQUIRE(found->channels == channels && found->depth == depth, "%u channels of %u bits",
	        found->channels, found->depth);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (uint32_t c = 0; c < channels; c++)
				CHECK(xc_sample_at(found, x, y, c) == wanted(user, x, y, c),
				      "(%u, %u) channel %u: %u, not %u", x, y, c, xc_sample_at(found, x, y, c),
				      wanted(user, x, y, c));
}

void xc_check_round_trip(xc_file_format format, const xc_picture *p, const xc_metadata *metadata,
                         int level)
{
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE read = {0};
	xc_status status = xc_file_write(format, p, metadata, level, NULL, &file.data, &file.size,
	                                 message);
	const char *name = xc_file_format_name(format);

	REQUIRE(status == XC_OK && !message[0], "write %s: %d %s", name, status, message);
	CHECK(xc_file_format_detect(file.data, file.size) == format, "%s detected as %s", name,
	      xc_file_format_name(xc_file_format_detect(file.data, file.size)));
	status = xc_read_made(file.data, file.size, &read);
	CHECK(status == XC_OK && !message[0] && xc_sample_equal(p, &read.picture),
	      "%s, %u x %u, %u channels of %u bits, level %d: %d %s", name, p->width, p->height,
	      p->channels, p->depth, level, status, message);
	xc_check_metadata(&read.metadata, metadata);
}

void xc_check_round_trips(xc_file_format format, uint32_t channels, int level)
{
	static const uint32_t sizes[][2] = {{1, 1}, {1, 9}, {13, 1}, {17, 23}, {64, 40}};

	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		for (size_t i = 0; i < COUNT(sizes); i++) {
			OWN_PICTURE p = xc_sample_picture(sizes[i][0], sizes[i][1], channels, depth, i,
			                                  channels * depth + i);
			xc_check_round_trip(format, &p, NULL, level);
		}
	}
}
