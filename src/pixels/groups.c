/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/groups.h"

static uint32_t min_u32(uint32_t a, uint32_t b)
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
		const uint32_t n = min_u32(index - before, row < g->rows ? (row - first) / size : all);
		if (n < same || same == all) {
			first += min_u32(n * size, left);
			return (xc_group){before + n, first, first + min_u32(size, g->rows - first)};
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

uint32_t xc_groups_max(const xc_groups *g)
{
	return min_u32(size_of(g, g->rows), g->rows);
}

uint32_t xc_groups_min_from(const xc_groups *g)
{
	uint32_t first = 0;
	while (size_of(g, g->rows - first) > g->size)
		first += min_u32(g->threads * size_of(g, g->rows - first), g->rows - first);
	return first;
}

/* How many groups from that of row `first` on, and before that of row `end`, are whole. */
static uint32_t whole_groups(const xc_groups *g, uint32_t first, uint32_t end)
{
	const uint32_t split = g->stretches > 1 && g->split < end ? g->split : end;
	return split > first ? xc_groups_at(g, split - 1).index + 1 - xc_groups_at(g, first).index : 0;
}

/* Groups of which rows `first` to `end` - 1 have some. */
static uint32_t groups_of(const xc_groups *g, uint32_t first, uint32_t end)
{
	return xc_groups_at(g, end - 1).index + 1 - xc_groups_at(g, first).index;
}

uint64_t xc_groups_items(const xc_groups *g, uint32_t first, uint32_t end)
{
	const uint32_t whole = whole_groups(g, first, end);
	return whole + (uint64_t)(groups_of(g, first, end) - whole) * g->stretches;
}

xc_group_item xc_groups_item(const xc_groups *g, uint32_t first, uint32_t end, uint64_t index)
{
	const uint32_t whole = whole_groups(g, first, end), begin = xc_groups_at(g, first).index;
	if (index < whole)
		return (xc_group_item){xc_groups_get(g, begin + (uint32_t)index), 0, 1};
	const uint32_t cut = groups_of(g, first, end) - whole;
	const uint64_t i = index - whole;
	return (xc_group_item){xc_groups_get(g, begin + whole + (uint32_t)(i % cut)),
	                       (uint32_t)(i / cut), g->stretches};
}
