/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coder and decoder of the rANS mode for one SIMD level.  The makefile compiles this file once a
 * level and sets
 *   XC_RANS    the name of the level's table
 */
#include "entropy/rans.h"

#include "entropy/rans_lanes.h"
#include "entropy/rans_raw.h"
#include "entropy/scan.h"
#include "entropy/tokens.h"

#ifdef __AVX512VBMI2__
#include <immintrin.h>
#endif

/* The symbols of one place in up to sixteen blocks, to be coded in reverse order. */
typedef struct record {
	uint8_t context[XC_RANS_LANES]; /* level << 4 | symbol */
	uint16_t mask;
	uint8_t chroma, set;
} record;

#ifdef __AVX512VBMI2__
typedef __m512i rans_states;
#else
typedef struct rans_states {
	uint32_t of[XC_RANS_LANES];
} rans_states;
#endif

enum { STEP_RECORDS = 64 + XC_RANS_GROUPS };

/* What the walk does with symbols: it decodes or records them. */
typedef struct coder {
	xc_rans_walk walk;
	uint8_t *symbols;
	record *record; /* of the coder: the next one */
} coder;

/* What the decoder reads.  It is a variable of its own, so that it stays in registers. */
typedef struct reader {
	rans_states state;
	const uint8_t *data;
	size_t at, size;
} reader;

#include "entropy/rans_step.h"

/* Sets are compared with what the processor likes best; the result is the same. */
XC_RANS_INLINE xc_v16 code_symbols(coder *c, reader *in, int set, xc_v16 bin, uint32_t mask,
                                   xc_v16 known, const int decoding)
{
	const xc_rans_set *of = &c->walk.tables->set[c->walk.chroma][set];
	if (decoding)
		return decode_symbols(in, of, bin, mask, set >= XC_RANS_FLAG_SET);
	record *r = c->record++;
	const xc_v16b context = levels_of(of, bin) | __builtin_convertvector(known, xc_v16b);
	memcpy(r->context, &context, sizeof context);
	r->mask = (uint16_t)mask;
	r->chroma = (uint8_t)c->walk.chroma;
	r->set = (uint8_t)set;
	return known;
}

XC_RANS_INLINE void code_group(coder *c, reader *in, int group, uint32_t active, const int decoding)
{
	static const uint8_t first[] = XC_RANS_GROUP_TABLE, range[] = XC_RANS_RANGE_TABLE;
	xc_rans_walk *walk = &c->walk;
	xc_v16 *now = walk->now.at, *sum = &now[XC_RANS_SUMS + group], total = {0};
	const xc_v16 any = (xc_v16)(*sum != 0) & splat(1);
	const xc_v16 flag = code_symbols(c, in, XC_RANS_FLAG_SET + group,
	                                 expect_flag(walk, group, first[group]), active, any, decoding);
	const uint32_t mask = active & mask_of(flag);
	if (!mask)
		return;
	for (int k = first[group]; k < first[group + 1]; k++) {
		const xc_rans_look *look = &walk->tables->look[k];
		const xc_v16 bin = expect_ac(walk, look);
		const xc_v16 s = code_symbols(c, in, k >= range[1], bin, mask, now[look->place], decoding);
		now[look->place] = s;
		total += s;
	}
	*sum = total;
}

/* The sums that the coder knows beforehand. */
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

XC_RANS_INLINE uint32_t beginning(const xc_rans_group *g, uint32_t step)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < g->lanes; i++)
		mask |= (uint32_t)(g->lag[i] == step) << i;
	return mask;
}

XC_RANS_INLINE void code_rows(coder *c, reader *in, const xc_rans_group *g, const int decoding)
{
	xc_rans_walk *walk = &c->walk;
	const xc_v16 top = lanes_of(g->top);
	memset(&walk->now, 0, sizeof walk->now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		walk_on(walk, top, lanes_of(beginning(g, step)));
		memset(&walk->now, 0, sizeof walk->now);
		if (!decoding) {
			load_blocks(&walk->now, g, step, active, c->symbols);
			sum_groups(walk);
		}
		walk->now.at[0] = code_symbols(c, in, XC_RANS_DC_SET, expect_dc(walk), active,
		                               walk->now.at[0], decoding);
		for (int group = 0; group < XC_RANS_GROUPS; group++)
			code_group(c, in, group, active, decoding);
		if (decoding)
			store_blocks(&walk->now, g, step, active, c->symbols);
	}
}

/* Luma, and then both components of chroma. */
XC_RANS_INLINE void code_segment(coder *c, reader *in, const xc_rans_shape *shape,
                                 const int decoding)
{
	xc_rans_group g;
	c->walk.chroma = 0;
	for (uint32_t row = 0; row < shape->high[0];) {
		row = xc_rans_group_at(&g, row, shape->wide[0], shape->high[0], 1, &shape->first[0]);
		code_rows(c, in, &g, decoding);
	}
	if (shape->components == 1)
		return;
	c->walk.chroma = 1;
	for (uint32_t row = 0; row < 2 * shape->high[1];) {
		row = xc_rans_group_at(&g, row, shape->wide[1], shape->high[1], 2, &shape->first[1]);
		code_rows(c, in, &g, decoding);
	}
}

/* The lanes that a segment uses. */
static uint32_t lanes_used(const xc_rans_shape *shape)
{
	uint32_t rows = shape->high[0];
	if (shape->components > 1 && 2 * shape->high[1] > rows)
		rows = 2 * shape->high[1];
	return rows < XC_RANS_LANES ? rows : XC_RANS_LANES;
}

#include "entropy/rans_decode.h"
#include "entropy/rans_encode.h"

const xc_rans_level XC_RANS[2] = {{encode16, count16, decode16}, {encode32, count32, decode32}};
