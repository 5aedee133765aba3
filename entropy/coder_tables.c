/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/tokens.h"

#include <string.h>

/* AC tokens of one value stand together, by the zeros before it. */
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
