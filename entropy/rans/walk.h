/* SPDX-License-Identifier: BSD-2-Clause */
/* The neighbours of the blocks being coded, and what they make likely.  Part of lanes.h. */

/* The blocks being coded and those that their contexts see.  Where a block has nothing to its
 * left, or nothing above, the one stands for the other. */
typedef struct xc_rans_walk {
	xc_rans_column now, left, up;
	const xc_rans_tables *tables;
	int chroma;
} xc_rans_walk;

/* Sums of the neighbours' symbols of a group. */
XC_RANS_INLINE xc_v16 left_sum(const xc_rans_walk *walk, int group)
{
	return walk->left.at[XC_RANS_SUMS + group];
}

XC_RANS_INLINE xc_v16 up_sum(const xc_rans_walk *walk, int group)
{
	return walk->up.at[XC_RANS_SUMS + group];
}

XC_RANS_INLINE void walk_begin(xc_rans_walk *walk, int chroma)
{
	walk->chroma = chroma;
}

XC_RANS_INLINE xc_v16 expect_dc(const xc_rans_walk *walk)
{
	const uint16_t(*w)[XC_RANS_WIDEST] = walk->tables->dc[walk->chroma];
	const xc_rans_look *look = walk->tables->look;
	const xc_v16 *left = walk->left.at, *up = walk->up.at;
	xc_v16 sum = weight(w[5]) + left[0] * weight(w[0]) + up[0] * weight(w[3]);
	sum += (left[look[1].place] + left[look[2].place]) * weight(w[1]);
	sum += (left[look[3].place] + left[look[4].place] + left[look[5].place]) * weight(w[2]);
	sum += (up[look[1].place] + up[look[2].place]) * weight(w[4]);
	return bin_of(sum);
}

/* before: the symbol before this one in the scan.  It comes last, because it was decoded last. */
XC_RANS_INLINE xc_v16 expect_after(const xc_rans_walk *walk, const xc_rans_look *look,
                                   xc_v16 before)
{
	const uint16_t(*w)[XC_RANS_WIDEST] = walk->tables->ac[walk->chroma][look->direction];
	const xc_v16 *now = walk->now.at, *left = walk->left.at, *up = walk->up.at;
	xc_v16 sum = splat(look->constant[walk->chroma]) + left[look->place] * weight(w[5]) +
	             up[look->place] * weight(w[8]);
	sum += left[look->beyond[0]] * weight(w[6]) + left[look->beyond[1]] * weight(w[7]);
	sum += up[look->beyond[0]] * weight(w[9]) + up[look->beyond[1]] * weight(w[10]);
	sum += now[look->own[0]] * weight(w[0]) + now[look->own[1]] * weight(w[1]);
	sum += now[look->own[2]] * weight(w[2]) + now[look->own[3]] * weight(w[3]);
	if (look->dc == 0)
		sum += now[0] * weight(w[11]);
	return bin_of(sum + before * weight(w[4]));
}

XC_RANS_INLINE xc_v16 expect_ac(const xc_rans_walk *walk, const xc_rans_look *look)
{
	return expect_after(walk, look, walk->now.at[look->own[4]]);
}

/* Lanes move on by a column: `now` becomes what the next blocks see.  first: lanes whose next
 * block is the first of its row. */
XC_RANS_INLINE void walk_on(xc_rans_walk *walk, uint32_t top_lanes, uint32_t first_lanes)
{
	const xc_v16 top = lanes_of(top_lanes), first = lanes_of(first_lanes);
	for (int i = 0; i < XC_RANS_ROWS; i++) {
		const xc_v16 own = walk->now.at[i], zero = {0};
		const xc_v16 above = __builtin_shufflevector(own, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
		                                             10, 11, 12, 13, 14);
		const xc_v16 up = choose(top, own, above);
		walk->up.at[i] = up;
		walk->left.at[i] = choose(first, up, own);
	}
}
