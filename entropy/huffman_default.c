/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in codes.  They start from the example tables of ITU-T T.81, Annex K
 * (K.3 to K.6): a symbol with a code of n bits there counts as 2^(20-n) here, a symbol
 * without one counts as 1, and the code is built from these counts.  So every symbol has a code, which
 * deep pictures and other transforms need, and those of Annex K keep theirs but for the few
 * bits that the rare ones take.
 */
#include "entropy/huffman.h"

#include <string.h>

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

	/* Annex K gives 16 bits to the AC symbols of sizes 1 to 10 that are not listed, and no code
	 * to larger sizes.  A run before size 0 never occurs, so it needs none here either. */
	for (uint32_t s = 0; s < symbols; s++)
		counts[s] = !ac || s % 16 > 10 ? 1 : s % 16 ? 16 : 0;
	for (int length = 1; length <= 15; length++)
		for (int i = 0; i < k->counts[length - 1]; i++)
			counts[k->symbols[next++]] = UINT64_C(16) << (16 - length);
	xc_huffman_build(code, counts, symbols, XC_MAX_CODE_LENGTH);
}
