/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture's tile rows in groups, each of which one thread decodes in sequence.  Where groups meet,
 * work is done twice or later, so there should be few of them; the last ones should be small, so that
 * all threads end together.
 */
#ifndef XC_SRC_PIXELS_GROUPS_H
#define XC_SRC_PIXELS_GROUPS_H

#include <stdint.h>

typedef struct xc_groups {
	uint32_t rows; /* of tiles, in all */
	uint32_t size; /* rows of a group; if they shrink, of the last groups */
	/* Above 0: groups shrink.  So many of one size are two thirds of the rows left. */
	uint32_t threads;
	/* Above 1: the groups from row `split` on, which have a row each, are cut into so many *stretches*, each of
	 * which is some tiles of the row. */
	uint32_t stretches;
	uint32_t split;
} xc_groups;

typedef struct xc_group {
	uint32_t index, first, end; /* tile rows: up to end - 1 */
} xc_group;

uint32_t xc_groups_count(const xc_groups *groups);
/* The group with this index, or with this row; after the last one, an empty group at the end. */
xc_group xc_groups_get(const xc_groups *groups, uint32_t index);
xc_group xc_groups_at(const xc_groups *groups, uint32_t row);
/* Rows of the largest. */
uint32_t xc_groups_max(const xc_groups *groups);
/* The row from which on groups shrink no more. */
uint32_t xc_groups_min_from(const xc_groups *groups);

/* What one thread does at a time: a group, or a stretch of one. */
typedef struct xc_group_item {
	xc_group group;
	uint32_t stretch, stretches; /* which one of how many */
} xc_group_item;

/* How many items the groups of rows `first` to `end` - 1 have, and item `index` of them: whole groups, and
 * then the first stretch of all others, the second of all, and so on, so that the one to the left has
 * often been done long before. */
uint64_t xc_groups_items(const xc_groups *groups, uint32_t first, uint32_t end);
xc_group_item xc_groups_item(const xc_groups *groups, uint32_t first, uint32_t end, uint64_t index);

#endif
