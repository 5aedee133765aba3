/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tables of jpeg/huffman.h. */
#include "jpeg/huffman.h"

#include <string.h>

int xc_jpeg_encode_table_make(const uint8_t *stored, xc_jpeg_encode_table *t)
{
	const uint8_t *symbol = stored + 16;
	uint32_t code = 0;

	memset(t, 0, sizeof *t);
	for (uint32_t length = 1; length <= 16; length++) {
		for (int n = stored[length - 1]; n; n--, code++, symbol++) {
			if (t->code[*symbol] || code >> length)
				return 0;
			t->code[*symbol] = code | length << 16;
		}
		code <<= 1;
	}
	return 1;
}

static void fill_fast(xc_jpeg_decode_table *t, uint32_t code, uint32_t length, uint32_t symbol)
{
	const uint32_t size = symbol & 15, more = XC_JPEG_FAST - length;
	const uint64_t bits = length + size;

	for (uint32_t i = 0; i < 1U << more; i++) {
		uint64_t *e = &t->fast[code << more | i];
		if (size <= more)
			*e = (uint64_t)(uint16_t)xc_jpeg_extended(i >> (more - size), size) << 16 |
			     symbol << 8 | bits | bits << 53;
		else
			*e = symbol << 8 | length | XC_JPEG_LONG;
	}
}

/* Adds what comes after first symbols. What is found of a second one is the same before and after. */
static void add_seconds(xc_jpeg_decode_table *t)
{
	for (uint32_t i = 0; i < 1 << XC_JPEG_FAST; i++) {
		uint64_t *e = &t->fast[i], second = 1ULL << 48;
		const uint64_t bits = *e >> 53 & 15, next = t->fast[i << bits & ((1 << XC_JPEG_FAST) - 1)];
		const uint64_t more = next >> 53 & 15, symbol = next >> 8 & 255;
		if (*e & XC_JPEG_LONG)
			continue;
		if (!(*e & 0xf00)) {
			*e |= *e & 0xf000 ? XC_JPEG_LONG : (uint64_t)XC_JPEG_ENDED << 57;
			continue;
		}
		if (!(next & XC_JPEG_LONG) && bits + more <= XC_JPEG_FAST && (symbol & 15 || !symbol)) {
			second += symbol >> 4 << 48 | (next & 0xffff0000) << 16;
			second |= (symbol ? 1ULL : XC_JPEG_ENDED) << 57;
			*e += more;
		}
		*e |= second;
	}
}

int xc_jpeg_decode_table_make(const uint8_t *stored, int seconds, xc_jpeg_decode_table *t)
{
	xc_jpeg_encode_table check;
	uint32_t code = 0, n = 0;

	if (!xc_jpeg_encode_table_make(stored, &check))
		return 0;
	for (int i = 0; i < 1 << XC_JPEG_FAST; i++)
		t->fast[i] = XC_JPEG_LONG;
	for (uint32_t length = 1; length <= 16; length++) {
		t->first[length] = (int32_t)n - (int32_t)code;
		for (int k = stored[length - 1]; k; k--, code++, n++) {
			t->symbol[n] = stored[16 + n];
			if (length <= XC_JPEG_FAST)
				fill_fast(t, code, length, t->symbol[n]);
		}
		t->end[length] = code << (16 - length);
		code <<= 1;
	}
	if (seconds)
		add_seconds(t);
	return 1;
}
