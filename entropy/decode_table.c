/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the look-up tables of the Huffman decoder, and reads bits near the end of a segment.
 * src/decode/coded.c caches the tables. */
#include "entropy/bitread.h"

#include <string.h>

#include "entropy/value.h"

/* A symbol of a look-up. */
typedef struct symbol {
	uint32_t code, length; /* of `length` bits */
	uint32_t size, step;   /* value bits; change of the scan position */
	uint32_t next;         /* table */
} symbol;

static uint64_t make_entry(uint32_t bits, const symbol *s, int32_t value)
{
	return (uint64_t)s->step << 56 | (uint64_t)s->next << 48 | (uint64_t)(uint16_t)value << 16 |
	       s->step << 8 | bits;
}

static uint64_t make_long_entry(const symbol *s)
{
	return (uint64_t)XC_MORE_STEP << 56 | (uint64_t)s->next << 48 | (uint64_t)s->step << 32 |
	       s->size << 16 | XC_ENTRY_MORE | s->length;
}

/* Joins the entries of two symbols. */
static uint64_t join(uint64_t first, uint64_t second)
{
	const uint64_t next = UINT64_C(0xff) << 48;
	return (first & ~next) + (second & (next | next << 8)) + ((second >> 16 & 0xffff) << 32) +
	       (second & 63);
}

/* Fills the entries that begin with the code of the symbol. */
static void fill(uint64_t *table, const symbol *s, xc_value_points points)
{
	const unsigned left = XC_LOOKUP_BITS - s->length;
	uint64_t *entry = table + (s->code << left);

	if (s->size > left) {
		const uint64_t e = make_long_entry(s);
		for (uint32_t i = 0; i < UINT32_C(1) << left; i++)
			entry[i] = e;
		return;
	}
	const unsigned rest = left - s->size;
	for (uint32_t v = 0; v < UINT32_C(1) << s->size; v++) {
		const int32_t value = xc_reconstruct(xc_value_from_bits(v, s->size), points);
		const uint64_t e = make_entry(s->length + s->size, s, value);
		for (uint32_t i = 0; i < UINT32_C(1) << rest; i++)
			*entry++ = e;
	}
}

void xc_canonical_code_init(xc_canonical_code *t, const xc_huffman_code *code)
{
	uint32_t count[XC_MAX_CODE_LENGTH + 1] = {0}, slot[XC_MAX_CODE_LENGTH + 1];

	for (uint32_t s = 0; s < code->symbols; s++)
		count[code->length[s]]++;
	uint32_t first = 0, n = 0;
	t->limit[0] = t->offset[0] = 0;
	for (unsigned l = 1; l <= XC_MAX_CODE_LENGTH; l++) {
		first <<= 1;
		slot[l] = n;
		t->offset[l] = (uint16_t)(n - first);
		first += count[l];
		n += count[l];
		t->limit[l] = first << (XC_MAX_CODE_LENGTH - l);
	}
	/* Symbols without a code go after the others and are cleared below. */
	slot[0] = n;
	for (uint32_t s = 0; s < code->symbols; s++)
		t->symbol[slot[code->length[s]]++] = (uint8_t)s;
	memset(t->symbol + n, 0, XC_MAX_SYMBOLS - n);
}

/* Sizes only in 16-bit pictures or damaged files are left to the slow path, which checks. */
static void fill_dc(xc_decode_tables *t, const xc_huffman_code *code)
{
	for (uint32_t i = 0; i <= XC_MAX_SIZE16; i++) {
		const symbol s = {code->code[i], code->length[i], i, 1, t->after_dc[i]};
		if (s.length && s.length <= XC_LOOKUP_BITS)
			fill(t->entry[0], &s, (xc_value_points){0, 0});
	}
}

static void fill_ac(const xc_decode_tables *t, const xc_huffman_code *code, uint64_t *table)
{
	for (uint32_t i = 0; i < XC_AC_SYMBOLS; i++) {
		symbol s = {code->code[i], code->length[i], i & 15, (i >> 4) + 1, t->after_ac[i]};
		if (i == 0)
			s.step = XC_END_STEP;
		if (s.length && s.length <= XC_LOOKUP_BITS && s.size <= XC_MAX_SIZE16)
			fill(table, &s, t->points);
	}
}

/* Adds a second symbol, of AC, to the entries of table `which` that have bits left. single: the
 * tables of AC without second symbols. */
static void add_second(xc_decode_tables *t, uint32_t which,
                       uint64_t single[XC_AC_CONTEXTS][XC_TABLE_SIZE])
{
	uint64_t *table = t->entry[which];

	for (uint32_t i = 0; i < XC_TABLE_SIZE; i++) {
		const unsigned bits = table[i] & 63, then = table[i] >> 48 & 255;
		if (table[i] & XC_ENTRY_MORE || !then)
			continue;
		const uint64_t next = single[then - 1][i << bits & (XC_TABLE_SIZE - 1)];
		if (!(next & XC_ENTRY_MORE) && bits + (next & 63) <= XC_LOOKUP_BITS)
			table[i] = join(table[i], next);
	}
}

void xc_decode_tables_init(xc_decode_tables *t, const xc_code_set *codes, xc_value_points points)
{
	uint64_t single[XC_AC_CONTEXTS][XC_TABLE_SIZE];
	const symbol unknown = {0, 0, 0, 0, 0};

	t->points = points;
	for (uint32_t i = 0; i < XC_DC_SYMBOLS; i++)
		t->after_dc[i] = (uint8_t)(1 + codes->ac_code[xc_context_after_dc(i)]);
	for (uint32_t i = 1; i < XC_AC_SYMBOLS; i++)
		t->after_ac[i] = (uint8_t)(1 + codes->ac_code[xc_context_after_ac(i)]);
	t->after_ac[0] = 0;
	for (uint32_t n = 0; n <= codes->ac_codes; n++) {
		uint64_t *table = n ? single[n - 1] : t->entry[0];
		for (uint32_t i = 0; i < XC_TABLE_SIZE; i++)
			table[i] = make_long_entry(&unknown);
		xc_canonical_code_init(&t->code[n], n ? &codes->ac[n - 1] : &codes->dc);
		if (n)
			fill_ac(t, &codes->ac[n - 1], table);
		else
			fill_dc(t, &codes->dc);
	}
	for (uint32_t n = 0; n <= codes->ac_codes; n++) {
		if (n)
			memcpy(t->entry[n], single[n - 1], sizeof single[0]);
		add_second(t, n, single);
	}
}

void xc_bit_reader_init(xc_bit_reader *r, const uint8_t *data, size_t size, const uint8_t *readable)
{
	/* An empty span need not be in memory. Its `fast` is NULL, below every address. */
	static const uint8_t nothing[1];

	*r = (xc_bit_reader){.next = nothing, .end = nothing};
	if (size) {
		r->next = data;
		r->end = data + size;
		r->fast = readable - data >= 8 ? readable - 8 : NULL;
	}
}

void xc_bit_reader_refill_slow(xc_bit_reader *r)
{
	r->count &= 63;
	while (r->count <= 56) {
		uint64_t byte = 0;
		if (r->next < r->end)
			byte = *r->next++;
		else
			r->beyond++;
		r->bits |= byte << (56 - r->count);
		r->count += 8;
	}
	/* 64 does not fit the 6 bits. */
	if (r->count == 64) {
		r->count = 56;
		if (r->beyond)
			r->beyond--;
		else
			r->next--;
		r->bits &= ~UINT64_C(0xff);
	}
}

int xc_bit_reader_at_end(const xc_bit_reader *r)
{
	/* Bits taken from memory or past the end, less the bits left over, relative to the end. */
	const ptrdiff_t ahead = (r->next - r->end + (ptrdiff_t)r->beyond) * 8 -
	                        (ptrdiff_t)(r->count & 63);

	return ahead <= 0 && ahead > -8 && (ahead == 0 || !(r->bits >> (64 + ahead)));
}
