/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG: what is refused, metadata in both directions, limits, and files that are cut off.  The
 * pixels are compared with djpeg's in tests/command/jpeg.sh. */
#include "tests/support/format_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <xcodec_jpeg.h>

static char *const message = xc_format_message;

static const xc_sample_jpeg colour = {.width = 37, .height = 21, .components = 3};

static int blob_is(const xc_blob *blob, const char *want, size_t size)
{
	return blob->size == size && (size == 0 || memcmp(blob->data, want, size) == 0);
}

/* Reads a picture with these markers, which it frees. */
static void read_with(xc_bytes *markers, xc_file_picture *read)
{
	OWN_BYTES file = {0};

	xc_sample_jpeg_make(&file, &colour, markers);
	const xc_status status = xc_read_made(file.data, file.size, read);
	CHECK(status == XC_OK && read->picture.data, "%d %s", status, message);
	xc_bytes_free(markers);
}

/* ---- markers */

static void add_icc(xc_bytes *to, int number, int parts, const char *text)
{
	OWN_BYTES body = {0};

	xc_bytes_add(&body, "ICC_PROFILE", 12);
	xc_bytes_add_u8(&body, (uint32_t)number);
	xc_bytes_add_u8(&body, (uint32_t)parts);
	xc_bytes_add_text(&body, text);
	xc_sample_jpeg_marker(to, 0xe2, body.data, body.size);
}

static void profile_in_parts(void)
{
	xc_bytes markers = {0};
	OWN_FILE_PICTURE read = {0};

	add_icc(&markers, 3, 3, "three");
	xc_sample_jpeg_marker(&markers, 0xe2, "MPF\0another", 11);
	add_icc(&markers, 1, 3, "one");
	add_icc(&markers, 2, 3, "two");
	read_with(&markers, &read);
	CHECK(!strcmp(message, "an XC file has no place for APP2 (MPF): left out") &&
	          blob_is(&read.metadata.icc, "onetwothree", 11),
	      "%zu bytes: %s", read.metadata.icc.size, message);
}

static void damaged_profiles(void)
{
	static const int cases[][2][2] = {{{1, 2}, {1, 2}}, {{1, 2}, {3, 2}}, {{1, 2}, {2, 3}},
	                                  {{1, 3}, {2, 3}}, {{0, 2}, {1, 2}}, {{2, 1}, {1, 1}}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		xc_bytes markers = {0};
		OWN_FILE_PICTURE read = {0};
		for (int k = 0; k < 2; k++)
			add_icc(&markers, cases[i][k][0], cases[i][k][1], "part");
		read_with(&markers, &read);
		CHECK(strstr(message, "damaged colour profile") && !read.metadata.icc.data,
		      "case %zu: '%s'", i, message);
	}
}

static void all_markers(void)
{
	static const char iptc[] = "Photoshop 3.0\0"
							   "8BIM\3\355\0\0\0\0\0\3abc\0"
							   "8BIM\4\4\3nam\0\0\0\5";
	xc_bytes markers = {0};
	OWN_FILE_PICTURE read = {0};
	const xc_metadata *m = &read.metadata;

	xc_sample_jpeg_marker(&markers, 0xe1, "Exif\0\0II*\0\10\0\0\0", 14);
	xc_sample_jpeg_marker(&markers, 0xe1, "http://ns.adobe.com/xap/1.0/\0<x/>", 33);
	/* The resource goes on in the next marker. */
	xc_sample_jpeg_marker(&markers, 0xed, iptc, sizeof iptc - 1);
	xc_sample_jpeg_marker(&markers, 0xed, "Photoshop 3.0\0fiver\0", 20);
	xc_sample_jpeg_marker(&markers, 0xfe, "UTF-8 \xc3\xa9\0", 9);
	xc_sample_jpeg_marker(&markers, 0xfe, "Latin-1 \xe9", 9);
	xc_sample_jpeg_marker(&markers, 0xe5, "something else", 14);
	xc_sample_jpeg_marker(&markers, 0xe2, "MPF\0", 4);
	xc_sample_jpeg_marker(&markers, 0xeb, "JP\0\1", 4);
	read_with(&markers, &read);
	CHECK(!strcmp(message,
	              "an XC file has no place for APP5, APP2 (MPF), APP11 (JUMBF), resources of "
	              "Photoshop: left out"),
	      "%s", message);
	CHECK(blob_is(&m->exif, "II*\0\10\0\0\0", 8), "EXIF of %zu bytes", m->exif.size);
	CHECK(blob_is(&m->xmp, "<x/>", 4), "XMP of %zu bytes", m->xmp.size);
	CHECK(blob_is(&m->iptc, "fiver", 5), "IPTC of %zu bytes", m->iptc.size);
	CHECK(blob_is(&m->text, "Comment\0UTF-8 \xc3\xa9\0Comment\0Latin-1 \xc3\xa9", 36),
	      "text of %zu bytes", m->text.size);
	CHECK(!m->density_x && !m->density_unit, "density %u", m->density_x);
}

static void odd_markers(void)
{
	static const struct {
		uint32_t code;
		const char *data;
		size_t size;
		const char *want;
	} cases[] = {
		{0xe1, "Exif\0\0what", 10, "damaged EXIF"},
		{0xe1, "Exif\0\0", 6, "damaged EXIF"},
		{0xe1, "http://ns.adobe.com/xmp/extension/\0more", 39, "extended XMP"},
		{0xe1, "Exif\0", 5, "place for APP1: left out"},
		{0xe1, "", 0, ""},
		{0xe2, "ICC_PROFILE\0", 12, "damaged colour profile"},
		{0xe2, "ICC_PROFILE\0\1\1", 14, "damaged colour profile"},
		{0xed,
	     "Photoshop 3.0\0"
	     "8BIM\4\4\0\0\0\0\0\7abc",
	     29, "damaged IPTC"},
		{0xed,
	     "Photoshop 3.0\0"
	     "8BIM\4\4\377\0\0\0\0\7abc",
	     29, ""},
		{0xfe, "zero\0byte", 9, "no text"},
		{0xfe, "", 0, ""},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		xc_bytes markers = {0};
		OWN_FILE_PICTURE read = {0};
		xc_sample_jpeg_marker(&markers, cases[i].code, cases[i].data, cases[i].size);
		read_with(&markers, &read);
		CHECK(*cases[i].want ? strstr(message, cases[i].want) != NULL : !message[0],
		      "case %zu: '%s'", i, message);
		xc_check_metadata(&read.metadata, NULL);
	}
}

/* A JPEG that is kept in an XC file has the same metadata, and names the kinds that are left out. */
static void kept(void)
{
	enum { PART = 65000 };
	static char exif[6 + PART] = "Exif\0\0II*";
	static const struct {
		uint32_t code;
		const char *data;
		size_t size;
	} whole[] = {{0xe1, exif, sizeof exif},
	             {0xe1, "Exif\0\0more", 10},
	             {0xe1, "Exif\0\0MM\0*", 10},
	             {0xe1, "http://ns.adobe.com/xap/1.0/\0<x/>", 33},
	             {0xe1, "http://ns.adobe.com/xap/1.0/\0<y/>", 33},
	             {0xe1, "http://ns.adobe.com/xmp/extension/\0more", 39},
	             {0xe2, "ICC_PROFILE\0\2\2two", 17},
	             {0xe2, "ICC_PROFILE\0\1\2one", 17},
	             {0xe2, "ICC_PROFILE\0\1\2uno", 17},
	             {0xe2, "MPF", 3},
	             {0xe5, "five", 4},
	             {0xeb, "JP", 2},
	             {0xed,
	              "Photoshop 3.0\0"
	              "8BIM\4\4\0\0\0\0\0\5fi",
	              28},
	             {0xed,
	              "Photoshop 3.0\0ver\0"
	              "8BIM\3\355\0\0\0\0\0\1a\0",
	              32},
	             {0xed,
	              "Photoshop 3.0\0"
	              "PHUT\4\4\1n\0\0\0\3six",
	              29},
	             {0xfe, "Latin-1 \xe9", 9},
	             {0xfe, "not UTF-8 \xed\xa0\x80", 13},
	             {0xfe, "UTF-8 \xe2\x82\xac\0\0", 11}},
	  damaged[] = {{0xe1, "Exif\0\0what", 10},
	               {0xe2, "ICC_PROFILE\0\1\2one", 17},
	               {0xed,
	                "Photoshop 3.0\0"
	                "8BIM\4\4\0\0\0\0\0\7abc",
	                29},
	               {0xfe, "zero\0byte", 9}};
	static const char *const words[] = {
		"left out of what the JPEG holds: APP5, extended XMP, APP2 (MPF), APP11 (JUMBF), a second EXIF, a second "
		"XMP, a second colour profile, resources of Photoshop, a second picture",
		"left out of what the JPEG holds: damaged EXIF, a damaged colour profile, damaged IPTC, a comment that is "
		"no text, a video"};

	for (int bad = 0; bad < 2; bad++) {
		OWN_BYTES markers = {0};
		OWN_BYTES file = {0};
		OWN_FILE_PICTURE read = {0};
		OWN_CONTEXT c = xc_test_context();
		xc_buffer xc;
		xc_info info;
		for (size_t i = 0; i < (bad ? COUNT(damaged) : COUNT(whole)); i++)
			xc_sample_jpeg_marker(&markers, bad ? damaged[i].code : whole[i].code,
			                      bad ? damaged[i].data : whole[i].data,
			                      bad ? damaged[i].size : whole[i].size);
		xc_sample_jpeg_make(&file, &colour, &markers);
		if (bad)
			xc_bytes_add(&file, "\0\0\0\30ftypmp42", 12);
		else
			xc_sample_jpeg_make(&file, &colour, NULL);
		CHECK(xc_read_made(file.data, file.size, &read) == XC_OK, "%s", message);
		REQUIRE(!xc_jpeg_encode(c, file.data, file.size, NULL, NULL, &xc), "%s",
		        xc_context_message(c));
		OWN_BUFFER_OF(c, own, xc);
		REQUIRE(!xc_read_info(c, xc.data, xc.size, &info), "%s", xc_context_message(c));
		CHECK(!strcmp(xc_context_message(c), words[bad]), "%s", xc_context_message(c));
		CHECK((info.metadata.exif.size == PART + 4) == !bad, "EXIF of %zu bytes",
		      info.metadata.exif.size);
		CHECK(blob_is(&info.metadata.iptc, "fiversix", bad ? 0 : 8), "IPTC of %zu bytes",
		      info.metadata.iptc.size);
		xc_check_metadata(&info.metadata, &read.metadata);
	}
}

static void density(void)
{
	static const struct {
		uint8_t jfif[5]; /* unit, x and y */
		uint32_t x, y, unit;
	} cases[] = {{{0, 0, 1, 0, 1}, 0, 0, 0},           {{0, 0, 4, 0, 3}, 4, 3, 0},
	             {{1, 0, 72, 0, 72}, 2835, 2835, 1},   {{1, 1, 44, 1, 44}, 11811, 11811, 1},
	             {{2, 0, 118, 0, 59}, 11800, 5900, 1}, {{1, 0, 0, 0, 72}, 0, 0, 0},
	             {{3, 0, 72, 0, 72}, 0, 0, 0}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		OWN_BYTES file = {0};
		OWN_FILE_PICTURE read = {0};
		xc_sample_jpeg_make(&file, &colour, NULL);
		memcpy(file.data + 13, cases[i].jfif, 5);
		CHECK(xc_read_made(file.data, file.size, &read) == XC_OK, "%s", message);
		const xc_metadata *m = &read.metadata;
		CHECK(m->density_x == cases[i].x && m->density_y == cases[i].y &&
		          m->density_unit == cases[i].unit,
		      "case %zu: %u x %u, unit %u", i, m->density_x, m->density_y, m->density_unit);
	}
}

/* ---- writing */

/* Reads back what was written with this metadata. */
static void write_and_read(const xc_metadata *metadata, uint32_t channels, const char *warning,
                           xc_file_picture *read)
{
	OWN_PICTURE p = xc_sample_picture(40, 30, channels, 8, 0, 5);
	OWN_BYTES file = {0};
	const xc_status status = xc_file_write(XC_FILE_JPEG, &p, metadata, 95, NULL, &file.data,
	                                       &file.size, message);

	CHECK(status == XC_OK, "%s", message);
	CHECK(*warning ? strstr(message, warning) != NULL : !message[0], "'%s'", message);
	CHECK(xc_read_made(file.data, file.size, read) == XC_OK && !message[0], "%s", message);
	CHECK(read->picture.channels == channels && read->picture.width == 40, "%u channels",
	      read->picture.channels);
}

static void metadata_round_trips(void)
{
	static char icc[200001], iptc[150001];
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof icc; i++)
		icc[i] = (char)check_random(&seed);
	memcpy(iptc, icc, sizeof iptc);
	const xc_metadata cases[] = {
		{.icc = {icc, sizeof icc}},
		{.icc = {icc, 65519}},
		{.icc = {icc, 65520}},
		{.icc = {icc, 1}},
		{.exif = {"MM\0*", 4}, .xmp = {"<x/>", 4}},
		{.iptc = {iptc, 7}},
		{.iptc = {iptc, sizeof iptc}},
		{.text = {"Comment\0one\0Comment\0\xc3\xa9", 23}},
		{.density_x = 2835, .density_y = 11811, .density_unit = 1},
		{.density_x = 11800, .density_y = 5900, .density_unit = 1},
		{.density_x = 4, .density_y = 3},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		for (uint32_t channels = 1; channels <= 3; channels += 2) {
			OWN_FILE_PICTURE read = {0};
			write_and_read(&cases[i], channels, "", &read);
			xc_check_metadata(&read.metadata, &cases[i]);
		}
}

/* What has no place in a JPEG is left out, with a warning. */
static void metadata_left_out(void)
{
	static char zeros[70000], comment[70000] = "Comment";

	memset(comment + 8, 'c', sizeof comment - 9);
	const struct {
		xc_metadata metadata;
		const char *warning;
	} cases[] = {
		{{.exif = {zeros, 65528}}, "EXIF is too large"},
		{{.xmp = {zeros, 65505}}, "XMP is too large"},
		{{.cicp = {9, 16, 0, 1}}, "CICP"},
		{{.gamma = 100000}, "gamma"},
		{{.text = {"Title\0x", 8}}, "no place for text but comments"},
		{{.text = {comment, sizeof comment}}, "comment is too long"},
		{{.icc = {"0123456789abcdefGRAY", 20}}, "not one for colour"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		OWN_FILE_PICTURE read = {0};
		write_and_read(&cases[i].metadata, 3, cases[i].warning, &read);
		xc_check_metadata(&read.metadata, NULL);
	}
}

static void unwritable(void)
{
	OWN_PICTURE p = xc_sample_picture(2, 2, 4, 16, 0, 1);
	uint8_t *data;
	size_t size;
	static const struct {
		uint32_t width, channels, depth;
		int level;
		xc_status want;
		const char *text;
	} cases[] = {{2, 3, 16, -1, XC_ERR_UNSUPPORTED, "8 bits"},
	             {2, 4, 8, -1, XC_ERR_UNSUPPORTED, "alpha"},
	             {2, 2, 8, -1, XC_ERR_UNSUPPORTED, "alpha"},
	             {2, 3, 8, 0, XC_ERR_ARGUMENT, "quality"},
	             {2, 3, 8, 101, XC_ERR_ARGUMENT, "quality"},
	             {65501, 1, 8, -1, XC_ERR_UNSUPPORTED, "too many"}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		xc_picture bad = p;
		bad.width = cases[i].width;
		bad.channels = cases[i].channels;
		bad.depth = cases[i].depth;
		bad.stride = 1 << 20;
		bad.height = 1;
		const xc_status status = xc_file_write(XC_FILE_JPEG, &bad, NULL, cases[i].level, NULL,
		                                       &data, &size, message);
		CHECK(status == cases[i].want && !data && strstr(message, cases[i].text), "case %zu: %d %s",
		      i, status, message);
	}
}

/* ---- what is refused */

/* The place of the start of the frame: its marker's second byte. */
static size_t find_frame(const xc_bytes *file)
{
	for (size_t i = 2; i + 1 < file->size; i++)
		if (file->data[i] == 0xff && (file->data[i + 1] == 0xc0 || file->data[i + 1] == 0xc2))
			return i + 1;
	return 0;
}

static void refuse(xc_bytes *file, xc_status want, const char *text)
{
	xc_check_refused(file->data, file->size, want, text);
	CHECK(strstr(message, text), "'%s', not '%s'", message, text);
	xc_bytes_free(file);
}

static void kinds_refused(void)
{
	static const struct {
		uint8_t frame, bits;
		const char *text;
	} cases[] = {{0xc3, 8, "a lossless JPEG"},
	             {0xc5, 8, "a hierarchical JPEG"},
	             {0xc9, 8, "an arithmetic-coded"},
	             {0xf7, 8, "a lossless JPEG"},
	             {0xc1, 12, "a JPEG of 12 bits"}};
	const xc_sample_jpeg cmyk = {.width = 20, .height = 20, .components = 4};
	const xc_sample_jpeg ycck = {.width = 20, .height = 20, .components = 4, .colour = JCS_YCCK};
	xc_bytes file = {0};

	for (size_t i = 0; i < COUNT(cases); i++) {
		xc_sample_jpeg_make(&file, &colour, NULL);
		const size_t at = find_frame(&file);
		file.data[at] = cases[i].frame;
		file.data[at + 3] = cases[i].bits;
		refuse(&file, XC_ERR_UNSUPPORTED, cases[i].text);
	}
	xc_sample_jpeg_make(&file, &colour, NULL);
	file.data[find_frame(&file) + 10] = 0x31;
	file.data[find_frame(&file) + 13] = 0x21;
	refuse(&file, XC_ERR_UNSUPPORTED, "Fractional sampling");
	xc_sample_jpeg_make(&file, &cmyk, NULL);
	refuse(&file, XC_ERR_UNSUPPORTED, "printing colours");
	xc_sample_jpeg_make(&file, &ycck, NULL);
	refuse(&file, XC_ERR_UNSUPPORTED, "printing colours");
}

/* A file of 16 bytes of pixels that claims 65500 x 65500. */
static void claims_refused(void)
{
	xc_bytes file = {0};

	xc_sample_jpeg_make(&file, &colour, NULL);
	const size_t at = find_frame(&file);
	memcpy(file.data + at + 4, "\xff\xdc\xff\xdc", 4);
	refuse(&file, XC_ERR_TRUNCATED, "too short");
}

/* A copy of the file with bytes put before a marker, or in place of the last three
 * of a scan's header. */
static void make_odd(xc_bytes *to, const xc_bytes *file, uint8_t marker, const char *bytes,
                     size_t size)
{
	size_t at = 2, left_out = 0;

	while (file->data[at] != 0xff || file->data[at + 1] != marker)
		at++;
	if (marker == 0xda) {
		left_out = 3;
		at += 2 + 256u * file->data[at + 2] + file->data[at + 3];
	}
	xc_bytes_add(to, file->data, at - left_out);
	xc_bytes_add(to, bytes, size);
	xc_bytes_add(to, file->data + at, file->size - at);
}

/* What djpeg reads with a warning and all pixels as they are. Bytes that look like data that are
 * left over do not pass. */
static void whole_though_odd(void)
{
	static const char noise[] = "left over from data that are damaged";
	static const struct {
		uint8_t marker;
		const char *bytes;
		size_t size;
		const char *warning; /* NULL: refused */
	} cases[] = {
		{0xda, "\0\0\0", 3, "SOS parameters"},
		{0xd9, "\0\0\0\0\0\0\0", 7, "extraneous"},
		{0xd9, "\377\377\377\377", 4, ""},
		{0xd0, "\0\0\0\0\0\0\0\0\0\0\0\0", 12, "extraneous"},
		{0xc0, "\377\376\0\0", 4, "without its length"},
		{0xd9, "\377\376\0\2", 4, ""},
		{0xd9, noise, sizeof noise, NULL},
		{0xd0, noise, sizeof noise, NULL},
	};
	xc_sample_jpeg jpeg = colour;
	OWN_BYTES file = {0};
	xc_file_picture good, read;

	jpeg.restart = 1;
	xc_sample_jpeg_make(&file, &jpeg, NULL);
	CHECK(xc_read_made(file.data, file.size, &good) == XC_OK && !message[0], "%s", message);
	for (size_t i = 0; i < COUNT(cases); i++) {
		OWN_BYTES odd = {0};
		make_odd(&odd, &file, cases[i].marker, cases[i].bytes, cases[i].size);
		if (!cases[i].warning) {
			refuse(&odd, XC_ERR_CORRUPT, "extraneous");
			CHECK(strstr(message, "--keep-going"), "%s", message);
			continue;
		}
		CHECK(xc_read_made(odd.data, odd.size, &read) == XC_OK, "case %zu: %s", i, message);
		CHECK(*cases[i].warning ? strstr(message, cases[i].warning) != NULL : !message[0],
		      "case %zu: '%s'", i, message);
		CHECK(xc_sample_equal(&read.picture, &good.picture) && !read.damaged, "case %zu", i);
		xc_file_picture_free(&read);
	}
	xc_file_picture_free(&good);
}

/* With keep_going the upper rows of a file that is cut off are as they were. */
static void what_is_left(void)
{
	const xc_file_limits limits = {.keep_going = 1};
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE good = {0}, read = {0};

	xc_sample_jpeg_make(&file, &colour, NULL);
	xc_read_made(file.data, file.size, &good);
	CHECK(xc_file_read(file.data, file.size - 20, &limits, NULL, &read, message) == XC_OK &&
	          read.damaged && strstr(message, "ends too early") &&
	          !memcmp(read.picture.data, good.picture.data, 8 * good.picture.stride),
	      "'%s'", message);
}

/* No prefix is read that lacks more than the end mark, and no warning of libjpeg's about pixels
 * passes for success. */
static void cut_off(void)
{
	for (int progressive = 0; progressive < 2; progressive++) {
		xc_sample_jpeg jpeg = colour;
		OWN_BYTES file = {0};
		jpeg.progressive = progressive;
		xc_sample_jpeg_make(&file, &jpeg, NULL);
		for (size_t size = 3; size < file.size - 2; size++) {
			OWN_MEMORY uint8_t *exact = xc_test_copy(file.data, size);
			xc_check_refused(exact, size, XC_ERR_TRUNCATED, "cut off");
		}
		OWN_FILE_PICTURE read = {0};
		CHECK(xc_read_made(file.data, file.size - 2, &read) == XC_OK &&
		          strstr(message, "no end mark"),
		      "'%s'", message);
	}
}

/* The pixels, 64 bytes a column, and the coefficients of a progressive file. */
static void limits(void)
{
	for (int progressive = 0; progressive < 2; progressive++) {
		xc_sample_jpeg jpeg = colour;
		OWN_BYTES file = {0};
		jpeg.progressive = progressive;
		xc_sample_jpeg_make(&file, &jpeg, NULL);
		const uint64_t coefficients = progressive ? 3 * 2 * 6 * 64 * sizeof(JCOEF) : 0;
		xc_check_limits(file.data, file.size, 37 * 21, 37 * 21 * 3 + 64 * 37 + coefficients);
	}
}

int main(void)
{
	RUN(profile_in_parts, damaged_profiles, all_markers, odd_markers, kept, density,
	    metadata_round_trips, metadata_left_out, unwritable, kinds_refused, claims_refused,
	    whole_though_odd, what_is_left, cut_off, limits);
	return check_done();
}
