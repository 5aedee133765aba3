/* SPDX-License-Identifier: BSD-2-Clause */
/* Canonical Huffman codes: package-merge, the simple stored form, and the built-in codes. Sorting
 * by count and then by symbol makes the result the same everywhere. */
#include "entropy/huffman.h"

#include <string.h>

int xc_huffman_assign(xc_huffman_code *code)
{
	uint32_t count[XC_MAX_CODE_LENGTH + 1] = {0};

	for (uint32_t s = 0; s < code->symbols; s++) {
		if (code->length[s] > XC_MAX_CODE_LENGTH)
			return 0;
		count[code->length[s]]++;
	}
	count[0] = 0;
	uint32_t next[XC_MAX_CODE_LENGTH + 1], first = 0;
	for (int l = 1; l <= XC_MAX_CODE_LENGTH; l++) {
		first = (first + count[l - 1]) << 1;
		next[l] = first;
		if (first + count[l] > UINT32_C(1) << l)
			return 0;
	}
	if (first + count[XC_MAX_CODE_LENGTH] != UINT32_C(1) << XC_MAX_CODE_LENGTH)
		return 0;
	for (uint32_t s = 0; s < code->symbols; s++)
		code->code[s] = code->length[s] ? (uint16_t)next[code->length[s]]++ : 0;
	return 1;
}

typedef struct leaf {
	uint64_t weight;
	uint32_t symbol;
} leaf;

/* Sorts by weight and then by symbol.  No two leaves are equal, so any sort has this result. */
static void sort_leaves(leaf *leaves, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
		for (uint32_t i = gap; i < n; i++) {
			const leaf x = leaves[i];
			uint32_t j = i;
			for (; j >= gap &&
			       (leaves[j - gap].weight > x.weight ||
			        (leaves[j - gap].weight == x.weight && leaves[j - gap].symbol > x.symbol));
			     j -= gap)
				leaves[j] = leaves[j - gap];
			leaves[j] = x;
		}
	}
}

static uint32_t collect_leaves(leaf *leaves, const uint64_t *counts, uint32_t symbols)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < symbols; s++)
		if (counts[s])
			leaves[n++] = (leaf){counts[s], s};
	/* A code must be complete, so it needs two symbols. */
	for (uint32_t s = 0; n < 2; s++)
		if (!counts[s])
			leaves[n++] = (leaf){1, s};
	return n;
}

void xc_huffman_build(xc_huffman_code *code, const uint64_t *counts, uint32_t symbols,
                      int max_length)
{
	leaf leaves[XC_MAX_SYMBOLS + 2];
	uint64_t weight[2][2 * XC_MAX_SYMBOLS];
	/* is_leaf[l][i]: item i of level l is a leaf, not a package.  Items are in order of weight. */
	uint8_t is_leaf[XC_MAX_CODE_LENGTH][2 * XC_MAX_SYMBOLS];

	memset(code, 0, sizeof *code);
	code->symbols = symbols;
	const uint32_t n = collect_leaves(leaves, counts, symbols);
	sort_leaves(leaves, n);

	uint32_t items = 0;
	for (int level = 0; level < max_length; level++) {
		const uint64_t *below = weight[(level + 1) & 1];
		uint64_t *here = weight[level & 1];
		const uint32_t packages = items / 2;
		uint32_t a = 0, p = 0;
		for (items = 0; a < n || p < packages; items++) {
			const uint64_t package = p < packages ? below[2 * p] + below[2 * p + 1] : 0;
			const int take = a < n && (p == packages || leaves[a].weight <= package);
			is_leaf[level][items] = (uint8_t)take;
			here[items] = take ? leaves[a++].weight : package;
			p += !take;
		}
	}
	/* Takes the first 2n - 2 items of the top level and opens their packages level by level. Each
	 * level's k leaves among the items taken are the k lightest ones, and grow by one bit. */
	uint32_t taken = 2 * n - 2;
	for (int level = max_length - 1; level >= 0; level--) {
		uint32_t k = 0;
		for (uint32_t i = 0; i < taken; i++)
			k += is_leaf[level][i];
		for (uint32_t i = 0; i < k; i++)
			code->length[leaves[i].symbol]++;
		taken = 2 * (taken - k);
	}
	xc_huffman_assign(code);
}

size_t xc_huffman_write(const xc_huffman_code *code, uint8_t *out)
{
	size_t nibbles = 0;

	memset(out, 0, XC_STORED_CODE_BYTES);
#define PUT(value) (out[nibbles / 2] |= (uint8_t)((value) << (nibbles % 2 ? 0 : 4)), nibbles++)
	for (uint32_t s = 0; s < code->symbols; s++) {
		PUT(code->length[s]);
		if (!code->length[s]) {
			uint32_t more = 0;
			while (more < 15 && s + 1 < code->symbols && !code->length[s + 1]) {
				more++;
				s++;
			}
			PUT(more);
		}
	}
#undef PUT
	return (nibbles + 1) / 2;
}

size_t xc_huffman_read(xc_huffman_code *code, uint32_t symbols, const uint8_t *in, size_t size)
{
	size_t nibbles = 0;

	memset(code, 0, sizeof *code);
	code->symbols = symbols;
	for (uint32_t s = 0; s < symbols;) {
		uint32_t pair[2] = {0, 0}; /* a length; after a zero, how many zeros follow it */
		for (int i = 0; i < 2 && !pair[0]; i++, nibbles++) {
			if (nibbles / 2 >= size)
				return 0;
			pair[i] = in[nibbles / 2] >> (nibbles % 2 ? 0 : 4) & 15;
			if (pair[0])
				code->length[s] = (uint8_t)pair[0];
		}
		s += 1 + pair[1];
		if (s > symbols)
			return 0;
	}
	return xc_huffman_assign(code) ? (nibbles + 1) / 2 : 0;
}

/* The built-in codes. They start from the example tables of ITU-T T.81, Annex K (K.3 to K.6): a
 * symbol with a code of n bits there counts as 2^(20-n) here, a symbol without one counts as 1, and
 * the code is built from these counts. So every symbol has a code, which 16-bit pictures and other
 * transforms need, and common symbols keep nearly their lengths of Annex K. */

/* Codes of up to 15 bits. */
typedef struct annex_k {
	uint8_t counts[15]; /* of each length, 1 to 15 */
	uint8_t symbols[43];
} annex_k;

static const annex_k dc_luma = {
	{0, 1, 5, 1, 1, 1, 1, 1, 1},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
};
static const annex_k dc_chroma = {
	{0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
};
static const annex_k ac_luma = {
	{0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1},
	{0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13,
     0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42,
     0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82},
};
static const annex_k ac_chroma = {
	{0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2},
	{0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61,
     0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33,
     0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1},
};

void xc_huffman_default(xc_huffman_code *code, int ac, int chroma)
{
	static const annex_k *const tables[2][2] = {{&dc_luma, &dc_chroma}, {&ac_luma, &ac_chroma}};
	const annex_k *k = tables[ac][chroma];
	const uint32_t symbols = ac ? XC_AC_SYMBOLS : XC_DC_SYMBOLS;
	uint64_t counts[XC_MAX_SYMBOLS];
	uint32_t next = 0;

	/* Annex K gives 16 bits to the AC symbols of sizes 1 to 10 that are not listed, and no code to
	 * larger sizes. A run before size 0 never occurs, so it needs none here either. */
	for (uint32_t s = 0; s < symbols; s++)
		counts[s] = !ac || s % 16 > 10 ? 1 : s % 16 ? 16 : 0;
	for (int length = 1; length <= 15; length++)
		for (int i = 0; i < k->counts[length - 1]; i++)
			counts[k->symbols[next++]] = UINT64_C(16) << (16 - length);
	xc_huffman_build(code, counts, symbols, XC_MAX_CODE_LENGTH);
}
