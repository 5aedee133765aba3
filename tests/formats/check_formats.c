/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which format is which, PNM and PAM, and the limits.
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
		{"\xff\xd8", XC_FILE_JPEG}, /* a marker may come after bytes that are none */
		{"\xff\xd7", XC_FILE_UNKNOWN},
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

	REQUIRE(status == XC_OK && !message[0] == !(strchr(file, '#') || strstr(file, " and ")),
	        "%.20s: %d %s", file, status, message);
	xc_check_samples(&read.picture, shape.width, shape.height, shape.channels, shape.depth, wanted,
	                 &s);
}

/* The file must be a picture of w x h pixels with c channels of d bits, and these samples. Comments, and more after the
 * samples, are told. */
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

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--compare") == 0)
		return compare(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "--convert") == 0)
		return convert(argv[2], argv[3]);
	RUN(names, detection, pnm_files, pam_files, refused, plain_bomb, limits, round_trips,
	    unwritable, exact_bytes);
	return check_done();
}
