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

	for (uint32_t i = 0; i < 1U << more; i++) {
		uint32_t *e = &t->fast[code << more | i];
		if (size <= more)
			*e = (uint32_t)xc_jpeg_extended(i >> (more - size), size) << 16 | symbol << 8 |
			     (length + size);
		else
			*e = symbol << 8 | length | XC_JPEG_LONG;
	}
}

int xc_jpeg_decode_table_make(const uint8_t *stored, xc_jpeg_decode_table *t)
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
	return 1;
}
