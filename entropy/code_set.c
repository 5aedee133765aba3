/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/contexts.h"

#include "entropy/code_cost.h"

#include <string.h>

void xc_code_set_single(xc_code_set *set, const xc_huffman_code *dc, const xc_huffman_code *ac)
{
	set->dc = *dc;
	set->ac[0] = *ac;
	set->ac_codes = 1;
	memset(set->ac_code, 0, sizeof set->ac_code);
}

/* ------------------------------------------------- contexts that share a code */

/* Contexts that share a code. */
typedef struct group {
	uint64_t counts[XC_AC_SYMBOLS];
	int64_t cost; /* in 65536ths of a bit, of the symbols and of the stored code */
	int used;
} group;

/* The cost of a group by its entropy, since a code proper takes too long for a trial. */
static int64_t cost(const uint64_t counts[XC_AC_SYMBOLS])
{
	int64_t bits = 0;
	uint64_t total = 0;
	for (int s = 0; s < XC_AC_SYMBOLS; s++) {
		total += counts[s];
		bits += xc_code_cost_of_symbol(counts[s]);
	}
	return xc_code_cost(bits, total);
}

static void add(uint64_t sum[XC_AC_SYMBOLS], const group *a, const group *b)
{
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		sum[s] = a->counts[s] + b->counts[s];
}

/* Joins the two groups that lose least by it.  0: none gains, and `force` is not set. */
static int join_two(group groups[XC_AC_CONTEXTS], uint8_t group_of[XC_AC_CONTEXTS], int force)
{
	int64_t least = 0;
	int into = -1, from = -1;
	uint64_t sum[XC_AC_SYMBOLS];
	for (int a = 0; a < XC_AC_CONTEXTS; a++) {
		for (int b = a + 1; b < XC_AC_CONTEXTS; b++) {
			if (!groups[a].used || !groups[b].used)
				continue;
			add(sum, &groups[a], &groups[b]);
			const int64_t loss = cost(sum) - groups[a].cost - groups[b].cost;
			if (loss <= least || (force && into < 0)) {
				least = loss;
				into = a;
				from = b;
			}
		}
	}
	if (into < 0)
		return 0;
	add(sum, &groups[into], &groups[from]);
	memcpy(groups[into].counts, sum, sizeof sum);
	groups[into].cost = cost(sum);
	groups[from].used = 0;
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		if (group_of[i] == from)
			group_of[i] = (uint8_t)into;
	return 1;
}

static void build_single(xc_code_set *set, const xc_symbol_counts *counts)
{
	uint64_t sum[XC_AC_SYMBOLS] = {0};
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		for (int s = 0; s < XC_AC_SYMBOLS; s++)
			sum[s] += counts->ac[i][s];
	set->ac_codes = 1;
	memset(set->ac_code, 0, sizeof set->ac_code);
	xc_huffman_build(&set->dc, counts->dc, XC_DC_SYMBOLS, XC_MAX_STORED_LENGTH);
	xc_huffman_build(&set->ac[0], sum, XC_AC_SYMBOLS, XC_MAX_STORED_LENGTH);
}

void xc_code_set_build(xc_code_set *set, const xc_symbol_counts *counts, uint32_t most)
{
	if (most == 1) {
		build_single(set, counts);
		return;
	}
	group groups[XC_AC_CONTEXTS];
	uint8_t group_of[XC_AC_CONTEXTS];
	uint32_t left = XC_AC_CONTEXTS;
	for (uint8_t i = 0; i < XC_AC_CONTEXTS; i++) {
		memcpy(groups[i].counts, counts->ac[i], sizeof groups[i].counts);
		groups[i].cost = cost(counts->ac[i]);
		groups[i].used = 1;
		group_of[i] = i;
	}
	while (left > 1 && join_two(groups, group_of, left > most))
		left--;
	xc_huffman_build(&set->dc, counts->dc, XC_DC_SYMBOLS, XC_MAX_STORED_LENGTH);
	set->ac_codes = 0;
	for (int g = 0; g < XC_AC_CONTEXTS; g++) {
		if (!groups[g].used)
			continue;
		for (int i = 0; i < XC_AC_CONTEXTS; i++)
			if (group_of[i] == g)
				set->ac_code[i] = (uint8_t)set->ac_codes;
		xc_huffman_build(&set->ac[set->ac_codes++], groups[g].counts, XC_AC_SYMBOLS,
		                 XC_MAX_STORED_LENGTH);
	}
}
