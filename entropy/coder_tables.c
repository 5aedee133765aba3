/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/tokens.h"

#include <string.h>

#include "entropy/value.h"

void xc_token_counts_fold(const xc_token_counts *counts, uint64_t dc[XC_DC_SYMBOLS],
                          uint64_t ac[XC_AC_SYMBOLS])
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		dc[s] = counts->dc[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		ac[s] = counts->large[s];
	for (int i = 0; i < XC_SMALL_TOKENS; i++) {
		const int value = i % XC_SMALL_VALUES - XC_SMALL_VALUES / 2;
		ac[(unsigned)(i / XC_SMALL_VALUES) << 4 | xc_value_size(value)] += counts->small[i];
	}
}

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac)
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		tables->dc[s] = (uint32_t)dc->code[s] << 6 | dc->length[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		tables->ac[s] = (uint32_t)ac->code[s] << 6 | ac->length[s];
	for (int i = 0; i < XC_SMALL_TOKENS; i++) {
		const int value = i % XC_SMALL_VALUES - XC_SMALL_VALUES / 2;
		const unsigned size = xc_value_size(value);
		const unsigned symbol = (unsigned)(i / XC_SMALL_VALUES) << 4 | size;
		const uint32_t bits = (uint32_t)ac->code[symbol] << size | xc_value_bits(value, size);
		tables->small[i] = bits << 6 | (ac->length[symbol] + size);
	}
}

uint8_t *xc_bit_writer_finish(xc_bit_writer *w)
{
	if (w->count)
		*w->next++ = (uint8_t)(w->bits << (8 - w->count));
	w->count = 0;
	return w->next;
}
