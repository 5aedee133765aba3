/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The optimal code for counts, by a thread block: package-merge as in entropy/huffman.c, but merges
 * use ranks. In a merge of two sorted lists an item's position is its own index plus the number of
 * items of the other list before it, which a binary search finds. Ties are resolved alike, so the
 * codes are equal. Launched by gpu/encode/huffman/code.cu.
 */
#ifndef XC_GPU_ENCODE_HUFFMAN_CODES_H
#define XC_GPU_ENCODE_HUFFMAN_CODES_H

#include "entropy/token.h"
#include "gpu/encode/job/job.h"

typedef unsigned long long xc_gpu_weight;

typedef struct xc_gpu_huffman_shared {
	xc_gpu_weight count[XC_MAX_SYMBOLS];
	xc_gpu_weight leaf[XC_MAX_SYMBOLS];
	xc_gpu_weight items[2 * XC_MAX_SYMBOLS], packages[XC_MAX_SYMBOLS];
	uint16_t symbol[XC_MAX_SYMBOLS];                        /* of each leaf */
	uint16_t node_at[XC_MAX_STORED_LENGTH][XC_MAX_SYMBOLS]; /* of leaf i among a level's items */
	uint8_t length[XC_MAX_SYMBOLS];
	uint16_t code[XC_MAX_SYMBOLS];
	uint32_t first[XC_MAX_STORED_LENGTH + 1]; /* code of each length */
} xc_gpu_huffman_shared;

/* The number of n ascending numbers that are below `limit`, or equal to it if or_equal. */
XC_GPU_INLINE uint32_t xc_gpu_rank(const xc_gpu_weight *list, uint32_t n, xc_gpu_weight limit,
                                   int or_equal)
{
	uint32_t low = 0;

	while (n) {
		const uint32_t half = n / 2;
		const xc_gpu_weight w = list[low + half];
		if (w < limit || (or_equal && w == limit)) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

/* Sorts the symbols that occur by count and then by symbol; returns how many. */
XC_GPU_INLINE uint32_t xc_gpu_sort_leaves(xc_cta t, uint32_t symbols, xc_gpu_huffman_shared *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < symbols; i++)
		n += s->count[i] != 0;
	XC_CTA_SYNC();
	if (n < 2) {
		/* A decoder's table has no holes, so a code needs two symbols. */
		for (uint32_t i = 0; t.rank == 0 && n < 2; i++)
			if (!s->count[i]) {
				s->count[i] = 1;
				n++;
			}
		n = 2;
		XC_CTA_SYNC();
	}
	for (uint32_t i = t.rank; i < symbols; i += t.size) {
		const xc_gpu_weight c = s->count[i];
		uint32_t rank = 0;
		if (!c)
			continue;
		for (uint32_t k = 0; k < symbols; k++)
			rank += s->count[k] && (s->count[k] < c || (s->count[k] == c && k < i));
		s->leaf[rank] = c;
		s->symbol[rank] = (uint16_t)i;
	}
	XC_CTA_SYNC();
	return n;
}

/* Sets for every level the position of each leaf among the items. */
XC_GPU_INLINE void xc_gpu_merge_levels(xc_cta t, uint32_t n, xc_gpu_huffman_shared *s)
{
	uint32_t packages = 0;

	for (uint32_t level = 0; level < XC_MAX_STORED_LENGTH; level++) {
		for (uint32_t p = t.rank; p < packages; p += t.size)
			s->packages[p] = s->items[2 * p] + s->items[2 * p + 1];
		XC_CTA_SYNC();
		for (uint32_t a = t.rank; a < n; a += t.size) {
			const uint32_t at = a + xc_gpu_rank(s->packages, packages, s->leaf[a], 0);
			s->items[at] = s->leaf[a];
			s->node_at[level][a] = (uint16_t)at;
		}
		for (uint32_t p = t.rank; p < packages; p += t.size)
			s->items[p + xc_gpu_rank(s->leaf, n, s->packages[p], 1)] = s->packages[p];
		XC_CTA_SYNC();
		packages = (n + packages) / 2;
	}
}

/* As in entropy/huffman.c, the k lightest leaves of each level grow by one bit. Every thread
 * computes all k. */
XC_GPU_INLINE void xc_gpu_code_lengths(xc_cta t, uint32_t n, xc_gpu_huffman_shared *s)
{
	uint32_t k[XC_MAX_STORED_LENGTH], taken = 2 * n - 2;

	XC_UNROLL
	for (int level = XC_MAX_STORED_LENGTH - 1; level >= 0; level--) {
		uint32_t low = 0, high = n;
		while (low < high) {
			const uint32_t middle = (low + high) / 2;
			if (s->node_at[level][middle] < taken)
				low = middle + 1;
			else
				high = middle;
		}
		k[level] = low;
		taken = 2 * (taken - low);
	}
	for (uint32_t a = t.rank; a < n; a += t.size) {
		uint32_t length = 0;
		XC_UNROLL
		for (int level = 0; level < XC_MAX_STORED_LENGTH; level++)
			length += a < k[level];
		s->length[s->symbol[a]] = (uint8_t)length;
	}
}

/* Canonical codes: by length, then by symbol. */
XC_GPU_INLINE void xc_gpu_assign_codes(xc_cta t, uint32_t symbols, xc_gpu_huffman_shared *s)
{
	for (uint32_t l = t.rank; l <= XC_MAX_STORED_LENGTH; l += t.size) {
		/* Codes of l bits begin after all shorter ones. */
		uint32_t first = 0;
		for (uint32_t i = 0; i < symbols; i++)
			if (s->length[i] && s->length[i] < l)
				first += UINT32_C(1) << (l - s->length[i]);
		s->first[l] = first;
	}
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < symbols; i += t.size) {
		uint32_t before = 0;
		for (uint32_t k = 0; k < i; k++)
			before += s->length[k] == s->length[i];
		s->code[i] = (uint16_t)(s->length[i] ? s->first[s->length[i]] + before : 0);
	}
	XC_CTA_SYNC();
}

/* Makes the code for s->count of `symbols` symbols: s->length and s->code. */
XC_GPU_INLINE void xc_gpu_build_code(xc_cta t, uint32_t symbols, xc_gpu_huffman_shared *s)
{
	XC_CTA_SYNC();
	const uint32_t n = xc_gpu_sort_leaves(t, symbols, s);
	xc_gpu_merge_levels(t, n, s);
	xc_gpu_code_lengths(t, n, s);
	XC_CTA_SYNC();
	xc_gpu_assign_codes(t, symbols, s);
}

/* Makes the code of one class (luma or chroma), DC or AC, of a picture. */
XC_GPU_INLINE void xc_gpu_make_code(const xc_gpu_encode_job *j, xc_cta t, uint32_t chroma,
                                    uint32_t ac, xc_gpu_huffman_shared *s)
{
	xc_gpu_codes *const codes = j->huffman.codes;
	xc_coder_tables *const tables = &codes->coder[chroma];
	const uint32_t symbols = ac ? XC_AC_SYMBOLS : XC_DC_SYMBOLS, at = ac ? XC_DC_SYMBOLS : 0;

	for (uint32_t i = t.rank; i < symbols; i += t.size) {
		s->count[i] = codes->counts[chroma][at + i];
		s->length[i] = 0;
	}
	xc_gpu_build_code(t, symbols, s);
	for (uint32_t i = t.rank; i < symbols; i += t.size) {
		codes->lengths[chroma][at + i] = s->length[i];
		(ac ? tables->ac : tables->dc)[i] = (uint32_t)s->code[i] << 6 | s->length[i];
	}
	const int first = ac ? 0 : XC_DC_TOKENS, end = ac ? XC_DC_TOKENS : XC_SMALL_TOKENS;
	for (int i = first + (int)t.rank; i < end; i += (int)t.size) {
		const unsigned symbol = xc_small_symbol(i);
		tables->small[i] = xc_code_and_value(s->code[symbol], s->length[symbol], xc_small_value(i));
	}
}

#endif
