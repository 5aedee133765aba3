/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions by rate and distortion, block by block along the walk, with the costs of the
 * contexts that the decided coefficients themselves make.  Part of level.c.
 */

/* Sixteen blocks being decided, by place. */
typedef struct choice {
	float size[64][XC_RANS_LANES]; /* magnitudes before rounding */
	int32_t magnitude[64][XC_RANS_LANES];
} choice;

static void load_values(choice *ch, const float *const from[XC_RANS_LANES])
{
	for (int lane = 0; lane < XC_RANS_LANES; lane++)
		for (int i = 0; i < 64; i++)
			ch->size[i][lane] = from[lane] ? __builtin_fabsf(from[lane][i]) : 0;
}

/* The best magnitude of one coefficient; cost: of the symbols of its context.  Adds what it
 * takes, in bits times lambda and squared steps. */
XC_RANS_INLINE int32_t decide(const xc_rans_decision *d, float size, const float *cost, float *sum)
{
	const int32_t nearest = (int32_t)(size + 0.5f);
	float best = size * size + cost[0];
	int32_t chosen = 0;
	for (int32_t m = nearest; m > 0 && m >= nearest - 1; m--) {
		const float off = size - ((float)m - d->lower[m > 1]);
		const float takes = off * off + cost[xc_rans_symbol((uint32_t)m)];
		if (takes < best) {
			best = takes;
			chosen = m;
		}
	}
	*sum += best;
	return chosen;
}

/* The lanes in which rounding leaves something of a group. */
static uint32_t lanes_with(const choice *ch, const xc_rans_look *look, int first, int end)
{
	float most[XC_RANS_LANES] = {0};
	uint32_t mask = 0;
	for (int k = first; k < end; k++)
		for (int lane = 0; lane < XC_RANS_LANES; lane++) {
			const float size = ch->size[look[k].place][lane];
			most[lane] = size > most[lane] ? size : most[lane];
		}
	for (int lane = 0; lane < XC_RANS_LANES; lane++)
		mask |= (uint32_t)(most[lane] >= 0.5f) << lane;
	return mask;
}

XC_RANS_INLINE void decide_group(const xc_rans_decision *d, xc_rans_walk *walk, choice *ch,
                                 int group)
{
	static const uint8_t first[] = XC_RANS_GROUP_TABLE, range[] = XC_RANS_RANGE_TABLE;
	const xc_rans_look *look = walk->tables->look;
	const xc_rans_set *sets = walk->tables->set[walk->chroma];
	const uint32_t some = lanes_with(ch, look, first[group], first[group + 1]);
	uint16_t bin[XC_RANS_LANES];
	float coded[XC_RANS_LANES], zero[XC_RANS_LANES];
	if (!some)
		return;
	const xc_v16 flag = expect_flag(walk, group, first[group]);
	memcpy(bin, &flag, sizeof bin);
	for (int lane = 0; lane < XC_RANS_LANES; lane++) {
		const int set = XC_RANS_FLAG_SET + group;
		const float *cost = d->cost[walk->chroma][set][sets[set].level[bin[lane]]];
		zero[lane] = cost[0];
		coded[lane] = cost[1];
	}
	for (int k = first[group]; k < first[group + 1]; k++) {
		const int set = k >= range[1], place = look[k].place;
		const xc_v16 ac = expect_ac(walk, &look[k]);
		uint16_t symbol[XC_RANS_LANES] = {0};
		memcpy(bin, &ac, sizeof bin);
		for (uint32_t lanes = some; lanes; lanes &= lanes - 1) {
			const int lane = __builtin_ctz(lanes);
			const float size = ch->size[place][lane];
			const float *cost = d->cost[walk->chroma][set][sets[set].level[bin[lane]]];
			const int32_t m = decide(d, size, cost, &coded[lane]);
			zero[lane] += size * size;
			ch->magnitude[place][lane] = m;
			symbol[lane] = (uint16_t)xc_rans_symbol((uint32_t)m);
		}
		memcpy(&walk->now.at[place], symbol, sizeof symbol);
	}
	uint32_t keep = 0;
	for (int lane = 0; lane < XC_RANS_LANES; lane++)
		keep |= (uint32_t)(coded[lane] < zero[lane]) << lane;
	keep &= some;
	const xc_v16 kept = lanes_of(keep);
	xc_v16 sum = {0};
	for (int k = first[group]; k < first[group + 1]; k++) {
		const int place = look[k].place;
		walk->now.at[place] &= kept;
		sum += walk->now.at[place];
		for (int lane = 0; lane < XC_RANS_LANES; lane++)
			ch->magnitude[place][lane] = keep >> lane & 1 ? ch->magnitude[place][lane] : 0;
	}
	walk->now.at[XC_RANS_SUMS + group] = sum;
}

static void store_choice(const choice *ch, int lane, const float *from, void *block, const int deep)
{
	for (int i = 1; i < 64; i++) {
		const int32_t m = ch->magnitude[i][lane];
		set_coefficient(block, (unsigned)i, from[i] < 0 ? -m : m, deep);
	}
}

XC_RANS_INLINE void decide_rows(const xc_rans_decision *d, xc_rans_walk *walk,
                                const xc_rans_group *g, const float *values, const uint8_t *dc,
                                void *blocks, const int deep)
{
	choice ch;
	memset(&walk->now, 0, sizeof walk->now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		const float *from[XC_RANS_LANES] = {NULL};
		size_t block[XC_RANS_LANES];
		walk_on(walk, lanes_of(g->top), lanes_of(beginning(g, step)));
		memset(&walk->now, 0, sizeof walk->now);
		memset(ch.magnitude, 0, sizeof ch.magnitude);
		for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
			const int lane = __builtin_ctz(lanes);
			block[lane] = (size_t)g->first[lane] + step - g->lag[lane];
			from[lane] = values + block[lane] * 64;
			walk->now.at[0][lane] = dc[block[lane]];
		}
		load_values(&ch, from);
		for (int group = 0; group < XC_RANS_GROUPS; group++)
			decide_group(d, walk, &ch, group);
		for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
			const int lane = __builtin_ctz(lanes);
			store_choice(&ch, lane, from[lane],
			             (uint8_t *)blocks + block[lane] * (deep ? 256 : 128), deep);
		}
	}
}

/* Rounds the DCs and sets the symbols of their differences. */
XC_RANS_INLINE void decide_dc(const xc_rans_shape *shape, const float *values, void *blocks,
                              void *memory, uint8_t *dc, const int deep)
{
	const size_t bytes = deep ? 256 : 128;
	for (size_t b = 0; b < shape->blocks; b++) {
		const float v = values[b * 64];
		set_coefficient((uint8_t *)blocks + b * bytes, 0,
		                v < 0 ? -(int32_t)(0.5f - v) : (int32_t)(v + 0.5f), deep);
	}
	for (int c = 0; c < shape->components; c++) {
		const size_t n = (size_t)shape->wide[c] * shape->high[c];
		const uint8_t *first = (const uint8_t *)blocks + shape->first[c] * bytes;
		if (deep)
			xc_predict_dc32(first, shape->wide[c], shape->high[c], memory);
		else
			xc_predict_dc16(first, shape->wide[c], shape->high[c], memory);
		for (size_t b = 0; b < n; b++) {
			const int32_t v = deep ? ((const int32_t *)memory)[b] : ((const int16_t *)memory)[b];
			dc[shape->first[c] + b] = (uint8_t)xc_rans_symbol((uint32_t)(v < 0 ? -v : v));
		}
	}
}

XC_RANS_INLINE void decide_segment(const xc_rans_tables *tables, const xc_rans_decision *d,
                                   const xc_rans_shape *shape, const float *values, void *memory,
                                   void *blocks, const int deep)
{
	xc_rans_walk walk = {.tables = tables};
	uint8_t *dc = (uint8_t *)memory + (size_t)shape->blocks * 4;
	decide_dc(shape, values, blocks, memory, dc, deep);
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
		walk.chroma = chroma;
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_group g;
			row = xc_rans_group_at(&g, row, wide, high, components, &shape->first[chroma]);
			decide_rows(d, &walk, &g, values, dc, blocks, deep);
		}
	}
}

static void decide16(const xc_rans_tables *tables, const xc_rans_decision *d,
                     const xc_rans_shape *shape, const float *values, void *memory, void *blocks)
{
	decide_segment(tables, d, shape, values, memory, blocks, 0);
}

static void decide32(const xc_rans_tables *tables, const xc_rans_decision *d,
                     const xc_rans_shape *shape, const float *values, void *memory, void *blocks)
{
	decide_segment(tables, d, shape, values, memory, blocks, 1);
}
