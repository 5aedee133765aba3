/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coder and decoder of the rANS mode for one SIMD level.  The makefile compiles this file once a
 * level and sets
 *   XC_RANS    the name of the level's table
 */
#include "entropy/rans/rans.h"

#include "entropy/points.h"
#include "entropy/rans/lanes.h"
#include "entropy/rans/raw.h"
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

/* What the decoder reads. */
typedef struct reader {
	rans_states state;
	const uint8_t *data;
	size_t at, size;
} reader;

/* A segment on its way.  The walk lies elsewhere, so that the rest can stay in registers. */
typedef struct way {
	xc_rans_walk *walk;
	uint8_t *symbols;
	reader in;
	record *record; /* of the coder: the next one */
} way;

#include "entropy/rans/step.h"

/* Sets are compared with what the processor likes best; the result is the same. */
XC_RANS_INLINE xc_v16 code_symbols(way *c, int set, xc_v16 bin, uint32_t mask, xc_v16 known,
                                   const int decoding)
{
	const xc_rans_set *of = &c->walk->tables->set[c->walk->chroma][set];
	if (decoding)
		return decode_symbols(&c->in, of, bin, mask, set >= XC_RANS_FLAG_SET);
	record *r = c->record++;
	const xc_v16b context = levels_of(of, bin) | __builtin_convertvector(known, xc_v16b);
	memcpy(r->context, &context, sizeof context);
	r->mask = (uint16_t)mask;
	r->chroma = (uint8_t)c->walk->chroma;
	r->set = (uint8_t)set;
	return known;
}

/* Codes the flags of a group and returns the lanes in which it is not all zeros. */
XC_RANS_INLINE uint32_t code_flags(way *c, int group, int first, uint32_t active,
                                   const int decoding)
{
	const xc_v16 sum = c->walk->now.at[XC_RANS_SUMS + group];
	const xc_v16 any = (xc_v16)(sum != 0) & splat(1);
	const xc_v16 bin = expect_flag(c->walk, group, first);
	return active & mask_of(code_symbols(c, XC_RANS_FLAG_SET + group, bin, active, any, decoding));
}

XC_RANS_INLINE xc_v16 code_ac(way *c, const xc_rans_look *look, int range, uint32_t mask,
                              const int decoding)
{
	xc_v16 *symbol = &c->walk->now.at[look->place];
	return *symbol = code_symbols(c, range, expect_ac(c->walk, look), mask, *symbol, decoding);
}

/* A segment on its way.  The decoder takes two at a time, so that the processor works on one
 * while it waits for the other; `two` says so, and b is unused without. */
XC_RANS_INLINE void code_group(way *a, way *b, int group, uint32_t active, const int two,
                               const int decoding)
{
	static const uint8_t first[] = XC_RANS_GROUP_TABLE, range[] = XC_RANS_RANGE_TABLE;
	const uint32_t in_a = code_flags(a, group, first[group], active, decoding);
	const uint32_t in_b = two ? code_flags(b, group, first[group], active, decoding) : 0;
	if (!(in_a | in_b))
		return;
	xc_v16 sum_a = {0}, sum_b = {0};
	for (int k = first[group]; k < first[group + 1]; k++) {
		const xc_rans_look *look = &a->walk->tables->look[k];
		sum_a += code_ac(a, look, k >= range[1], in_a, decoding);
		if (two)
			sum_b += code_ac(b, look, k >= range[1], in_b, decoding);
	}
	a->walk->now.at[XC_RANS_SUMS + group] = sum_a;
	if (two)
		b->walk->now.at[XC_RANS_SUMS + group] = sum_b;
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

XC_RANS_INLINE void begin_step(way *c, const xc_rans_group *g, uint32_t step, uint32_t active,
                               const int decoding)
{
	walk_on(c->walk, lanes_of(g->top), lanes_of(beginning(g, step)));
	memset(&c->walk->now, 0, sizeof c->walk->now);
	if (!decoding) {
		load_blocks(&c->walk->now, g, step, active, c->symbols);
		sum_groups(c->walk);
	}
}

XC_RANS_INLINE void code_dc(way *c, uint32_t active, const int decoding)
{
	xc_v16 *dc = &c->walk->now.at[0];
	*dc = code_symbols(c, XC_RANS_DC_SET, expect_dc(c->walk), active, *dc, decoding);
}

XC_RANS_INLINE void code_rows(way *a, way *b, const xc_rans_group *g, const int two,
                              const int decoding)
{
	memset(&a->walk->now, 0, sizeof a->walk->now);
	if (two)
		memset(&b->walk->now, 0, sizeof b->walk->now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		begin_step(a, g, step, active, decoding);
		if (two)
			begin_step(b, g, step, active, decoding);
		code_dc(a, active, decoding);
		if (two)
			code_dc(b, active, decoding);
		for (int group = 0; group < XC_RANS_GROUPS; group++)
			code_group(a, b, group, active, two, decoding);
		if (decoding)
			store_blocks(&a->walk->now, g, step, active, a->symbols);
		if (two)
			store_blocks(&b->walk->now, g, step, active, b->symbols);
	}
}

/* Luma, and then both components of chroma. */
XC_RANS_INLINE void code_segment(way *a, way *b, const xc_rans_shape *shape, const int two,
                                 const int decoding)
{
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
		a->walk->chroma = chroma;
		if (two)
			b->walk->chroma = chroma;
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_group g;
			row = xc_rans_group_at(&g, row, wide, high, components, &shape->first[chroma]);
			code_rows(a, b, &g, two, decoding);
		}
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

#include "entropy/rans/decode.h"
#include "entropy/rans/encode.h"
#include "entropy/rans/decide.h"

const xc_rans_level XC_RANS[2] = {{encode16, count16, decide16, decode16, decode_two16},
                                  {encode32, count32, decide32, decode32, decode_two32}};
