/* SPDX-License-Identifier: BSD-2-Clause */
/* Components made for the picture: what they cost, and COLR, which holds their matrix. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

static xc_context *context;

static double squared_error(const xc_picture *a, const xc_picture *b)
{
	double sum = 0;

	for (uint32_t y = 0; y < a->height; y++) {
		for (uint32_t x = 0; x < a->width; x++) {
			for (uint32_t c = 0; c < 3; c++) {
				const double d = (double)xc_sample_at(a, x, y, c) - xc_sample_at(b, x, y, c);
				sum += d * d;
			}
		}
	}
	return sum / (3.0 * a->width * a->height);
}

/* Encodes and decodes; the file has this many COLR chunks. */
static double back_again(const xc_picture *p, const xc_encode_options *o, int matrices)
{
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	OWN_DECODED(context, out);
	OWN_BUFFER(context, file);
	xc_info info;
	double error = 1e9;

	CHECK_OK(context, xc_test_coded(context, p, o, &file));
	CHECK_OK(context, xc_read_info(context, file.data, file.size, &info));
	CHECK_OK(context, xc_decode(context, file.data, file.size, NULL, &out));
	const xc_file_chunk *colr = xc_file_chunk_find(parts,
	                                               xc_file_chunks(file.data, file.size, parts),
	                                               "COLR");
	CHECK((colr != NULL) == matrices && (info.colour == XC_COLOUR_PICTURE) == matrices,
	      "%s a matrix, colour %d", colr ? "with" : "without", (int)info.colour);
	if (out.data && p->channels == out.channels && p->channels > 2)
		error = squared_error(p, &out);
	return error;
}

static xc_encode_options options(int quality, int coding)
{
	xc_encode_options o = xc_test_options(quality, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT,
	                                      XC_HUFFMAN_OPTIMIZED);

	xc_test_coding(&o, coding | XC_TEST_COMPONENTS);
	o.effort = 0;
	return o;
}

/* Errors of the components have a variance of 1/12, and those of R, G and B three times that,
 * because components are divided by the root of 3; rounding adds 1/12. */
static void round_trip(int coding)
{
	const xc_encode_options o = options(100, coding);

	for (uint32_t channels = 3; channels <= 4; channels++) {
		for (uint32_t depth = 8; depth <= 16; depth += 8) {
			OWN_PICTURE p = xc_test_picture(133, 91, channels, depth, 6, 1);
			const double error = back_again(&p, &o, 1);
			CHECK(error < 0.4, "%u channels of %u: mean squared error %g", channels, depth, error);
		}
	}
}

/* Colours that go together are coded with less error for the same steps. */
static void better_than_ycbcr(void)
{
	OWN_PICTURE p = xc_test_picture(200, 150, 3, 8, 0, 1);
	xc_encode_options o = options(75, 0);
	const double own = back_again(&p, &o, 1);

	o.colour = XC_COLOUR_YCBCR;
	const double ycbcr = back_again(&p, &o, 0);
	CHECK(own < ycbcr, "mean squared error %g, of YCbCr %g", own, ycbcr);
}

/* Pictures without differences, of grey pixels, of one channel that differs, of one pixel. */
static void simple_pictures(void)
{
	const xc_encode_options o = options(100, 0);

	for (int kind = 0; kind < 4; kind++) {
		OWN_PICTURE p = xc_test_picture(kind == 3 ? 1 : 40, kind == 3 ? 1 : 30, 3, 8, 0, 1);
		uint8_t *s = p.data;
		for (size_t i = 0; i < p.stride * p.height; i++)
			s[i] = kind == 0                           ? (uint8_t)(i % 3 * 100)
			       : kind == 1 || (kind == 2 && i % 3) ? s[i - i % 3]
			                                           : s[i];
		const double error = back_again(&p, &o, 1);
		CHECK(error < 1, "kind %d: mean squared error %g", kind, error);
	}
}

/* Grey has one component, whatever the options say. */
static void grey_pictures(void)
{
	xc_encode_options o = options(75, 0);

	for (uint32_t channels = 1; channels <= 3; channels++) {
		OWN_PICTURE p = xc_test_picture(40, 30, channels, 8, 0, 1);
		o.subsampling = channels == 3 ? XC_SUBSAMPLING_GREY : XC_SUBSAMPLING_444;
		back_again(&p, &o, 0);
	}
}

/* ------------------------------------------------------------------ the chunk */

/* A file of Y, Cb and Cr in tiles of an MCU. */
static xc_buffer plain_file(xc_file_chunk parts[XC_FILE_CHUNKS_MAX])
{
	xc_encode_options o = options(75, XC_TEST_BUILT_IN);
	xc_picture p = xc_smooth_picture(8, 8, 3, 8, 4);
	xc_buffer file;

	o.colour = XC_COLOUR_YCBCR;
	if (xc_encode(context, &p, NULL, &o, &file))
		abort();
	free(p.data);
	xc_file_chunks(file.data, file.size, parts);
	return file;
}

/* Decodes a changed file, whose pixels are those of the plain one if it is right. */
static void expect(const xc_bytes *f, const xc_buffer *plain, xc_status status, const char *what)
{
	OWN_DECODED(context, with);
	OWN_DECODED(context, without);
	const xc_status s = xc_decode(context, f->data, f->size, NULL, &with);

	CHECK(s == status, "%s: %s, '%s'", what, xc_status_string(s), xc_context_message(context));
	CHECK(!s || strstr(xc_context_message(context), "COLR"), "%s: not named: %s", what,
	      xc_context_message(context));
	CHECK_OK(context, xc_decode(context, plain->data, plain->size, NULL, &without));
	CHECK(s || xc_sample_equal(&with, &without), "%s: other pixels", what);
}

/* A matrix after the segments, to any kind of decoder. */
static void late_chunk(void)
{
	static const uint8_t one[18] = {0, 32, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 32};
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	OWN_BYTES f = {0};
	OWN_BUFFER_OF(context, file, plain_file(parts));
	const xc_file_chunk *data = xc_file_chunk_find(parts,
	                                               xc_file_chunks(file.data, file.size, parts),
	                                               "DATA");

	xc_bytes_splice(&f, file.data, file.size, data->end, data->end, "COLR", one, sizeof one, 1);
	xc_file_fix(f.data, f.size);
	expect(&f, &file, XC_ERR_CORRUPT, "after DATA");
}

/* Copies of a matrix of `length` bytes, which leaves everything as it is, in a file of that
 * subsampling. */
static void expect_chunk(int subsampling, int copies, size_t length, xc_status status)
{
	static const uint8_t one[20] = {0, 32, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 32};
	char what[80];
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	OWN_BYTES f = {0};
	OWN_BUFFER_OF(context, file, plain_file(parts));

	xc_bytes_splice(&f, file.data, file.size, parts[0].end, parts[0].end, "COLR", one, length,
	                copies);
	f.data[parts[0].payload + 10] = (uint8_t)subsampling;
	f.data[parts[0].payload + 8] = subsampling == XC_SUBSAMPLING_GREY ? 1 : 3;
	xc_file_fix(f.data, f.size);
	snprintf(what, sizeof what, "subsampling %d, %d of %zu bytes", subsampling, copies, length);
	expect(&f, &file, status, what);
}

static void the_chunk(void)
{
	for (size_t length = 0; length <= 20; length++)
		expect_chunk(XC_SUBSAMPLING_444, 1, length, length == 18 ? XC_OK : XC_ERR_CORRUPT);
	expect_chunk(XC_SUBSAMPLING_444, 2, 18, XC_ERR_CORRUPT);
	expect_chunk(XC_SUBSAMPLING_420, 1, 18, XC_ERR_CORRUPT);
	expect_chunk(XC_SUBSAMPLING_422, 1, 18, XC_ERR_CORRUPT);
	expect_chunk(XC_SUBSAMPLING_GREY, 1, 18, XC_ERR_CORRUPT);
}

int main(void)
{
	context = xc_test_context();
	RUN_FOR("Huffman", 0, round_trip);
	RUN_FOR("rANS", XC_TEST_RANS, round_trip);
	RUN(better_than_ycbcr, simple_pictures, grey_pictures, the_chunk, late_chunk);
	xc_context_free(context);
	return check_done();
}
