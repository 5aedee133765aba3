/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions by rate and distortion, block by block along the walk, with the costs of the
 * contexts that the decided coefficients themselves make.  Part of level.c.
 *
 * A coefficient is rounded to the nearest magnitude, to the one below, or to 0; a group may
 * become all zeros.  Everything is counted in squares of a sixteenth of a step, in integers of 16
 * bits.
 */

enum {
	XC_RANS_LAST_CHOICE = 7, /* larger magnitudes are rounded to the nearest */
	XC_RANS_NEAREST = 8,     /* stands for those */
	XC_RANS_MOST_SUM = 16000 /* either way: more makes no difference */
};

typedef int16_t xc_s16 __attribute__((vector_size(32)));

/* Coefficients of sixteen blocks, in sixteenths of a step, 255 at most, and what becomes of
 * them: a magnitude, or XC_RANS_NEAREST. */
typedef struct choice {
	xc_rans_column size, chosen;
	xc_v16 factor; /* of costs, in 16ths */
} choice;

/* What a symbol costs in the levels of each lane, with the factors of their blocks. */
XC_RANS_INLINE xc_s16 costs_of(const choice *ch, const uint16_t *costs, xc_v16 level, xc_v16 symbol)
{
	const xc_v16 at = level * XC_RANS_SYMBOLS + symbol;
#ifdef __AVX512VBMI2__
	const __m512i found = _mm512_i32gather_epi32(_mm512_cvtepu16_epi32((__m256i)at), costs, 2);
	const xc_v16 cost = (xc_v16)_mm512_cvtepi32_epi16(found);
#else
	xc_v16 cost;
	for (int i = 0; i < XC_RANS_LANES; i++)
		cost[i] = costs[at[i]];
#endif
	return (xc_s16)(cost * ch->factor >> 4);
}

XC_RANS_INLINE xc_v16 levels_at(const xc_rans_set *set, xc_v16 bin)
{
#ifdef __AVX512VBMI2__
	return level_vector(set, bin);
#else
	xc_v16 level;
	for (int i = 0; i < XC_RANS_LANES; i++)
		level[i] = set->level[bin[i]];
	return level;
#endif
}

XC_RANS_INLINE xc_s16 choose_signed(xc_s16 where, xc_s16 a, xc_s16 b)
{
	return (a & where) | (b & ~where);
}

/* The cost of a magnitude below XC_RANS_NEAREST, less what it saves of the error of 0. */
XC_RANS_INLINE xc_s16 weigh(const choice *ch, const uint16_t *costs, xc_v16 level, xc_s16 size,
                            xc_s16 magnitude, xc_s16 points)
{
	const xc_s16 restored = magnitude * 16 - points;
	const xc_s16 saved = restored * (size + size - restored);
	return costs_of(ch, costs, level, (xc_v16)magnitude) - (saved & (magnitude != 0));
}

/* Decides about one place; returns the net cost of each lane's choice. */
XC_RANS_INLINE xc_s16 decide_place(const xc_rans_decision *d, const xc_rans_walk *walk, choice *ch,
                                   int k, int set)
{
	const xc_rans_look *look = &walk->tables->look[k];
	const xc_rans_set *of = &walk->tables->set[walk->chroma][set];
	const uint16_t *costs = d->cost[walk->chroma][set][0];
	const xc_s16 size = (xc_s16)ch->size.at[look->place], zero = {0};
	const xc_s16 one = zero + d->points[walk->chroma].one,
				 more = zero + d->points[walk->chroma].more;
	const xc_s16 nearest = (size + 8) >> 4, large = nearest > XC_RANS_LAST_CHOICE;
	const xc_s16 a = nearest & ~large, b = a - 1 - (a == 0);
	const xc_v16 level = levels_at(of, expect_ac(walk, look));
	const xc_s16 none = costs_of(ch, costs, level, (xc_v16)zero);
	xc_s16 best = none, chosen = zero;
	if (mask_of((xc_v16)nearest)) {
		const xc_s16 net_a = weigh(ch, costs, level, size, a, choose_signed(a == 1, one, more));
		const xc_s16 net_b = weigh(ch, costs, level, size, b, choose_signed(b == 1, one, more));
		xc_s16 less = net_b < best;
		best = choose_signed(less, net_b, best);
		chosen = b & less;
		less = net_a < best;
		best = choose_signed(less, net_a, best);
		chosen = choose_signed(less, a, chosen);
		best = choose_signed(large, zero - XC_RANS_MOST_SUM, best);
		chosen = choose_signed(large, zero + XC_RANS_NEAREST, chosen);
	}
	ch->chosen.at[look->place] = (xc_v16)chosen;
	return best;
}

/* The lanes in which rounding leaves something of a group. */
XC_RANS_INLINE uint32_t lanes_with(const xc_rans_column *size, const xc_rans_look *look, int first,
                                   int end)
{
	xc_v16 some = {0};
	for (int k = first; k < end; k++)
		some |= (xc_v16)(size->at[look[k].place] >= 8);
	return mask_of(some);
}

XC_RANS_INLINE void decide_group(const xc_rans_decision *d, xc_rans_walk *walk, choice *ch,
                                 int group)
{
	static const uint8_t first[] = XC_RANS_GROUP_TABLE, range[] = XC_RANS_RANGE_TABLE;
	const xc_rans_look *look = walk->tables->look;
	const uint32_t some = lanes_with(&ch->size, look, first[group], first[group + 1]);
	const xc_s16 most = (xc_s16){0} + XC_RANS_MOST_SUM;
	if (!some)
		return;
	const int set = XC_RANS_FLAG_SET + group;
	const uint16_t *costs = d->cost[walk->chroma][set][0];
	const xc_v16 level = levels_at(&walk->tables->set[walk->chroma][set],
	                               expect_flag(walk, group, first[group]));
	const xc_s16 empty = costs_of(ch, costs, level, splat(0));
	xc_s16 net = costs_of(ch, costs, level, splat(1));
	for (int k = first[group]; k < first[group + 1]; k++) {
		net += decide_place(d, walk, ch, k, k >= range[1]);
		net = choose_signed(net < -most, -most, choose_signed(net > most, most, net));
		walk->now.at[look[k].place] = ch->chosen.at[look[k].place];
	}
	const xc_v16 kept = (xc_v16)(net < empty);
	xc_v16 sum = {0};
	for (int k = first[group]; k < first[group + 1]; k++) {
		const int place = look[k].place;
		ch->chosen.at[place] &= kept;
		walk->now.at[place] &= kept;
		sum += walk->now.at[place];
	}
	walk->now.at[XC_RANS_SUMS + group] = sum;
}

/* bytes: coefficients as `choice` has them, which become what it has chosen.  Those of the DC
 * stay: symbols of the differences. */
XC_RANS_INLINE void decide_rows(const xc_rans_decision *d, xc_rans_walk *walk,
                                const xc_rans_group *g, const uint16_t *factors, uint8_t *bytes)
{
	choice ch;
	memset(&walk->now, 0, sizeof walk->now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		walk_on(walk, lanes_of(g->top), lanes_of(beginning(g, step)));
		memset(&walk->now, 0, sizeof walk->now);
		memset(&ch.chosen, 0, sizeof ch.chosen);
		load_blocks(&ch.size, g, step, active, bytes);
		ch.factor = splat(16);
		for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
			ch.factor[lane] = factors[g->first[lane] + step - g->lag[lane]];
		}
		walk->now.at[0] = ch.chosen.at[0] = ch.size.at[0];
		for (int group = 0; group < XC_RANS_GROUPS; group++)
			decide_group(d, walk, &ch, group);
		store_blocks(&ch.chosen, g, step, active, bytes);
	}
}

static inline int32_t coefficient(const void *blocks, size_t i, const int deep)
{
	return deep ? ((const int32_t *)blocks)[i] : ((const int16_t *)blocks)[i];
}

/* Rounds the DCs, and sets the bytes of all coefficients. */
XC_RANS_INLINE void prepare(const xc_rans_shape *shape, void *blocks, uint8_t *bytes, void *room,
                            const int deep)
{
	for (size_t i = 0; i < (size_t)shape->blocks * 64; i++) {
		const int32_t c = coefficient(blocks, i, deep), size = c < 0 ? -c : c;
		bytes[i] = (uint8_t)(size < 255 ? size : 255);
	}
	for (size_t b = 0; b < shape->blocks; b++)
		set_coefficient((uint8_t *)blocks + b * (deep ? 256 : 128), 0,
		                xc_quantized_value(coefficient(blocks, b * 64, deep)), deep);
	for (int c = 0; c < shape->components; c++) {
		const size_t n = (size_t)shape->wide[c] * shape->high[c], first = shape->first[c];
		const void *of = (const uint8_t *)blocks + first * (deep ? 256 : 128);
		if (deep)
			xc_predict_dc32(of, shape->wide[c], shape->high[c], room);
		else
			xc_predict_dc16(of, shape->wide[c], shape->high[c], room);
		for (size_t b = 0; b < n; b++) {
			const int32_t v = coefficient(room, b, deep);
			bytes[(first + b) * 64] = (uint8_t)xc_rans_symbol((uint32_t)(v < 0 ? -v : v));
		}
	}
}

/* Puts what was chosen in place of the coefficients. */
XC_RANS_INLINE void settle(const xc_rans_shape *shape, void *blocks, const uint8_t *bytes,
                           xc_offsets offsets[2], const int deep)
{
	for (size_t b = 0; b < shape->blocks; b++) {
		xc_offsets *o = &offsets[shape->components > 1 && b >= shape->first[1]];
		for (size_t i = b * 64 + 1; i < b * 64 + 64; i++) {
			const int32_t c = coefficient(blocks, i, deep), size = c < 0 ? -c : c;
			const int32_t value = bytes[i] < XC_RANS_NEAREST ? bytes[i] : (size + 8) / 16;
			if (value)
				xc_offsets_add(o, size, value);
			if (deep)
				((int32_t *)blocks)[i] = c < 0 ? -value : value;
			else
				((int16_t *)blocks)[i] = (int16_t)(c < 0 ? -value : value);
		}
	}
}

XC_RANS_INLINE void decide(const xc_rans_tables *tables, const xc_rans_decision *d,
                           const xc_rans_shape *shape, const uint16_t *factors, void *memory,
                           void *blocks, xc_offsets offsets[2], const int deep)
{
	xc_rans_walk walk = {.tables = tables};
	uint8_t *bytes = memory;
	prepare(shape, blocks, bytes, bytes + (size_t)shape->blocks * 64, deep);
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
		walk.chroma = chroma;
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_group g;
			row = xc_rans_group_at(&g, row, wide, high, components, &shape->first[chroma]);
			decide_rows(d, &walk, &g, factors, bytes);
		}
	}
	settle(shape, blocks, bytes, offsets, deep);
}

static void decide16(const xc_rans_tables *tables, const xc_rans_decision *d,
                     const xc_rans_shape *shape, const uint16_t *factors, void *memory,
                     void *blocks, xc_offsets offsets[2])
{
	decide(tables, d, shape, factors, memory, blocks, offsets, 0);
}

static void decide32(const xc_rans_tables *tables, const xc_rans_decision *d,
                     const xc_rans_shape *shape, const uint16_t *factors, void *memory,
                     void *blocks, xc_offsets offsets[2])
{
	decide(tables, d, shape, factors, memory, blocks, offsets, 1);
}
