/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coder of the rANS mode for one SIMD level, and the table of what the level has.  The makefile
 * compiles this file and decode.c once a level and sets
 *   XC_RANS    the name of the level's table
 */
#include "entropy/rans/rans.h"

#include "entropy/points.h"
#include "entropy/rans/lanes.h"
#include "entropy/rans/raw.h"
#include "entropy/scan.h"
#include "entropy/tokens.h"

/* The symbols of one place in up to sixteen blocks, to be coded in reverse order. */
typedef struct record {
	uint8_t context[XC_RANS_LANES]; /* level << 4 | symbol */
	uint16_t mask;
	uint8_t chroma, set;
} record;

enum { STEP_RECORDS = 64 + XC_RANS_GROUPS };

/* A segment on its way. */
typedef struct way {
	xc_rans_walk walk;
	uint8_t *symbols;
	record *record; /* the next one */
} way;

#ifdef __AVX512VBMI2__

XC_RANS_INLINE xc_v16b levels_of(const xc_rans_set *set, xc_v16 bin)
{
	return (xc_v16b)_mm256_cvtepi16_epi8(_mm256_slli_epi16((__m256i)levels_at(set, bin), 4));
}

#else

XC_RANS_INLINE xc_v16b levels_of(const xc_rans_set *set, xc_v16 bin)
{
	xc_v16b levels;
	for (int i = 0; i < XC_RANS_LANES; i++)
		levels[i] = (uint8_t)(set->level[bin[i]] << 4);
	return levels;
}

#endif

XC_RANS_INLINE void put_record(way *c, int set, xc_v16 bin, uint32_t mask, xc_v16 symbols)
{
	record *r = c->record++;
	const xc_v16b context = levels_of(&c->walk.tables->set[c->walk.chroma][set], bin) |
	                        __builtin_convertvector(symbols, xc_v16b);
	memcpy(r->context, &context, sizeof context);
	r->mask = (uint16_t)mask;
	r->chroma = (uint8_t)c->walk.chroma;
	r->set = (uint8_t)set;
}

XC_RANS_INLINE void record_group(way *c, int group, uint32_t active)
{
	static const uint8_t first[] = XC_RANS_GROUP_TABLE, range[] = XC_RANS_RANGE_TABLE;
	const xc_v16 *now = c->walk.now.at;
	const xc_v16 some = (xc_v16)(now[XC_RANS_SUMS + group] != 0);
	const uint32_t mask = active & mask_of(some);
	put_record(c, XC_RANS_FLAG_SET + group, expect_flag(&c->walk, group, first[group]), active,
	           some & splat(1));
	for (int k = first[group]; mask && k < first[group + 1]; k++) {
		const xc_rans_look *look = &c->walk.tables->look[k];
		put_record(c, k >= range[1], expect_ac(&c->walk, look), mask, now[look->place]);
	}
}

XC_RANS_INLINE void sum_groups(xc_rans_walk *walk)
{
	static const uint8_t first[] = XC_RANS_GROUP_TABLE;
	for (int g = 0; g < XC_RANS_GROUPS; g++) {
		xc_v16 total = {0};
		for (int k = first[g]; k < first[g + 1]; k++)
			total += walk->now.at[walk->tables->look[k].place];
		walk->now.at[XC_RANS_SUMS + g] = total;
	}
}

XC_RANS_INLINE void record_rows(way *c, const xc_rans_group *g)
{
	memset(&c->walk.now, 0, sizeof c->walk.now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		walk_on(&c->walk, g->top, beginning(g, step));
		load_blocks(&c->walk.now, g, step, active, c->symbols);
		sum_groups(&c->walk);
		put_record(c, XC_RANS_DC_SET, expect_dc(&c->walk), active, c->walk.now.at[0]);
		for (int group = 0; group < XC_RANS_GROUPS; group++)
			record_group(c, group, active);
	}
}

/* Finds the contexts of all symbols: those of luma, and then of both components of chroma. */
XC_RANS_INLINE void record_segment(way *c, const xc_rans_shape *shape)
{
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
		walk_begin(&c->walk, chroma);
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_group g;
			row = xc_rans_group_at(&g, row, wide, high, components, &shape->first[chroma]);
			record_rows(c, &g);
		}
	}
}

#include "entropy/rans/values.h"
#include "entropy/rans/encode.h"

const xc_rans_level XC_RANS[2] = {{encode16, count16, XC_RANS_OF(decode16)},
                                  {encode32, count32, XC_RANS_OF(decode32)}};
