/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/decode_table.h"

#include "entropy/value.h"

/* Entries whose first `length` bits are `code`, for a symbol of `size` value bits that moves the
 * position by `step`. */
static void fill(xc_decode_table *t, uint32_t code, unsigned length, unsigned size, unsigned step)
{
	const unsigned left = XC_LOOKUP_BITS - length;
	uint32_t *entry = t->entry + (code << left);
	if (size > left) {
		for (uint32_t i = 0; i < UINT32_C(1) << left; i++)
			entry[i] = (uint32_t)size << 16 | step << 8 | XC_ENTRY_MORE | length;
		return;
	}
	const unsigned rest = left - size;
	for (uint32_t v = 0; v < UINT32_C(1) << size; v++) {
		const uint32_t value = (uint32_t)xc_value_from_bits(v, size) << 16;
		for (uint32_t i = 0; i < UINT32_C(1) << rest; i++)
			*entry++ = value | step << 8 | (length + size);
	}
}

static void canonical_order(xc_decode_table *t, const xc_huffman_code *code)
{
	uint32_t n = 0;
	for (unsigned l = 1; l <= XC_MAX_CODE_LENGTH; l++) {
		const uint32_t start = n;
		uint32_t first = 0, end = l > 1 ? t->limit[l - 1] : 0;
		for (uint32_t s = 0; s < code->symbols; s++) {
			if (code->length[s] != l)
				continue;
			if (n == start)
				first = code->code[s];
			t->symbol[n++] = (uint8_t)s;
			end = (uint32_t)(code->code[s] + 1) << (XC_MAX_CODE_LENGTH - l);
		}
		t->limit[l] = end;
		t->offset[l] = (uint16_t)(start - first);
	}
	for (uint32_t i = n; i < XC_MAX_SYMBOLS; i++)
		t->symbol[i] = 0;
}

static void init(xc_decode_table *t, const xc_huffman_code *code, int ac)
{
	for (uint32_t i = 0; i < 1 << XC_LOOKUP_BITS; i++)
		t->entry[i] = 0;
	t->limit[0] = t->offset[0] = 0;
	canonical_order(t, code);
	for (uint32_t s = 0; s < code->symbols; s++) {
		const unsigned length = code->length[s];
		if (!length || length > XC_LOOKUP_BITS)
			continue;
		/* Sizes that only 16-bit pictures can have are left to the way that checks. */
		if (!ac && s <= 15)
			fill(t, code->code[s], length, s, 1); /* from -1 to 0 */
		else if (!ac)
			continue;
		else if (s == 0)
			fill(t, code->code[s], length, 0, XC_END_STEP);
		else if (s == 0xf0)
			fill(t, code->code[s], length, 0, 16);
		else if ((s & 15) != 15)
			fill(t, code->code[s], length, s & 15, (s >> 4) + 1);
	}
}

void xc_decode_tables_init(xc_decode_tables *tables, const xc_huffman_code *dc,
                           const xc_huffman_code *ac)
{
	init(&tables->dc, dc, 0);
	init(&tables->ac, ac, 1);
}
