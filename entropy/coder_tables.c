/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/tokens.h"

void xc_token_counts_fold(const xc_token_counts *counts, uint64_t dc[XC_DC_SYMBOLS],
                          uint64_t ac[XC_AC_SYMBOLS])
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		dc[s] += counts->dc[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		ac[s] += counts->ac[s];
	for (int i = 0; i < XC_SMALL_TOKENS; i++)
		(i < XC_DC_TOKENS ? ac : dc)[xc_small_symbol(i)] += counts->small[i];
}

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac)
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		tables->dc[s] = (uint32_t)dc->code[s] << 6 | dc->length[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		tables->ac[s] = (uint32_t)ac->code[s] << 6 | ac->length[s];
	for (int i = 0; i < XC_SMALL_TOKENS; i++) {
		const xc_huffman_code *code = i < XC_DC_TOKENS ? ac : dc;
		const unsigned symbol = xc_small_symbol(i);
		tables->small[i] = xc_code_and_value(code->code[symbol], code->length[symbol],
		                                     xc_small_value(i));
	}
}

uint8_t *xc_bit_writer_finish(xc_bit_writer *w)
{
	if (w->count)
		*w->next++ = (uint8_t)(w->bits << (8 - w->count));
	w->count = 0;
	return w->next;
}
