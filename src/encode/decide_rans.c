/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rdo for the rANS mode, block by block along the wavefront.
 *
 * Costs depend on contexts, and these on the values chosen for the neighbours. If every block
 * waited for its neighbours, a GPU could work on few blocks at once. So there are two kinds of
 * blocks, like the squares of a chessboard. Blocks of even steps of the wavefront see guesses of
 * their neighbours, which are blocks of odd steps. Blocks of odd steps see the values chosen for
 * their neighbours. So no block depends on another of its own kind. This takes 0.2 % more bytes at
 * equal PSNR than seeing all chosen values; guesses for all blocks would take at least 0.4 %
 * (bench/results/sizes.md).
 *
 * A coefficient becomes the nearest magnitude, the one below, or 0; a whole zone may become zero.
 * Costs and errors are 16-bit integers in squares of a sixteenth of a step.
 *
 * The makefile compiles this file once per level, as it does entropy/rans/level.c.
 */
#include "src/encode/decide.h"

#include "entropy/rans/lanes.h"
#include "entropy/rans/raw.h"

typedef int16_t xc_s16 __attribute__((vector_size(32)));

/* Coefficients of sixteen blocks, at most 255, and chosen magnitudes or XC_RANS_NEAREST. */
typedef struct choice {
	xc_rans_column size, chosen;
	xc_v16 factor; /* of costs, in 16ths */
} choice;

/* The cost of one symbol in each lane, times the factor of its block; costs: by level. */
XC_RANS_INLINE xc_s16 costs_of_one(const choice *ch, const uint16_t costs[XC_RANS_LEVELS],
                                   xc_v16 level)
{
#ifdef __AVX512VBMI2__
	const __m256i all = _mm256_loadu_si256((const __m256i *)costs);
	const xc_v16 cost = (xc_v16)_mm256_permutexvar_epi16((__m256i)level, all);
#else
	xc_v16 cost;
	for (int i = 0; i < XC_RANS_LANES; i++)
		cost[i] = costs[level[i]];
#endif
	return (xc_s16)(cost * ch->factor >> 4);
}

/* The cost of each lane's magnitude, below XC_RANS_NEAREST; costs: by symbol and level. */
XC_RANS_INLINE xc_s16 costs_of(const choice *ch, const uint16_t costs[][XC_RANS_LEVELS],
                               xc_v16 level, xc_v16 symbol)
{
#ifdef __AVX512VBMI2__
	const __m512i index = wide(symbol * XC_RANS_LEVELS + level);
	const __m512i low = _mm512_permutex2var_epi16(_mm512_loadu_si512(costs[0]), index,
	                                              _mm512_loadu_si512(costs[2]));
	const __m512i high = _mm512_permutex2var_epi16(_mm512_loadu_si512(costs[4]), index,
	                                               _mm512_loadu_si512(costs[6]));
	const __mmask32 upper = _mm512_cmpge_epu16_mask(index, _mm512_set1_epi16(64));
	const xc_v16 cost = (xc_v16)_mm512_castsi512_si256(_mm512_mask_mov_epi16(low, upper, high));
#else
	xc_v16 cost;
	for (int i = 0; i < XC_RANS_LANES; i++)
		cost[i] = costs[symbol[i]][level[i]];
#endif
	return (xc_s16)(cost * ch->factor >> 4);
}

XC_RANS_INLINE xc_s16 choose_signed(xc_s16 where, xc_s16 a, xc_s16 b)
{
	return (a & where) | (b & ~where);
}

/* The cost of a magnitude below XC_RANS_NEAREST, less the error that it saves compared with 0. */
XC_RANS_INLINE xc_s16 net_cost(const choice *ch, const uint16_t costs[][XC_RANS_LEVELS],
                               xc_v16 level, xc_s16 size, xc_s16 magnitude, xc_s16 points)
{
	const xc_s16 restored = magnitude * 16 - points;
	const xc_s16 saved = restored * (size + size - restored);
	return costs_of(ch, costs, level, (xc_v16)magnitude) - (saved & (magnitude != 0));
}

/* Chooses the magnitudes at position k of the scan; returns the net cost of each lane's choice. */
XC_RANS_INLINE xc_s16 decide_position(const xc_rans_decision *d, const xc_rans_wavefront *wavefront,
                                      choice *ch, int k, int set)
{
	const xc_rans_template *tmpl = &wavefront->tables->templates[k];
	const xc_rans_set *of = &wavefront->tables->set[wavefront->chroma][set];
	const uint16_t(*costs)[XC_RANS_LEVELS] = d->cost[wavefront->chroma][set];
	const xc_s16 size = (xc_s16)ch->size.at[tmpl->raster], zero = {0};
	const xc_s16 one = zero + d->points[wavefront->chroma].one,
				 more = zero + d->points[wavefront->chroma].more;
	const xc_s16 nearest = (size + 8) >> 4, large = nearest > XC_RANS_LAST_CHOICE;
	const xc_s16 a = nearest & ~large, b = a - 1 - (a == 0);
	const xc_v16 level = levels_at(of, expect_ac(wavefront, tmpl));
	const xc_s16 none = costs_of_one(ch, costs[0], level);
	xc_s16 best = none, chosen = zero;

	if (mask_of((xc_v16)nearest)) {
		const xc_s16 net_a = net_cost(ch, costs, level, size, a, choose_signed(a == 1, one, more));
		const xc_s16 net_b = net_cost(ch, costs, level, size, b, choose_signed(b == 1, one, more));
		xc_s16 less = net_b < best;
		best = choose_signed(less, net_b, best);
		chosen = b & less;
		less = net_a < best;
		best = choose_signed(less, net_a, best);
		chosen = choose_signed(less, a, chosen);
		best = choose_signed(large, zero - XC_RANS_LARGE_GAIN, best);
		chosen = choose_signed(large, zero + XC_RANS_NEAREST, chosen);
	}
	ch->chosen.at[tmpl->raster] = (xc_v16)chosen;
	return best;
}

/* The lanes in which rounding leaves a nonzero value in the zone. */
XC_RANS_INLINE uint32_t lanes_with(const xc_rans_column *size, const xc_rans_template *tmpl,
                                   int first, int end)
{
	xc_v16 some = {0};

	for (int k = first; k < end; k++)
		some |= (xc_v16)(size->at[tmpl[k].raster] >= 8);
	return mask_of(some);
}

XC_RANS_INLINE void decide_zone(const xc_rans_decision *d, xc_rans_wavefront *wavefront, choice *ch,
                                int zone)
{
	static const uint8_t first[] = XC_RANS_ZONE_TABLE, range[] = XC_RANS_RANGE_TABLE;
	const xc_rans_template *tmpl = wavefront->tables->templates;
	const uint32_t some = lanes_with(&ch->size, tmpl, first[zone], first[zone + 1]);
	const xc_s16 bottom = (xc_s16){0} + XC_RANS_MIN_NET;

	if (!some)
		return;
	const int set = XC_RANS_FLAG_SET + zone;
	const uint16_t(*costs)[XC_RANS_LEVELS] = d->cost[wavefront->chroma][set];
	const xc_v16 level = levels_at(&wavefront->tables->set[wavefront->chroma][set],
	                               expect_flag(wavefront, zone, first[zone]));
	const xc_s16 empty = costs_of_one(ch, costs[0], level);
	xc_s16 net = costs_of_one(ch, costs[1], level);
	for (int k = first[zone]; k < first[zone + 1]; k++) {
		net += decide_position(d, wavefront, ch, k, k >= range[1]);
		net = choose_signed(net < bottom, bottom, net);
		wavefront->now.at[tmpl[k].raster] = ch->chosen.at[tmpl[k].raster];
	}
	const xc_v16 kept = (xc_v16)(net < empty);
	xc_v16 sum = {0};
	for (int k = first[zone]; k < first[zone + 1]; k++) {
		const int raster = tmpl[k].raster;
		ch->chosen.at[raster] &= kept;
		wavefront->now.at[raster] &= kept;
		sum += wavefront->now.at[raster];
	}
	wavefront->now.at[XC_RANS_SUMS + zone] = sum;
}

/* Sets `now` to guesses of the values that will be chosen. */
XC_RANS_INLINE void guess(const xc_rans_tables *tables, const xc_rans_column *size,
                          xc_rans_column *now)
{
	static const uint8_t first[] = XC_RANS_ZONE_TABLE;

	for (int zone = 0; zone < XC_RANS_ZONES; zone++) {
		xc_v16 sum = {0};
		for (int k = first[zone]; k < first[zone + 1]; k++) {
			const int raster = tables->templates[k].raster;
			now->at[raster] = min_v16((size->at[raster] + XC_RANS_GUESS_ROUNDING) >> 4,
			                          XC_RANS_MAX_GUESS);
			sum += now->at[raster];
		}
		now->at[XC_RANS_SUMS + zone] = sum;
	}
}

/* bytes: coefficients as in choice.size, which become the chosen magnitudes. Those of DCs are
 * symbols of differences, and stay. */
XC_RANS_INLINE void decide_rows(const xc_rans_decision *d, xc_rans_wavefront *wavefront,
                                const xc_rans_zone *g, const uint16_t *factors, uint8_t *bytes)
{
	choice ch;

	memset(&wavefront->now, 0, sizeof wavefront->now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		wavefront_advance(wavefront, g->top, beginning(g, step));
		memset(&wavefront->now, 0, sizeof wavefront->now);
		memset(&ch.chosen, 0, sizeof ch.chosen);
		load_blocks(&ch.size, g, step, active, bytes);
		ch.factor = splat(16);
		for (uint32_t lanes = active; lanes; lanes &= lanes - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
			ch.factor[lane] = factors[g->first[lane] + step - g->offset[lane]];
		}
		wavefront->now.at[0] = ch.chosen.at[0] = ch.size.at[0];
		for (int zone = 0; zone < XC_RANS_ZONES; zone++)
			decide_zone(d, wavefront, &ch, zone);
		store_blocks(&ch.chosen, g, step, active, bytes);
		if (step % 2)
			guess(wavefront->tables, &ch.size, &wavefront->now);
	}
}

/* The bytes of a block's coefficients. */
XC_RANS_INLINE void bytes_of(const void *blocks, size_t block, uint8_t *bytes, const int depth16)
{
	for (size_t i = block * 64; i < block * 64 + 64; i += XC_RANS_LANES) {
		if (depth16) {
			for (size_t k = i; k < i + XC_RANS_LANES; k++) {
				const int32_t c = xc_coefficient(blocks, k, 1), size = c < 0 ? -c : c;
				bytes[k] = (uint8_t)(size < 255 ? size : 255);
			}
			continue;
		}
		xc_s16 c;
		memcpy(&c, (const int16_t *)blocks + i, sizeof c);
		const xc_v16b b = __builtin_convertvector(min_v16((xc_v16)((c ^ c >> 15) - (c >> 15)), 255),
		                                          xc_v16b);
		memcpy(bytes + i, &b, sizeof b);
	}
}

/* Rounds the DCs and sets the bytes of all coefficients. */
XC_RANS_INLINE void prepare(const xc_rans_shape *shape, void *blocks, uint8_t *bytes, void *room,
                            const int depth16)
{
	for (size_t b = 0; b < shape->blocks; b++) {
		bytes_of(blocks, b, bytes, depth16);
		xc_set_coefficient((uint8_t *)blocks + b * (depth16 ? 256 : 128), 0,
		                   xc_quantized_value(xc_coefficient(blocks, b * 64, depth16)), depth16);
	}
	for (int c = 0; c < shape->components; c++) {
		const size_t n = (size_t)shape->wide[c] * shape->high[c], first = shape->first[c];
		const void *of = (const uint8_t *)blocks + first * (depth16 ? 256 : 128);
		if (depth16)
			xc_predict_dc32(of, shape->wide[c], shape->high[c], room);
		else
			xc_predict_dc16(of, shape->wide[c], shape->high[c], room);
		for (size_t b = 0; b < n; b++) {
			const int32_t v = xc_coefficient(room, b, depth16);
			bytes[(first + b) * 64] = (uint8_t)xc_rans_symbol((uint32_t)(v < 0 ? -v : v));
		}
	}
}

/* Replaces the AC coefficients of a block by the chosen values. */
static void write_values32(int32_t *block, const uint8_t *bytes, xc_offsets *offsets)
{
	for (size_t i = 1; i < 64; i++) {
		const int32_t c = block[i], size = c < 0 ? -c : c;
		const int32_t value = bytes[i] < XC_RANS_NEAREST ? bytes[i] : (size + 8) / 16;
		if (value)
			xc_offsets_add(offsets, size, value);
		block[i] = c < 0 ? -value : value;
	}
}

/* The same for 16 bits.  A block's sums fit 16 bits. */
XC_RANS_INLINE void write_values16(int16_t *block, const uint8_t *bytes, xc_offsets *offsets)
{
	const int16_t dc = block[0];
	xc_s16 sums[2] = {{0}, {0}}, counts[2] = {{0}, {0}};

	block[0] = 0;
	for (size_t i = 0; i < 64; i += XC_RANS_LANES) {
		xc_s16 c;
		xc_v16b byte;
		memcpy(&c, block + i, sizeof c);
		memcpy(&byte, bytes + i, sizeof byte);
		const xc_s16 sign = c >> 15, size = (c ^ sign) - sign;
		const xc_s16 chosen = (xc_s16) __builtin_convertvector(byte, xc_v16);
		xc_s16 value = choose_signed(chosen < XC_RANS_NEAREST, chosen, (size + 8) >> 4);
		if (i == 0)
			value[0] = 0;
		const xc_s16 one = value == 1, more = value > 1, off = value * 16 - size;
		sums[0] += off & one;
		sums[1] += off & more;
		counts[0] -= one;
		counts[1] -= more;
		c = (value ^ sign) - sign;
		memcpy(block + i, &c, sizeof c);
	}
	block[0] = dc;
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < XC_RANS_LANES; i++) {
			offsets->sum[k] += sums[k][i];
			offsets->count[k] += (uint64_t)counts[k][i];
		}
	}
}

XC_RANS_INLINE void write_values(const xc_rans_shape *shape, void *blocks, const uint8_t *bytes,
                                 xc_offsets offsets[2], const int depth16)
{
	for (size_t b = 0; b < shape->blocks; b++) {
		xc_offsets *o = &offsets[shape->components > 1 && b >= shape->first[1]];
		if (depth16)
			write_values32((int32_t *)blocks + b * 64, bytes + b * 64, o);
		else
			write_values16((int16_t *)blocks + b * 64, bytes + b * 64, o);
	}
}

XC_RANS_INLINE void decide(const xc_rans_tables *tables, const xc_rans_decision *d,
                           const xc_rans_shape *shape, const uint16_t *factors, void *memory,
                           void *blocks, xc_offsets offsets[2], const int depth16)
{
	xc_rans_wavefront wavefront = {.tables = tables};
	uint8_t *bytes = memory;

	prepare(shape, blocks, bytes, bytes + (size_t)shape->blocks * 64, depth16);
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
		wavefront_begin(&wavefront, chroma);
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_zone g;
			row = xc_rans_zone_at(&g, row, wide, high, components, &shape->first[chroma]);
			decide_rows(d, &wavefront, &g, factors, bytes);
		}
	}
	write_values(shape, blocks, bytes, offsets, depth16);
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

xc_rans_decide *const XC_RANS_OF(decide)[2] = {decide16, decide32};
