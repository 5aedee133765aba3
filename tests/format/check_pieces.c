/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of several pieces: a picture that is larger than one. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

static xc_context *c;

/* Decodes all bytes before `end`, as far as they go; returns the damaged segments. */
static uint64_t decode_start(const xc_buffer *file, size_t end, xc_picture *out)
{
	xc_decode_options o = {.keep_going = 1};
	*out = (xc_picture){0};
	CHECK(xc_decode(c, file->data, end, &o, out) == XC_OK, "%s", xc_context_message(c));
	return o.damaged_segments;
}

/* The check value of each segment holds, but not the sum over the second piece: none is intact. */
static void wrong_sum(const xc_buffer *file, const xc_part *data, uint64_t segments)
{
	xc_coefficients k;
	xc_bit_usage usage;
	xc_segment_info *info = calloc((size_t)segments, sizeof *info);
	file->data[data->end - 1] ^= 1;
	CHECK(xc_decode_coefficients(c, file->data, file->size, &k) == XC_ERR_CORRUPT, "coefficients");
	CHECK(xc_read_bit_usage(c, file->data, file->size, &usage) == XC_ERR_CORRUPT, "bits");
	REQUIRE(!xc_read_segments(c, file->data, file->size, 1, segments - 1, info), "no segments");
	for (uint64_t i = 0; i < segments - 1; i++)
		CHECK(!info[i].intact, "segment %u", (unsigned)i + 1);
	file->data[data->end - 1] ^= 1;
	CHECK(xc_read_bit_usage(c, file->data, file->size, &usage) == XC_OK, "a whole file");
	free(info);
}

/* A picture of two pieces, without the second of which the first is still there. */
static void pieces(void)
{
	xc_part parts[XC_MOST_PARTS];
	xc_buffer file = {0};
	xc_picture in = xc_test_picture(2900, 3100, 1, 8, 0, 1), out = {0}, cut;
	xc_info info;
	REQUIRE(xc_encode(c, &in, NULL, NULL, &file) == XC_OK, "%s", xc_context_message(c));
	const int n = xc_parts(file.data, file.size, parts);
	REQUIRE(n > 6 && !strcmp(parts[n - 5].type, "INDX") && !strcmp(parts[n - 3].type, "INDX") &&
	            !strcmp(parts[n - 1].type, "DONE"),
	        "no two pieces");
	REQUIRE(xc_decode(c, file.data, file.size, NULL, &out) == XC_OK, "%s", xc_context_message(c));
	REQUIRE(xc_read_info(c, file.data, file.size, &info) == XC_OK, "%s", xc_context_message(c));
	const uint64_t missing = (parts[n - 3].length - 1) / 4;
	const uint32_t rows = (uint32_t)((info.segments - missing) /
	                                 ((2900 + info.tile_width - 1) / info.tile_width)) *
	                      info.tile_height;
	CHECK(rows < 3100 && (uint64_t)rows * 2900 >= 1 << 23, "%u rows in the first piece", rows);
	for (int i = n - 3; i < n - 1; i++) {
		CHECK(decode_start(&file, parts[i].offset + 7, &cut) == missing, "not those segments");
		CHECK(cut.data && !memcmp(cut.data, out.data, (rows - 4) * out.stride), "other pixels");
		xc_picture_free(c, &cut);
		REQUIRE(xc_read_info(c, file.data, parts[i].offset + 7, &info) == XC_OK, "%s",
		        xc_context_message(c));
	}
	wrong_sum(&file, &parts[n - 2], info.segments);
	/* Without the second piece, and whole otherwise. */
	memmove(file.data + parts[n - 3].offset, file.data + parts[n - 1].offset,
	        file.size - parts[n - 1].offset);
	const xc_status s = xc_decode(c, file.data,
	                              file.size - (parts[n - 1].offset - parts[n - 3].offset), NULL,
	                              &out);
	CHECK(s == XC_ERR_CORRUPT, "%s", xc_status_string(s));
	xc_picture_free(c, &out);
	xc_buffer_free(c, &file);
	free(in.data);
}

int main(void)
{
	c = xc_test_context();
	RUN(pieces);
	xc_context_free(c);
	return check_done();
}
