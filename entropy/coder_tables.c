/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the Huffman coder that do not depend on the width of coefficients, and the masks of the
 * scan. They are made once per picture or per context. */
#include "entropy/tokens.h"
#include "entropy/scan.h"

#include <string.h>

/* The AC tokens of a value are consecutive, by the zeros before it. */
enum { RUNS = 16 };

void xc_token_counts_fold(const xc_token_counts *counts, uint64_t *dc, uint64_t *ac)
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		dc[s] += counts->dc[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		ac[s] += counts->ac[s];
	for (int i = 0; i < XC_DC_TOKENS; i += RUNS) {
		const unsigned size = xc_value_size(xc_small_value(i));
		for (unsigned run = 0; run < RUNS; run++)
			ac[run << 4 | size] += counts->small[(unsigned)i + run];
	}
	for (int i = XC_DC_TOKENS; i < XC_SMALL_TOKENS; i++)
		dc[xc_small_symbol(i)] += counts->small[i];
}

void xc_token_contexts_init(xc_token_contexts *contexts)
{
	for (int i = 0; i < XC_SMALL_TOKENS; i++) {
		const unsigned symbol = xc_small_symbol(i);
		contexts->after[i] = (uint8_t)(i < XC_DC_TOKENS ? xc_context_after_ac(symbol)
		                                                : xc_context_after_dc(symbol));
	}
}

/* The codes of AC for values of a size, without the values' bits. */
static void codes_of_size(const xc_huffman_code *ac, unsigned size, uint32_t codes[RUNS])
{
	for (unsigned run = 0; run < RUNS; run++) {
		const unsigned symbol = run << 4 | size;
		codes[run] = (uint32_t)ac->code[symbol] << size << 6 | (ac->length[symbol] + size);
	}
}

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac)
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		tables->dc[s] = (uint32_t)dc->code[s] << 6 | dc->length[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		tables->ac[s] = (uint32_t)ac->code[s] << 6 | ac->length[s];
	unsigned last = RUNS;
	uint32_t codes[RUNS] = {0};
	for (int i = 0; i < XC_DC_TOKENS; i += RUNS) {
		const int value = xc_small_value(i);
		const unsigned size = xc_value_size(value);
		const uint32_t bits = xc_value_bits(value, size) << 6;
		if (size != last)
			codes_of_size(ac, size, codes);
		last = size;
		for (int run = 0; run < RUNS; run++)
			tables->small[i + run] = codes[run] | bits;
	}
	for (int i = XC_DC_TOKENS; i < XC_SMALL_TOKENS; i++) {
		const unsigned symbol = xc_small_symbol(i);
		tables->small[i] = xc_code_and_value(dc->code[symbol], dc->length[symbol],
		                                     xc_small_value(i));
	}
}

void xc_coder_init(xc_coder *coder, const xc_code_set *codes, const xc_token_contexts *contexts)
{
	coder->codes = codes->ac_codes;
	coder->after = contexts->after;
	memcpy(coder->number, codes->ac_code, sizeof coder->number);
	for (uint32_t i = 0; i < codes->ac_codes; i++)
		xc_coder_tables_init(&coder->tables[i], &codes->dc, &codes->ac[i]);
}

uint8_t *xc_bit_writer_finish(xc_bit_writer *w)
{
	if (w->count)
		*w->next++ = (uint8_t)(w->bits << (8 - w->count));
	w->count = 0;
	return w->next;
}

/* The scan positions in transposed order: the columns of figure A.6 of ITU-T T.81. */
#define SCAN_POSITIONS(f) \
	f(0, 0, 2, 3, 9, 10, 20, 21, 35) f(1, 1, 4, 8, 11, 19, 22, 34, 36) \
		f(2, 5, 7, 12, 18, 23, 33, 37, 48) f(3, 6, 13, 17, 24, 32, 38, 47, 49) \
			f(4, 14, 16, 25, 31, 39, 46, 50, 57) f(5, 15, 26, 30, 40, 45, 51, 56, 58) \
				f(6, 27, 29, 41, 44, 52, 55, 59, 62) f(7, 28, 42, 43, 53, 54, 60, 61, 63)

#define B(n, i, p) ((n) >> (i)&1 ? UINT64_C(1) << (p) : 0)
#define E(n, a, b, c, d, e, f, g, h) \
	(B(n, 0, a) | B(n, 1, b) | B(n, 2, c) | B(n, 3, d) | B(n, 4, e) | B(n, 5, f) | B(n, 6, g) | \
	 B(n, 7, h))
#define E4(n, ...) \
	E(n, __VA_ARGS__), E(n + 1, __VA_ARGS__), E(n + 2, __VA_ARGS__), E(n + 3, __VA_ARGS__)
#define E16(n, ...) \
	E4(n, __VA_ARGS__), E4(n + 4, __VA_ARGS__), E4(n + 8, __VA_ARGS__), E4(n + 12, __VA_ARGS__)
#define E64(n, ...) \
	E16(n, __VA_ARGS__), E16(n + 16, __VA_ARGS__), E16(n + 32, __VA_ARGS__), \
		E16(n + 48, __VA_ARGS__)
#define COLUMN(u, ...) \
	[u] = {E64(0, __VA_ARGS__), E64(64, __VA_ARGS__), E64(128, __VA_ARGS__), E64(192, __VA_ARGS__)},

const uint64_t xc_scan_mask[8][256] = {SCAN_POSITIONS(COLUMN)};
