/* SPDX-License-Identifier: BSD-2-Clause */
/* Rdo for Huffman codes, rounding, and the activity of blocks, for src/encode/tiles.c. The rANS
 * mode has its own rdo in src/encode/decide_rans.c, whose tables and levels are chosen here. */
#include "src/encode/decide.h"

#include <string.h>

#include "entropy/byte_order.h"
#include "entropy/rans/model.h"
#include "entropy/scan.h"

enum {
	HALF = XC_STEP_PARTS / 2,
	/* Larger magnitudes count as this one, so that sums fit 32 bits. */
	MAX_MAGNITUDE = 64 * XC_STEP_PARTS,
	BITS_WITHOUT_CODE = XC_MAX_CODE_LENGTH
};

static const uint8_t scan[64] = {XC_SCAN_TABLE};

void xc_decision_take_codes(xc_decision *d, const xc_code_set *codes)
{
	for (int c = 0; c < XC_AC_CONTEXTS; c++) {
		const xc_huffman_code *code = &codes->ac[codes->ac_code[c]];
		for (unsigned s = 0; s < XC_AC_SYMBOLS; s++)
			d->weights[c][s] = (uint16_t)(XC_LAMBDA *
			                              ((code->length[s] ? code->length[s] : BITS_WITHOUT_CODE) +
			                               (s & 15)));
	}
}

/* ------------------------------------------------------------- rates */

/* A coefficient that may become nonzero, and the cheapest path to it. */
typedef struct node {
	int32_t cost; /* of the path, less the cost of zeros */
	int32_t magnitude, value;
	uint8_t position, from;  /* the node before it */
	const uint16_t *weights; /* of the symbols that may follow */
} node;

static int32_t square(int32_t x)
{
	return x * x;
}

/* The error that a value saves compared with zero. */
static int32_t gain(int32_t magnitude, int32_t value, xc_value_points points)
{
	const int32_t max = magnitude < MAX_MAGNITUDE ? magnitude : MAX_MAGNITUDE;
	return square(max) - square(magnitude - xc_reconstruct(value, points));
}

/* The cost of the path to `from`, including symbols of 16 zeros before the coefficient at
 * `position`. Sets *weights to the costs of its own symbol, by size. */
static inline int32_t cost_before(const xc_decision *d, const node *from, unsigned position,
                                  const uint16_t **weights)
{
	unsigned run = position - from->position - 1u;
	const uint16_t *w = from->weights;
	int32_t cost = from->cost;

	for (; run > 15; run -= 16) {
		cost += w[0xf0];
		w = d->weights[xc_context_after_ac(0xf0)];
	}
	*weights = w + run * 16;
	return cost;
}

/* Sizes from 15 on share a symbol, and their escape bits cost the same on every path. */
static unsigned symbol_size(int32_t value)
{
	const unsigned size = xc_value_size(value);
	return size < 15 ? size : 15;
}

/* Finds the cheapest path to nodes[i] over its two values and the nodes before it. worth: weight of
 * the errors of this block, in 256ths. */
static void find_way(const xc_decision *d, node *nodes, uint32_t i, int32_t worth)
{
	node *to = &nodes[i];
	const int32_t nearest = (to->magnitude + HALF) / XC_STEP_PARTS;
	const int32_t lower = nearest > 1 ? nearest - 1 : 1;
	const unsigned sizes[2] = {symbol_size(nearest), symbol_size(lower)};
	int32_t min[2] = {INT32_MAX, INT32_MAX};
	uint32_t from[2] = {0, 0};

	for (uint32_t j = i > d->window ? i - d->window : 0; j < i; j++) {
		const uint16_t *weights;
		const int32_t before = cost_before(d, &nodes[j], to->position, &weights);
		for (int v = 0; v < 2; v++) {
			const int32_t cost = before + weights[sizes[v]];
			from[v] = cost < min[v] ? j : from[v];
			min[v] = cost < min[v] ? cost : min[v];
		}
	}
	min[0] -= (int32_t)((int64_t)gain(to->magnitude, nearest, d->points) * worth >> 8);
	min[1] -= (int32_t)((int64_t)gain(to->magnitude, lower, d->points) * worth >> 8);
	const int best = min[1] < min[0];
	const unsigned run = to->position - nodes[from[best]].position - 1u;
	to->cost = min[best];
	to->value = best ? lower : nearest;
	to->from = (uint8_t)from[best];
	to->weights = d->weights[xc_context_after_ac((run & 15) << 4 | sizes[best])];
}

/* The last node of the cheapest path. */
static uint32_t best_end(const node *nodes, uint32_t count)
{
	uint32_t best = 0;
	int32_t min = INT32_MAX;

	for (uint32_t i = 0; i < count; i++) {
		const int32_t cost = nodes[i].cost + (nodes[i].position < 63 ? nodes[i].weights[0] : 0);
		if (cost < min) {
			min = cost;
			best = i;
		}
	}
	return best;
}

/* ------------------------------------------------------------- blocks */

typedef int16_t row __attribute__((vector_size(16)));
typedef uint16_t unsigned_row __attribute__((vector_size(16)));
typedef int8_t half_row __attribute__((vector_size(8)));

/* Bit i: the AC coefficient i of the block is at least half a step. */
static inline uint64_t candidates(const void *block, int depth16)
{
	uint64_t mask = 0;

	if (depth16) {
		for (size_t i = 1; i < 64; i++) {
			const int32_t c = xc_coefficient(block, i, 1);
			mask |= (uint64_t)(c >= HALF || c <= -HALF) << i;
		}
		return mask;
	}
	for (int u = 0; u < 8; u++) {
		row c;
		uint64_t bytes;
		memcpy(&c, (const int16_t *)block + u * 8, sizeof c);
		const half_row large = __builtin_convertvector((c >= HALF) | (c <= -HALF), half_row);
		memcpy(&bytes, &large, sizeof bytes);
		/* One bit of each byte, and all of them into the highest byte. */
		bytes = (xc_lowest_first64(bytes) & UINT64_C(0x8040201008040201)) *
		            UINT64_C(0x0101010101010101) >>
		        56;
		mask |= bytes << 8 * u;
	}
	return mask & ~UINT64_C(1);
}

static inline void rdo_block(const xc_decision *d, void *blocks, size_t first, int depth16,
                             int32_t dc, uint16_t factor, xc_offsets *offsets)
{
	const int32_t worth = 256 * XC_FACTOR_ONE / factor;
	const size_t width = depth16 ? sizeof(int32_t) : sizeof(int16_t);
	void *block = (char *)blocks + first * width;
	uint64_t mask = xc_scan_order_mask(candidates(block, depth16)), negative = 0;
	node nodes[64];
	uint32_t count = 1;

	nodes[0] = (node){.weights = d->weights[xc_context_after_dc(xc_value_size(dc))]};
	for (; mask; mask &= mask - 1, count++) {
		const unsigned k = (unsigned)__builtin_ctzll(mask);
		const int32_t c = xc_coefficient(block, scan[k], depth16);
		negative |= (uint64_t)(c < 0) << k;
		nodes[count].magnitude = c < 0 ? -c : c;
		nodes[count].position = (uint8_t)k;
		find_way(d, nodes, count, worth);
	}
	memset((char *)block + width, 0, 63 * width);
	for (uint32_t i = best_end(nodes, count); i; i = nodes[i].from) {
		const unsigned k = nodes[i].position;
		xc_set_coefficient(block, scan[k], negative >> k & 1 ? -nodes[i].value : nodes[i].value,
		                   depth16);
		xc_offsets_add(offsets, nodes[i].magnitude, nodes[i].value);
	}
}

/* Rounds the AC coefficients of a block; `rounding` is added before a magnitude is truncated. */
static void round32(int32_t *block, int rounding, xc_offsets *offsets)
{
	for (size_t i = 1; i < 64; i++) {
		const int32_t c = block[i], magnitude = c < 0 ? -c : c;
		const int32_t value = (magnitude + rounding) / XC_STEP_PARTS;
		block[i] = c < 0 ? -value : value;
		if (value)
			xc_offsets_add(offsets, magnitude, value);
	}
}

/* Sums and counts of offsets in each column of blocks, for values of 1 and for larger ones. */
typedef struct column_offsets {
	row sum[2], count[2];
} column_offsets;

static void round_row(int16_t *at, row c, int16_t rounding, column_offsets *o)
{
	const row sign = c >> 15, magnitude = (c ^ sign) - sign;
	const row value = (magnitude + rounding) >> 4;
	const row offset = (value << 4) - magnitude, one = value == 1, more = value > 1;

	o->sum[0] += offset & one;
	o->sum[1] += offset & more;
	o->count[0] -= one;
	o->count[1] -= more;
	c = (value ^ sign) - sign;
	memcpy(at, &c, sizeof c);
}

/* The same for `n` blocks of 16 bits, at most ROUNDED of them: sums of a column fit 16 bits, as a
 * block adds at most 8 offsets of 10 to each. */
enum { ROUNDED = INT16_MAX / 80 };

static void round16(int16_t *block, size_t n, int rounding, xc_offsets *offsets)
{
	column_offsets o = {{{0}, {0}}, {{0}, {0}}};

	for (size_t b = 0; b < n; b++, block += 64) {
		for (int u = 0; u < 8; u++) {
			row c;
			memcpy(&c, block + u * 8, sizeof c);
			const int16_t dc = c[0];
			c[0] = u ? dc : 0;
			round_row(block + u * 8, c, (int16_t)rounding, &o);
			block[0] = u ? block[0] : dc;
		}
	}
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < 8; i++) {
			offsets->sum[k] += o.sum[k][i];
			offsets->count[k] += (uint64_t)o.count[k][i];
		}
	}
}

static inline __attribute__((always_inline)) void decide(const xc_decision *d,
                                                         const xc_entropy_level *level,
                                                         void *blocks, uint32_t wide, uint32_t high,
                                                         const uint16_t *factors, void *dc,
                                                         int depth16, xc_offsets *offsets)
{
	const size_t n = (size_t)wide * high;
	const int rounding = d->dead_zone ? XC_DEAD_ZONE_ROUNDING : HALF;

	for (size_t b = 0; b < n; b++)
		xc_set_coefficient(blocks, b * 64,
		                   xc_quantized_value(xc_coefficient(blocks, b * 64, depth16)), depth16);
	if (d->window) {
		level->predict_dc(blocks, wide, high, dc);
		for (size_t b = 0; b < n; b++)
			rdo_block(d, blocks, b * 64, depth16, xc_coefficient(dc, b, depth16), factors[b],
			          offsets);
	} else if (depth16) {
		for (size_t b = 0; b < n; b++)
			round32((int32_t *)blocks + b * 64, rounding, offsets);
	} else {
		for (size_t b = 0; b < n; b += ROUNDED)
			round16((int16_t *)blocks + b * 64, n - b < ROUNDED ? n - b : ROUNDED, rounding,
			        offsets);
	}
}

void xc_decide(const xc_decision *d, const xc_entropy_level *level, void *blocks, uint32_t wide,
               uint32_t high, const uint16_t *factors, void *dc, xc_offsets *offsets)
{
	if (level->width == sizeof(int16_t))
		decide(d, level, blocks, wide, high, factors, dc, 0, offsets);
	else
		decide(d, level, blocks, wide, high, factors, dc, 1, offsets);
}

/* ------------------------------------------------------------- activity */

void xc_activity_init(xc_activity *a, xc_tune tune, const uint32_t steps[64], uint32_t peak)
{
	/* Exponent, the variance of factor one, and the limits. */
	static const int32_t tunes[][4] = {
		[XC_TUNE_EYE] = {11, 300, -13, 4},
		[XC_TUNE_PSNR] = {0, 0, 0, 0},
	};
	const int32_t *t = tunes[tune];
	uint32_t max = 1;

	for (int i = 1; i < 64; i++)
		max = steps[i] > max ? steps[i] : max;
	for (int u = 0; u < 8; u++)
		for (int v = 0; v < 8; v++)
			a->ratio[u * 8 + v] = (uint16_t)((uint64_t)steps[v * 8 + u] * 256 / max);
	a->ratio[0] = 0;
	a->flat = tune == XC_TUNE_PSNR;
	a->exponent = t[0];
	a->middle = xc_log2_256((uint64_t)(2 * t[1] + XC_ACTIVITY_CONSTANT));
	a->low = t[2];
	a->high = t[3];
	max = (uint32_t)(((uint64_t)max * 65535 + peak / 2) / peak);
	a->scale = (uint64_t)max * max;
}

/* The sum of the squared AC coefficients of a block, in units of the largest step over 16. */
static inline uint32_t sum_of_squares(const xc_activity *a, const void *block, int depth16)
{
	enum { MAX = XC_ACTIVITY_MAX };
	uint32_t sum = 0;

	for (int u = 0; u < 64; u += 8) {
		unsigned_row size, ratio;
		if (depth16) {
			for (int i = 0; i < 8; i++) {
				const int32_t c = ((const int32_t *)block)[u + i], m = c < 0 ? -c : c;
				size[i] = (uint16_t)(m < MAX ? m : MAX);
			}
		} else {
			int16_t __attribute__((vector_size(16))) c;
			memcpy(&c, (const int16_t *)block + u, sizeof c);
			size = (unsigned_row)((c ^ c >> 15) - (c >> 15));
			const unsigned_row large = (unsigned_row)(size > MAX);
			size = (size & ~large) | (MAX & large);
		}
		memcpy(&ratio, a->ratio + u, sizeof ratio);
		const unsigned_row scaled = size * ratio >> 8, square = scaled * scaled;
		for (int i = 0; i < 8; i++)
			sum += square[i];
	}
	return sum;
}

void xc_activity_factors(const xc_activity *a, const void *blocks, size_t n, int depth16,
                         uint16_t *factors)
{
	for (size_t b = 0; b < n; b++) {
		const char *block = (const char *)blocks + b * (depth16 ? 256 : 128);
		factors[b] = a->flat ? XC_FACTOR_ONE
		                     : xc_activity_factor(a, sum_of_squares(a, block, depth16));
	}
}

/* ------------------------------------------------------------- rANS */

/* The sign and raw bits of a symbol; for an escape, of the smallest magnitude. */
static uint32_t raw_bits(int symbol)
{
	if (symbol < XC_RANS_FIRST_CLASS)
		return symbol != 0;
	return 1 + (uint32_t)symbol - 8 + (symbol == XC_RANS_ESCAPE ? XC_RANS_ESCAPE_BITS : 0);
}

void xc_rans_decision_init(xc_rans_decision *decision, const xc_rans_frequencies *frequencies,
                           uint32_t lambda)
{
	for (int c = 0; c < 2; c++)
		for (int s = 0; s < XC_RANS_SETS; s++)
			for (int l = 0; l < XC_RANS_LEVELS; l++)
				for (int i = 0; i < XC_RANS_SYMBOLS; i++) {
					const uint16_t f = frequencies->of[c][s][l][i];
					const uint64_t coded = f ? xc_rans_bits(f) : 0;
					const uint64_t raw = s < XC_RANS_FLAG_SET ? raw_bits(i) : 0;
					const uint64_t bits = coded + (raw << 16);
					const uint16_t cost = (uint16_t)((bits * lambda + (1 << 15)) >> 16);
					const int none = s < XC_RANS_RANGES && !i && cost > XC_RANS_MAX_NONE_COST;
					decision->cost[c][s][i][l] = none ? (uint16_t)XC_RANS_MAX_NONE_COST : cost;
				}
}

xc_rans_decide *xc_rans_decide_get(xc_cpu cpu, int depth16)
{
	static xc_rans_decide *const *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = xc_rans_scalar_decide,
	     XC_CPU_ENTRY_SSE2(xc_rans_scalar_decide) XC_CPU_ENTRY_NEON(xc_rans_scalar_decide)
	         XC_CPU_ENTRY_AVX2(xc_rans_avx2_decide) XC_CPU_ENTRY_AVX512(xc_rans_avx512_decide)};

	return levels[cpu][depth16];
}
