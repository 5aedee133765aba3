/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a plane of samples (entropy/plane.h), for src/decode/batch.c. Noise is the slow case, so
 * the loops do not branch on zeros. State: the bit reader and the place i in the plane, which is
 * zero before. Bound: read_pairs() stops LOOKUPS * PAIR_BYTES bytes before the end, and each byte
 * is written at a place below n. */
#include "entropy/plane_symbols.h"
#include "entropy/bitread.h"

#define T uint8_t
#define BITS 8
#define NAME(f) f##8
#include "entropy/plane_rows.h"
#define T uint16_t
#define BITS 16
#define NAME(f) f##16
#include "entropy/plane_rows.h"

enum { TABLE_BITS = XC_PLANE_MAX_LENGTH };

static void get_samples(const uint8_t *from, size_t n, size_t bytes, void *samples)
{
	if (bytes == 1)
		memcpy(samples, from, n);
	for (size_t i = 0; bytes == 2 && i < n; i++)
		((uint16_t *)samples)[i] = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
}

static void fill(void *samples, size_t n, size_t bytes, uint16_t value)
{
	if (bytes == 1)
		memset(samples, value, n);
	for (size_t i = 0; bytes == 2 && i < n; i++)
		((uint16_t *)samples)[i] = value;
}

/* An entry for the next TABLE_BITS bits: length | raw bits << 4 | residue << 8 | least step << 16;
 * a step of 0 stands for an escape, whose residue is in the raw bits. */
static uint32_t entry_of(uint32_t symbol, unsigned length)
{
	const uint32_t start = length | raw_bits(symbol) << 4;

	if (symbol < XC_PLANE_RUNS)
		return start | class_run(symbol) << 16;
	return start | (symbol == XC_PLANE_ESCAPE ? 0 : (symbol - (XC_PLANE_RUNS - 1)) << 8 | 1u << 16);
}

/* Returns the bytes of the code, 0 if it is none. */
static size_t read_table(const uint8_t *from, size_t size, uint32_t table[1 << TABLE_BITS])
{
	xc_huffman_code code;

	if (size < 2 || from[0] < 1)
		return 0;
	const size_t taken = xc_huffman_read(&code, from[0] + 1u, from + 1, size - 1);
	for (uint32_t s = 0; taken && s < code.symbols; s++) {
		const unsigned length = code.length[s];
		if (length > TABLE_BITS)
			return 0;
		uint32_t *at = table + ((size_t)code.code[s] << (TABLE_BITS - length));
		for (uint32_t i = 0; length && i < 1u << (TABLE_BITS - length); i++)
			at[i] = entry_of(s, length);
	}
	return taken ? 1 + taken : 0;
}

/* Decodes a symbol at index i < n; returns the next index, which may exceed n. */
static inline __attribute__((always_inline)) size_t take(xc_bit_reader *r, const uint32_t *table,
                                                         uint8_t *z, size_t i)
{
	const uint32_t e = table[r->bits >> (64 - TABLE_BITS)];
	const unsigned length = e & 15, raw = e >> 4 & 15;
	const uint32_t more = (uint32_t)(r->bits << length >> 1 >> (63 - raw));

	consume(r, length + raw);
	if (__builtin_expect(e >> 16 == 0, 0)) {
		z[i] = (uint8_t)more;
		return i + 1;
	}
	z[i] = (uint8_t)(e >> 8);
	return i + (e >> 16) + more;
}

/*
 * Pairs. An entry for the next TABLE_BITS bits holds one or two symbols that are residues or the
 * shortest runs, so that they have no raw bits:
 *   bits 0-5    length of both
 *   bits 6-9    how many bytes they stand for
 *   bits 10-17  the first residue; bits 18-25  the second one
 *   bits 26-28  how many bytes the first one stands for, or 0 if it is alone
 * 0: the first symbol is another one.
 */
enum { PAIR_BYTES = 8 };

/* The entry as second symbol of a pair, without the first residue. A symbol that can be in no pair
 * gets a length too long for any. */
static inline uint32_t second_entry(uint32_t e)
{
	const uint32_t step = e >> 16, second = (e & 15) | step << 6 | (e & 0xff00) << 10;
	return step - 1 < PAIR_BYTES / 2 && !(e & 0xf0) ? second : TABLE_BITS;
}

static void make_pairs(const uint32_t *table, uint32_t *pairs)
{
	uint32_t second[1 << TABLE_BITS];

	for (uint32_t i = 0; i < 1 << TABLE_BITS; i++)
		second[i] = second_entry(table[i]);
	/* The entries of one symbol are consecutive. */
	for (uint32_t i = 0; i < 1 << TABLE_BITS;) {
		const uint32_t length = table[i] & 15, n = 1u << (TABLE_BITS - length);
		const uint32_t step = table[i] >> 16, v = table[i] >> 8 & 255;
		const int first = second_entry(table[i]) != TABLE_BITS;
		const uint32_t single = first ? length | step << 6 | v << 10 | v << 18 : 0;
		const uint32_t pair = length | step << 6 | v << 10 | step << 26;
		for (uint32_t k = 0; k < n; k++) {
			const uint32_t s = second[k << length];
			pairs[i + k] = first && length + (s & 63) <= TABLE_BITS ? pair + s : single;
		}
		i += n;
	}
}

/* Decodes pairs while they cannot pass the end; returns the next index. */
static size_t read_pairs(xc_bit_reader *reader, const uint32_t *table, uint8_t *z, size_t n)
{
	enum { LOOKUPS = 56 / TABLE_BITS };
	uint32_t pairs[1 << TABLE_BITS];
	xc_bit_reader r = *reader;
	size_t i = 0;

	make_pairs(table, pairs);
	while (i + LOOKUPS * PAIR_BYTES <= n) {
		refill(&r);
		for (int k = 0; k < LOOKUPS; k++) {
			const uint32_t e = pairs[r.bits >> (64 - TABLE_BITS)];
			if (__builtin_expect(!e, 0)) {
				refill(&r);
				i = take(&r, table, z, i);
				break;
			}
			z[i] = (uint8_t)(e >> 10);
			z[i + (e >> 26)] = (uint8_t)(e >> 18);
			i += e >> 6 & 15;
			consume(&r, e);
		}
	}
	*reader = r;
	return i;
}

/* Fills a plane of n zero bytes. many: enough symbols to pay for the table of pairs. */
static int read_plane(xc_bit_reader *reader, const uint32_t *table, uint8_t *z, size_t n, int many)
{
	size_t i = many ? read_pairs(reader, table, z, n) : 0;
	xc_bit_reader r = *reader;

	while (i < n) {
		/* Two symbols take 50 bits at most. */
		refill(&r);
		i = take(&r, table, z, i);
		if (i < n)
			i = take(&r, table, z, i);
	}
	*reader = r;
	return i == n;
}

static int decode_residues(const uint8_t *from, size_t size, const uint8_t *readable, size_t n,
                           size_t bytes, uint8_t *planes)
{
	enum { MANY = 1024 }; /* bytes */
	uint32_t tables[2][1 << TABLE_BITS];
	xc_bit_reader r;

	for (size_t i = 0; i < bytes; i++) {
		const size_t taken = read_table(from, size, tables[i]);
		if (!taken)
			return 0;
		from += taken;
		size -= taken;
	}
	memset(planes, 0, n * bytes);
	xc_bit_reader_init(&r, from, size, readable);
	for (size_t i = 0; i < bytes; i++)
		if (!read_plane(&r, tables[i], planes + i * n, n, size >= MANY))
			return 0;
	return xc_bit_reader_at_end(&r);
}

int XC_PLANE_NAME(xc_plane_decode)(const uint8_t *segment, size_t size, const uint8_t *readable,
                                   size_t width, size_t height, size_t bytes, void *scratch,
                                   void *samples)
{
	const size_t n = width * height;
	uint8_t *planes = scratch, *half = planes + n;
	const int form = size ? segment[0] : 255;

	if (size < 2) {
		fill(samples, n, bytes, (uint16_t)(form * 257));
		return 1;
	}
	if (form == XC_PLANE_CONSTANT && bytes == 2 && size == 3) {
		fill(samples, n, bytes, (uint16_t)(segment[1] | segment[2] << 8));
		return 1;
	}
	if (form == XC_PLANE_RAW && size - 1 == n * bytes) {
		get_samples(segment + 1, n, bytes, samples);
		return 1;
	}
	if (form == XC_PLANE_DOUBLED && bytes == 2) {
		if (!XC_PLANE_NAME(xc_plane_decode)(segment + 1, size - 1, readable, width, height, 1,
		                                    scratch, half))
			return 0;
		for (size_t i = 0; i < n; i++)
			((uint16_t *)samples)[i] = (uint16_t)(half[i] * 257);
		return 1;
	}
	const int planar = form == XC_PLANE_PLANAR;
	if ((!planar && form != XC_PLANE_ABOVE) ||
	    !decode_residues(segment + 1, size - 1, readable, n, bytes, planes))
		return 0;
	if (bytes == 1)
		restore8(planes, width, height, planar, samples);
	else
		restore16(planes, width, height, planar, samples);
	return 1;
}
