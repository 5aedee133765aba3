/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/decode_table.h"

#include <string.h>

#include "entropy/value.h"

static uint64_t make_entry(uint32_t bits, uint32_t step, int32_t value)
{
	return (uint64_t)step << 56 | (uint64_t)(uint16_t)value << 16 | step << 8 | bits;
}

static uint64_t make_long_entry(uint32_t bits, uint32_t step, uint32_t size)
{
	return (uint64_t)XC_MORE_STEP << 56 | (uint64_t)step << 32 | size << 16 | XC_ENTRY_MORE | bits;
}

/* The entry for the symbol of `first` and then that of `second`. */
static uint64_t join(uint64_t first, uint64_t second)
{
	return first + (second & UINT64_C(0xff) << 56) + ((second >> 16 & 0xffff) << 32) +
	       (second & 63);
}

/* Fills the entries whose first `length` bits are `code`: its symbol has `size` value bits and
 * moves the position by `step`. */
static void fill(uint64_t *table, uint32_t code, unsigned length, unsigned size, unsigned step)
{
	const unsigned left = XC_LOOKUP_BITS - length;
	uint64_t *entry = table + (code << left);
	if (size > left) {
		const uint64_t e = make_long_entry(length, step, size);
		for (uint32_t i = 0; i < UINT32_C(1) << left; i++)
			entry[i] = e;
		return;
	}
	const unsigned rest = left - size;
	for (uint32_t v = 0; v < UINT32_C(1) << size; v++) {
		const uint64_t e = make_entry(length + size, step, xc_value_from_bits(v, size));
		for (uint32_t i = 0; i < UINT32_C(1) << rest; i++)
			*entry++ = e;
	}
}

/* Adds an AC symbol to each entry of `table` that leaves enough bits for it. */
static void add_second(uint64_t *table, const uint64_t *ac)
{
	for (uint32_t i = 0; i < 1 << XC_LOOKUP_BITS; i++) {
		const unsigned bits = table[i] & 63;
		if (table[i] & XC_ENTRY_MORE || table[i] >> 63)
			continue;
		const uint64_t next = ac[i << bits & ((1 << XC_LOOKUP_BITS) - 1)];
		if (!(next & XC_ENTRY_MORE) && bits + (next & 63) <= XC_LOOKUP_BITS)
			table[i] = join(table[i], next);
	}
}

void xc_canonical_code_init(xc_canonical_code *t, const xc_huffman_code *code)
{
	enum { LENGTHS = XC_MAX_CODE_LENGTH + 1 };
	/* By length: the number of codes, then the place of the next symbol; first and last code. */
	uint32_t next[LENGTHS + 1] = {0}, first[LENGTHS] = {0}, last[LENGTHS] = {0};
	for (uint32_t s = 0; s < code->symbols; s++)
		next[code->length[s] + 1]++;
	next[1] = 0;
	for (unsigned l = 1; l <= LENGTHS; l++)
		next[l] += next[l - 1];
	const uint32_t n = next[LENGTHS];
	for (uint32_t s = code->symbols; s-- > 0;)
		first[code->length[s]] = code->code[s];
	t->limit[0] = t->offset[0] = 0;
	for (unsigned l = 1; l < LENGTHS; l++)
		t->offset[l] = (uint16_t)(next[l] - first[l]);
	for (uint32_t s = 0; s < code->symbols; s++) {
		const unsigned l = code->length[s];
		last[l] = code->code[s];
		if (l)
			t->symbol[next[l]++] = (uint8_t)s;
	}
	for (unsigned l = 1; l < LENGTHS; l++)
		t->limit[l] = next[l] > next[l - 1] ? (last[l] + 1) << (XC_MAX_CODE_LENGTH - l)
		              : l > 1               ? t->limit[l - 1]
		                                    : 0;
	for (uint32_t i = n; i < XC_MAX_SYMBOLS; i++)
		t->symbol[i] = 0;
}

static void fill_all(uint64_t *table, const xc_huffman_code *code, int ac)
{
	for (uint32_t i = 0; i < 1 << XC_LOOKUP_BITS; i++)
		table[i] = make_long_entry(0, 0, 0);
	for (uint32_t s = 0; s < code->symbols; s++) {
		const unsigned length = code->length[s];
		if (!length || length > XC_LOOKUP_BITS)
			continue;
		/* Only 16-bit pictures have larger sizes, which the slow way checks. */
		if (!ac && s <= 15)
			fill(table, code->code[s], length, s, 1); /* from -1 to 0 */
		else if (!ac)
			continue;
		else if (s == 0)
			fill(table, code->code[s], length, 0, XC_END_STEP);
		else if (s == 0xf0)
			fill(table, code->code[s], length, 0, 16);
		else if ((s & 15) != 15)
			fill(table, code->code[s], length, s & 15, (s >> 4) + 1);
	}
}

void xc_decode_tables_init(xc_decode_tables *tables, const xc_huffman_code *dc,
                           const xc_huffman_code *ac)
{
	xc_canonical_code_init(&tables->dc, dc);
	xc_canonical_code_init(&tables->ac, ac);
	uint64_t single[1 << XC_LOOKUP_BITS];
	fill_all(single, ac, 1);
	memcpy(tables->entry[0], single, sizeof single);
	fill_all(tables->entry[1], dc, 0);
	add_second(tables->entry[0], single);
	add_second(tables->entry[1], single);
}
