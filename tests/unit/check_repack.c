/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEGs to coefficients and back (jpeg/): every file gives its bytes again, or the parser says that it
 * cannot be kept; all SIMD levels agree; what is damaged is found or harmless. */
#include <string.h>

#include "fuzz/engine/mutate.h"
#include "lossless/bits.h"
#include "src/jpeg/file.h"
#include "tests/support/check.h"
#include "tests/support/format_samples.h"
#include "tests/support/jpeg_files.h"

/* Checks a file of any kind; returns whether it is kept. */
static int kept(const uint8_t *data, size_t size, uint32_t rows, const char *name, unsigned n)
{
	OWN_MEMORY uint8_t *const exact = xc_test_copy(data, size);
	const char *wrong;
	size_t coded;
	const xc_jpeg_verdict v = xc_test_jpeg_same(exact, size, rows, &wrong, &coded);

	CHECK(v != XC_JPEG_GOOD || !wrong, "%s %u: %s", name, n, wrong);
	return v == XC_JPEG_GOOD;
}

static void made(void)
{
	for (unsigned i = 0; i < check_repeats(400); i++) {
		OWN_BYTES file = {0};
		xc_test_jpeg_make(&file, i);
		CHECK(kept(file.data, file.size, 1 + i % 5, "file", i), "file %u is not kept", i);
	}
}

/* libjpeg's files, and that they become smaller. */
static void of_libjpeg(void)
{
#ifdef XC_HAVE_LIBJPEG
	/* Steps of 5 meet each kind of each member. */
	for (int i = 0; i < 96; i += CHECK_SANITIZED ? 5 : 1) {
		const xc_sample_jpeg jpeg = {.width = 130 - (uint32_t)i,
		                             .height = 60 + 2 * (uint32_t)i,
		                             .components = i % 3 == 2 ? 4 : 1 + 2 * (i % 3),
		                             .progressive = i % 2,
		                             .restart = i / 2 % 2 * 3,
		                             .h = 1 + i / 4 % 3,
		                             .v = 1 + i / 16 % 3 % 2};
		OWN_BYTES file = {0};
		const char *wrong = NULL;
		size_t coded = 0;
		xc_sample_jpeg_make(&file, &jpeg, NULL);
		CHECK(xc_test_jpeg_same(file.data, file.size, 1 + (uint32_t)i % 20, &wrong, &coded) ==
		              XC_JPEG_GOOD &&
		          !wrong,
		      "%d: %s", i, wrong ? wrong : "not kept");
		CHECK(coded < file.size + file.size / 16, "%d: %zu bytes of %zu", i, coded, file.size);
	}
#else
	SKIP("no libjpeg");
#endif
}

/* What is cut off, and what comes after the end. */
static void cut(void)
{
	unsigned good = 0, all = 0;

	for (unsigned i = 0; i < 6; i++) {
		OWN_BYTES file = {0};
		xc_test_jpeg_make(&file, 1000 + i);
		const size_t step = file.size / check_repeats(150) + 1;
		for (size_t n = 0; n < file.size; n += step, all++)
			good += (unsigned)kept(file.data, n, 2, "cut", (unsigned)n);
		xc_bytes_add(&file, "\xff\xd8\xff more", 8);
		OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);
		REQUIRE(xc_jpeg_open(j, file.data, file.size) == XC_JPEG_GOOD, "no");
		CHECK(j->size == file.size - 8, "%zu of %zu", j->size, file.size);
	}
	CHECK(good > all / 4, "%u of %u are kept", good, all);
}

static void mutated(void)
{
	unsigned good = 0;

	for (unsigned i = 0; i < check_repeats(2000); i++) {
		OWN_BYTES file = {0};
		uint64_t seed = i;
		xc_test_jpeg_make(&file, i % 100);
		file.size = xc_mutate(file.data, file.size, file.size, &seed);
		good += (unsigned)kept(file.data, file.size, 1 + i % 3, "mutation", i);
	}
	CHECK(good > check_repeats(200), "%u are kept", good);
}

/* Damaged descriptions and segments do no harm. */
static void damaged(void)
{
	for (unsigned i = 0; i < check_repeats(1500); i++) {
		uint64_t seed = i;
		OWN_BYTES file = {0};
		OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);
		xc_jpeg_notes notes = {NULL, 0, 0};
		xc_test_jpeg_make(&file, i % 50);
		REQUIRE(xc_jpeg_open(j, file.data, file.size) == XC_JPEG_GOOD, "%u", i);
		for (int s = 0; s < j->scans; s++)
			j->scan[s].found = (xc_jpeg_found){.pad = 1,
			                                   .lone = i % 2,
			                                   .units = j->scan[s].total,
			                                   .coded = j->scan[s].size};
		size_t n = xc_jpeg_describe(j, &notes, NULL);
		OWN_MEMORY uint8_t *d = xc_test_malloc(n + 16);
		xc_jpeg_describe(j, &notes, d);
		n = xc_mutate(d, n, n + 16, &seed);
		OWN_MEMORY uint8_t *const exact = xc_test_copy(d, n);
		notes.room = xc_jpeg_described_notes(exact, n);
		OWN_MEMORY xc_jpeg_note *const room = xc_test_malloc(sizeof *room * (notes.room + 1));
		notes.note = room;
		if (xc_jpeg_described(j, exact, n, &notes) != XC_JPEG_GOOD ||
		    xc_jpeg_file_size(j) > 1 << 20 || (uint64_t)j->width * j->height > 1 << 16)
			continue;
		/* Any bytes as a segment, to the writer. */
		xc_jpeg_coding coding;
		OWN_MEMORY xc_jpeg_decode_codes *const codes = xc_test_malloc(sizeof *codes);
		xc_shape_index shapes[XC_JPEG_SHAPES];
		xc_jpeg_coding_make(j, &coding);
		if (!xc_jpeg_shapes_read(exact, exact + n, shapes))
			xc_jpeg_builtin_shapes(shapes);
		xc_jpeg_decode_codes_make(shapes, codes);
		OWN_MEMORY uint8_t *const out = xc_test_malloc(xc_jpeg_file_size(j));
		OWN_MEMORY void *const scratch = xc_test_malloc(xc_jpeg_decode_scratch(&coding));
		OWN_MEMORY xc_jpeg_writer *const w = xc_test_malloc(xc_jpeg_writer_size(j));
		OWN_MEMORY int16_t *const blocks = xc_test_malloc(128 * 4 * (size_t)j->mcu_columns *
		                                                  j->mcu_rows * 16);
		xc_jpeg_band band = {.rows = j->mcu_rows, .blocks = {blocks}};
		for (int c = 1; c < j->components; c++)
			band.blocks[c] = band.blocks[c - 1] + 64 * xc_jpeg_band_blocks(j, c - 1, band.rows);
		if (!xc_jpeg_writer_begin(w, j, &notes, out))
			continue;
		for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++)
			if (xc_cpu_usable((xc_cpu)cpu)) {
				memset(blocks, 0, 128 * xc_jpeg_band_blocks(j, 0, band.rows));
				xc_jpeg_level_get((xc_cpu)cpu)->decode(&coding, codes, exact, n, &band, scratch);
			}
		xc_jpeg_write(w, &band);
		xc_jpeg_writer_end(w);
	}
}

/* Files that cannot be kept, by one byte of their headers. */
static void refused(void)
{
	static const struct {
		uint8_t marker, at, value;
		xc_jpeg_verdict verdict;
	} changes[] = {{0xc0, 1, 0xc9, XC_JPEG_ARITHMETIC}, {0xc0, 1, 0xca, XC_JPEG_ARITHMETIC},
	               {0xc0, 1, 0xc3, XC_JPEG_PROCESS},    {0xc0, 4, 12, XC_JPEG_DEPTH},
	               {0xc0, 9, 5, XC_JPEG_ODD},           {0xda, 4, 0, XC_JPEG_ODD},
	               {0xc0, 1, 0xe1, XC_JPEG_ODD}};
	OWN_BYTES file = {0};
	OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);
	uint64_t seed = 0;

	do {
		file.size = 0;
		xc_test_jpeg_make(&file, seed++);
	} while (xc_jpeg_open(j, file.data, file.size) != XC_JPEG_GOOD || j->progressive);
	for (size_t i = 0; i < COUNT(changes); i++) {
		OWN_MEMORY uint8_t *const copy = xc_test_copy(file.data, file.size);
		uint8_t *p = copy;
		while (p[0] != 0xff || p[1] != changes[i].marker)
			p++;
		p[changes[i].at] = changes[i].value;
		const xc_jpeg_verdict v = xc_jpeg_open(j, copy, file.size);
		CHECK(v == changes[i].verdict, "%zu: %d", i, v);
	}
	CHECK(xc_jpeg_open(j, file.data, 3) == XC_JPEG_FOREIGN, "three bytes");
	CHECK(xc_jpeg_open(j, file.data + 1, file.size - 1) == XC_JPEG_FOREIGN, "no SOI");
}

/* What no decoder looks at may be anything: a table that no scan uses, numbers of a sequential scan. */
static void unused(void)
{
	static const uint8_t table[] = {0xff, 0xc4, 0, 22, 0x13, 0, 3, 0, 0, 0, 0, 0,
	                                0,    0,    0, 0,  0,    0, 0, 0, 0, 5, 5, 5};

	for (unsigned i = 0; i < 20; i++) {
		OWN_BYTES file = {0}, with = {0};
		OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);
		xc_test_jpeg_make(&file, i);
		REQUIRE(xc_jpeg_open(j, file.data, file.size) == XC_JPEG_GOOD, "no");
		if (!j->progressive)
			file.data[j->scan[0].begin - 2] = (uint8_t)i;
		xc_bytes_add(&with, file.data, 2);
		xc_bytes_add(&with, table, sizeof table);
		xc_bytes_add(&with, file.data + 2, file.size - 2);
		CHECK(kept(with.data, with.size, 3, "unused", i), "%u is not kept", i);
	}
}

/* Many scans of many blocks in few bytes. */
static void bomb(void)
{
	OWN_BYTES f = {0};
	OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);

	xc_bytes_add(&f, CHECK_BYTES("\xff\xd8\xff\xc2\0\x0b\x08\xff\xff\xff\xff\1\1\x11\0"
	                             "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xe0"));
	for (uint32_t k = 1; k < 64; k++) {
		xc_bytes_add(&f, CHECK_BYTES("\xff\xda\0\x08\1\1\0"));
		xc_bytes_add_u8(&f, k);
		xc_bytes_add_u8(&f, k);
		xc_bytes_add_u8(&f, 0);
	}
	xc_bytes_add(&f, CHECK_BYTES("\xff\xd9"));
	const xc_jpeg_verdict v = xc_jpeg_open(j, f.data, f.size);
	CHECK(v == XC_JPEG_BUDGET, "%d", v);
}

/* Shapes of a file's own come back. */
static void shapes(void)
{
	static xc_jpeg_counts counts;
	xc_shape_index own[XC_JPEG_SHAPES], again[XC_JPEG_SHAPES];
	uint8_t used[XC_JPEG_SHAPES];
	OWN_MEMORY uint8_t *const bytes = xc_test_malloc(XC_JPEG_SHAPES_BYTES);
	uint64_t seed = 3;

	for (int i = 0; i < XC_JPEG_SHAPES; i++)
		for (int s = 0; s < XC_SYMBOLS; s++)
			counts[s % 2][i][s] = i % 3 ? check_below(&seed, 1U << check_below(&seed, 20)) : 0;
	for (int some = 0; some < 2; some++) {
		xc_jpeg_builtin_shapes(own);
		if (some)
			xc_jpeg_choose_shapes(&counts, 1, own, used);
		const uint8_t *const end = xc_jpeg_shapes_write(own, bytes);
		CHECK(end - bytes <= (some ? XC_JPEG_SHAPES_BYTES : 1), "%td bytes", end - bytes);
		CHECK(xc_jpeg_shapes_read(bytes, end, again) == end && !memcmp(own, again, sizeof own),
		      "other shapes");
		CHECK(!some || !xc_jpeg_shapes_read(bytes, end - 9, again), "cut shapes are read");
	}
}

/* What is packed comes back, and what is not packed does no harm. */
static void packed(void)
{
	enum { MOST = 4000 };
	static uint8_t data[MOST], out[2 * MOST], back[MOST];
	static uint32_t table[1 << XC_JPEG_PACK_BITS];
	xc_jpeg_dictionary d;
	uint64_t seed = 1;

	for (unsigned i = 0; i < check_repeats(2000); i++) {
		xc_jpeg_dictionary_of((int)(1 + i % 100), d);
		const size_t size = 1 + i * 7 % MOST, alphabet = 1 + i % 5 * 60;
		for (size_t k = 0; k < size; k++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
			data[k] = i % 3 && k > 50 && seed >> 61 ? data[k - 1 - (seed >> 40) % 50]
			                                        : (uint8_t)((seed >> 33) % alphabet);
			if (i % 4 == 3 && k < XC_JPEG_DICTIONARY)
				data[k] = d[k];
		}
		const size_t n = xc_jpeg_pack(d, data, size, table, out);
		CHECK(n <= xc_jpeg_pack_bound(size), "%zu bytes of %zu", n, size);
		CHECK(xc_jpeg_unpack(d, out, n, back, size) == out + n && !memcmp(back, data, size),
		      "%u: not the same", i);
		CHECK(!xc_jpeg_unpack(d, out, n - 1, back, size), "%u: it is cut off", i);
		out[seed % n] ^= (uint8_t)(1 + (seed >> 20) % 255);
		xc_jpeg_unpack(d, out, n, back, size);
	}
}

/* Adds a Huffman table with codes of random lengths, whose symbols of a length ascend or, if wanted, do not. */
static void add_table(xc_bytes *to, uint64_t *seed, int class, int unsorted)
{
	uint8_t length[256], counts[16] = {0}, symbols[256];
	const unsigned all = class ? 256 : 12, wide = 1 + check_below(seed, 5);
	int n = 0;

	for (unsigned s = 0; s < all; s++)
		length[s] = (uint8_t)(check_below(seed, 3) ? 2 * wide + check_below(seed, wide) : 0);
	length[all - 1] = length[0] = (uint8_t)(1 + check_below(seed, 16));
	for (unsigned l = 1; l <= 16; l++)
		for (unsigned s = 0; s < all; s++)
			if (length[s] == l) {
				counts[l - 1]++;
				symbols[n++] = (uint8_t)s;
			}
	for (int i = 1; unsorted && i < n; i++)
		if (length[symbols[i]] == length[symbols[i - 1]]) {
			const uint8_t s = symbols[i];
			symbols[i] = symbols[i - 1];
			symbols[i - 1] = s;
			unsorted = 0;
		}
	xc_bytes_add_u8(to, (unsigned)class << 4);
	xc_bytes_add(to, counts, 16);
	xc_bytes_add(to, symbols, (size_t)n);
}

/* Huffman tables that are told by lengths, or copied as they are. */
static void told(void)
{
	static uint32_t table[1 << XC_JPEG_PACK_BITS];
	static uint8_t out[4096], back[4096];
	xc_jpeg_dictionary d;
	uint64_t seed = 1;

	xc_jpeg_dictionary_of(75, d);
	for (unsigned i = 0; i < check_repeats(2000); i++) {
		OWN_BYTES data = {0};
		xc_bytes_add(&data, "12\377\304", 4);
		xc_bytes_add_u8(&data, 0);
		xc_bytes_add_u8(&data, 0);
		for (unsigned t = 0; t < 4; t++)
			add_table(&data, &seed, t % 2, i % 2);
		data.data[4] = (uint8_t)((data.size - 4) >> 8);
		data.data[5] = (uint8_t)(data.size - 4);
		xc_bytes_add(&data, "the end", i % 8);
		const size_t n = xc_jpeg_pack(d, data.data, data.size, table, out);
		CHECK(i % 2 ? n <= xc_jpeg_pack_bound(data.size) : n < data.size * 3 / 4,
		      "%u: %zu bytes of %zu", i, n, data.size);
		CHECK(xc_jpeg_unpack(d, out, n, back, data.size) == out + n &&
		          !memcmp(back, data.data, data.size),
		      "%u: not the same", i);
		CHECK(!xc_jpeg_unpack(d, out, n - 1, back, data.size), "%u: it is cut off", i);
		out[check_below(&seed, (uint32_t)n)] ^= (uint8_t)(1 + check_below(&seed, 255));
		xc_jpeg_unpack(d, out, n, back, data.size);
	}
}

int main(void)
{
	RUN(made, of_libjpeg, cut, mutated, damaged, refused, unused, bomb, shapes, packed, told);
	return check_done();
}
