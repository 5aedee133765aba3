/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the codes of a class, joins contexts that share a code, and stores codes.
 * src/encode/codes.c builds, src/container/ stores and reads. */
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

/* Contexts that share a code. */
typedef struct cluster {
	uint64_t counts[XC_AC_SYMBOLS];
	int64_t cost; /* in 65536ths of a bit, of the symbols and of the stored code */
	int used;
} cluster;

/* The cost of a cluster by its entropy, because building a code for each trial takes too long. */
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

static void add(uint64_t sum[XC_AC_SYMBOLS], const cluster *a, const cluster *b)
{
	for (int s = 0; s < XC_AC_SYMBOLS; s++)
		sum[s] = a->counts[s] + b->counts[s];
}

/* Joins the two clusters that lose least. 0: no join gains, and `force` is not set. */
static int join_two(cluster clusters[XC_AC_CONTEXTS], uint8_t cluster_of[XC_AC_CONTEXTS], int force)
{
	int64_t min = 0;
	int into = -1, from = -1;
	uint64_t sum[XC_AC_SYMBOLS];

	for (int a = 0; a < XC_AC_CONTEXTS; a++) {
		for (int b = a + 1; b < XC_AC_CONTEXTS; b++) {
			if (!clusters[a].used || !clusters[b].used)
				continue;
			add(sum, &clusters[a], &clusters[b]);
			const int64_t loss = cost(sum) - clusters[a].cost - clusters[b].cost;
			if (loss <= min || (force && into < 0)) {
				min = loss;
				into = a;
				from = b;
			}
		}
	}
	if (into < 0)
		return 0;
	add(sum, &clusters[into], &clusters[from]);
	memcpy(clusters[into].counts, sum, sizeof sum);
	clusters[into].cost = cost(sum);
	clusters[from].used = 0;
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		if (cluster_of[i] == from)
			cluster_of[i] = (uint8_t)into;
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

void xc_code_set_build(xc_code_set *set, const xc_symbol_counts *counts, uint32_t max)
{
	if (max == 1) {
		build_single(set, counts);
		return;
	}
	cluster clusters[XC_AC_CONTEXTS];
	uint8_t cluster_of[XC_AC_CONTEXTS];
	uint32_t left = XC_AC_CONTEXTS;
	for (uint8_t i = 0; i < XC_AC_CONTEXTS; i++) {
		memcpy(clusters[i].counts, counts->ac[i], sizeof clusters[i].counts);
		clusters[i].cost = cost(counts->ac[i]);
		clusters[i].used = 1;
		cluster_of[i] = i;
	}
	while (left > 1 && join_two(clusters, cluster_of, left > max))
		left--;
	xc_huffman_build(&set->dc, counts->dc, XC_DC_SYMBOLS, XC_MAX_STORED_LENGTH);
	set->ac_codes = 0;
	for (int g = 0; g < XC_AC_CONTEXTS; g++) {
		if (!clusters[g].used)
			continue;
		for (int i = 0; i < XC_AC_CONTEXTS; i++)
			if (cluster_of[i] == g)
				set->ac_code[i] = (uint8_t)set->ac_codes;
		xc_huffman_build(&set->ac[set->ac_codes++], clusters[g].counts, XC_AC_SYMBOLS,
		                 XC_MAX_STORED_LENGTH);
	}
}

/* The stored form of a set of codes: doc/format.md, 5.5. Lengths are stored as differences from the
 * code before, in an order that begins with likely symbols. */

/* Bits of a payload, the highest of a byte first. */
typedef struct bits {
	uint8_t *out;
	const uint8_t *in;
	size_t count, limit; /* so far; of `in` */
} bits;

static void put(bits *b, uint32_t value, unsigned count)
{
	for (unsigned i = count; i-- > 0; b->count++) {
		if (b->count % 8 == 0)
			b->out[b->count / 8] = 0;
		b->out[b->count / 8] |= (uint8_t)((value >> i & 1) << (7 - b->count % 8));
	}
}

/* Past the end there are zeros. */
static uint32_t get(bits *b, unsigned count)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < count; i++, b->count++)
		value = value << 1 |
		        (b->count < b->limit ? b->in[b->count / 8] >> (7 - b->count % 8) & 1 : 0);
	return value;
}

static void order_symbols(uint8_t order[XC_AC_SYMBOLS], uint32_t symbols)
{
	enum { RANKS = XC_AC_SYMBOLS + 31 };
	uint16_t next[RANKS + 1] = {0};

	for (uint32_t s = 0; s < symbols; s++)
		next[(symbols == XC_AC_SYMBOLS ? xc_stored_rank(s) : s) + 1]++;
	for (unsigned r = 1; r <= RANKS; r++)
		next[r] = (uint16_t)(next[r] + next[r - 1]);
	for (uint32_t s = 0; s < symbols; s++)
		order[next[symbols == XC_AC_SYMBOLS ? xc_stored_rank(s) : s]++] = (uint8_t)s;
}

static void put_length(bits *b, unsigned length, unsigned before)
{
	const xc_stored_word w = xc_stored_length(length, before);
	put(b, w.bits, w.count);
}

/* The inverse of xc_stored_length(). */
static unsigned get_length(bits *b, unsigned before)
{
	if (!before)
		return get(b, 1) ? 0 : get(b, 4);
	uint32_t word = get(b, 2);
	if (!word)
		return before;
	word = word << 1 | get(b, 1);
	if (word == XC_STORED_ABSENT)
		return 0;
	if (word == XC_STORED_OTHER)
		return get(b, 4);
	if (word < XC_STORED_ABSENT)
		return (word & 1 ? before - 1 : before + 1) & 31;
	word = word << 1 | get(b, 1);
	const unsigned step = (word - XC_STORED_STEPS) / 2 + 2;
	return (word & 1 ? before - step : before + step) & 31;
}

static void put_code(bits *b, const xc_huffman_code *code, const xc_huffman_code *before)
{
	uint8_t order[XC_AC_SYMBOLS];
	uint32_t count = code->symbols;

	order_symbols(order, code->symbols);
	while (!code->length[order[count - 1]])
		count--;
	put(b, count - 1, 8);
	for (uint32_t i = 0; i < count; i++)
		put_length(b, code->length[order[i]], before->length[order[i]]);
}

/* 0: the lengths are no code. */
static int get_code(bits *b, uint32_t symbols, xc_huffman_code *code, const xc_huffman_code *before)
{
	uint8_t order[XC_AC_SYMBOLS];

	memset(code, 0, sizeof *code);
	code->symbols = symbols;
	order_symbols(order, symbols);
	const uint32_t count = get(b, 8) + 1;
	if (count > symbols)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		code->length[order[i]] = (uint8_t)get_length(b, before->length[order[i]]);
	return xc_huffman_assign(code);
}

size_t xc_code_set_write(const xc_code_set *set, const xc_huffman_code built_in[2], uint8_t *out)
{
	bits b = {.out = out};

	put(&b, set->ac_codes - 1, 3);
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		put(&b, set->ac_code[i], 3);
	put_code(&b, &set->dc, &built_in[0]);
	for (uint32_t i = 0; i < set->ac_codes; i++)
		put_code(&b, &set->ac[i], i ? &set->ac[i - 1] : &built_in[1]);
	return (b.count + 7) / 8;
}

size_t xc_code_set_read(xc_code_set *set, const xc_huffman_code built_in[2], const uint8_t *in,
                        size_t size)
{
	bits b = {.in = in, .limit = size * 8};

	memset(set, 0, sizeof *set);
	set->ac_codes = get(&b, 3) + 1;
	if (set->ac_codes > XC_AC_CONTEXTS)
		return 0;
	for (int i = 0; i < XC_AC_CONTEXTS; i++) {
		set->ac_code[i] = (uint8_t)get(&b, 3);
		if (set->ac_code[i] >= set->ac_codes)
			return 0;
	}
	if (!get_code(&b, XC_DC_SYMBOLS, &set->dc, &built_in[0]))
		return 0;
	for (uint32_t i = 0; i < set->ac_codes; i++)
		if (!get_code(&b, XC_AC_SYMBOLS, &set->ac[i], i ? &set->ac[i - 1] : &built_in[1]))
			return 0;
	return b.count <= b.limit ? (b.count + 7) / 8 : 0;
}
