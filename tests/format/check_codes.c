/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored sets of codes (doc/format.md, 5.5), good and damaged, and values at the limit of their
 * size and beyond it (5.6).  Bits are written out as text: spaces only part them.  The library
 * and the reference decoder must agree about each file.
 */
#include <stdlib.h>
#include <string.h>

#include "entropy/huffman.h"
#include "src/core/cpu.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

static xc_context *c;

/* Fills the last byte with `rest`, 0 or 1.  Returns the number of bytes. */
static uint32_t add_bits(xc_bytes *out, const char *text, uint32_t rest)
{
	const size_t start = out->size;
	uint32_t byte = 1;

	for (; *text || byte > 1; text += *text != '\0') {
		if (*text == ' ')
			continue;
		byte = byte << 1 | (*text ? *text == '1' : rest);
		if (byte > 255) {
			xc_bytes_add_u8(out, byte);
			byte = 1;
		}
	}
	return (uint32_t)(out->size - start);
}

enum { MAX_TILES = 3 };

/* A grey picture of tiles of one block, one beside the other. */
typedef struct grey {
	uint32_t depth, entropy, tiles;
	xc_bytes huff;
	const char *segments[MAX_TILES]; /* bits */
} grey;

static void make_file(xc_bytes *f, const grey *g)
{
	const xc_head head = {8 * g->tiles, 8, 1, g->depth, 3, 0, g->entropy, 75, 1, 1};
	OWN_BYTES data = {0}, index = {0};

	xc_bytes_add_u8(&index, 2);
	for (uint32_t i = 0; i < g->tiles; i++) {
		xc_bytes_add_le16(&index, add_bits(&data, g->segments[i], 0));
		xc_bytes_add_le16(&index, 0);
	}
	f->size = 0;
	xc_bytes_add_magic(f);
	xc_bytes_add_head(f, &head);
	xc_bytes_add_chunk(f, "QNTZ", "\1\x88", 2);
	xc_bytes_add_chunk(f, "HUFF", g->huff.data, g->huff.size);
	xc_bytes_add_chunk(f, "INDX", index.data, index.size);
	xc_bytes_add_chunk(f, "DATA", data.data, data.size);
	xc_bytes_add_chunk(f, "DONE", NULL, 0);
	xc_file_fix(f->data, f->size);
}

static void expect(const grey *g, xc_status wanted, const char *what)
{
	OWN_BYTES f = {0};
	OWN_DECODED(c, p);

	make_file(&f, g);
	const xc_status s = xc_decode(c, f.data, f.size, NULL, &p);
	const char *objection = refdec_objection(s, &p, f.data, f.size, 1 << 20);
	CHECK(s == wanted, "%s: %s (%s)", what, xc_status_string(s), xc_context_message(c));
	CHECK(!objection, "%s: %s, but reference: %s", what, xc_status_string(s), objection);
}

/* ------------------------------------------------------------ sets of codes */

/* One AC code, and all contexts take it. */
#define ONE "000 000 000 000 000 000 000 "
/* Both DC symbols and both AC symbols have one bit: 0 and 1; 0x00 and 0x01. */
#define DC "00000001 011 1011 "
#define AC "00000001 1101 011 "
/* The same as the code before. */
#define SAME "00000001 00 00 "
/* DC sizes 0 to 14 have 1 to 15 bits. */
#define CHAIN \
	"111 0001 111 0010 111 0011 111 0100 111 0101 111 0110 111 0111 111 1000 111 1001 " \
	"111 1010 111 1011 111 1100 111 1101 111 1110 111 1111 "
#define ABSENT5 "100 100 100 100 100 "
#define ABSENT30 ABSENT5 ABSENT5 ABSENT5 ABSENT5 ABSENT5 ABSENT5

static const struct {
	const char *what, *bits;
	int good;
} sets[] = {
	{"one code", ONE DC AC, 1},
	{"two codes", "001 000 001 000 001 000 001 " DC AC SAME, 1},
	{"a code that no context takes", "001 000 000 000 000 000 000 " DC AC SAME, 1},
	{"three symbols after two", "001 000 001 000 001 000 001 " DC AC "00000010 010 00 0 0010", 1},
	{"six codes", "101 000 001 010 011 100 101 " DC AC SAME SAME SAME SAME SAME, 1},
	{"six codes backwards", "101 101 100 011 010 001 000 " DC AC SAME SAME SAME SAME SAME, 1},
	{"seven codes", "110 000 001 010 011 100 101 " DC AC SAME SAME SAME SAME SAME SAME, 0},
	{"eight codes", "111 000 001 010 011 100 101 " DC AC SAME SAME SAME SAME SAME SAME SAME, 0},
	{"the first context without a code", "000 001 000 000 000 000 000 " DC AC, 0},
	{"the last context without a code", "000 000 000 000 000 000 001 " DC AC, 0},
	{"a code beyond two", "001 000 001 000 010 000 001 " DC AC SAME, 0},
	{"code 7", "101 000 001 010 011 100 111 " DC AC SAME SAME SAME SAME SAME, 0},
	{"32 symbols of DC", ONE "00011111 011 1011 " ABSENT30 AC, 1},
	{"33 symbols of DC", ONE "00100000 011 1011 " ABSENT30 "1 " AC, 0},
	{"256 symbols of DC", ONE "11111111 011 1011 " AC, 0},
	{"symbols without a code, by the long word", ONE "00000010 111 0001 111 0001 111 0000 " AC, 1},
	{"symbols without a code, twice over",
     "001 000 001 000 001 000 001 " DC AC "00000011 00 00 0 0000 1 ", 1},
	{"a difference that gives no code", ONE "00000010 1011 1011 1011 " AC, 1},
	{"a length below zero", ONE "00000010 1101 1011 1011 " AC, 0},
	{"lengths of 1 to 16", ONE "00010000 " CHAIN "1010 1010 " AC, 1},
	{"lengths up to 17", ONE "00010001 " CHAIN "1010 1100 1100 " AC, 0},
	{"a length of 17 for one of 16", ONE "00010000 " CHAIN "1010 1100 " AC, 0},
	{"a DC code of one symbol", ONE "00000000 011 " AC, 0},
	{"an AC code of one symbol", ONE DC "00000000 1101 ", 0},
	{"an incomplete DC code", ONE "00000001 011 011 " AC, 0},
	{"an incomplete AC code", ONE DC "00000001 1101 00 ", 0},
	{"an overfull DC code", ONE "00000010 011 1011 1011 " AC, 0},
	{"an overfull second code", "001 000 001 000 001 000 001 " DC AC "00000010 00 00 0 0001 ", 0},
};

static void sets_of_codes(void)
{
	for (size_t i = 0; i < COUNT(sets); i++) {
		grey g = {8, 2, 1, {0}, {"0 0"}};
		for (uint32_t rest = 0; rest < 2; rest++) {
			g.huff.size = 0;
			add_bits(&g.huff, sets[i].bits, rest);
			expect(&g, sets[i].good ? XC_OK : XC_ERR_CORRUPT, sets[i].what);
		}
		xc_bytes_add_u8(&g.huff, 0);
		expect(&g, XC_ERR_CORRUPT, "a byte too many");
		g.huff.size -= 2;
		expect(&g, XC_ERR_CORRUPT, "a byte too few");
		g.huff.size = 0;
		expect(&g, XC_ERR_CORRUPT, "nothing");
		xc_bytes_free(&g.huff);
	}
}

/* --------------------------------------------------------- limits of values */

/* A stored code of symbols with 1, 2, 3 and 3 bits: 0, 10, 110 and 111. */
static void add_code(xc_bytes *out, uint32_t symbols, const uint8_t of[4])
{
	static const uint8_t lengths[4] = {1, 2, 3, 3};
	xc_huffman_code code = {.symbols = symbols};
	uint8_t stored[XC_STORED_CODE_BYTES];

	for (int i = 0; i < 4; i++)
		code.length[of[i]] = lengths[i];
	if (!xc_huffman_assign(&code))
		abort();
	xc_bytes_add(out, stored, xc_huffman_write(&code, stored));
}

/* DC symbols: 0, the limit, one more, the last; AC: the end, and sizes about the limit. */
static const uint8_t dc8[4] = {0, 12, 13, 31}, ac8[4] = {0x00, 0x0b, 0x0c, 0x0f};
static const uint8_t dc16[4] = {0, 25, 26, 31}, ac16[4] = {0x00, 0x0b, 0x0e, 0x0f};

#define FOUR "1010 "
#define EIGHT FOUR FOUR
#define BITS24 EIGHT EIGHT EIGHT

static const struct {
	const char *what;
	uint32_t depth;
	const char *segment;
	int good;
} values[] = {
	{"DC of 12 bits", 8, "10 " EIGHT FOUR "0", 1},
	{"DC of 13 bits", 8, "110 " EIGHT FOUR "1 0", 0},
	{"DC of 31 bits", 8, "111 " EIGHT EIGHT EIGHT "1010 101 0", 0},
	{"AC of 11 bits", 8, "0 10 " EIGHT "101 0", 1},
	{"AC of 11 zeros", 8, "0 10 00000000000 0", 1},
	{"AC of 12 bits", 8, "0 110 " EIGHT FOUR "0", 0},
	{"AC of 12 bits after one of 11", 8, "0 10 " EIGHT "101 110 " EIGHT FOUR "0", 0},
	{"AC of 15 bits", 8, "0 111 0000 " EIGHT "1010 101 0", 0},
	{"AC of 30 bits", 8, "0 111 1111 " BITS24 "101010 0", 0},
	{"DC of 25 bits", 16, "10 " BITS24 "1 0", 1},
	{"DC of 26 bits", 16, "110 " BITS24 "10 0", 0},
	{"DC of 31 bits", 16, "111 " BITS24 "1010 101 0", 0},
	{"AC of 14 bits", 16, "0 110 " EIGHT "101010 0", 1},
	{"AC of 15 bits", 16, "0 111 0000 " EIGHT "1010 101 0", 1},
	{"AC of 24 bits", 16, "0 111 1001 " BITS24 "0", 1},
	{"AC of 24 zeros", 16, "0 111 1001 000000000000000000000000 0", 1},
	{"AC of 25 bits", 16, "0 111 1010 " BITS24 "1 0", 0},
	{"AC of 28 bits", 16, "0 111 1101 " BITS24 "1010 0", 0},
	{"AC of 30 bits", 16, "0 111 1111 " BITS24 "101010 0", 0},
};

/* The first and the last tile are as if the second were mid-grey. */
static void check_neighbours(const xc_bytes *f, const grey *g, const char *what)
{
	OWN_DECODED(c, p);
	OWN_DECODED(c, wanted);
	xc_decode_options o = {.keep_going = 1};
	OWN_BYTES intact = {0};
	grey blank = *g;

	blank.segments[1] = "0 0";
	make_file(&intact, &blank);
	CHECK_OK(c, xc_decode(c, intact.data, intact.size, NULL, &wanted));
	CHECK_OK(c, xc_decode(c, f->data, f->size, &o, &p));
	CHECK(o.damaged_segments == 1, "%s: %llu damaged", what,
	      (unsigned long long)o.damaged_segments);
	CHECK(p.data && wanted.data && xc_sample_equal(&p, &wanted), "%s: other pixels", what);
}

/* A size above the limit is damage of its segment, and of no other. */
static void limits_of_values(void)
{
	for (size_t i = 0; i < COUNT(values) * XC_CPU_LEVELS; i++) {
		const size_t n = i / XC_CPU_LEVELS;
		const int depth16 = values[n].depth == 16;
		grey g = {values[n].depth, 1, 3, {0}, {"0 0", values[n].segment, "0 0"}};
		OWN_BYTES f = {0};
		if (xc_context_set_cpu(c, xc_cpu_name((xc_cpu)(i % XC_CPU_LEVELS))))
			continue;
		g.segments[0] = g.segments[2] = depth16 ? "0 110 11111111111111 0" : "0 10 11111111111 0";
		add_code(&g.huff, 32, depth16 ? dc16 : dc8);
		add_code(&g.huff, 256, depth16 ? ac16 : ac8);
		expect(&g, values[n].good ? XC_OK : XC_ERR_CORRUPT, values[n].what);
		make_file(&f, &g);
		if (!values[n].good)
			check_neighbours(&f, &g, values[n].what);
		xc_bytes_free(&g.huff);
	}
}

int main(void)
{
	c = xc_test_context();
	RUN(sets_of_codes, limits_of_values);
	xc_context_free(c);
	return check_done();
}
