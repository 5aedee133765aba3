/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/tokens.h"

#include <string.h>

#include "entropy/value.h"

/* What a small token codes. */
static int small_value(int token)
{
	return token < XC_DC_TOKENS ? token / 16 - XC_TOKEN_BIAS
	                            : token - XC_DC_TOKENS - XC_MOST_SMALL_DC;
}

static unsigned small_symbol(int token)
{
	const unsigned size = xc_value_size(small_value(token));
	return token < XC_DC_TOKENS ? ((unsigned)token & 15) << 4 | size : size;
}

void xc_token_counts_fold(const xc_token_counts *counts, uint64_t dc[XC_DC_SYMBOLS],
                          uint64_t ac[XC_AC_SYMBOLS])
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		dc[s] = counts->dc[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		ac[s] = counts->ac[s];
	for (int i = 0; i < XC_SMALL_TOKENS; i++)
		(i < XC_DC_TOKENS ? ac : dc)[small_symbol(i)] += counts->small[i];
}

/* The code of a symbol and its value's bits behind it. */
static uint32_t with_value(const xc_huffman_code *code, unsigned symbol, int value)
{
	const unsigned size = xc_value_size(value);
	const uint32_t bits = (uint32_t)code->code[symbol] << size | xc_value_bits(value, size);
	return bits << 6 | (code->length[symbol] + size);
}

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac)
{
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		tables->dc[s] = (uint32_t)dc->code[s] << 6 | dc->length[s];
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		tables->ac[s] = (uint32_t)ac->code[s] << 6 | ac->length[s];
	for (int i = 0; i < XC_SMALL_TOKENS; i++)
		tables->small[i] = with_value(i < XC_DC_TOKENS ? ac : dc, small_symbol(i),
		                              small_value(i));
}

uint8_t *xc_bit_writer_finish(xc_bit_writer *w)
{
	if (w->count)
		*w->next++ = (uint8_t)(w->bits << (8 - w->count));
	w->count = 0;
	return w->next;
}
