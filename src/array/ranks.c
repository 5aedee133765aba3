/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Few distinct values: packed integers times a scale, labels, what was rounded. They are coded by
 * their ranks in a sorted table, which the slab's model has. src/array/encode.c and chunk.c call it.
 */
#include <string.h>

#include "src/array/array.h"

enum { SLOTS = 4 * XC_RANKS };

/* A value and its rank, in a table of open addresses. */
typedef struct slot {
	uint64_t bits;
	uint32_t rank;
	uint32_t used;
} slot;

struct xc_rank_table {
	slot slots[SLOTS];
	uint64_t order[XC_RANKS]; /* of the values, as numbers that sort as they do */
};

size_t xc_rank_table_bytes(void)
{
	return sizeof(xc_rank_table);
}

/* Bits of a value as a number without sign in the order of the values, and back. */
static uint64_t order_of(xc_array_type type, uint64_t bits)
{
	const unsigned n = 8 * (unsigned)xc_array_type_size(type);
	const uint64_t sign = 1ULL << (n - 1), all = UINT64_MAX >> (64 - n);

	if (type == XC_ARRAY_UINT8 || type == XC_ARRAY_UINT16 || type == XC_ARRAY_UINT32)
		return bits;
	if (!xc_array_is_float(type))
		return bits ^ sign;
	return bits & sign ? ~bits & all : bits | sign;
}

static uint64_t bits_of(xc_array_type type, uint64_t order)
{
	const unsigned n = 8 * (unsigned)xc_array_type_size(type);
	const uint64_t sign = 1ULL << (n - 1), all = UINT64_MAX >> (64 - n);

	if (type == XC_ARRAY_UINT8 || type == XC_ARRAY_UINT16 || type == XC_ARRAY_UINT32)
		return order;
	if (!xc_array_is_float(type))
		return order ^ sign;
	return order & sign ? order ^ sign : ~order & all;
}

static slot *find(xc_rank_table *t, uint64_t bits)
{
	size_t i = (size_t)((bits * 0x9e3779b97f4a7c15ULL) >> 40) % SLOTS;

	while (t->slots[i].used && t->slots[i].bits != bits)
		i = (i + 1) % SLOTS;
	return &t->slots[i];
}

/* By a heap, in place. */
static void sort(uint64_t *v, size_t n)
{
	for (size_t end = n, start = n / 2; end > 1;) {
		if (start > 0) {
			start--;
		} else {
			const uint64_t last = v[--end];
			v[end] = v[0];
			v[0] = last;
		}
		size_t root = start;
		for (size_t child; (child = 2 * root + 1) < end; root = child) {
			child += child + 1 < end && v[child] < v[child + 1];
			if (v[root] >= v[child])
				break;
			const uint64_t other = v[root];
			v[root] = v[child];
			v[child] = other;
		}
	}
}

uint32_t xc_ranks_find(xc_array_type type, const void *values, const uint8_t *kinds, uint64_t count,
                       xc_rank_table *t, uint64_t *rank)
{
	uint32_t n = 0;

	memset(t->slots, 0, sizeof t->slots);
	for (uint64_t i = 0; i < count; i++) {
		if (kinds && kinds[i])
			continue;
		const uint64_t bits = xc_array_bits(type, values, (size_t)i);
		slot *s = find(t, bits);
		if (s->used)
			continue;
		/* Values go on being new where there are many. */
		if (n == XC_RANKS || n > 2048 + i / 8)
			return 0;
		*s = (slot){bits, 0, 1};
		t->order[n++] = order_of(type, bits);
	}
	if ((uint64_t)n * 16 > count)
		return 0;
	sort(t->order, n);
	for (uint32_t i = 0; i < n; i++) {
		rank[i] = bits_of(type, t->order[i]);
		find(t, rank[i])->rank = i;
	}
	return n;
}

void xc_ranks_load(xc_array_type type, const void *values, size_t count, xc_rank_table *t,
                   void *reals)
{
	const int wide = xc_array_is_wide(type);

	for (size_t i = 0; i < count; i++) {
		const uint32_t rank = find(t, xc_array_bits(type, values, i))->rank;
		if (wide)
			((double *)reals)[i] = rank;
		else
			((float *)reals)[i] = (float)rank;
	}
}

void xc_ranks_unload(xc_array_type type, const uint64_t *rank, uint32_t ranks, const void *reals,
                     size_t count, void *values)
{
	const int wide = xc_array_is_wide(type);
	const double most = ranks - 1;

	for (size_t i = 0; i < count; i++) {
		double v = wide ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
		v = v > 0 ? v < most ? v : most : 0;
		xc_array_set_bits(type, values, i, rank[(uint32_t)v]);
	}
}

double xc_ranks_gap(xc_array_type type, const uint64_t *rank, uint32_t ranks)
{
	double before = 0, most = 0;

	for (uint32_t i = 0; i < ranks; i++) {
		double value;
		xc_array_set_bits(type, &value, 0, rank[i]);
		const double v = xc_array_value(type, &value, 0);
		most = i && v - before > most ? v - before : most;
		before = v;
	}
	return most;
}

/* ------------------------------------------------------------------- bytes */

/* Each value less the one before, and of these what they differ by from the one before, folded. */
uint8_t *xc_ranks_write(xc_array_type type, const uint64_t *rank, uint32_t ranks, uint8_t *out)
{
	uint64_t before = 0, by = 0;

	for (uint32_t i = 0; i < ranks; i++) {
		const uint64_t v = order_of(type, rank[i]), change = v - before - by;
		out = xc_number_put(out, change << 1 ^ (0 - (change >> 63)));
		by = v - before;
		before = v;
	}
	return out;
}

const uint8_t *xc_ranks_read(xc_array_type type, uint64_t *rank, uint32_t ranks, const uint8_t *p,
                             const uint8_t *end)
{
	const unsigned n = 8 * (unsigned)xc_array_type_size(type);
	uint64_t before = 0, by = 0;

	for (uint32_t i = 0; i < ranks; i++) {
		uint64_t z;
		if (!xc_number_get(&p, end, 64, &z))
			return NULL;
		by += z >> 1 ^ (0 - (z & 1));
		const uint64_t v = before + by;
		if ((i && v <= before) || v > UINT64_MAX >> (64 - n))
			return NULL;
		before = v;
		rank[i] = bits_of(type, v);
	}
	return p;
}
