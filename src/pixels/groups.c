/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/groups.h"

static uint32_t less(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Rows of the groups that come next when `left` rows are left. */
static uint32_t size_of(const xc_groups *g, uint32_t left)
{
	const uint32_t n = g->threads ? (uint32_t)((uint64_t)left * 2 / 3 / g->threads) : 0;
	return n > g->size ? n : g->size;
}

/* The group with this index or row, whichever comes first. */
static xc_group find(const xc_groups *g, uint32_t index, uint32_t row)
{
	uint32_t before = 0, first = 0;
	for (;;) {
		const uint32_t left = g->rows - first, size = size_of(g, left);
		const uint32_t all = (left + size - 1) / size;
		/* Groups of the least size go on to the end. */
		const uint32_t same = size > g->size ? g->threads : all;
		const uint32_t n = less(index - before, row < g->rows ? (row - first) / size : all);
		if (n < same || same == all) {
			first += less(n * size, left);
			return (xc_group){before + n, first, first + less(size, g->rows - first)};
		}
		before += same;
		first += same * size;
	}
}

uint32_t xc_groups_count(const xc_groups *g)
{
	return find(g, UINT32_MAX, UINT32_MAX).index;
}

xc_group xc_groups_get(const xc_groups *g, uint32_t index)
{
	return find(g, index, UINT32_MAX);
}

xc_group xc_groups_at(const xc_groups *g, uint32_t row)
{
	return find(g, UINT32_MAX, row);
}

uint32_t xc_groups_most(const xc_groups *g)
{
	return less(size_of(g, g->rows), g->rows);
}
