/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The optimal code for counts, by a thread block: package-merge as in entropy/huffman.c, but merges
 * use ranks. In a merge of two sorted lists an item's position is its own index plus the number of
 * items of the other list before it, which a binary search finds. Ties are resolved alike, so the
 * codes are equal. Launched by gpu/encode/assemble.cu.
 */
#ifndef XC_GPU_ENCODE_HUFFMAN_H
#define XC_GPU_ENCODE_HUFFMAN_H

#include "entropy/code_cost.h"
#include "entropy/token.h"
#include "gpu/encode/job.h"

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
                                    uint32_t ac, uint32_t picture, xc_gpu_huffman_shared *s)
{
	xc_gpu_codes *const codes = &j->codes[picture];
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

/* Makes code number `which` of a class's set; 0: the DC. */
XC_GPU_INLINE void xc_gpu_make_set_code(const xc_gpu_encode_job *j, xc_cta t, uint32_t chroma,
                                        uint32_t which, uint32_t picture, xc_gpu_huffman_shared *s)
{
	xc_gpu_code_sets *const sets = &j->sets[picture];
	const uint32_t symbols = which ? XC_AC_SYMBOLS : XC_DC_SYMBOLS;
	const uint32_t at = which ? XC_DC_SYMBOLS + (which - 1) * XC_AC_SYMBOLS : 0;

	if (which > sets->codes[chroma])
		return;
	for (uint32_t i = t.rank; i < symbols; i += t.size) {
		s->count[i] = sets->counts[chroma][at + i];
		s->length[i] = 0;
	}
	xc_gpu_build_code(t, symbols, s);
	for (uint32_t i = t.rank; i < symbols; i += t.size) {
		sets->lengths[chroma][at + i] = s->length[i];
		sets->coder[chroma][at + i] = (uint32_t)s->code[i] << 6 | s->length[i];
	}
}

/* ------------------------------------------------ codes of AC that contexts share
 *
 * As in entropy/code_set.c: a thread block joins the contexts of a class while that saves bits.
 * The counts of a code replace the counts of its contexts. */

enum { XC_GPU_PAIRS = XC_AC_CONTEXTS * (XC_AC_CONTEXTS - 1) / 2 };

typedef struct xc_gpu_join_shared {
	unsigned long long counts[XC_AC_CONTEXTS][XC_AC_SYMBOLS];
	/* Sums over the symbols of each cluster, and then of each pair of clusters. */
	unsigned long long shares[XC_AC_CONTEXTS + XC_GPU_PAIRS];
	unsigned long long totals[XC_AC_CONTEXTS + XC_GPU_PAIRS];
	uint32_t used, into, from;
	uint8_t cluster[XC_AC_CONTEXTS]; /* of each context */
} xc_gpu_join_shared;

/* The clusters of pair `p`: the second is the larger one. */
XC_GPU_INLINE void xc_gpu_pair_of(uint32_t p, uint32_t *a, uint32_t *b)
{
	uint32_t first = 0;

	for (; p >= XC_AC_CONTEXTS - 1 - first; first++)
		p -= XC_AC_CONTEXTS - 1 - first;
	*a = first;
	*b = first + 1 + p;
}

/* The cluster, or the pair, of sum number `which`. */
XC_GPU_INLINE void xc_gpu_clusters_of(uint32_t which, uint32_t *a, uint32_t *b)
{
	*a = *b = which;
	if (which >= XC_AC_CONTEXTS)
		xc_gpu_pair_of(which - XC_AC_CONTEXTS, a, b);
}

/* Whether that sum involves cluster `changed`, or `changed` is none. */
XC_GPU_INLINE int xc_gpu_is_changed(uint32_t which, uint32_t changed)
{
	uint32_t a, b;
	xc_gpu_clusters_of(which, &a, &b);
	return changed == XC_AC_CONTEXTS || a == changed || b == changed;
}

/* Symbols that a thread adds up. */
enum { XC_GPU_JOIN_PART = 8 };

/* Finds the costs of clusters and pairs: at first all, later only the costs that the changed
 * cluster affects. */
XC_GPU_INLINE void xc_gpu_find_costs(xc_cta t, xc_gpu_join_shared *s)
{
	const uint32_t sums = XC_AC_CONTEXTS + XC_GPU_PAIRS, parts = XC_AC_SYMBOLS / XC_GPU_JOIN_PART;
	const uint32_t changed = s->into;

	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < sums; i += t.size)
		if (xc_gpu_is_changed(i, changed))
			s->shares[i] = s->totals[i] = 0;
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < sums * parts; i += t.size) {
		const uint32_t which = i / parts;
		uint64_t total = 0;
		int64_t share = 0;
		uint32_t a, b;
		xc_gpu_clusters_of(which, &a, &b);
		if (!(s->used >> a & s->used >> b & 1) || !xc_gpu_is_changed(which, changed))
			continue;
		for (uint32_t k = 0; k < XC_GPU_JOIN_PART; k++) {
			const uint32_t symbol = i % parts + k * parts;
			const uint64_t n = s->counts[a][symbol] + (a == b ? 0 : s->counts[b][symbol]);
			total += n;
			share += xc_code_cost_of_symbol(n);
		}
		XC_ATOMIC_ADD(&s->totals[which], (unsigned long long)total);
		XC_ATOMIC_ADD(&s->shares[which], (unsigned long long)share);
	}
	XC_CTA_SYNC();
}

XC_GPU_INLINE int64_t xc_gpu_cost_of(const xc_gpu_join_shared *s, uint32_t which)
{
	return xc_code_cost((int64_t)s->shares[which], s->totals[which]);
}

/* Chooses the pair of clusters with the minimum loss by joining, the last one of equals; one thread
 * calls it. */
XC_GPU_INLINE void xc_gpu_choose_pair(xc_gpu_join_shared *s)
{
	int64_t min_loss = 0;

	s->into = s->from = XC_AC_CONTEXTS;
	for (uint32_t p = 0; p < XC_GPU_PAIRS; p++) {
		uint32_t a, b;
		xc_gpu_pair_of(p, &a, &b);
		if (!(s->used >> a & s->used >> b & 1))
			continue;
		const int64_t loss = xc_gpu_cost_of(s, XC_AC_CONTEXTS + p) - xc_gpu_cost_of(s, a) -
		                     xc_gpu_cost_of(s, b);
		if (loss <= min_loss) {
			min_loss = loss;
			s->into = a;
			s->from = b;
		}
	}
	if (s->from == XC_AC_CONTEXTS)
		return;
	s->used &= ~(1u << s->from);
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		if (s->cluster[i] == s->from)
			s->cluster[i] = (uint8_t)s->into;
}

/* Joins the contexts of a class and stores the counts of its codes. */
XC_GPU_INLINE void xc_gpu_join_contexts(const xc_gpu_encode_job *j, xc_cta t, uint32_t chroma,
                                        uint32_t picture, xc_gpu_join_shared *s)
{
	xc_gpu_code_sets *const sets = &j->sets[picture];
	unsigned long long *const ac = sets->counts[chroma] + XC_DC_SYMBOLS;

	for (uint32_t i = t.rank; i < XC_AC_CONTEXTS * XC_AC_SYMBOLS; i += t.size)
		s->counts[i / XC_AC_SYMBOLS][i % XC_AC_SYMBOLS] = ac[i];
	for (uint32_t i = t.rank; i < XC_AC_CONTEXTS; i += t.size)
		s->cluster[i] = (uint8_t)i;
	if (t.rank == 0) {
		s->used = (1u << XC_AC_CONTEXTS) - 1;
		s->into = XC_AC_CONTEXTS;
	}
	XC_CTA_SYNC();
	for (int i = 1; i < XC_AC_CONTEXTS; i++) {
		xc_gpu_find_costs(t, s);
		if (t.rank == 0)
			xc_gpu_choose_pair(s);
		XC_CTA_SYNC();
		if (s->from == XC_AC_CONTEXTS)
			break;
		for (uint32_t k = t.rank; k < XC_AC_SYMBOLS; k += t.size)
			s->counts[s->into][k] += s->counts[s->from][k];
		XC_CTA_SYNC();
	}
	uint32_t codes = 0;
	for (uint32_t g = 0; g < XC_AC_CONTEXTS; g++) {
		if (!(s->used >> g & 1))
			continue;
		for (uint32_t i = t.rank; i < XC_AC_CONTEXTS; i += t.size)
			if (s->cluster[i] == g)
				sets->number[chroma][i] = (uint8_t)codes;
		for (uint32_t k = t.rank; k < XC_AC_SYMBOLS; k += t.size)
			ac[codes * XC_AC_SYMBOLS + k] = s->counts[g][k];
		codes++;
	}
	if (t.rank == 0)
		sets->codes[chroma] = codes;
}

#endif
