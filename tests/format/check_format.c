/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The container of doc/format.md: every chunk missing, repeated, moved, unknown or with a
 * wrong CRC, and every field out of its range.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

enum { MAGIC = 8 };

static xc_context *context;
static xc_bytes base; /* a file with all chunks */
static xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
static int count;
static xc_picture wanted; /* what it decodes to */
static xc_bytes f;        /* the file that a case makes of it */

static void setup(void)
{
	const xc_metadata m = {.icc = {"profile", 7},
	                       .exif = {"MM\0*", 4},
	                       .xmp = {"<x/>", 4},
	                       .density_x = 2835,
	                       .density_y = 2834,
	                       .density_unit = 1,
	                       .cicp = {9, 16, 0, 1},
	                       .significant_bits = {5, 6, 5, 1},
	                       .gamma = 45455,
	                       .primaries = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000},
	                       .text = {"Title\0\xc3\xa9", 9},
	                       .iptc = {"\x1c\2\5\0\1x", 6},
	                       .maxval = 200};
	xc_encode_options o = xc_test_jpeg();
	OWN_PICTURE p = xc_smooth_picture(60, 50, 4, 8, 9);
	OWN_BUFFER(context, file);

	o.effort = 2;
	xc_quant_tables_sloped(&o.tables);
	o.tables.luma[63] = 1000;
	if (xc_encode(context, &p, &m, &o, &file) ||
	    xc_decode(context, file.data, file.size, NULL, &wanted))
		abort();
	xc_bytes_add(&base, file.data, file.size);
	count = xc_file_chunks(base.data, base.size, parts);
}

/* Decodes; a file that is accepted must give the base's pixels. */
static void expect(const xc_bytes *file, xc_status status, const char *what, const char *type)
{
	OWN_DECODED(context, p);
	const xc_status s = xc_decode(context, file->data, file->size, NULL, &p);

	CHECK(s == status, "%s %s: \"%s\" instead of \"%s\" (%s)", what, type, xc_status_string(s),
	      xc_status_string(status), xc_context_message(context));
	CHECK(s != XC_OK || xc_sample_equal(&p, &wanted), "%s %s: other pixels", what, type);
	CHECK(s == XC_OK || xc_context_message(context)[0], "%s %s: no message", what, type);
}

/* Begins the case's file with this much of the base. */
static void begin(size_t size)
{
	f.size = 0;
	xc_bytes_add(&f, base.data, size);
}

static void add_part(const xc_file_chunk *p)
{
	xc_bytes_add(&f, base.data + p->offset, p->end - p->offset);
}

static int is_critical(const xc_file_chunk *p)
{
	return p->type[0] <= 'Z';
}

/* The base with 0 to 2 copies of part `which`. */
static void with_copies(int which, int copies)
{
	begin(MAGIC);
	for (int i = 0; i < count; i++)
		for (int k = i == which ? copies : 1; k > 0; k--)
			add_part(&parts[i]);
}

static void all_chunks(void)
{
	static const char types[][5] = {"HEAD", "dens", "cicp", "gama", "sbit", "rang", "iccp", "exif",
	                                "xmpp", "iptc", "text", "QNTZ", "HUFF", "INDX", "DATA", "DONE"};

	CHECK(count == COUNT(types), "%d chunks", count);
	for (int i = 0; i < count; i++)
		CHECK(!strcmp(parts[i].type, types[i]), "%s at place of %s", parts[i].type, types[i]);
	CHECK(parts[count - 1].end == base.size, "something follows DONE");
	expect(&base, XC_OK, "the whole file", "");
}

static void missing_chunks(void)
{
	for (int i = 0; i < count; i++) {
		with_copies(i, 0);
		const int done = i == count - 1;
		expect(&f,
		       !is_critical(&parts[i]) ? XC_OK
		       : done                  ? XC_ERR_TRUNCATED
		                               : XC_ERR_CORRUPT,
		       "without", parts[i].type);
		if (is_critical(&parts[i]) && !done)
			CHECK(strstr(xc_context_message(context), parts[i].type), "not named: %s",
			      xc_context_message(context));
	}
}

static void repeated_chunks(void)
{
	for (int i = 0; i < count; i++) {
		with_copies(i, 2);
		expect(&f, is_critical(&parts[i]) ? XC_ERR_CORRUPT : XC_OK, "twice", parts[i].type);
	}
}

static int offset_of(const int *order, const char *type)
{
	int i = 0;

	while (strcmp(parts[order[i]].type, type))
		i++;
	return i;
}

/* A unit that nobody knows makes no density, and no damage. */
static void density_units(void)
{
	const xc_file_chunk *dens = xc_file_chunk_find(parts, count, "dens");

	for (unsigned unit = 0; unit < 256; unit = unit < 4 ? unit + 1 : unit * 2 - 1) {
		const uint8_t payload[9] = {19, 11, 0, 0, 18, 11, 0, 0, (uint8_t)unit};
		const uint32_t x = unit < 2 ? 2835 : 0, y = unit < 2 ? 2834 : 0;
		xc_info info;
		xc_bytes_splice(&f, base.data, base.size, dens->offset, dens->end, "dens", payload,
		                sizeof payload, 1);
		expect(&f, XC_OK, "density of", "another unit");
		REQUIRE_OK(context, xc_read_info(context, f.data, f.size, &info));
		const xc_metadata *m = &info.metadata;
		CHECK(m->density_x == x && m->density_y == y && m->density_unit == (unit == 1),
		      "unit %u: %u x %u of unit %u", unit, m->density_x, m->density_y, m->density_unit);
	}
}

static void expect_metadata(const char type[5], const uint8_t *payload, size_t size, xc_metadata *m)
{
	const xc_file_chunk *old = xc_file_chunk_find(parts, count, type);
	xc_info info;

	xc_bytes_splice(&f, base.data, base.size, old->offset, old->end, type, payload, size, 1);
	expect(&f, XC_OK, "other numbers of", type);
	REQUIRE_OK(context, xc_read_info(context, f.data, f.size, &info));
	*m = info.metadata;
}

/* Numbers that a chunk may not have make it count as not there. */
static void impossible_metadata(void)
{
	static const struct {
		uint16_t maxval;
		int is_good;
	} cases[] = {{1, 1}, {100, 1}, {254, 1}, {255, 0}, {256, 0}, {4095, 0}, {65535, 0}};
	uint8_t gama[36] = {1};
	xc_metadata m;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint8_t rang[4] = {15, 0, (uint8_t)cases[i].maxval, (uint8_t)(cases[i].maxval >> 8)};
		expect_metadata("rang", rang, 4, &m);
		CHECK(m.maxval == (cases[i].is_good ? cases[i].maxval : 0) && !m.range,
		      "8 bits: maxval %u became %u, range %u", cases[i].maxval, m.maxval, m.range);
	}
	expect_metadata("cicp", (const uint8_t[]){9, 16, 9, 1}, 4, &m);
	CHECK(!m.cicp[0], "the matrix of cicp is %u", m.cicp[2]);
	expect_metadata("cicp", (const uint8_t[]){9, 16, 0, 2}, 4, &m);
	CHECK(!m.cicp[0], "the range of cicp is %u", m.cicp[3]);
	for (int at = 3; at < 36; at += 8) {
		gama[at] = 0x80;
		expect_metadata("gama", gama, sizeof gama, &m);
		CHECK(!m.gamma && !m.primaries[0], "gama with a byte 0x80 at %d", at);
		gama[at] = 0x7f;
	}
	expect_metadata("gama", gama, sizeof gama, &m);
	CHECK(m.gamma == 0x7f000001, "gamma %u", m.gamma);
	expect_metadata("dens", (const uint8_t[]){1, 0, 0, 0, 0, 0, 0, 0x80, 1}, 9, &m);
	CHECK(!m.density_x, "a density of 2^31");
}

/* Between HEAD and DONE any order is good if INDX and tables come before DATA. */
static void reordered_chunks(void)
{
	uint64_t seed = 3;
	int order[XC_FILE_CHUNKS_MAX];

	for (int round = 0; round < 200; round++) {
		for (int i = 0; i < count; i++)
			order[i] = i;
		for (int i = count - 2; i > 1; i--) {
			const int j = 1 + (int)(check_random(&seed) % (unsigned)i), t = order[i];
			order[i] = order[j];
			order[j] = t;
		}
		const int data = offset_of(order, "DATA");
		const int turned = data < offset_of(order, "INDX") || data < offset_of(order, "QNTZ") ||
		                   data < offset_of(order, "HUFF");
		begin(MAGIC);
		for (int i = 0; i < count; i++)
			add_part(&parts[order[i]]);
		expect(&f, turned ? XC_ERR_CORRUPT : XC_OK, "another order", parts[order[1]].type);
	}
	for (int i = 1; i < count; i++) { /* HEAD later */
		begin(MAGIC);
		for (int k = 1; k < count; k++) {
			add_part(&parts[k]);
			if (k == i)
				add_part(&parts[0]);
		}
		expect(&f, XC_ERR_CORRUPT, "HEAD after", parts[i].type);
	}
}

/* The message names a chunk, and says what may be done. */
static int is_named(const char *type)
{
	const char *message = xc_context_message(context);
	return strstr(message, type) && strstr(message, "a newer release may read it");
}

static void unknown_chunks(void)
{
	static const struct {
		const char *type;
		xc_status status;
		/* clang-format off */
	} types[] = {
		{"what", XC_OK}, {"wHAT", XC_OK}, {"qABC", XC_OK}, {"zzzz", XC_OK},
		{"WHAT", XC_ERR_UNSUPPORTED}, {"What", XC_ERR_UNSUPPORTED}, {"HEAd", XC_ERR_UNSUPPORTED},
		{"EADQ", XC_ERR_UNSUPPORTED}, {"DATa", XC_ERR_UNSUPPORTED}, {"wh t", XC_ERR_CORRUPT},
		{"W1AT", XC_ERR_CORRUPT}, {"\0\0\0\0", XC_ERR_CORRUPT}, {"@AAA", XC_ERR_CORRUPT},
		{"AA[A", XC_ERR_CORRUPT}, {"AAA`", XC_ERR_CORRUPT}, {"{AAA", XC_ERR_CORRUPT},
	};

	/* clang-format on */
	for (size_t t = 0; t < COUNT(types); t++) {
		for (int at = 1; at < count; at++) {
			xc_bytes_splice(&f, base.data, base.size, parts[at].offset, parts[at].offset,
			                types[t].type, "any payload", 11, 1);
			expect(&f, types[t].status, "unknown", types[t].type);
			CHECK(types[t].status != XC_ERR_UNSUPPORTED || is_named(types[t].type),
			      "%s is not named: %s", types[t].type, xc_context_message(context));
		}
		/* In place of HEAD: a file of another kind. */
		begin(MAGIC);
		xc_bytes_add_chunk(&f, types[t].type, "any payload", 11);
		expect(&f, types[t].status ? types[t].status : XC_ERR_CORRUPT, "first", types[t].type);
	}
	begin(MAGIC);
	xc_bytes_add_chunk(&f, "PICT", "any payload", 11);
	expect(&f, XC_ERR_CORRUPT, "first", "PICT");
}

/* Every byte of every chunk's CRC, and a byte of its payload. */
static void wrong_crcs(void)
{
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < 5; k++) {
			const size_t at = k < 4 ? parts[i].end - 4 + (size_t)k : parts[i].payload;
			if (k == 4 && !parts[i].length)
				continue;
			base.data[at] ^= 0x40;
			expect(&base, XC_ERR_CORRUPT, "damaged", parts[i].type);
			base.data[at] ^= 0x40;
		}
	}
	expect(&base, XC_OK, "repaired", "");
	/* A damaged type is not one of a newer release. */
	for (int i = 0; i < count; i++)
		for (int k = 0; k < 4; k++) {
			base.data[parts[i].offset + (size_t)k] ^= 2;
			expect(&base, XC_ERR_CORRUPT, "damaged type of", parts[i].type);
			base.data[parts[i].offset + (size_t)k] ^= 2;
		}
	expect(&base, XC_OK, "repaired", "");
}

static void magic_number(void)
{
	for (int i = 0; i < 8; i++) {
		base.data[i] ^= 1;
		expect(&base, i < 7 ? XC_ERR_FORMAT : XC_ERR_UNSUPPORTED, "magic number", "");
		base.data[i] ^= 1;
	}
	for (int version = 0; version < 256; version++) {
		begin(base.size);
		f.data[7] = (uint8_t)version;
		expect(&f, version == 3 ? XC_OK : XC_ERR_UNSUPPORTED, "another version", "");
	}
	/* What transfers make of a file that they take for text. */
	static const char *const transfers[] = {"seven bits", "CR LF to LF", "LF to CR LF"};
	for (size_t t = 0; t < COUNT(transfers); t++) {
		begin(0);
		for (size_t i = 0; i < base.size; i++) {
			const uint8_t byte = base.data[i];
			if (t == 2 && byte == '\n' && (!i || base.data[i - 1] != '\r'))
				xc_bytes_add_u8(&f, '\r');
			if (t != 1 || byte != '\r')
				xc_bytes_add_u8(&f, t ? byte : byte & 127);
		}
		expect(&f, XC_ERR_FORMAT, transfers[t], "");
	}
}

static void the_end(void)
{
	begin(base.size);
	xc_bytes_add_u8(&f, 0);
	expect(&f, XC_ERR_CORRUPT, "a byte too many", "");
	begin(parts[count - 1].offset);
	xc_bytes_add_chunk(&f, "DONE", "x", 1);
	expect(&f, XC_ERR_CORRUPT, "a payload in", "DONE");
	begin(base.size);
	xc_bytes_add(&f, base.data, base.size);
	expect(&f, XC_ERR_CORRUPT, "two files", "");
}

/* ------------------------------------------------------- contents of chunks */

/* The base with another payload in the chunk of that type, or with such a chunk after HEAD. */
static void expect_payload(const char *type, const uint8_t *payload, size_t size, xc_status status,
                           const char *what)
{
	const xc_file_chunk *p = xc_file_chunk_find(parts, count, type);
	const size_t from = p ? p->offset : parts[1].offset, to = p ? p->end : from;

	xc_bytes_splice(&f, base.data, base.size, from, to, type, payload, size, 1);
	expect(&f, status, what, type);
}

static uint8_t copy[8192]; /* of a payload, for a case to change */

/* Makes the copy, with 8 zeros after it; returns the size. */
static size_t copy_payload(const char *type)
{
	const xc_file_chunk *p = xc_file_chunk_find(parts, count, type);

	if (p->length + 8 > sizeof copy)
		abort();
	memset(copy, 0, sizeof copy);
	memcpy(copy, base.data + p->payload, p->length);
	return p->length;
}

/* One byte of a payload replaced. */
static void expect_byte(const char *type, size_t at, uint8_t value, xc_status status)
{
	char what[64];
	const size_t n = copy_payload(type);

	copy[at] = value;
	snprintf(what, sizeof what, "byte %zu is %u in", at, value);
	expect_payload(type, copy, n, status, what);
}

/* Too short and too long by one to three bytes. */
static void expect_lengths(const char *type, xc_status shorter, xc_status longer)
{
	const size_t n = copy_payload(type);

	for (size_t k = 1; k < 4; k++) {
		if (n >= k)
			expect_payload(type, copy, n - k, shorter, "a short");
		expect_payload(type, copy, n + k, longer, "a long");
	}
	expect_payload(type, copy, 0, shorter, "an empty");
}

static void head_fields(void)
{
	static const struct {
		uint8_t at, value;
		xc_status status;
	} changes[] = {
		{0, 0, XC_ERR_CORRUPT},        {3, 0x80, XC_ERR_CORRUPT},     {3, 0xff, XC_ERR_CORRUPT},
		{4, 0, XC_ERR_CORRUPT},        {7, 0x80, XC_ERR_CORRUPT},     {3, 0x7f, XC_ERR_LIMIT},
		{8, 0, XC_ERR_UNSUPPORTED},    {8, 1, XC_ERR_CORRUPT},        {8, 2, XC_ERR_CORRUPT},
		{8, 5, XC_ERR_UNSUPPORTED},    {8, 255, XC_ERR_UNSUPPORTED},  {9, 0, XC_ERR_UNSUPPORTED},
		{9, 10, XC_ERR_UNSUPPORTED},   {9, 32, XC_ERR_UNSUPPORTED},   {10, 3, XC_ERR_CORRUPT},
		{10, 4, XC_ERR_UNSUPPORTED},   {10, 255, XC_ERR_UNSUPPORTED}, {11, 3, XC_ERR_UNSUPPORTED},
		{11, 255, XC_ERR_UNSUPPORTED}, {12, 5, XC_ERR_UNSUPPORTED},   {12, 255, XC_ERR_UNSUPPORTED},
		{13, 0, XC_ERR_CORRUPT},       {13, 101, XC_ERR_CORRUPT},     {14, 0, XC_ERR_CORRUPT},
		{14, 5, XC_ERR_CORRUPT},       {15, 1, XC_ERR_CORRUPT},       {16, 0, XC_ERR_CORRUPT},
		{16, 5, XC_ERR_CORRUPT},       {17, 255, XC_ERR_CORRUPT},
	};

	for (size_t i = 0; i < COUNT(changes); i++)
		expect_byte("HEAD", changes[i].at, changes[i].value, changes[i].status);
	expect_lengths("HEAD", XC_ERR_CORRUPT, XC_OK);
	copy_payload("HEAD");
	memset(copy + 18, 0xa5, 256 - 18);
	expect_payload("HEAD", copy, 255, XC_OK, "a long");
	expect_payload("HEAD", copy, 256, XC_ERR_CORRUPT, "too long a");
	/* Information only, because the tables are stored. */
	expect_byte("HEAD", 13, 1, XC_OK);
	/* The HUFF of the base has codes by context. */
	expect_byte("HEAD", 12, 0, XC_ERR_CORRUPT);
	expect_byte("HEAD", 12, 1, XC_ERR_CORRUPT);
	/* rANS has no HUFF. */
	expect_byte("HEAD", 12, 3, XC_ERR_CORRUPT);
	expect_byte("HEAD", 12, 4, XC_ERR_CORRUPT);
}

static void quantization_tables(void)
{
	expect_lengths("QNTZ", XC_ERR_CORRUPT, XC_ERR_CORRUPT);
	expect_byte("QNTZ", 0, 5, XC_ERR_UNSUPPORTED);
	expect_byte("QNTZ", 0, 255, XC_ERR_UNSUPPORTED);
	expect_byte("QNTZ", 0, 1, XC_ERR_CORRUPT); /* longer than that preset */
	expect_byte("QNTZ", 0, 3, XC_ERR_CORRUPT);
	expect_byte("QNTZ", 0, 4, XC_ERR_CORRUPT);
	expect_byte("QNTZ", 1, 0, XC_ERR_CORRUPT);
	expect_byte("QNTZ", 1, 1, XC_ERR_CORRUPT); /* the base has two bytes a step */
	expect_byte("QNTZ", 1, 3, XC_ERR_CORRUPT);
	const size_t n = copy_payload("QNTZ");
	CHECK(n > 130 && copy[1] == 2, "luma steps have %u bytes each", copy[1]);
	copy[2 + 2 * 40] = copy[3 + 2 * 40] = 0;
	expect_payload("QNTZ", copy, n, XC_ERR_CORRUPT, "a step of zero in");
	for (size_t at = n - 2; at < n; at++)
		for (int points = 0; points < 256; points++)
			if (points % 16 == 0 || points < 16)
				expect_byte("QNTZ", at, (uint8_t)points, XC_ERR_CORRUPT);
}

/* Version 1 as a whole: the picture of one pixel in appendix A of the first
 * description of the format. */
static void version_1(void)
{
	/* clang-format off */
	static const uint8_t file[] = {
		0x8f, 0x58, 0x43, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x48, 0x45, 0x41, 0x44, 0x12, 0x01,
		0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x03, 0x00, 0x01, 0x4b, 0x01,
		0x00, 0x01, 0x00, 0x81, 0x12, 0xf3, 0x47, 0x51, 0x4e, 0x54, 0x5a, 0x01, 0x01, 0x57,
		0x29, 0x93, 0x0c, 0x48, 0x55, 0x46, 0x46, 0x15, 0x10, 0x51, 0x0f, 0x07, 0x11, 0x0f,
		0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f, 0x0f,
		0x0d, 0x8d, 0x28, 0xab, 0xa6, 0x49, 0x4e, 0x44, 0x58, 0x05, 0x02, 0x02, 0x00, 0x97,
		0x88, 0xf7, 0x4e, 0xa9, 0xbe, 0x44, 0x41, 0x54, 0x41, 0x02, 0xc8, 0x00, 0xc0, 0x31,
		0x89, 0x58, 0x44, 0x4f, 0x4e, 0x45, 0x00, 0x44, 0x51, 0x3e, 0x5a,
	};
	/* clang-format on */
	xc_picture p = {0};
	xc_info info;
	xc_decoder *d;
	const xc_source source = {.memory = file, .size = sizeof file};
	const xc_status found[] = {xc_decode(context, file, sizeof file, NULL, &p),
	                           xc_read_info(context, file, sizeof file, &info),
	                           xc_read_header(context, file, sizeof file, &info),
	                           xc_decoder_new(context, &source, NULL, &d)};

	for (size_t i = 0; i < COUNT(found); i++)
		CHECK(found[i] == XC_ERR_UNSUPPORTED, "%zu: %s", i, xc_status_string(found[i]));
	CHECK(!strcmp(xc_context_message(context), "format version 1 is not known"), "%s",
	      xc_context_message(context));
}

static void huffman_codes(void)
{
	expect_lengths("HUFF", XC_ERR_CORRUPT, XC_ERR_CORRUPT);
	const size_t n = copy_payload("HUFF");
	copy[0] = (uint8_t)(copy[0] ^ 0x10); /* the length of the first symbol */
	expect_payload("HUFF", copy, n, XC_ERR_CORRUPT, "an impossible code in");
	/* Too many short codes, no symbols, too few codes. */
	for (int bytes = 0; bytes < 3; bytes++) {
		memset(copy, bytes == 0 ? 0x11 : bytes == 1 ? 0x0f : 0xff, n);
		expect_payload("HUFF", copy, n, XC_ERR_CORRUPT, "equal bytes in");
	}
}

/* Chunks that do not go with HEAD. */
static void needless_chunks(void)
{
	static const char *const types[] = {"HUFF", "dens"};
	const xc_encode_options o = xc_test_options(75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT,
	                                            XC_HUFFMAN_DEFAULT);
	OWN_PICTURE p = xc_smooth_picture(20, 10, 3, 8, 4);
	OWN_BUFFER(context, file);
	xc_file_chunk own[XC_FILE_CHUNKS_MAX];

	if (xc_encode(context, &p, NULL, &o, &file))
		abort();
	const int n = xc_file_chunks(file.data, file.size, own);
	for (int i = 0; i < 2; i++) {
		const xc_file_chunk *added = xc_file_chunk_find(parts, count, types[i]);
		OWN_DECODED(context, out);
		f.size = 0;
		xc_bytes_add(&f, file.data, own[n - 1].offset);
		add_part(added);
		xc_bytes_add(&f, file.data + own[n - 1].offset, file.size - own[n - 1].offset);
		const xc_status s = xc_decode(context, f.data, f.size, NULL, &out);
		CHECK(s == (i < 1 ? XC_ERR_CORRUPT : XC_OK), "%s: %s", types[i], xc_status_string(s));
		CHECK(i == 1 || strstr(xc_context_message(context), types[i]), "not named: %s",
		      xc_context_message(context));
	}
}

static void index_entries(void)
{
	expect_lengths("INDX", XC_ERR_CORRUPT, XC_ERR_CORRUPT);
	static const uint8_t widths[] = {0, 1, 3, 5};
	for (size_t i = 0; i < COUNT(widths); i++)
		expect_byte("INDX", 0, widths[i], XC_ERR_CORRUPT);
	const size_t n = copy_payload("INDX");
	for (size_t at = 1; at < n; at++)
		expect_byte("INDX", at, (uint8_t)(copy[at] + 1), XC_ERR_CORRUPT);
}

static void ancillary_chunks(void)
{
	static const char numbers[][5] = {"dens", "cicp", "gama", "sbit"};

	for (size_t i = 0; i < COUNT(numbers); i++)
		expect_lengths(numbers[i], XC_OK, XC_OK);
	/* What is too short counts as not there, and of what is longer the first bytes are read. */
	for (int more = -1; more < 2; more++) {
		const size_t n = copy_payload("dens") + (size_t)(more + 1) - 1;
		xc_info info;
		expect_payload("dens", copy, n, XC_OK, "another length of");
		REQUIRE_OK(context, xc_read_info(context, f.data, f.size, &info));
		CHECK(info.metadata.density_x == (more < 0 ? 0 : 2835), "%u pixels a metre",
		      info.metadata.density_x);
	}
	expect_payload("text", NULL, 0, XC_OK, "an empty");
	expect_payload("text", (const uint8_t *)"no pair", 7, XC_OK, "odd");
	expect_payload("iccp", NULL, 0, XC_OK, "an empty");
	expect_payload("what", NULL, 0, XC_OK, "an empty");
}

/* A length of more bytes than needed is accepted, one of more than 9 is not. */
static void lengths(void)
{
	for (size_t more = 1; more < 12; more++) {
		begin(parts[count - 1].offset);
		xc_bytes_add_text(&f, "DONE");
		for (size_t i = 0; i < more; i++)
			xc_bytes_add_u8(&f, 128);
		xc_bytes_add_u8(&f, 0);
		xc_bytes_add_le32(&f, 0);
		xc_file_fix(f.data, f.size);
		expect(&f, more < 9 ? XC_OK : XC_ERR_CORRUPT, "a long length of", "DONE");
	}
	for (int bit = 7; bit < 63; bit++) {
		begin(parts[1].offset);
		xc_bytes_add_text(&f, "what");
		xc_bytes_add_length(&f, (UINT64_C(1) << bit) - 1);
		xc_bytes_add(&f, base.data + parts[1].offset, 20);
		expect(&f, XC_ERR_TRUNCATED, "a huge", "what");
	}
}

int main(void)
{
	context = xc_test_context();
	setup();
	RUN(all_chunks, missing_chunks, repeated_chunks, reordered_chunks, unknown_chunks, wrong_crcs,
	    density_units, impossible_metadata, magic_number, the_end, head_fields, quantization_tables,
	    version_1, huffman_codes, needless_chunks, index_entries, ancillary_chunks, lengths);
	xc_picture_free(context, &wanted);
	xc_context_free(context);
	xc_bytes_free(&base);
	xc_bytes_free(&f);
	return check_done();
}
