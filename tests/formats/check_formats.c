/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which format is which, PNM and PAM, and the limits. Colour profile, EXIF, XMP, text and density
 * in PNG files, both ways.
 *
 * For tests/command/formats.sh,
 *
 * 	check_formats --convert IN OUT.EXTENSION
 * 	check_formats --compare A B
 *
 * reads any picture and writes it as the format of OUT, and exits 0 if two
 * pictures have the same colours whatever their channels and depths.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/support/format_samples.h"
#include "tests/support/test_pictures.h"

static char *const message = xc_format_message;

/* ---- names and magic numbers */

static void names(void)
{
	static const xc_file_format formats[] = {XC_FILE_PNG,  XC_FILE_PGM, XC_FILE_PPM,
	                                         XC_FILE_PAM,  XC_FILE_PFM, XC_FILE_BMP,
	                                         XC_FILE_JPEG, XC_FILE_PNM, XC_FILE_XC};
	static const struct {
		const char *name;
		xc_file_format format;
	} by_name[] =
		{
			{"jpeg", XC_FILE_JPEG},    {"PnG", XC_FILE_PNG},  {"pn", XC_FILE_UNKNOWN},
			{"pngs", XC_FILE_UNKNOWN}, {"", XC_FILE_UNKNOWN}, {"unknown", XC_FILE_UNKNOWN},
		},
	  by_path[] = {
		  {"a.b/c.PPM", XC_FILE_PPM}, {"a.png/c", XC_FILE_UNKNOWN}, {"a.png.xc", XC_FILE_XC},
		  {".png", XC_FILE_UNKNOWN},  {"x/.png", XC_FILE_UNKNOWN},  {"x.", XC_FILE_UNKNOWN},
		  {"", XC_FILE_UNKNOWN},
	  };

	for (size_t i = 0; i < COUNT(formats); i++)
		CHECK(xc_file_format_by_name(xc_file_format_name(formats[i])) == formats[i], "%s",
		      xc_file_format_name(formats[i]));
	for (size_t i = 0; i < COUNT(by_name); i++)
		CHECK(xc_file_format_by_name(by_name[i].name) == by_name[i].format, "%s", by_name[i].name);
	for (size_t i = 0; i < COUNT(by_path); i++)
		CHECK(xc_file_format_by_path(by_path[i].name) == by_path[i].format, "%s", by_path[i].name);
	CHECK(strcmp(xc_file_format_name((xc_file_format)99), "unknown") == 0, "99");
}

static void detection(void)
{
	static const struct {
		const char *bytes;
		xc_file_format format;
	} cases[] = {
		{"\x89PNG\r\n\x1a\n", XC_FILE_PNG},
		{"\x89PNG\r\n\x1a\r", XC_FILE_UNKNOWN},
		{"\x89PNG", XC_FILE_UNKNOWN},
		{"BM", XC_FILE_BMP},
		{"P1\n", XC_FILE_PGM},
		{"P2 ", XC_FILE_PGM},
		{"P3\t", XC_FILE_PPM},
		{"P4#", XC_FILE_PGM},
		{"P5\r", XC_FILE_PGM},
		{"P6\n", XC_FILE_PPM},
		{"P7\n", XC_FILE_PAM},
		{"P7 332", XC_FILE_UNKNOWN},
		{"P8\n", XC_FILE_UNKNOWN},
		{"P55", XC_FILE_UNKNOWN},
		{"PF\n", XC_FILE_PFM},
		{"Pf\n", XC_FILE_PFM},
		{"P5", XC_FILE_UNKNOWN},
		{"P", XC_FILE_UNKNOWN},
		{"", XC_FILE_UNKNOWN},
		{"\xff\xd8\xff\xe0", XC_FILE_JPEG},
		{"\xff\xd8", XC_FILE_UNKNOWN},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		xc_file_format found = xc_file_format_detect(cases[i].bytes, strlen(cases[i].bytes));
		CHECK(found == cases[i].format, "case %zu: %s", i, xc_file_format_name(found));
	}
	CHECK(xc_file_format_detect(NULL, 0) == XC_FILE_UNKNOWN, "NULL");
}

/* ---- reading files made here */

typedef struct samples {
	const uint32_t *want;
	xc_picture shape;
} samples;

static uint32_t wanted(const void *user, uint32_t x, uint32_t y, uint32_t c)
{
	const samples *s = user;
	return s->want[(y * s->shape.width + x) * s->shape.channels + c];
}

static void check_read(const char *file, size_t size, xc_picture shape, const uint32_t *want)
{
	const samples s = {want, shape};
	OWN_FILE_PICTURE read = {0};
	const xc_status status = xc_read_made(file, size, &read);

	REQUIRE(status == XC_OK && !message[0], "%.20s: %d %s", file, status, message);
	xc_check_samples(&read.picture, shape.width, shape.height, shape.channels, shape.depth, wanted,
	                 &s);
}

/* The file must be a picture of w x h pixels with c channels of d bits, and these samples. */
#define READ(file, w, h, c, d, ...) \
	check_read(CHECK_BYTES(file), \
	           (xc_picture){.width = w, .height = h, .channels = c, .depth = d}, \
	           (const uint32_t[]){__VA_ARGS__})

static void pnm_files(void)
{
	READ("P1 3 2 0 1 1\n101", 3, 2, 1, 8, 255, 0, 0, 0, 255, 0);
	READ("P1\n# a bitmap\n3 2\n0#one\n11101", 3, 2, 1, 8, 255, 0, 0, 0, 255, 0);
	READ("P4\n9 2\n\x80\x80\x01\x7f", 9, 2, 1, 8, 0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255,
	     255, 255, 255, 255, 255, 0, 255);
	READ("P2 2 2 255 0 1\n254 255", 2, 2, 1, 8, 0, 1, 254, 255);
	READ("P2#\n2#w\n#\n1 #\r100 50#\n 100\n", 2, 1, 1, 8, 128, 255);
	READ("P2 3 1 1000 0 1 1000", 3, 1, 1, 16, 0, 66, 65535);
	READ("P3 1 2 15 0 1 15 7 8 9", 1, 2, 3, 8, 0, 17, 255, 119, 136, 153);
	READ("P5 3 1 255\nabc", 3, 1, 1, 8, 'a', 'b', 'c');
	READ("P5 3 1 255\nabc and more", 3, 1, 1, 8, 'a', 'b', 'c');
	READ("P5 1 1 255\n\n", 1, 1, 1, 8, '\n');
	READ("P5 1 1 255#comment\nx", 1, 1, 1, 8, 'x');
	READ("P5 3 1 2\n\0\1\2", 3, 1, 1, 8, 0, 128, 255);
	READ("P5 2 1 254\n\1\376", 2, 1, 1, 8, 1, 255);
	READ("P5 1 2 65535\n\x12\x34\xff\xfe", 1, 2, 1, 16, 0x1234, 0xfffe);
	READ("P5 3 1 256\n\0\0\1\0\0\200", 3, 1, 1, 16, 0, 65535, 32768);
	READ("P6 1 1 255 rgb", 1, 1, 3, 8, 'r', 'g', 'b');
	READ("P6 1 1 65534 \0\0\xff\xfe\x80\0", 1, 1, 3, 16, 0, 65535, 32769);
}

static void pam_files(void)
{
#define PAM(w, h, d, m, rest) "P7\nWIDTH " #w "\nHEIGHT " #h "\nDEPTH " #d "\nMAXVAL " #m "\n" rest
	READ(PAM(2, 1, 1, 255, "TUPLTYPE GRAYSCALE\nENDHDR\nab"), 2, 1, 1, 8, 'a', 'b');
	READ(PAM(2, 1, 1, 1, "TUPLTYPE BLACKANDWHITE\nENDHDR\n\0\1"), 2, 1, 1, 8, 0, 255);
	READ(PAM(1, 2, 2, 1, "TUPLTYPE BLACKANDWHITE_ALPHA\nENDHDR\n\0\1\1\0"), 1, 2, 2, 8, 0, 255, 255,
	     0);
	READ(PAM(1, 1, 2, 65535, "TUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n\1\2\3\4"), 1, 1, 2, 16, 0x102,
	     0x304);
	READ(PAM(1, 1, 3, 255, "TUPLTYPE RGB\nENDHDR\nrgb"), 1, 1, 3, 8, 'r', 'g', 'b');
	READ(PAM(1, 1, 4, 255, "TUPLTYPE RGB_ALPHA\nENDHDR\nrgba"), 1, 1, 4, 8, 'r', 'g', 'b', 'a');
	READ(PAM(1, 1, 4, 255, "ENDHDR\nrgba"), 1, 1, 4, 8, 'r', 'g', 'b', 'a');
	READ("P7\n# first\n\n  HEIGHT\t1  \r\nDEPTH 1\nMAXVAL 255\n#\nWIDTH 1\n"
	     "ENDHDR\nx",
	     1, 1, 1, 8, 'x');
}

#define REFUSE(file, want) xc_check_refused(CHECK_BYTES(file), want, file)

static void refused(void)
{
	xc_check_refused(NULL, 0, XC_ERR_FORMAT, "nothing");
	REFUSE("hello", XC_ERR_FORMAT);
	REFUSE("\x89PNG\n\x1a\n    ", XC_ERR_CORRUPT);
	REFUSE("Pf 1 1 1\n1234", XC_ERR_UNSUPPORTED);
	REFUSE("P5 3 1 255\nab", XC_ERR_TRUNCATED);
	REFUSE("P5 3 1 255", XC_ERR_TRUNCATED);
	REFUSE("P5 3 1", XC_ERR_TRUNCATED);
	REFUSE("P5 3 1 65536\nabcdef", XC_ERR_CORRUPT);
	REFUSE("P5 3 1 0\nabc", XC_ERR_CORRUPT);
	REFUSE("P5 0 1 255\nabc", XC_ERR_CORRUPT);
	REFUSE("P5 1 0 255\nabc", XC_ERR_CORRUPT);
	REFUSE("P5 -1 1 255\nabc", XC_ERR_CORRUPT);
	REFUSE("P5 1 1 255x", XC_ERR_CORRUPT);
	REFUSE("P5 1 4294967296 255\nabc", XC_ERR_CORRUPT);
	REFUSE("P5 1 4294967295 255\nabc", XC_ERR_TRUNCATED);
	REFUSE("P6 4294967295 4294967295 65535\nabc", XC_LONG_ROW);
	REFUSE("P5 2 1 100\n\1\145", XC_ERR_CORRUPT);
	REFUSE("P2 2 1 100\n1 101", XC_ERR_CORRUPT);
	REFUSE("P2 2 1 100\n1 x01", XC_ERR_CORRUPT);
	REFUSE("P2 20 10 100\n1 2 3", XC_ERR_TRUNCATED);
	REFUSE("P2 2 1 100\n1      ", XC_ERR_TRUNCATED);
	REFUSE("P1 2 1\n02", XC_ERR_CORRUPT);
	REFUSE("P1 2 2\n0 1 1", XC_ERR_TRUNCATED);
	REFUSE("P4 9 2\n123", XC_ERR_TRUNCATED);
	REFUSE(PAM(1, 1, 5, 255, "ENDHDR\n12345"), XC_ERR_UNSUPPORTED);
	REFUSE(PAM(1, 1, 3, 255, "TUPLTYPE CMYK\nENDHDR\n123"), XC_ERR_UNSUPPORTED);
	REFUSE(PAM(1, 1, 3, 255, "TUPLTYPE RGB_ALPHA\nENDHDR\n123"), XC_ERR_CORRUPT);
	REFUSE(PAM(1, 1, 3, 255, "TUPLTYPE RGB\nTUPLTYPE RGB\nENDHDR\n123"), XC_ERR_UNSUPPORTED);
	REFUSE(PAM(0, 1, 3, 255, "ENDHDR\n123"), XC_ERR_CORRUPT);
	REFUSE(PAM(1, 1x, 3, 255, "ENDHDR\n123"), XC_ERR_CORRUPT);
	REFUSE(PAM(1, 1, 3, 65536, "ENDHDR\n123456"), XC_ERR_CORRUPT);
	REFUSE(PAM(1, 1, 3, 255, "COLOUR 1\nENDHDR\n123"), XC_ERR_CORRUPT);
	REFUSE(PAM(1, 1, 3, 255, "ENDHDR\n12"), XC_ERR_TRUNCATED);
	REFUSE(PAM(1, 1, 3, 255, "ENDHDR"), XC_ERR_TRUNCATED);
	REFUSE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\n1", XC_ERR_CORRUPT);
}

/* Refused before 3.6 GB of memory are asked for. */
static void plain_bomb(void)
{
	static const char *const files[] = {"P2 60000 60000 255 1 2 3", "P1 60000 60000 101"};

	for (size_t i = 0; i < 2; i++) {
		xc_check_refused(files[i], strlen(files[i]), XC_ERR_TRUNCATED, files[i]);
		CHECK(strstr(message, "too short"), "%s", message);
	}
}

static void limits(void)
{
	static const char file[] = "P5 30 4 "
							   "255\n0123456789012345678901234567890123456789012345678901234567"
							   "89012345678901234567890123456789012345678901234567890123456789";

	xc_check_limits(file, sizeof file, 120, 120);
}

/* ---- writing and reading back */

static void round_trips(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++)
		xc_check_round_trips(XC_FILE_PAM, channels, -1);
	xc_check_round_trips(XC_FILE_PGM, 1, -1);
	xc_check_round_trips(XC_FILE_PPM, 3, -1);
}

static void check_unwritable(xc_file_format format, xc_picture picture, xc_status want)
{
	OWN_MEMORY uint8_t *data = NULL;
	size_t size = 1;
	xc_status status = xc_file_write(format, &picture, NULL, -1, NULL, &data, &size, message);

	CHECK(status == want && !data && !size && message[0], "%s: %d %s", xc_file_format_name(format),
	      status, message);
}

static void unwritable(void)
{
	OWN_PICTURE picture = xc_sample_picture(2, 2, 4, 16, 0, 1);

	for (uint32_t channels = 1; channels <= 4; channels++) {
		picture.channels = channels;
		if (channels != 1)
			check_unwritable(XC_FILE_PGM, picture, XC_ERR_UNSUPPORTED);
		if (channels != 3)
			check_unwritable(XC_FILE_PPM, picture, XC_ERR_UNSUPPORTED);
		check_unwritable(XC_FILE_BMP, picture, XC_ERR_UNSUPPORTED);
		check_unwritable(XC_FILE_JPEG, picture, XC_ERR_UNSUPPORTED);
		if (channels % 2 == 0)
			check_unwritable(XC_FILE_PNM, picture, XC_ERR_UNSUPPORTED);
		check_unwritable(XC_FILE_PFM, picture, XC_ERR_UNSUPPORTED);
		check_unwritable(XC_FILE_XC, picture, XC_ERR_UNSUPPORTED);
		check_unwritable(XC_FILE_UNKNOWN, picture, XC_ERR_UNSUPPORTED);
	}
	static const xc_picture wrong[] = {
		{.width = 0, .height = 2, .channels = 1, .depth = 8, .stride = 8},
		{.width = 2, .height = 0, .channels = 1, .depth = 8, .stride = 8},
		{.width = 2, .height = 2, .channels = 0, .depth = 8, .stride = 8},
		{.width = 2, .height = 2, .channels = 5, .depth = 8, .stride = 16},
		{.width = 2, .height = 2, .channels = 1, .depth = 12, .stride = 8},
		{.width = 2, .height = 2, .channels = 3, .depth = 8, .stride = 5},
		{.width = 2, .height = 2, .channels = 1, .depth = 16, .stride = 5},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		xc_picture bad = wrong[i];
		bad.data = picture.data;
		check_unwritable(XC_FILE_PNG, bad, XC_ERR_ARGUMENT);
		check_unwritable(XC_FILE_PAM, bad, XC_ERR_ARGUMENT);
	}
}

static void exact_bytes(void)
{
	uint16_t grey[2] = {0x1234, 0xfffe};
	xc_picture picture = {2, 1, 1, 16, 4, grey};
	static const char pgm[] = "P5\n2 1\n65535\n\x12\x34\xff\xfe";
	uint8_t *data;
	size_t size;

	REQUIRE(!xc_file_write(XC_FILE_PGM, &picture, NULL, -1, NULL, &data, &size, message), "%s",
	        message);
	CHECK(size == sizeof pgm - 1 && memcmp(data, pgm, size) == 0, "%zu bytes", size);
	free(data);
}

/* ---- for tests/command/formats.sh */

/* Whether a step was done; prints why not. */
static int done(int good, const char *path, const char *why)
{
	if (!good)
		fprintf(stderr, "%s: %s\n", path, why);
	return good;
}

static int convert(const char *in, const char *out)
{
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE read = {0};
	int good = done(xc_test_read(in, &read, message), in, message) &&
	           done(!xc_file_write(xc_file_format_by_path(out), &read.picture, &read.metadata, -1,
	                               NULL, &file.data, &file.size, message),
	                out, message);

	if (good) {
		FILE *to = fopen(out, "wb");
		const int written = to && fwrite(file.data, 1, file.size, to) == file.size;
		good = done((!to || !fclose(to)) && written, out, "cannot be written");
	}
	return !good;
}

/* Channel c of red, green, blue, alpha on the scale of 16 bits. */
static uint32_t colour_at(const xc_picture *p, uint32_t x, uint32_t y, uint32_t c)
{
	uint32_t alpha = p->channels % 2 == 0, colours = p->channels - alpha;

	if (c == 3 && !alpha)
		return 65535;
	c = c == 3 ? colours : c < colours ? c : 0;
	return xc_sample_at(p, x, y, c) * (p->depth == 8 ? 257 : 1);
}

static int same_colours(const xc_picture *a, const xc_picture *b)
{
	if (a->width != b->width || a->height != b->height)
		return 0;
	for (uint32_t y = 0; y < a->height; y++)
		for (uint32_t x = 0; x < a->width; x++)
			for (uint32_t c = 0; c < 4; c++)
				if (colour_at(a, x, y, c) != colour_at(b, x, y, c))
					return 0;
	return 1;
}

static int compare(const char *a, const char *b)
{
	OWN_FILE_PICTURE first = {0}, second = {0};
	const int good = done(xc_test_read(a, &first, message), a, message) &&
	                 done(xc_test_read(b, &second, message), b, message) &&
	                 done(same_colours(&first.picture, &second.picture), b, "is another picture");

	return !good;
}

/* Colour profile, EXIF, XMP and density in PNG files, both ways. */

enum { RGB = 2 };

static int blob_is(const xc_blob *blob, const void *data, size_t size)
{
	return blob->size == size && memcmp(blob->data, data, size) == 0;
}

static void metadata_round_trips(void)
{
	static uint8_t icc[100000];
	uint64_t seed = 9;

	for (size_t i = 0; i < sizeof icc; i++)
		icc[i] = (uint8_t)(i % 3 ? i / 7 : check_random(&seed));
	static const char exif[] = "II*\0\10\0\0\0 and so on";
	static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>\xc3\xa9</x:xmpmeta>";
	const xc_metadata cases[] = {
		{.density_x = 2835, .density_y = 2835, .density_unit = 1},
		{.density_x = 4, .density_y = 3, .density_unit = 0},
		{.icc = {icc, sizeof icc}},
		{.icc = {icc, 1}},
		{.exif = {exif, sizeof exif}},
		{.xmp = {xmp, sizeof xmp - 1}},
		{.icc = {icc + 5, 999},
	     .exif = {"MM\0*", 4},
	     .xmp = {xmp, 7},
	     .density_x = 1,
	     .density_y = 0xffffffff,
	     .density_unit = 1},
		{.cicp = {12, 13, 0, 1}},
		{.gamma = 100000},
		{.significant_bits = {5, 6, 5, 1}},
		{.text = {"Title\0one\0Title\0\xc3\xa9\xe2\x82\xac\0K\xc3\xa9y\0\0", 28}},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		for (uint32_t channels = 1; channels <= 4; channels++) {
			OWN_PICTURE picture = xc_sample_picture(5, 4, channels, 8, 0, 3);
			xc_metadata metadata = cases[i];
			for (uint32_t c = channels; c < 4; c++)
				metadata.significant_bits[c] = 0;
			xc_check_round_trip(XC_FILE_PNG, &picture, &metadata, -1);
		}
}

/* A profile for colour has no place in a grey picture: it goes, with a warning. */
static void profile_of_other_colour_space(void)
{
	char icc[128] = {0};
	xc_metadata metadata = {.icc = {icc, sizeof icc}};

	for (uint32_t channels = 1; channels <= 4; channels++) {
		OWN_PICTURE picture = xc_sample_picture(2, 2, channels, 8, 0, 3);
		memcpy(icc + 16, channels < 3 ? "RGB " : "GRAY", 4);
		OWN_BYTES file = {0};
		OWN_FILE_PICTURE read = {0};
		xc_status status = xc_file_write(XC_FILE_PNG, &picture, &metadata, -1, NULL, &file.data,
		                                 &file.size, message);
		CHECK(status == XC_OK && message[0], "no warning: %d", status);
		CHECK(xc_read_made(file.data, file.size, &read) == XC_OK, "%s", message);
		xc_check_metadata(&read.metadata, NULL);
	}
}

/* Reads a file with these chunks between IHDR and the pixels, then frees them. */
static xc_status read_limited(xc_bytes *chunks, uint64_t max_memory, xc_file_picture *read)
{
	xc_sample_png png = {.width = 3, .height = 2, .type = RGB, .bits = 8};
	OWN_BYTES file = {0};

	xc_sample_png_fill(&png, 77);
	xc_sample_png_header(&file, &png);
	xc_bytes_add(&file, chunks->data, chunks->size);
	xc_sample_png_body(&file, &png);
	const xc_file_limits limits = {.max_memory = max_memory};
	const xc_status status = xc_file_read(file.data, file.size, &limits, NULL, read, message);
	free(png.samples);
	xc_bytes_free(chunks);
	return status;
}

static void read_with(xc_bytes *chunks, xc_file_picture *read)
{
	const xc_status status = read_limited(chunks, 0, read);
	CHECK(status == XC_OK && read->picture.data, "%d %s", status, message);
}

static void add_packed(xc_bytes *to, const void *data, size_t size)
{
	uLongf packed_size = compressBound((uLong)size);
	OWN_MEMORY uint8_t *packed = xc_test_malloc(packed_size);

	if (compress(packed, &packed_size, data, (uLong)size) != Z_OK)
		abort();
	xc_bytes_add(to, packed, packed_size);
}

static void compressed_xmp(void)
{
	static const char text[] = "<x:xmpmeta>compressed</x:xmpmeta>";
	xc_bytes body = {0}, chunks = {0};
	OWN_FILE_PICTURE read = {0};

	xc_bytes_add(&body, "XML:com.adobe.xmp\0\1\0en\0\0", 24);
	/* "en" is a language, then an empty translated keyword. */
	add_packed(&body, text, sizeof text - 1);
	xc_sample_png_chunk(&chunks, "iTXt", "Comment\0\0\0\0\0not this", 20);
	xc_sample_png_chunk(&chunks, "iTXt", body.data, body.size);
	xc_sample_png_chunk(&chunks, "tEXt", "Comment\0nor this", 16);
	xc_sample_png_chunk(&chunks, "gAMA", "\0\0\xb1\x8f", 4);
	read_with(&chunks, &read);
	CHECK(blob_is(&read.metadata.xmp, text, sizeof text - 1), "%zu bytes", read.metadata.xmp.size);
	CHECK(!message[0], "%s", message);
	xc_bytes_free(&body);
}

/* What JPEG puts before EXIF is taken off; of two blocks the first counts. */
static void exif_with_mark(void)
{
	xc_bytes chunks = {0};
	OWN_FILE_PICTURE read = {0};

	xc_sample_png_chunk(&chunks, "eXIf", "Exif\0\0MM\0*\0\0", 12);
	xc_sample_png_chunk(&chunks, "eXIf", "II*\0", 4);
	read_with(&chunks, &read);
	CHECK(blob_is(&read.metadata.exif, "MM\0*\0\0", 6), "%zu bytes", read.metadata.exif.size);
}

static void check_left_out(const char *type, const void *data, size_t size, int bad_checksum)
{
	xc_bytes chunks = {0};
	OWN_FILE_PICTURE read = {0};

	xc_sample_png_chunk(&chunks, type, data, size);
	if (bad_checksum)
		chunks.data[chunks.size - 1] ^= 1;
	read_with(&chunks, &read);
	xc_check_metadata(&read.metadata, NULL);
	CHECK(message[0], "%s of %zu bytes went without a warning", type, size);
}

/* A chunk that ends too early must not be read on into its checksum.  Some of 2000
 * checksums begin with the byte that is wanted next. */
static void cut_short(void)
{
	char text[16];

	for (int i = 0; i < 2000; i++) {
		int n = snprintf(text, sizeof text, "name %d", i);
		check_left_out("iCCP", text, (size_t)n + 1, 0);
	}
}

/* The pixels are read without the metadata, and a warning says so. */
static void damaged_metadata(void)
{
	check_left_out("eXIf", "MM\0*1234", 8, 1);
	check_left_out("eXIf", "not EXIF", 8, 0);
	check_left_out("eXIf", "", 0, 0);
	check_left_out("eXIf", "MM", 2, 0);
	check_left_out("eXIf", "MM*\0abcd", 8, 0);
	check_left_out("gAMA", "\0\0\xb1\x8f", 4, 1);
	check_left_out("gAMA", "\0\0\xb1\x8f\0", 5, 0);
	check_left_out("gAMA", "\0\0\xb1", 3, 0);
	check_left_out("cHRM", "\0\0\x7a\x26", 4, 0);
	check_left_out("iCCP", "a\0\1\x78\x9c\x4b\4\0\0\x62\0\x62", 12, 0);
	check_left_out("pHYs", "\0\0\0\1\0\0\0\1\1", 9, 1);
	check_left_out("pHYs", "\0\0\0\1\0\0\0\1\2", 9, 0);
	check_left_out("pHYs", "\0\0\0\1\0\0\0\0\1", 9, 0);
	check_left_out("pHYs", "\0\0\0\1\0\0\0\1", 8, 0);
	check_left_out("pHYs", "\0\0\0\1\0\0\0\1\1\1", 10, 0);
	check_left_out("iCCP", "name without end", 16, 0);
	check_left_out("iCCP", "name\0", 5, 0);
	check_left_out("iCCP", "name\0\1abc", 9, 0);
	check_left_out("iCCP", "name\0\0not deflate", 17, 0);
	check_left_out("iTXt", "XML:com.adobe.xmp\0", 18, 0);
	check_left_out("iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x>\xe9", 26, 0);
	check_left_out("iTXt", "XML:com.adobe.xmp\0\2\0\0\0text", 26, 0);
	check_left_out("iTXt", "XML:com.adobe.xmp\0\1\0\0\0text", 26, 0);
	check_left_out("iTXt", "XML:com.adobe.xmp\0\0\0language", 28, 0);
}

/* One chunk of n numbers of 32 bits. */
static void add_numbers(xc_bytes *to, const char *type, const uint32_t *numbers, size_t n)
{
	OWN_BYTES body = {0};

	for (size_t i = 0; i < n; i++)
		xc_bytes_add_be32(&body, numbers[i]);
	xc_sample_png_chunk(to, type, body.data, body.size);
}

/* Reads a PNG with gAMA (0: without) and cHRM (NULL: without), and before them a chunk of
 * the type `other`, if that is not NULL. Both must be kept or left out, as `kept` says,
 * without a warning. */
static void read_colour(uint32_t gamma, const uint32_t *primaries, const char *other, int kept)
{
	static const uint32_t none[8];
	xc_bytes chunks = {0};
	OWN_FILE_PICTURE read = {0};

	if (other)
		xc_sample_png_chunk(&chunks, other, "\0", 1);
	if (gamma)
		add_numbers(&chunks, "gAMA", &gamma, 1);
	if (primaries)
		add_numbers(&chunks, "cHRM", primaries, 8);
	read_with(&chunks, &read);
	const xc_metadata *m = &read.metadata;
	CHECK(m->gamma == (kept ? gamma : 0), "gamma %u becomes %u", gamma, m->gamma);
	CHECK(!memcmp(m->primaries, kept && primaries ? primaries : none, sizeof none),
	      "gamma %u, primaries from %u on", gamma, m->primaries[0]);
	CHECK(!message[0], "gamma %u: %s", gamma, message);
}

/* Gamma and primaries are kept unless they are those of sRGB. */
static void gamma_and_primaries(void)
{
	static const uint32_t srgb[8] = {31272, 32903, 64000, 33000, 30000, 60000, 15000, 6000};
	static const uint32_t adobe[8] = {31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000};
	static const uint32_t far[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 0xffffffff};
	static const uint32_t near[] = {43183, 45000, 45455, 47727};
	static const uint32_t other[] = {1, 35000, 43182, 47728, 100000, 0xffffffff};

	for (size_t i = 0; i < COUNT(near); i++) {
		read_colour(near[i], srgb, NULL, 0);
		read_colour(near[i], adobe, NULL, 1);
	}
	for (size_t i = 0; i < COUNT(other); i++) {
		read_colour(other[i], NULL, NULL, 1);
		read_colour(other[i], srgb, NULL, 1);
		read_colour(other[i], adobe, "sRGB", 0);
	}
	read_colour(0, far, NULL, 1);
	read_colour(0, srgb, NULL, 0);
}

/* sBIT counts if a channel has fewer bits than the samples; the made picture is RGB. */
static void significant_bits(void)
{
	static const struct {
		const char *bits;
		size_t size;
		int kept, good;
	} cases[] = {{"\5\6\5", 3, 1, 1}, {"\10\10\7", 3, 1, 1}, {"\10\10\10", 3, 0, 1},
	             {"\5\6", 2, 0, 0},   {"\5\6\0", 3, 0, 0},   {"\5\6\11", 3, 0, 0},
	             {"", 0, 0, 0},       {"\5\5\5\5", 4, 0, 0}, {"\5\5\5\5\5", 5, 0, 0}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t wanted[4] = {0};
		xc_bytes chunks = {0};
		OWN_FILE_PICTURE read = {0};
		xc_sample_png_chunk(&chunks, "sBIT", cases[i].bits, cases[i].size);
		if (cases[i].kept)
			memcpy(wanted, cases[i].bits, cases[i].size);
		read_with(&chunks, &read);
		CHECK(!memcmp(read.metadata.significant_bits, wanted, 4), "case %zu", i);
		CHECK((message[0] == 0) == cases[i].good, "case %zu: '%s'", i, message);
	}
}

static void coding_independent_code_points(void)
{
	xc_bytes chunks = {0};
	xc_file_picture read;

	xc_sample_png_chunk(&chunks, "cICP", "\11\20\0\1", 4);
	read_with(&chunks, &read);
	CHECK(!memcmp(read.metadata.cicp, "\11\20\0\1", 4) && !message[0], "%s", message);
	xc_file_picture_free(&read);
	check_left_out("cICP", "\11\20\0", 3, 0);
	check_left_out("cICP", "\11\20\11\1", 4, 0);
	check_left_out("cICP", "\11\20\0\2", 4, 0);
	check_left_out("cICP", "\0\0\0\0", 4, 0);
	check_left_out("cICP", "\11\20\0\1", 4, 1);
}

/* Text in all its forms becomes pairs of UTF-8. */
static void texts(void)
{
	static const char want[] = "Title\0plain \xc3\xa9\0Comment\0packed\0Author\0\xe2\x82\xac\0"
							   "Source\0packed \xe2\x82\xac\0empty\0";
	xc_bytes body = {0}, chunks = {0};
	OWN_FILE_PICTURE read = {0};

	xc_sample_png_chunk(&chunks, "tEXt", "Title\0plain \xe9", 13);
	xc_bytes_add(&body, "Comment\0\0", 9);
	add_packed(&body, "packed", 6);
	xc_sample_png_chunk(&chunks, "zTXt", body.data, body.size);
	xc_sample_png_chunk(&chunks, "iTXt", "Author\0\0\0de\0Verfasser\0\xe2\x82\xac", 25);
	body.size = 0;
	xc_bytes_add(&body, "Source\0\1\0\0\0", 11);
	add_packed(&body, "packed \xe2\x82\xac", 10);
	xc_sample_png_chunk(&chunks, "iTXt", body.data, body.size);
	xc_sample_png_chunk(&chunks, "tEXt", "empty\0", 6);
	read_with(&chunks, &read);
	CHECK(!message[0], "%s", message);
	CHECK(blob_is(&read.metadata.text, want, sizeof want), "%zu bytes", read.metadata.text.size);
	xc_bytes_free(&body);
}

static void damaged_texts(void)
{
	check_left_out("tEXt", "Title\0plain", 11, 1);
	check_left_out("tEXt", "no value", 8, 0);
	check_left_out("tEXt", "\0no key", 7, 0);
	check_left_out("tEXt", "Title\0zero\0byte", 15, 0);
	check_left_out("zTXt", "Title\0\0not deflate", 18, 0);
	check_left_out("zTXt", "Title\0\1", 7, 0);
	check_left_out("zTXt", "Title\0", 6, 0);
	check_left_out("iTXt", "Title\0\0\0\0\0not \xff UTF-8", 20, 0);
	check_left_out("iTXt", "Title\0\0\0\0\0\xed\xa0\x80", 13, 0);
	check_left_out("iTXt", "Title\0\0\0\0\0\xc0\x80", 12, 0);
	check_left_out("iTXt", "Title\0\0\0\0\0\xf4\x90\x80\x80", 14, 0);
	check_left_out("iTXt", "Title\0\0\0\0\0\xe2\x82", 12, 0);
	check_left_out("iTXt", "Title\0\0\0", 8, 0);
	check_left_out("iTXt", "Title\0\2\0\0\0", 10, 0);
}

static void animation(void)
{
	xc_bytes chunks = {0};
	OWN_FILE_PICTURE read = {0};

	xc_sample_png_chunk(&chunks, "acTL", "\0\0\0\2\0\0\0\0", 8);
	read_with(&chunks, &read);
	CHECK(strstr(message, "animated"), "'%s'", message);
}

/* A profile replaces both, so that nothing is lost. */
static void colour_beside_a_profile(void)
{
	static const uint32_t gamma = 100000;
	xc_bytes body = {0}, chunks = {0};
	OWN_FILE_PICTURE read = {0};

	xc_bytes_add(&body, "name\0\0", 6);
	add_packed(&body, "profile", 7);
	add_numbers(&chunks, "gAMA", &gamma, 1);
	xc_sample_png_chunk(&chunks, "iCCP", body.data, body.size);
	read_with(&chunks, &read);
	CHECK(blob_is(&read.metadata.icc, "profile", 7), "%zu bytes", read.metadata.icc.size);
	CHECK(!message[0], "%s", message);
	xc_bytes_free(&body);
}

/* 65 MiB of zeros in 65 KiB: over the limit of one block, and of a caller's. */
static void metadata_bomb(void)
{
	enum { SIZE = 65 << 20 };
	uint8_t *zeros = calloc(1, SIZE);
	xc_bytes body = {0}, chunks = {0};

	REQUIRE(zeros, "out of memory");
	xc_bytes_add(&body, "bomb\0\0", 6);
	add_packed(&body, zeros, SIZE);
	free(zeros);
	check_left_out("iCCP", body.data, body.size, 0);
	xc_sample_png_chunk(&chunks, "iCCP", body.data, body.size);
	xc_file_picture read;
	const xc_status status = read_limited(&chunks, 1 << 20, &read);
	CHECK(status == XC_ERR_LIMIT && !read.picture.data && message[0], "%d %s", status, message);
	xc_bytes_free(&body);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--compare") == 0)
		return compare(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "--convert") == 0)
		return convert(argv[2], argv[3]);
	RUN(names, detection, pnm_files, pam_files, refused, plain_bomb, limits, round_trips,
	    unwritable, exact_bytes);
	RUN(metadata_round_trips, profile_of_other_colour_space, compressed_xmp, exif_with_mark,
	    damaged_metadata, cut_short, gamma_and_primaries, significant_bits,
	    coding_independent_code_points, texts, damaged_texts, animation, colour_beside_a_profile,
	    metadata_bomb);
	return check_done();
}
