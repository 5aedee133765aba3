/* SPDX-License-Identifier: BSD-2-Clause */
/* What walk.h has, for two segments at once with AVX-512.  Part of lanes.h. */

enum { PLACES = XC_RANS_NOWHERE + 1 };

/* Weights of two neighbours, as pairs of bytes, and of symbols of the same block.  They lie here because
 * loads that cross a cache line take twice the time. */
typedef struct xc_rans_pairs {
	__m512i dc[3];                     /* of the DC, and of two sums of positions after it */
	__m512i ac[XC_RANS_DIRECTIONS][3]; /* of a place, and of those to its right and below */
	xc_v16 own[XC_RANS_DIRECTIONS][5];
	xc_v16 after_dc[XC_RANS_DIRECTIONS];
} xc_rans_pairs;

/* The blocks being decoded and those that their contexts see.  A number has two bytes, which are the
 * symbols to the left and above.  Where one of these blocks does not exist, the other stands for it. */
typedef struct xc_rans_walk {
	xc_rans_column now;
	__m512i around[PLACES];
	xc_v16 left_sums[XC_RANS_GROUPS], up_sums[XC_RANS_GROUPS];
	xc_rans_pairs pairs;
	const xc_rans_tables *tables;
	int chroma;
} xc_rans_walk;

XC_RANS_INLINE xc_v16 left_sum(const xc_rans_walk *walk, int group)
{
	return walk->left_sums[group];
}

XC_RANS_INLINE xc_v16 up_sum(const xc_rans_walk *walk, int group)
{
	return walk->up_sums[group];
}

XC_RANS_INLINE __m512i pair_of(const uint16_t left[XC_RANS_WIDEST],
                               const uint16_t up[XC_RANS_WIDEST])
{
	return _mm512_set1_epi16((short)(left[0] | up[0] << 8));
}

XC_RANS_INLINE void walk_begin(xc_rans_walk *walk, int chroma)
{
	static const uint16_t none[XC_RANS_WIDEST] = {0};
	const uint16_t(*dc)[XC_RANS_WIDEST] = walk->tables->dc[chroma];
	xc_rans_pairs *p = &walk->pairs;
	walk->chroma = chroma;
	p->dc[0] = pair_of(dc[0], dc[3]);
	p->dc[1] = pair_of(dc[1], dc[4]);
	p->dc[2] = pair_of(dc[2], none);
	for (int d = 0; d < XC_RANS_DIRECTIONS; d++) {
		const uint16_t(*w)[XC_RANS_WIDEST] = walk->tables->ac[chroma][d];
		for (int i = 0; i < 3; i++)
			p->ac[d][i] = pair_of(w[5 + i], w[8 + i]);
		for (int i = 0; i < 5; i++)
			p->own[d][i] = weight(w[i]);
		p->after_dc[d] = weight(w[11]);
	}
}

/* The sum of two weighted neighbours. */
XC_RANS_INLINE xc_v16 weigh(__m512i pair, __m512i neighbours)
{
	return (xc_v16)_mm512_maddubs_epi16(pair, neighbours);
}

XC_RANS_INLINE xc_v16 expect_dc(const xc_rans_walk *walk)
{
	const xc_rans_look *look = walk->tables->look;
	const __m512i *around = walk->around, *w = walk->pairs.dc;
	const __m512i next = _mm512_add_epi8(around[look[1].place], around[look[2].place]);
	const __m512i others = _mm512_add_epi8(_mm512_add_epi8(around[look[3].place],
	                                                       around[look[4].place]),
	                                       around[look[5].place]);
	return bin_of(weight(walk->tables->dc[walk->chroma][5]) + weigh(w[0], around[0]) +
	              weigh(w[1], next) + weigh(w[2], others));
}

/* before: the symbol before this one in the scan.  It comes last, because it was decoded last. */
XC_RANS_INLINE xc_v16 expect_after(const xc_rans_walk *walk, const xc_rans_look *look,
                                   xc_v16 before)
{
	const xc_v16 *w = walk->pairs.own[look->direction];
	const __m512i *around = walk->around, *pair = walk->pairs.ac[look->direction];
	const xc_v16 *now = walk->now.at;
	xc_v16 sum = splat(look->constant[walk->chroma]) + weigh(pair[0], around[look->place]);
	sum += weigh(pair[1], around[look->beyond[0]]) + weigh(pair[2], around[look->beyond[1]]);
	sum += now[look->own[0]] * w[0] + now[look->own[1]] * w[1];
	sum += now[look->own[2]] * w[2] + now[look->own[3]] * w[3];
	if (look->dc == 0)
		sum += now[0] * walk->pairs.after_dc[look->direction];
	return bin_of(sum + before * w[4]);
}

/* Lanes move on by a column: `now` becomes what the next blocks see.  first: lanes whose next
 * block is the first of its row. */
XC_RANS_INLINE void walk_on(xc_rans_walk *walk, uint32_t top, uint32_t first)
{
	const __m512i zero = _mm512_setzero_si512();
#pragma GCC unroll 4
	for (int i = 0; i < XC_RANS_ROWS; i++) {
		const __m512i own = (__m512i)walk->now.at[i];
		const __m512i above = _mm512_alignr_epi32(own, zero, 15);
		const __m512i up = _mm512_mask_mov_epi16(above, top, own);
		const __m512i left = _mm512_mask_mov_epi16(own, first, up);
		if (i < PLACES) {
			walk->around[i] = _mm512_or_si512(left, _mm512_slli_epi16(up, 8));
		} else {
			walk->left_sums[i - PLACES] = (xc_v16)left;
			walk->up_sums[i - PLACES] = (xc_v16)up;
		}
	}
}
