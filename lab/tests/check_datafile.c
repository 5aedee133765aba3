/* SPDX-License-Identifier: BSD-2-Clause */
/* Text data files of the 2006 program: there and back, and what is refused. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "lab/datafile.h"

static void start(xc_data_reader *reader, const char *text)
{
	xc_data_reader_start(reader, text, strlen(text));
}

/* A file as the 2006 program's `generate` lays it out: two sets, one element
 * after the other, lines that end as they like. */
static void two_sets(void)
{
	static const char text[] = "!dct:2:3:32\n1 2.5 -3\n4e2 .5 6.\n"
							   "!lot:1:2:128\r\n  0.1\t-1e-3  ";
	xc_data_reader reader;
	xc_data_set set;

	start(&reader, text);
	REQUIRE(xc_data_read(&reader, 0, &set) == 1, "%s", reader.message);
	static const float wanted[] = {1, 2.5f, -3, 400, .5f, 6};
	CHECK(set.kind == XC_DATA_DCT && set.rows == 2 && set.cols == 3 && set.precision == XCT_FLOAT32,
	      "%zu x %zu", set.rows, set.cols);
	CHECK(!memcmp(set.samples, wanted, sizeof wanted), "other samples");
	xc_data_set_free(&set);
	REQUIRE(xc_data_read(&reader, 0, &set) == 1, "%s", reader.message);
	CHECK(set.kind == XC_DATA_LOT && set.rows == 1 && set.cols == 2 &&
	          set.precision == XCT_LONG_DOUBLE,
	      "%zu x %zu", set.rows, set.cols);
	CHECK(((long double *)set.samples)[0] == 0.1L && ((long double *)set.samples)[1] == -1e-3L,
	      "other samples");
	xc_data_set_free(&set);
	CHECK(xc_data_read(&reader, 0, &set) == 0, "a third set");
}

static void fill(xc_data_set *set, uint64_t *state)
{
	for (size_t i = 0; i < set->rows * set->cols; i++) {
		const int64_t bits = (int64_t)check_random(state);
		const int exponent = (int)(check_random(state) % 60) - 30;
		if (set->precision == XCT_INT16)
			((int16_t *)set->samples)[i] = (int16_t)bits;
		else if (set->precision == XCT_FLOAT32)
			((float *)set->samples)[i] = (float)bits * (exponent < 0 ? 1e-25f : 1e5f);
		else if (set->precision == XCT_FLOAT64)
			((double *)set->samples)[i] = (double)bits * (exponent < 0 ? 1e-290 : 1e200);
		else
			((long double *)set->samples)[i] = (long double)bits / (exponent + 0.5L);
	}
}

/* Every precision, several sets: the same bits come back, and the same text. */
static void round_trip(void)
{
	static const xct_precision precisions[] = {XCT_INT16, XCT_FLOAT32, XCT_FLOAT64,
	                                           XCT_LONG_DOUBLE};
	xc_data_writer writer = {.text = NULL}, again = {.text = NULL};
	xc_data_set sets[8], back;
	uint64_t state = 3;

	for (size_t i = 0; i < 8; i++) {
		sets[i] = (xc_data_set){(xc_data_kind)(i & 1),    1 + i * 5, 1 + i % 3 * 7,
		                        precisions[i % 4],        NULL,      i < 4 ? 0 : 1 + i * 4,
		                        i < 4 ? 0 : 1 + i % 3 * 6};
		sets[i].samples = calloc(sets[i].rows * sets[i].cols,
		                         xc_precision_bytes(sets[i].precision));
		fill(&sets[i], &state);
		CHECK(!xc_data_write(&writer, &sets[i]), "out of memory");
	}
	xc_data_reader reader;
	xc_data_reader_start(&reader, writer.text, writer.size);
	for (size_t i = 0; i < 8; i++) {
		REQUIRE(xc_data_read(&reader, 0, &back) == 1, "set %zu: %s", i, reader.message);
		int differ = back.kind != sets[i].kind || back.rows != sets[i].rows ||
		             back.cols != sets[i].cols || back.precision != sets[i].precision ||
		             back.array_rows != sets[i].array_rows || back.array_cols != sets[i].array_cols;
		CHECK(!differ, "set %zu has another header", i);
		/* Only 80 bits of an x87's long double mean something. */
		const size_t size = xc_precision_bytes(back.precision);
		const int x87 = back.precision == XCT_LONG_DOUBLE && LDBL_MANT_DIG == 64;
		for (size_t s = 0; !differ && s < back.rows * back.cols; s++)
			differ = memcmp((char *)back.samples + s * size, (char *)sets[i].samples + s * size,
			                x87 ? 10 : size);
		CHECK(!differ, "set %zu has other samples", i);
		CHECK(!xc_data_write(&again, &back), "out of memory");
		xc_data_set_free(&back);
		xc_data_set_free(&sets[i]);
	}
	CHECK(xc_data_read(&reader, 0, &back) == 0, "more than 8 sets");
	CHECK(again.size == writer.size && !memcmp(again.text, writer.text, writer.size),
	      "the text differs");
	free(again.text);
	free(writer.text);
}

/* Read as another precision than the file's own. */
static void converted(void)
{
	xc_data_reader reader;
	xc_data_set set;

	start(&reader, "!dct:1:4:32 1.4 -2.6 32767.4 -32768.4");
	REQUIRE(xc_data_read(&reader, XCT_INT16, &set) == 1, "%s", reader.message);
	static const int16_t wanted[] = {1, -3, 32767, -32768};
	CHECK(set.precision == XCT_INT16 && !memcmp(set.samples, wanted, sizeof wanted),
	      "other samples");
	xc_data_set_free(&set);
	start(&reader, "!dct:1:1:16 0.1");
	REQUIRE(xc_data_read(&reader, XCT_FLOAT64, &set) == 1, "%s", reader.message);
	CHECK(*(double *)set.samples == 0.1, "%g", *(double *)set.samples);
	xc_data_set_free(&set);
}

/* Every number of 16 bits, what lies between two of them, and a set of them. */
static void half(void)
{
	xc_data_writer writer = {.text = NULL};
	xc_data_reader reader;
	xc_data_set set;

	for (uint32_t h = 0; h < 0x10000; h++) {
		const float value = xc_half_to_float((uint16_t)h),
					next = xc_half_to_float((uint16_t)(h + 1));
		if ((h & 0x7fff) > 0x7c00)
			CHECK(isnan(value) && (xc_half_of(value) & 0x7fff) > 0x7c00, "%x", h);
		else
			CHECK(xc_half_of(value) == h, "%x becomes %x", h, xc_half_of(value));
		if ((h & 0x7fff) < 0x7bff)
			CHECK(xc_half_of((value + next) / 2) == h + (h & 1), "between %x and the next", h);
	}
	CHECK(xc_half_to_float(0x3555) == 0x1.554p-2f && xc_half_of(65520) == 0x7c00, "other values");
	start(&reader, "!dct:1:2:16 0.1 -2");
	REQUIRE(xc_data_read(&reader, XCT_FLOAT16, &set) == 1, "%s", reader.message);
	CHECK(((uint16_t *)set.samples)[0] == 0x2e66, "%x", ((uint16_t *)set.samples)[0]);
	CHECK(!xc_data_write(&writer, &set) && !strncmp(writer.text, "!dct:1:2:32\n0.0999", 17),
	      "%.20s", writer.text);
	free(writer.text);
	xc_data_set_free(&set);
	start(&reader, "!dct:1:1:32 65520");
	CHECK(xc_data_read(&reader, XCT_FLOAT16, &set) < 0, "too large");
}

static void refused(void)
{
	static const struct {
		const char *text, *message; /* the message's beginning */
	} bad[] = {
		{"1 2 3", "line 1: '1' where a set should start"},
		{"\n\n!xyz:1:1:32 1", "line 3: '!xyz:1:1:32' where a set should start"},
		{"!dct:1:1 1", "line 1: '!dct:1:1' is not !dct:N:M:precision"},
		{"!dct::1:32 1", "line 1: '!dct::1:32' is not"},
		{"!dct:1:1:32x 1", "line 1: '!dct:1:1:32x' is not"},
		{"!dct:-1:1:32 1", "line 1: '!dct:-1:1:32' is not"},
		{"!dct:1:1:33 1", "line 1: 33 bits"},
		{"!dct:1:1:32:1 1", "line 1: '!dct:1:1:32:1' is not"},
		{"!dct:1:1:32:2:1 1", "line 1: 1 x 1 are no coefficients of 2 x 1"},
		{"!dct:1:1:32:1:0 1", "line 1: 1 x 1 are no coefficients of 1 x 0"},
		{"!dct:0:4:32 1", "line 1: a set without numbers"},
		{"!dct:2:2:32\n1 2\n3", "line 1: the file is too short for 2 x 2 numbers"},
		{"!dct:2:2:32\n1 2\n3      ", "line 3: the file ends after 3 of 2 x 2 numbers"},
		{"!dct:2:2:32\n1 2\n3\n!dct:1:1:32 1", "line 4: the next set starts after 3"},
		{"!dct:1:1:32\n1\n2", "line 3: '2' where a set should start"},
		{"!dct:1:2:32\n1 two", "line 2: 'two' is not a number (row 0, column 1)"},
		{"!dct:2:1:32\n1\n0x10 ", "line 3: '0x10' is not a number (row 1, column 0)"},
		{"!dct:1:1:32\nnan", "line 2: 'nan' is not a number"},
		{"!dct:1:1:32\ninf", "line 2: 'inf' is not a number"},
		{"!dct:1:1:32\n1-1", "line 2: '1-1' is not a number"},
		{"!dct:1:1:32\n1e39", "line 2: '1e39' is too large for the precision"},
		{"!dct:1:1:64\n-1e309", "line 2: '-1e309' is too large for the precision"},
		{"!dct:1:1:16\n32768", "line 2: '32768' does not fit in 16 bits"},
		{"!dct:4294967296:4294967296:32 1", SIZE_MAX > UINT32_MAX
	                                            ? "line 1: the file is too short"
	                                            : "line 1: '!dct:4294967296:429...' is not"},
		{"!dct:99999999999999999999:1:32 1", "line 1: '!dct:99999999999999..."},
		{"!dct:1000000:1000000:128 1", "line 1: the file is too short"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		xc_data_reader reader;
		xc_data_set set;
		int found;
		start(&reader, bad[i].text);
		while ((found = xc_data_read(&reader, 0, &set)) > 0)
			xc_data_set_free(&set);
		CHECK(found == -1, "accepted: %s", bad[i].text);
		CHECK(!strncmp(reader.message, bad[i].message, strlen(bad[i].message)),
		      "said '%s' and not '%s'", reader.message, bad[i].message);
		CHECK(!set.samples, "left samples behind");
	}
}

/* A zero byte is neither white space nor the end of a number. */
static void zero_bytes(void)
{
	static const struct {
		const char *text;
		size_t size;
	} bad[] = {{"!dct:1:2:32\n1\0 2 ", 17},
	           {"!dct:1:2:32\n1\0x 2", 18},
	           {"!dct:1:2:32\0\n1 2 ", 17},
	           {"!dct:1:2:32\n1 2\0", 16}};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		xc_data_reader reader;
		xc_data_set set;
		xc_data_reader_start(&reader, bad[i].text, bad[i].size);
		CHECK(xc_data_read(&reader, 0, &set) == -1, "took text %zu", i);
		xc_data_set_free(&set);
	}
}

/* A word without end, bytes of any value, every truncation. */
static void hostile(void)
{
	static const char text[] = "!dct:3:3:64\n1 2 3\n4 5 6\n7 8 9\n!lot:2:1:16\n-7\n8\n";
	xc_data_reader reader;
	xc_data_set set;
	char *const copy = malloc(sizeof text), *const word = malloc(100000);

	memset(word, '1', 100000);
	memcpy(word, "!dct:1:1:32 ", 12);
	xc_data_reader_start(&reader, word, 100000);
	CHECK(xc_data_read(&reader, 0, &set) == -1, "took a number of 100000 digits");
	xc_data_reader_start(&reader, text, sizeof text - 1);
	reader.max = 9 * sizeof(double);
	CHECK(xc_data_read(&reader, 0, &set) == 1, "just enough memory: %s", reader.message);
	xc_data_set_free(&set);
	xc_data_reader_start(&reader, text, sizeof text - 1);
	reader.max = 9 * sizeof(double) - 1;
	CHECK(xc_data_read(&reader, 0, &set) == -1, "took more memory than allowed");
	CHECK(strstr(reader.message, "3 x 3 numbers do not fit into 71 bytes"), "said '%s'",
	      reader.message);
	for (size_t size = 0; size < sizeof text; size++) {
		/* Exactly so large, for the sanitizer to see any step beyond. */
		char *const exact = malloc(size ? size : 1);
		memcpy(exact, text, size);
		xc_data_reader_start(&reader, exact, size);
		while (xc_data_read(&reader, 0, &set) > 0)
			xc_data_set_free(&set);
		free(exact);
	}
	uint64_t state = 8;
	for (int i = 0; i < 20000; i++) {
		memcpy(copy, text, sizeof text);
		for (int n = 0; n < 3; n++)
			copy[check_random(&state) % (sizeof text - 1)] = (char)check_random(&state);
		xc_data_reader_start(&reader, copy, sizeof text - 1);
		while (xc_data_read(&reader, 0, &set) > 0)
			xc_data_set_free(&set);
	}
	free(word);
	free(copy);
}

static void detected(void)
{
	CHECK(xc_data_detect("!dct:1:1:32 1", 13), "not seen");
	CHECK(xc_data_detect(" \n!lot:1:1:32 1", 15), "not seen");
	CHECK(!xc_data_detect("!dct", 4), "seen");
	CHECK(!xc_data_detect("P5 1 1 255 ", 11), "seen");
	CHECK(!xc_data_detect("", 0), "seen");
}

int main(void)
{
	RUN(two_sets, round_trip, converted, half, refused, zero_bytes, hostile, detected);
	return check_done();
}
