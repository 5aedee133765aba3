/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the tables of lossless/tables.h; lossless/encode.c and decode.c call it. The order in which
 * buckets are filled belongs to the format. */
#include "lossless/tables.h"

static uint32_t value_of(unsigned index)
{
	return index ? (8 + (index - 1) % 8) << (index - 1) / 8 : 0;
}

void xc_shape_of_counts(const uint32_t counts[XC_SYMBOLS], xc_shape_index shape)
{
	uint64_t total = 0;

	for (int i = 0; i < XC_SYMBOLS; i++)
		total += counts[i];
	for (int i = 0; i < XC_SYMBOLS; i++) {
		/* In units of an eighth of a slot. */
		const uint32_t wanted = (uint32_t)(((uint64_t)counts[i] * XC_SLOTS * 8 + total / 2) /
		                                   total);
		unsigned index = 0;
		if (counts[i]) {
			const uint32_t v = wanted < 8 ? 8 : wanted;
			const unsigned octave = 28 - (unsigned)__builtin_clz(v);
			index = 1 + octave * 8 + ((v >> octave) - 8);
			/* The nearer one. */
			if (index + 1 < XC_SHAPE_INDICES && 2 * v > value_of(index) + value_of(index + 1))
				index++;
		}
		shape[i] = (uint8_t)index;
	}
}

void xc_shape_frequencies(const xc_shape_index shape, uint16_t f[XC_SYMBOLS])
{
	uint32_t total = 0, sum = 0;
	int largest = 0;

	for (int i = 0; i < XC_SYMBOLS; i++)
		total += value_of(shape[i]);
	for (int i = 0; i < XC_SYMBOLS; i++) {
		const uint32_t v = value_of(shape[i]);
		const uint32_t n = total ? v * XC_SLOTS / total : XC_BUCKET;
		f[i] = (uint16_t)(v && !n ? 1 : n);
		sum += f[i];
		if (f[i] > f[largest])
			largest = i;
	}
	f[largest] = (uint16_t)(f[largest] + XC_SLOTS - sum);
	/* A frequency has 12 bits. */
	if (f[largest] == XC_SLOTS) {
		f[largest]--;
		f[(largest + 1) % XC_SYMBOLS] = 1;
	}
}

void xc_buckets_make(const uint16_t f[XC_SYMBOLS], xc_bucket b[XC_SYMBOLS])
{
	uint16_t left[XC_SYMBOLS], poor[XC_SYMBOLS], rich[XC_SYMBOLS];
	int poors = 0, riches = 0;

	for (int i = 0; i < XC_SYMBOLS; i++) {
		left[i] = f[i];
		b[i].own = f[i] | (uint32_t)(-i * XC_BUCKET & (XC_SLOTS - 1)) << 12;
		b[i].other = b[i].own | (uint32_t)i << 24;
		if (f[i] < XC_BUCKET)
			poor[poors++] = (uint16_t)i;
		else if (f[i] > XC_BUCKET)
			rich[riches++] = (uint16_t)i;
	}
	while (poors && riches) {
		const int i = poor[--poors], j = rich[riches - 1];
		const uint32_t first = left[i];
		/* Bucket i takes the end of what symbol j has left. */
		left[j] = (uint16_t)(left[j] - (XC_BUCKET - first));
		const uint32_t by = (left[j] - first - (uint32_t)i * XC_BUCKET) & (XC_SLOTS - 1);
		b[i].own |= first << 24;
		b[i].other = f[j] | by << 12 | (uint32_t)j << 24;
		if (left[j] <= XC_BUCKET)
			riches--;
		if (left[j] < XC_BUCKET)
			poor[poors++] = (uint16_t)j;
	}
}

void xc_code_make(const uint16_t f[XC_SYMBOLS], const xc_bucket b[XC_SYMBOLS],
                  xc_code_symbol symbols[XC_SYMBOLS], uint16_t slots[XC_SLOTS])
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
		uint16_t *to = slots + sum[i] + (own & (XC_SLOTS - 1));
		for (uint32_t r = 0; r < first; r++)
			to[r] = (uint16_t)(base + r);
		to = slots + sum[b[i].other >> 24] + ((other + first) & (XC_SLOTS - 1));
		for (uint32_t r = first; r < XC_BUCKET; r++)
			*to++ = (uint16_t)(base + r);
	}
}
