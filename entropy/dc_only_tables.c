/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tables of entropy/dc_only.h: single symbols, and those after them that fit. */
#include <string.h>

#include "entropy/dc_only.h"
#include "entropy/value.h"

size_t xc_dc_only_tables_bytes(const xc_code_set *codes)
{
	return (1 + (size_t)codes->ac_codes) * sizeof(xc_dc_only_table);
}

static uint32_t make_entry(unsigned bits, uint32_t next, int32_t value, uint32_t step)
{
	return bits | next << 8 | ((uint32_t)value & 0x1fff) << 11 | step << 24;
}

/* Fills a table with the symbols of the DC and their values. */
static void fill_dc(uint32_t *table, const xc_huffman_code *code, const uint8_t *after)
{
	for (uint32_t s = 0; s <= XC_MAX_SIZE16; s++) {
		const unsigned bits = code->length[s] + s;
		if (!code->length[s] || bits > XC_DC_ONLY_BITS)
			continue;
		uint32_t *entry = table + ((size_t)code->code[s] << (XC_DC_ONLY_BITS - code->length[s]));
		for (uint32_t v = 0; v < 1u << s; v++)
			for (uint32_t i = 0; i < 1u << (XC_DC_ONLY_BITS - bits); i++)
				*entry++ = make_entry(bits, after[s], xc_value_from_bits(v, s), 1);
	}
}

/* Fills a table with single symbols of AC, with the length of the code in place of a value. Sizes
 * only in 16-bit pictures or damaged files are left to the slow path. */
static void fill_ac(uint32_t *table, const xc_huffman_code *code, const uint8_t *after)
{
	for (uint32_t s = 0; s < XC_AC_SYMBOLS; s++) {
		const unsigned length = code->length[s], size = s & 15;
		if (!length || length > XC_DC_ONLY_BITS || size > XC_MAX_SIZE16 ||
		    length + size > XC_DC_ONLY_MAX)
			continue;
		const uint32_t step = s ? (s >> 4) + 1 : 128;
		uint32_t *entry = table + ((size_t)code->code[s] << (XC_DC_ONLY_BITS - length));
		for (uint32_t i = 0; i < 1u << (XC_DC_ONLY_BITS - length); i++)
			entry[i] = make_entry(length + size, after[s], (int32_t)length, step);
	}
}

/* Appends to an entry the symbols that follow it in these bits. */
static uint32_t following(uint32_t entry, uint32_t bits, const uint32_t single[][XC_DC_ONLY_SIZE])
{
	const uint32_t value = entry & 0x1fffu << 11;

	for (;;) {
		const unsigned taken = entry & 63, next = entry >> 8 & 7;
		if (!next || taken >= XC_DC_ONLY_BITS)
			return entry;
		const uint32_t then = single[next - 1][bits << taken & (XC_DC_ONLY_SIZE - 1)];
		const uint32_t length = then >> 11 & 0x1fff, max = taken + (then & 63);
		const uint32_t step = (entry >> 24) + (then >> 24 & 127);
		if (taken + length > XC_DC_ONLY_BITS || max > XC_DC_ONLY_MAX || step >= XC_DC_ONLY_STOP)
			return entry;
		entry = max | (then & 7 << 8) | value | (step | (then >> 24 & 128)) << 24;
	}
}

void xc_dc_only_tables_init(xc_dc_only_table *dc_only, const xc_code_set *codes,
                            const xc_decode_tables *tables)
{
	uint32_t single[XC_AC_CONTEXTS][XC_DC_ONLY_SIZE];

	for (uint32_t i = 0; i < XC_DC_ONLY_SIZE; i++)
		dc_only[0][i] = make_entry(0, 0, 0, XC_DC_ONLY_STOP);
	for (uint32_t n = 0; n < codes->ac_codes; n++)
		memcpy(single[n], dc_only[0], sizeof single[n]);
	fill_dc(dc_only[0], &codes->dc, tables->after_dc);
	for (uint32_t n = 0; n < codes->ac_codes; n++)
		fill_ac(single[n], &codes->ac[n], tables->after_ac);
	for (uint32_t i = 0; i < XC_DC_ONLY_SIZE; i++)
		dc_only[0][i] = following(dc_only[0][i], i, (const uint32_t(*)[XC_DC_ONLY_SIZE])single);
	for (uint32_t n = 0; n < codes->ac_codes; n++)
		for (uint32_t i = 0; i < XC_DC_ONLY_SIZE; i++)
			dc_only[n + 1][i] = following(single[n][i] & ~(0x1fffu << 11), i,
			                              (const uint32_t(*)[XC_DC_ONLY_SIZE])single);
}
