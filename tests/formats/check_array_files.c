/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of arrays: every format is written, read, and written again with what was attached; damaged
 * and hostile files are refused in one line; IBM floats of every exponent.
 *
 * For tests/formats/array_files.sh,
 *
 * 	check_array_files --convert IN OUT [RAW]
 *
 * reads any file of an array and writes another one, with the attachments, and prints format, shape
 * and warnings.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/array/segy.h"
#include "tests/support/array_files.h"
#include "tests/support/check.h"

static char message[XC_FILE_MESSAGE];

static int convert(const char *from, const char *to, const char *raw)
{
	OWN_ARRAY a = {.size = 0};
	OWN_BYTES out = {0};
	FILE *in = fopen(from, "rb");
	xc_status status = XC_ERR_IO;

	if (in) {
		const xc_array_source source = xc_array_source_file(in);
		status = xc_array_load(&source, from, raw, &a, message);
		fclose(in);
	}
	if (!status)
		status = xc_array_save(to, &a, &out, message);
	if (status) {
		printf("error: %s\n", message);
		return 1;
	}
	printf("%s", a.format);
	for (int i = 0; i < a.shape.dimensions; i++)
		printf("%c%" PRIu64, i ? 'x' : ' ', a.shape.size[i]);
	if (a.fill != 0)
		printf("; fill %g", a.fill);
	printf("; %zu bytes attached", a.attached.size);
	printf("%s%s%s%s\n", *a.warning ? "; " : "", a.warning, *message ? "; " : "", message);
	FILE *f = fopen(to, "wb");
	const int good = f && fwrite(out.data, 1, out.size, f) == out.size;
	return f && fclose(f) == 0 && good ? 0 : 1;
}

/* ---------------------------------------------------------------- files made here */

/* The header of an NPY of a version. */
static void add_npy(xc_bytes *b, uint8_t version, const char *text)
{
	xc_bytes_add(b, "\x93NUMPY", 6);
	xc_bytes_add_le16(b, version);
	xc_bytes_add_le16(b, (uint32_t)strlen(text));
	if (version > 1)
		xc_bytes_add_le16(b, 0);
	xc_bytes_add_text(b, text);
}

/* Reads what is in memory and writes it again: the same bytes. */
static void check_again(const xc_bytes *file, const char *name, const char *raw, xc_test_array *a)
{
	OWN_BYTES again = {0};
	xc_memory m = {file->data, file->size, 0};
	const xc_array_source source = xc_memory_source(&m);
	xc_status status = xc_array_load(&source, name, raw, a, message);

	REQUIRE(!status, "%s: %d %s", name, status, message);
	status = xc_array_save(name, a, &again, message);
	REQUIRE(!status, "%s: %d %s", name, status, message);
	CHECK(again.size == file->size && !memcmp(again.data, file->data, file->size),
	      "%s: %zu bytes become %zu", name, file->size, again.size);
}

/* ------------------------------------------------------------------------ cases */

static void round_trips(void)
{
	static const struct {
		const char *name;
		int dimensions, types, pipe; /* types: a bit for each; pipe: 2: in gzip */
	} formats[] = {
		{"npy", 1, 0xff, 1}, {"x.npy", 3, 0xff, 1}, {"npy", 4, 0xff, 1},
		{"nii", 2, 0xff, 1}, {"nii", 4, 1, 2},      {"pfm", 2, 1, 0},
		{"tif", 2, 0xff, 0}, {"tiff", 3, 0xff, 0},  {"tif", 4, 0x01, 0},
	};

	for (size_t i = 0; i < COUNT(formats); i++)
		for (int t = 0; t < XC_ARRAY_TYPES; t++) {
			OWN_ARRAY a = {.size = 0}, back = {.size = 0};
			OWN_BYTES file = {0};
			if (!(formats[i].types >> t & 1))
				continue;
#ifndef XC_HAVE_LIBTIFF
			if (formats[i].name[0] == 't')
				continue;
#endif
			xc_array_make(&a, (xc_array_type)t, formats[i].dimensions);
			REQUIRE(!xc_array_save(formats[i].name, &a, &file, message), "%s", message);
			if (formats[i].pipe == 2)
				xc_array_gzip(&file);
			xc_memory m = {file.data, file.size, 0};
			const xc_array_source source = formats[i].pipe ? xc_memory_pipe(&m)
			                                               : xc_memory_source(&m);
			CHECK(xc_array_file_is(file.data, file.size,
			                       formats[i].pipe == 2 ? "a.nii.gz" : formats[i].name),
			      "%s", formats[i].name);
			const xc_status status = xc_array_load(&source, formats[i].name, NULL, &back, message);
			REQUIRE(!status, "%s: %s", formats[i].name, message);
			CHECK(back.size == a.size && !memcmp(back.values, a.values, a.size) &&
			          back.shape.type == a.shape.type &&
			          back.shape.size[back.shape.dimensions - 1] == XC_TEST_COLUMNS,
			      "%s of %d dimensions and type %d", formats[i].name, formats[i].dimensions, t);
		}
}

static void same_files(void)
{
	static const struct {
		const char *name, *raw, *start;
		size_t values; /* bytes */
		int dimensions;
	} files[] = {
		{"a.raw", "i16,2x3,big+5", "start", 12, 2},
		{"a.f32", "F32,6", "", 24, 1},
		{"a.pfm", NULL, "PF\r\n2 1\r\n1.5e0\r\n", 24, 3},
		{"a.pfm", NULL, "Pf # a picture\n2 3 -2.0\n", 24, 2},
		{"2.npy", NULL, "{'shape': (3L, 1, 1, 2), 'fortran_order': True, 'descr': '>u4'}\n", 24, 4},
		{"1.npy", NULL, "{\"descr\":\"<i2\",\"fortran_order\":False,\"shape\":(2,1,2,3)}", 24, 4},
		{"1.npy", NULL, "{'descr': '|i1', 'fortran_order': True, 'shape': (2,3,1,4)}", 24, 4},
	};

	for (size_t i = 0; i < COUNT(files); i++) {
		OWN_BYTES file = {0};
		OWN_ARRAY a = {.size = 0};
		if (strstr(files[i].name, "npy"))
			add_npy(&file, (uint8_t)(files[i].name[0] - '0'), files[i].start);
		else
			xc_bytes_add_text(&file, files[i].start);
		for (size_t k = 0; k < files[i].values; k++)
			xc_bytes_add_u8(&file, (uint32_t)(3 * k + 1));
		check_again(&file, files[i].name, files[i].raw, &a);
		CHECK(a.shape.dimensions == files[i].dimensions, "%s: %d dimensions", files[i].name,
		      a.shape.dimensions);
		/* What follows comes back, too. */
		if (!files[i].raw) {
			OWN_ARRAY more = {.size = 0};
			xc_bytes_add_text(&file, "more");
			check_again(&file, files[i].name, NULL, &more);
		}
	}
}

static void segy_files(void)
{
	static const int formats[][2] = {{1, 4}, {2, 4},  {3, 2},  {5, 4}, {6, 8},
	                                 {8, 1}, {10, 4}, {11, 2}, {16, 1}};

	for (size_t i = 0; i < COUNT(formats); i++)
		for (int rev = 0; rev <= 2; rev++)
			for (int little = 0; little < 2; little++) {
				OWN_BYTES file = {0};
				OWN_ARRAY a = {.size = 0};
				xc_array_make_segy(&file, formats[i][0], formats[i][1], little, rev,
				                   rev == 2 ? 2 : 0);
				check_again(&file, "a.sgy", NULL, &a);
				const uint64_t *s = a.shape.size;
				CHECK(a.shape.dimensions == 3 && s[0] == 3 && s[1] == 2 && s[2] == 4 &&
				          !*a.warning && (a.rounding > 0) == (formats[i][0] == 1),
				      "format %d: %d dimensions %s", formats[i][0], a.shape.dimensions, a.warning);
			}
}

static void segy_oddities(void)
{
	OWN_BYTES file = {0}, out = {0};
	OWN_ARRAY a = {.size = 0}, su = {.size = 0}, b = {.size = 0};

	/* Crosslines that do not repeat are no grid. */
	xc_array_make_segy(&file, 1, 4, 0, 0, 0);
	xc_array_set(&file, 3600 + 5 * 256 + 192, 8, 4, 0);
	xc_array_set(&file, 3600 + 240, 0x42000001, 4, 0);
	xc_memory m = {file.data, file.size, 0};
	const xc_array_source source = xc_memory_source(&m);
	REQUIRE(!xc_array_load(&source, NULL, NULL, &a, message), "%s", message);
	CHECK(a.shape.dimensions == 2 && a.shape.size[0] == 6, "%d", a.shape.dimensions);
	CHECK(strstr(a.warning, "1 of 24"), "%s", a.warning);
	/* The same traces as SU would be IEEE floats. */
	xc_bytes traces = {file.data + 3600, file.size - 3600, 0};
	check_again(&traces, "a.su", NULL, &su);
	/* A part of the traces, or another type, has no headers. */
	a.shape.size[0] = 5;
	a.size = 5 * 16;
	CHECK(xc_array_save("sgy", &a, &out, message) == XC_ERR_UNSUPPORTED, "%s", message);
	xc_array_make(&b, XC_ARRAY_INT16, 2);
	CHECK(xc_array_save("sgy", &b, &out, message) == XC_ERR_UNSUPPORTED && out.size == 0, "%s",
	      message);
	/* Traces of different lengths are refused. */
	xc_array_set(&file, 3600 + 256 + 114, 3, 2, 0);
	CHECK(xc_array_load(&source, NULL, NULL, &b, message) == XC_ERR_UNSUPPORTED, "%s", message);
	CHECK(strstr(message, "trace 2 has 3 samples"), "%s", message);
	/* And where the file is so much shorter. */
	memmove(file.data + 3600 + 508, file.data + 3600 + 512, file.size - 3600 - 512);
	m.size = file.size -= 4;
	const xc_array_source less = xc_memory_source(&m);
	CHECK(xc_array_load(&less, NULL, NULL, &b, message) == XC_ERR_UNSUPPORTED, "%s", message);
	CHECK(strstr(message, "trace 2 has not as many samples"), "%s", message);
}

/* The value of an IBM number by its definition. */
static double ibm_value(uint32_t bits)
{
	const double f = ldexp((double)(bits & 0xffffff), 4 * ((int)(bits >> 24 & 127) - 64) - 24);

	return bits >> 31 ? -f : f;
}

static void ibm_floats(void)
{
	uint64_t seed = 1, changed = 0;

	for (uint32_t i = 0; i < 1u << 20; i++) {
		segy_counts counts = {0, 0, 0};
		uint32_t bits = i < 512 ? i << 24 | 0x100000 : (uint32_t)check_random(&seed), again;
		const double value = ibm_value(bits);
		float x;
		memcpy(&x, &bits, 4);
		xc_ibm_to_floats(&x, 1, &counts);
		const double off = (double)x - value;
		CHECK(fabs(value) > (double)FLT_MAX ? isinf(x) : (double)(float)value == (double)x, "%08x",
		      bits);
		memcpy(&again, &x, 4);
		xc_ibm_from_floats(&again, 1, &counts);
		CHECK(counts.changed || (again == bits && off == 0 && !counts.rounded), "%08x: %08x", bits,
		      again);
		changed += counts.changed;
		/* Any float32 is rounded by 2^-21 at most. */
		bits = (uint32_t)check_random(&seed);
		memcpy(&x, &bits, 4);
		xc_ibm_from_floats(&bits, 1, &counts);
		CHECK(!isfinite(x) || fabs(ibm_value(bits) - (double)x) <= ldexp(fabs((double)x), -21),
		      "%g: %08x", (double)x, bits);
	}
	CHECK(changed > 0, "no number is out of range");
}

static void refused_descriptions(void)
{
	static const char *const texts[] = {"",
	                                    "f32",
	                                    "f32,",
	                                    "f32,0",
	                                    "f16,4",
	                                    "f32,4,",
	                                    "f32,4,middle",
	                                    "f32,4+",
	                                    "f32,4,little+x",
	                                    "f32,4x",
	                                    "f32,4,big ",
	                                    "f32,-4",
	                                    "f32,4,big+99999999999999999999",
	                                    "u8,4294967296x4294967296x4294967296",
	                                    "i16,9,little",
	                                    "f32,3,big+5",
	                                    "u8,1x1x1x1x1x1x1x1x16"};
	const uint8_t bytes[16] = {0};

	for (size_t i = 0; i < COUNT(texts); i++) {
		xc_memory m = {bytes, sizeof bytes, 0};
		const xc_array_source source = xc_memory_source(&m);
		xc_array_input *in;
		CHECK(xc_array_input_new(&source, "x", texts[i], &in, message) && !in && *message &&
		          !strchr(message, '\n'),
		      "'%s': %s", texts[i], message);
	}
}

/* Reads whatever it is: no message has a line's end, and a failure has one. */
#ifdef XC_HAVE_LIBTIFF
/* A file of ours in which 0 is white on each page comes back, and a part of it is like it. */
static void tiff_tags(void)
{
	OWN_BYTES file = {0}, part = {0};
	OWN_ARRAY made = {.size = 0}, a = {.size = 0};
	const int tags = 10;

	xc_array_make(&made, XC_ARRAY_UINT8, 3);
	REQUIRE(!xc_array_save("tif", &made, &file, message), "%s", message);
	size_t at = 8;
	for (int page = 0; page < XC_TEST_PAGES; page++) {
		uint8_t *entry = file.data + at + 2 + 12 * 4;
		REQUIRE(xc_load_le16(entry) == 262, "tag %u", xc_load_le16(entry));
		entry[8] = 0;
		at = xc_load_le32(file.data + at + 2 + 12 * tags);
	}
	check_again(&file, "tif", NULL, &a);
	a.shape.size[0] = 2;
	a.size = 2 * XC_TEST_ROWS * XC_TEST_COLUMNS;
	REQUIRE(!xc_array_save("tif", &a, &part, message) && !*message, "%s", message);
	CHECK(part.data[8 + 2 + 12 * 4 + 8] == 0, "0 is not white in a part");
}
#endif

static xc_status try_file(const uint8_t *data, size_t size, const char *name)
{
	OWN_ARRAY a = {.size = 0};
	xc_memory m = {data, size, 0};
	const xc_array_source source = xc_memory_source(&m);
	const xc_status status = xc_array_load(&source, name, NULL, &a, message);

	CHECK(!status == !*message && !strchr(message, '\n'), "%d %s", status, message);
	return status;
}

/* Every file that ends too early is refused, in memory of its size. */
static void truncated_files(void)
{
	static const char *const names[] = {"npy", "pfm", "nii", "tif", "sgy", "nii"};

	for (size_t i = 0; i < COUNT(names); i++) {
		OWN_BYTES file = {0};
		OWN_ARRAY a = {.size = 0};
		xc_array_make(&a, XC_ARRAY_FLOAT32, 2);
		if (i == 4)
			xc_array_make_segy(&file, 1, 4, 0, 1, 0);
		else
			REQUIRE(!xc_array_save(names[i], &a, &file, message), "%s", message);
		if (i == 5)
			xc_array_gzip(&file);
		for (size_t size = 0; size < file.size; size++) {
			/* gzip's last eight bytes are its checksum, and the file may end with any trace. */
			OWN_MEMORY uint8_t *copy = xc_test_copy(file.data, size);
			CHECK(try_file(copy, size, names[i]) || (i == 5 && size >= file.size - 12) ||
			          (i == 4 && size > 6800 && (size - 6800) % 256 == 0),
			      "%s of %zu bytes of %zu", names[i], size, file.size);
		}
	}
}

static void hostile_files(void)
{
	/* name, where a number of 2, 4 or 8 bytes is put into a good file, and what number */
	static const struct {
		const char *name;
		int at, bytes;
		uint64_t value;
	} cases[] = {
		{"nii", 40, 2, 8},
		{"nii", 40, 2, 0},
		{"nii", 42, 2, 0},
		{"nii", 44, 2, 0x8000},
		{"nii", 44, 2, 0x7fff},
		{"nii", 108, 4, 0x7f800000},
		{"nii", 108, 4, 0x42000000},
		{"nii", 108, 4, 0x7fc00000},
		{"nii", 70, 2, 128},
		{"nii", 344, 4, 0x31696e},
		{"tif", 4, 4, 8000},
		{"tif", 4, 4, 0xffffffff},
		{"tif", 18, 4, 0},
		{"tif", 18, 4, 0x7fffffff},
		{"tif", 30, 4, 0xffffffff},
		{"tif", 42, 2, 12},
		{"npy", 8, 2, 0xffff},
		{"npy", 6, 1, 9},
		{"npy", 6, 1, 2},
		{"npy", 10, 1, '['},
		{"npy", 22, 1, 'c'},
	};
	const uint32_t big = 0x7fffffff;

	for (size_t i = 0; i < COUNT(cases); i++) {
		OWN_BYTES file = {0};
		OWN_ARRAY a = {.size = 0};
		xc_array_make(&a, XC_ARRAY_FLOAT32, 2);
		REQUIRE(!xc_array_save(cases[i].name, &a, &file, message), "%s", message);
		xc_array_set(&file, (size_t)cases[i].at, cases[i].value, cases[i].bytes, 1);
		CHECK(try_file(file.data, file.size, cases[i].name), "%s: %d is %llu", cases[i].name,
		      cases[i].at, (unsigned long long)cases[i].value);
	}
	for (size_t at = 3200; at < 3600; at += 2) {
		OWN_BYTES file = {0};
		xc_array_make_segy(&file, 1, 4, 0, 2, 1);
		xc_array_set(&file, at, big, 4, 0);
		try_file(file.data, file.size, "sgy");
	}
	CHECK(try_file((const uint8_t *)"Pf\n99999 99999 -1\n....", 22, NULL), "a PFM");
	CHECK(try_file((const uint8_t *)"Pf\n1 1 0.0\n....", 15, NULL), "a PFM of scale 0");
	OWN_BYTES five = {0};
	add_npy(&five, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 1, 1, 1)}");
	xc_bytes_add_u8(&five, 1);
	xc_bytes_add_u8(&five, 2);
	CHECK(try_file(five.data, five.size, NULL) == XC_ERR_UNSUPPORTED &&
	          strstr(message, "5 dimensions"),
	      "%s", message);
	CHECK(try_file((const uint8_t *)"GIF89a", 6, "x.gif") == XC_ERR_FORMAT, "%s", message);
}

static ptrdiff_t read_zeros(void *user, void *to, size_t size)
{
	*(uint64_t *)user += size;
	memset(to, 0, size);
	return (ptrdiff_t)size;
}

static int seek_zeros(void *user, uint64_t to)
{
	*(uint64_t *)user = to;
	return 0;
}

/* Sizes and places above 2^32, of zeros. */
static void large_files(void)
{
	uint64_t at = 0, value = 1;
	const xc_array_source source = {{read_zeros, &at}, seek_zeros, UINT64_C(5) << 30};
	xc_array_input *in;

	CHECK(xc_array_input_new(&source, "x", "u8,5x1024x1024x1023", &in, message) == XC_ERR_CORRUPT,
	      "%s", message);
	/* It would keep so much as a header. */
	CHECK(xc_array_input_new(&source, "x", "u8,64,big+5368709056", &in, message), "%s", message);
	REQUIRE(!xc_array_input_new(&source, "x", "f64,5x1024x1024x128", &in, message), "%s", message);
	for (int i = 0; i < 2; i++) {
		CHECK(!xc_array_input_read(in, &value, 1, message) && value == 0, "%s", message);
		CHECK(!xc_array_input_rewind(in, message), "%s", message);
	}
	xc_array_input_free(in);
}

static int fail_to_write(void *user, const void *bytes, size_t size)
{
	(void)user, (void)bytes, (void)size;
	return -1;
}

static void outputs(void)
{
	OWN_ARRAY a = {.size = 0}, b = {.size = 0};
	OWN_BYTES file = {0}, part = {0};
	const xc_byte_sink bad = {fail_to_write, NULL};
	const xc_array_shape wide = {.type = XC_ARRAY_FLOAT64, .dimensions = 2, .size = {40000, 40000}};
	xc_array_output *o;

	xc_array_make(&a, XC_ARRAY_FLOAT32, 2);
	REQUIRE(!xc_array_output_new("npy", &bad, &a.shape, NULL, NULL, &o, message), "%s", message);
	CHECK(xc_array_output_end(o, message) == XC_ERR_ARGUMENT, "%s", message);
	CHECK(xc_array_output_write(o, a.values, 36, message) == XC_ERR_ARGUMENT, "%s", message);
	CHECK(!xc_array_output_write(o, a.values, 35, message), "%s", message);
	CHECK(xc_array_output_end(o, message) == XC_ERR_IO, "%s", message);
	xc_array_output_free(o);
	/* Above 4 GB a BigTIFF. */
	const xc_byte_sink sink = {xc_memory_write, &part};
	REQUIRE(!xc_array_output_new("tif", &sink, &wide, NULL, NULL, &o, message), "%s", message);
	xc_array_output_free(o);
	CHECK(part.size == 0 || !memcmp(part.data, "II+", 3), "no BigTIFF");
	CHECK(xc_array_output_new("pfm", &sink, &wide, NULL, NULL, &o, message), "a PFM of float64");
	CHECK(xc_array_output_new("x.png", &sink, &wide, NULL, NULL, &o, message), "a PNG");
	/* Values of a Fortran-ordered array come in C order, and those of a region stay so. */
	add_npy(&file, 1, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3)}");
	for (int i = 0; i < 24; i++)
		xc_bytes_add_u8(&file, (uint32_t)i);
	check_again(&file, "npy", NULL, &b);
	CHECK(b.shape.size[0] == 2 && b.shape.size[1] == 3, "the shape is numpy's");
	for (int i = 0; i < 6; i++)
		CHECK(b.values[4 * i + 3 * xc_array_big_endian()] == 4 * (i % 3 * 2 + i / 3) + 3,
		      "value %d: %d", i, b.values[4 * i]);
	b.shape.size[1] = 2;
	b.size = 16;
	REQUIRE(!xc_array_save("npy", &b, &part, message), "%s", message);
	CHECK(part.size == 128 + 16 && strstr((char *)part.data + 10, "False, 'shape': (2, 2)"), "%zu",
	      part.size);
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "--convert"))
		return convert(argv[2], argv[3], argc > 4 ? argv[4] : NULL);
#ifdef XC_HAVE_LIBTIFF
	RUN(tiff_tags);
#endif
	RUN(round_trips, same_files, segy_files, segy_oddities, ibm_floats, refused_descriptions,
	    truncated_files, hostile_files, large_files, outputs);
	return check_done();
}
