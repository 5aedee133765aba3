/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour profile, EXIF, XMP, text, density and colour in PNG files, both ways; what XC files, and files that are written,
 * have no place for. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/support/format_samples.h"
#include "tests/support/test_pictures.h"

static char *const message = xc_format_message;

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
	     .density_y = 0x7fffffff,
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
 * the type `other`, if that is not NULL. Both must be kept without a warning. A PNM has no place for them, which is
 * told if they matter. */
static void read_colour(uint32_t gamma, const uint32_t *primaries, const char *other, int matter)
{
	static const uint32_t none[8];
	xc_bytes chunks = {0};
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE read = {0};

	if (other)
		xc_sample_png_chunk(&chunks, other, "\0", 1);
	if (gamma)
		add_numbers(&chunks, "gAMA", &gamma, 1);
	if (primaries)
		add_numbers(&chunks, "cHRM", primaries, 8);
	read_with(&chunks, &read);
	const xc_metadata *m = &read.metadata;
	CHECK(m->gamma == gamma, "gamma %u becomes %u", gamma, m->gamma);
	CHECK(!memcmp(m->primaries, primaries ? primaries : none, sizeof none),
	      "gamma %u, primaries from %u on", gamma, m->primaries[0]);
	CHECK(!message[0], "gamma %u: %s", gamma, message);
	CHECK(!xc_file_write(XC_FILE_PPM, &read.picture, m, -1, NULL, &file.data, &file.size,
	                     message) &&
	          !strstr(message, "gamma and primaries") == !matter,
	      "gamma %u: '%s'", gamma, message);
}

/* Gamma and primaries matter unless they are those of sRGB, or sRGB counts. */
static void gamma_and_primaries(void)
{
	static const uint32_t srgb[8] = {31272, 32903, 64000, 33000, 30000, 60000, 15000, 6000};
	static const uint32_t adobe[8] = {31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000};
	static const uint32_t far[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 0x7fffffff};
	static const uint32_t near[] = {43183, 45000, 45455, 47727};
	static const uint32_t other[] = {1, 35000, 43182, 47728, 100000, 0x7fffffff};

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

/* sBIT is kept unless it is damaged; the made picture is RGB. */
static void significant_bits(void)
{
	static const struct {
		const char *bits;
		size_t size;
		int kept, good;
	} cases[] = {{"\5\6\5", 3, 1, 1}, {"\10\10\7", 3, 1, 1}, {"\10\10\10", 3, 1, 1},
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

static int has_chunk(const xc_bytes *file, const char *type)
{
	for (size_t i = 0; i + 4 <= file->size; i++)
		if (memcmp(file->data + i, type, 4) == 0)
			return 1;
	return 0;
}

/* sRGB becomes CICP where neither that nor a profile counts before it, and is sRGB again. */
static void srgb(void)
{
	static const char *const before[] = {"", "cICP", "iCCP"};

	for (size_t i = 0; i < COUNT(before); i++) {
		xc_bytes chunks = {0}, body = {0};
		OWN_FILE_PICTURE read = {0};
		OWN_FILE_PICTURE again = {0};
		OWN_BYTES file = {0};
		if (i == 1)
			xc_sample_png_chunk(&chunks, "cICP", "\11\20\0\1", 4);
		xc_bytes_add(&body, "x\0\0", 3);
		add_packed(&body, "profile", 7);
		xc_sample_png_chunk(&chunks, "sRGB", "\1", 1);
		if (i == 2)
			xc_sample_png_chunk(&chunks, "iCCP", body.data, body.size);
		read_with(&chunks, &read);
		CHECK(!memcmp(read.metadata.cicp,
		              i == 0   ? "\1\15\0\1"
		              : i == 1 ? "\11\20\0\1"
		                       : "\0\0\0",
		              4),
		      "%s: %u", before[i], read.metadata.cicp[0]);
		CHECK(strstr(message, "for the intent of sRGB: left out") != NULL, "%s", message);
		CHECK(!xc_file_write(XC_FILE_PNG, &read.picture, &read.metadata, -1, NULL, &file.data,
		                     &file.size, message) &&
		          !message[0],
		      "%s", message);
		CHECK(has_chunk(&file, "sRGB") == (i == 0) && has_chunk(&file, "cICP") == (i == 1), "%s",
		      before[i]);
		CHECK(xc_read_made(file.data, file.size, &again) == XC_OK && !message[0], "%s", message);
		xc_check_metadata(&again.metadata, &read.metadata);
		xc_bytes_free(&body);
	}
	check_left_out("sRGB", "\4", 1, 0);
	check_left_out("sRGB", "\0\0", 2, 0);
}

/* Chunks that no XC file has a place for are named, each kind once. */
static void chunks_without_place(void)
{
	static const char words[] = "an XC file has no place for a second eXIf, tIME, prVt, PLTE, 6 "
								"bytes after the picture: left out";
	xc_bytes chunks = {0};
	OWN_BYTES file = {0};
	OWN_FILE_PICTURE read = {0};
	xc_sample_png png = {.width = 3, .height = 2, .type = RGB, .bits = 8};

	for (int i = 0; i < 2; i++)
		xc_sample_png_chunk(&chunks, "eXIf", "MM\0*", 4);
	xc_sample_png_chunk(&chunks, "tIME", "\7\352\1\1\1\1\1", 7);
	for (int i = 0; i < 2; i++)
		xc_sample_png_chunk(&chunks, "prVt", "private", 7);
	xc_sample_png_chunk(&chunks, "PLTE", "rgbRGB", 6);
	xc_sample_png_fill(&png, 77);
	xc_sample_png_header(&file, &png);
	xc_bytes_add(&file, chunks.data, chunks.size);
	xc_sample_png_body(&file, &png);
	xc_bytes_add(&file, "behind", 6);
	xc_file_limits limits = {.pixels_alone = 1};
	CHECK(!xc_file_read(file.data, file.size, NULL, NULL, &read, message), "%s", message);
	CHECK(!strcmp(message, words), "%s", message);
	xc_file_picture_free(&read);
	CHECK(!xc_file_read(file.data, file.size, &limits, NULL, &read, message), "%s", message);
	CHECK(!message[0], "of pixels alone: %s", message);
	free(png.samples);
	xc_bytes_free(&chunks);
}

/* A file names what it has no place for, but not what is usual where nothing is said. */
static void metadata_without_place(void)
{
	static const xc_metadata all = {.icc = {"profile", 7},
	                                .exif = {"MM\0*", 4},
	                                .xmp = {"<x/>", 4},
	                                .iptc = {"iptc", 4},
	                                .text = {"Comment\0one\0Title\0two", 22},
	                                .cicp = {12, 13, 0, 1},
	                                .gamma = 100000,
	                                .significant_bits = {5, 6, 5},
	                                .density_x = 1,
	                                .density_y = 2};
	static const xc_metadata usual = {.text = {"Comment\0one", 12},
	                                  .cicp = {1, 13, 0, 1},
	                                  .gamma = 45455};
	static const struct {
		xc_file_format format;
		const char *all, *usual;
	} cases[] =
		{{XC_FILE_PPM,
	      "a PNM has no place for the colour profile, CICP, EXIF, XMP, IPTC, text, the pixels' "
	      "aspect ratio, significant bits: left out",
	      "a PNM has no place for text: left out"},
	     {XC_FILE_PAM,
	      "a PAM has no place for the colour profile, CICP, EXIF, XMP, IPTC, text, the pixels' "
	      "aspect ratio, significant bits: left out",
	      "a PAM has no place for text: left out"},
	     {XC_FILE_BMP,
	      "a BMP has no place for CICP, EXIF, XMP, IPTC, text, the pixels' aspect ratio, "
	      "significant bits: left out",
	      "a BMP has no place for text: left out"},
	     {XC_FILE_PNG, "a PNG has no place for IPTC: left out", ""},
	     {XC_FILE_JPEG,
	      "a JPEG has no place for CICP, text but comments, significant bits: left out", ""}};
	OWN_PICTURE picture = xc_sample_picture(5, 4, 3, 8, 0, 3);

	for (size_t i = 0; i < COUNT(cases); i++)
		for (int k = 0; k < 2; k++) {
			OWN_BYTES file = {0};
			const xc_status s = xc_file_write(cases[i].format, &picture, k ? &usual : &all, -1,
			                                  NULL, &file.data, &file.size, message);
			if (xc_format_of(cases[i].format)->writer)
				CHECK(!s && !strcmp(message, k ? cases[i].usual : cases[i].all), "%d: %s", s,
				      message);
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
	CHECK(!strcmp(message, "an XC file has no place for the language of text: left out"), "%s",
	      message);
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

int main(void)
{
	RUN(metadata_round_trips, profile_of_other_colour_space, compressed_xmp, exif_with_mark,
	    damaged_metadata, cut_short, gamma_and_primaries, significant_bits, srgb,
	    chunks_without_place, metadata_without_place, coding_independent_code_points, texts,
	    damaged_texts, animation, colour_beside_a_profile, metadata_bomb);
	return check_done();
}
