/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks descriptions of JPEGs, for the reference decoder. Numbers in brackets are sections of doc/format.md. Of the
 * library it has the dictionary alone, but for its steps, which belongs to the format. */
#include "jpeg/jpeg.h"
#include "tests/formats/refdec_jpeg.h"

uint64_t refdec_jpeg_number(refdec *d, const uint8_t **p, const uint8_t *end)
{
	uint64_t n = 0;

	for (int shift = 0;; shift += 7) {
		if (*p == end || shift > 42)
			refdec_fail(d, "a description is damaged");
		n |= (uint64_t)(**p & 127) << shift;
		if (*(*p)++ < 128)
			return n;
	}
}

static void need(refdec *d, int condition)
{
	if (!condition)
		refdec_fail(d, "a description is damaged");
}

/* [12.4] The dictionary with the steps of a quality. */
static void make_dictionary(uint64_t quality, xc_jpeg_dictionary dictionary)
{
	const uint64_t percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
	uint8_t steps[2][64];

	for (int t = 0; t < 2; t++)
		for (int z = 0; z < 64; z++) {
			const uint64_t step = (refdec_annex_k[t][refdec_jpeg_order[z]] * percent + 50) / 100;
			steps[t][z] = (uint8_t)(step < 1 ? 1 : step > 255 ? 255 : step);
		}
	xc_jpeg_dictionary_make(steps, dictionary);
}

/* [12.4] A Huffman table from p on, by the lengths of its codes; returns what follows it. */
static const uint8_t *read_table(refdec *d, const uint8_t *p, const uint8_t *end,
                                 const xc_jpeg_dictionary dictionary, uint8_t *out, uint64_t *done,
                                 uint64_t size)
{
	uint8_t order[256], length[256] = {0}, known[256] = {0};
	int n = 0, last = 3;

	d->bits = p;
	d->bits_end = end;
	d->bit = 7;
	/* The symbols of T.81, table K.5, are in the dictionary. */
	const int ac = (int)refdec_read_bits(d, 1);
	for (; ac && n < 162; n++)
		known[order[n] = dictionary[463 + n]] = 1;
	for (int s = 0; s < 256; s++)
		if (!known[s])
			order[n++] = (uint8_t)s;
	int left = (int)refdec_read_bits(d, 8) + 1;
	const int symbols = left;
	for (uint64_t at = 0; left; at++) {
		const uint64_t z = refdec_read_rice(d, 1);
		need(d, z < 65 && at < 256);
		if (z == 2) {
			at += refdec_read_rice(d, 3);
			continue;
		}
		last += z < 2 ? (int)z : z % 2 ? -(int)(z - 1) / 2 : (int)z / 2;
		need(d, last >= 1 && last <= 16);
		length[order[at]] = (uint8_t)last;
		left--;
	}
	refdec_end_byte(d);
	need(d, 16 + (uint64_t)symbols <= size - *done);
	uint8_t *const table = out + *done, *symbol = table + 16;
	for (int l = 1; l <= 16; l++) {
		int count = 0;
		for (int s = 0; s < 256; s++)
			if (length[s] == l) {
				*symbol++ = (uint8_t)s;
				count++;
			}
		need(d, count < 256);
		table[l - 1] = (uint8_t)count;
	}
	*done += 16 + (uint64_t)symbols;
	return d->bits;
}

const uint8_t *refdec_jpeg_unpack(refdec *d, const uint8_t *p, const uint8_t *end, uint64_t quality,
                                  uint8_t *out, uint64_t size)
{
	uint64_t done = 0;
	xc_jpeg_dictionary dictionary;

	make_dictionary(quality, dictionary);
	for (;;) {
		uint64_t n = refdec_jpeg_number(d, &p, end);
		for (; n; n--) {
			if (p == end || done == size)
				refdec_fail(d, "a description is damaged");
			out[done++] = *p++;
		}
		if (done == size)
			break;
		n = refdec_jpeg_number(d, &p, end);
		if (!n) {
			p = read_table(d, p, end, dictionary, out, &done, size);
			continue;
		}
		n += 3;
		const uint64_t back = refdec_jpeg_number(d, &p, end) + 1;
		if (n > size - done || back > done + XC_JPEG_DICTIONARY)
			refdec_fail(d, "a description is damaged");
		for (; n; n--, done++)
			out[done] = back > done ? dictionary[done + XC_JPEG_DICTIONARY - back]
			                        : out[done - back];
	}
	return p;
}
