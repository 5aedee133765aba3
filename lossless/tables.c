/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tables of lossless/tables.h; lossless/encode.c and decode.c call it. */
#include "lossless/buckets.h"

void xc_shape_of_counts(const uint32_t counts[XC_SYMBOLS], xc_shape_index shape)
{
	uint64_t total = 0;

	for (int i = 0; i < XC_SYMBOLS; i++)
		total += counts[i];
	for (int i = 0; i < XC_SYMBOLS; i++) {
		/* In units of an eighth of a slot. */
		const uint32_t wanted =
			(uint32_t)(((uint64_t)counts[i] * XC_FREQUENCY_ONE * 8 + total / 2) / total);
		unsigned index = 0;
		if (counts[i]) {
			const uint32_t v = wanted < 8 ? 8 : wanted;
			const unsigned octave = 28 - (unsigned)__builtin_clz(v);
			index = 1 + octave * 8 + ((v >> octave) - 8);
			/* The nearer one. */
			if (index + 1 < XC_SHAPE_INDICES &&
			    2 * v > xc_shape_value(index) + xc_shape_value(index + 1))
				index++;
		}
		shape[i] = (uint8_t)index;
	}
}

void xc_shape_frequencies(const xc_shape_index shape, uint16_t f[XC_SYMBOLS])
{
	xc_find_frequencies(shape, f);
}

void xc_buckets_make(const uint16_t f[XC_SYMBOLS], xc_bucket b[XC_SYMBOLS])
{
	xc_fill_buckets(f, b);
}

void xc_code_make(const uint16_t f[XC_SYMBOLS], const xc_bucket b[XC_SYMBOLS],
                  xc_code_symbol symbols[XC_SYMBOLS], uint16_t slots[XC_FREQUENCY_ONE])
{
	uint32_t sum[XC_SYMBOLS], n = 0;

	for (int i = 0; i < XC_SYMBOLS; i++) {
		sum[i] = n;
		symbols[i] = (xc_code_symbol){f[i] | n << 12, XC_RECIPROCAL(f[i])};
		n += f[i];
	}
	for (uint32_t i = 0; i < XC_SYMBOLS; i++) {
		const uint32_t first = b[i].own >> 24, base = i * XC_BUCKET;
		const uint32_t own = base + (b[i].own >> 12), other = base + (b[i].other >> 12);
		uint16_t *to = slots + sum[i] + (own & (XC_FREQUENCY_ONE - 1));
		for (uint32_t r = 0; r < first; r++)
			to[r] = (uint16_t)(base + r);
		to = slots + sum[b[i].other >> 24] + ((other + first) & (XC_FREQUENCY_ONE - 1));
		for (uint32_t r = first; r < XC_BUCKET; r++)
			*to++ = (uint16_t)(base + r);
	}
}
