/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes of AC that contexts share, as in entropy/code_set.c, by a thread block: the
 * contexts of a class join as long as that saves bits. The counts of a code take the place
 * of those of the contexts.
 */
#ifndef XC_GPU_ENCODE_CODE_SET_H
#define XC_GPU_ENCODE_CODE_SET_H

#include "entropy/code_cost.h"
#include "gpu/encode/job.h"

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

/* The cluster, or both of the pair, that sum number `which` is of. */
XC_GPU_INLINE void xc_gpu_clusters_of(uint32_t which, uint32_t *a, uint32_t *b)
{
	*a = *b = which;
	if (which >= XC_AC_CONTEXTS)
		xc_gpu_pair_of(which - XC_AC_CONTEXTS, a, b);
}

/* Whether that sum is of cluster `changed`, or that is none. */
XC_GPU_INLINE int xc_gpu_is_changed(uint32_t which, uint32_t changed)
{
	uint32_t a, b;
	xc_gpu_clusters_of(which, &a, &b);
	return changed == XC_AC_CONTEXTS || a == changed || b == changed;
}

/* Symbols that a thread adds up at a time. */
enum { XC_GPU_JOIN_PART = 8 };

/* Finds the costs of clusters and pairs: all of them at first, later those of the
 * cluster that changed. */
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

/* Chooses the two clusters that lose least by joining, of equal ones the last;
 * one thread calls it. */
XC_GPU_INLINE void xc_gpu_choose_pair(xc_gpu_join_shared *s)
{
	int64_t min_u32 = 0;

	s->into = s->from = XC_AC_CONTEXTS;
	for (uint32_t p = 0; p < XC_GPU_PAIRS; p++) {
		uint32_t a, b;
		xc_gpu_pair_of(p, &a, &b);
		if (!(s->used >> a & s->used >> b & 1))
			continue;
		const int64_t loss = xc_gpu_cost_of(s, XC_AC_CONTEXTS + p) - xc_gpu_cost_of(s, a) -
		                     xc_gpu_cost_of(s, b);
		if (loss <= min_u32) {
			min_u32 = loss;
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

/* Joins the contexts of a class and leaves the counts of its codes. */
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
