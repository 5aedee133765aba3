/* SPDX-License-Identifier: BSD-2-Clause */
/* From a shape to its frequencies, and to the decoder's buckets: xc_shape_frequencies() and xc_buckets_make() of
 * lossless/tables.h, which has more about them, for CPU and GPU. The order in which buckets are filled belongs to
 * the format. */
#ifndef XC_LOSSLESS_BUCKETS_H
#define XC_LOSSLESS_BUCKETS_H

#include "lossless/tables.h"

#define XC_FREQUENCY_INLINE static inline __attribute__((unused)) XC_DEVICE

XC_FREQUENCY_INLINE uint32_t xc_shape_value(uint32_t index)
{
	return index ? (8 + (index - 1) % 8) << (index - 1) / 8 : 0;
}

XC_FREQUENCY_INLINE void xc_find_frequencies(const xc_shape_index shape, uint16_t f[XC_SYMBOLS])
{
	uint32_t total = 0, sum = 0;
	int largest = 0;

	for (int i = 0; i < XC_SYMBOLS; i++)
		total += xc_shape_value(shape[i]);
	for (int i = 0; i < XC_SYMBOLS; i++) {
		const uint32_t v = xc_shape_value(shape[i]);
		const uint32_t n = total ? v * XC_FREQUENCY_ONE / total : (uint32_t)XC_BUCKET;
		f[i] = (uint16_t)(v && !n ? 1 : n);
		sum += f[i];
		if (f[i] > f[largest])
			largest = i;
	}
	f[largest] = (uint16_t)(f[largest] + XC_FREQUENCY_ONE - sum);
	/* A frequency has 12 bits. */
	if (f[largest] == XC_FREQUENCY_ONE) {
		f[largest]--;
		f[(largest + 1) % XC_SYMBOLS] = 1;
	}
}

XC_FREQUENCY_INLINE void xc_fill_buckets(const uint16_t f[XC_SYMBOLS], xc_bucket b[XC_SYMBOLS])
{
	uint16_t left[XC_SYMBOLS], poor[XC_SYMBOLS], rich[XC_SYMBOLS];
	int poors = 0, riches = 0;

	for (int i = 0; i < XC_SYMBOLS; i++) {
		left[i] = f[i];
		b[i].own = f[i] | (uint32_t)(-i * XC_BUCKET & (XC_FREQUENCY_ONE - 1)) << 12;
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
		const uint32_t by = (left[j] - first - (uint32_t)i * XC_BUCKET) & (XC_FREQUENCY_ONE - 1);
		b[i].own |= first << 24;
		b[i].other = f[j] | by << 12 | (uint32_t)j << 24;
		if (left[j] <= XC_BUCKET)
			riches--;
		if (left[j] < XC_BUCKET)
			poor[poors++] = (uint16_t)j;
	}
}

#undef XC_FREQUENCY_INLINE

#endif
