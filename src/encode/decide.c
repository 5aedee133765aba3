/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/decide.h"

#include "entropy/scan.h"

enum {
	HALF = XC_STEP_PARTS / 2,
	/* Added to a magnitude before it is cut off: a third of a step, since coefficients are more
	 * often small than large within an interval. */
	DEAD_ZONE_ROUNDING = 5,
	/* What a bit is worth, in squares of a sixteenth of a step: 0.11 of the square of a step. */
	LAMBDA = 28,
	/* Larger magnitudes weigh no more than this one, so that sums fit 32 bits. */
	MOST_MAGNITUDE = 64 * XC_STEP_PARTS,
	BITS_WITHOUT_CODE = XC_MAX_CODE_LENGTH
};

static const uint8_t scan[64] = {XC_SCAN_TABLE};

void xc_decision_take_codes(xc_decision *d, const xc_code_set *codes)
{
	for (int c = 0; c < XC_AC_CONTEXTS; c++) {
		const xc_huffman_code *code = &codes->ac[codes->ac_code[c]];
		for (unsigned s = 0; s < XC_AC_SYMBOLS; s++)
			d->bits[c][s] = (uint16_t)((code->length[s] ? code->length[s] : BITS_WITHOUT_CODE) +
			                           (s & 15));
	}
}

static int8_t point(int64_t sum, uint64_t count)
{
	const int64_t n = (int64_t)count;
	const int64_t p = !n ? 0 : sum < 0 ? -((n / 2 - sum) / n) : (n / 2 + sum) / n;
	return (int8_t)(p > XC_MOST_POINT ? XC_MOST_POINT : p < -XC_MOST_POINT ? -XC_MOST_POINT : p);
}

xc_points xc_offsets_points(const xc_offsets *o)
{
	return (xc_points){point(o->sum[0], o->count[0]), point(o->sum[1], o->count[1])};
}

/* A coefficient that may become something else than zero, and the best way to it. */
typedef struct node {
	int32_t magnitude; /* in sixteenths of a step */
	int32_t cost;      /* of the way, less that of zeros */
	int32_t value;
	uint8_t position, context; /* the context of what follows */
	uint8_t from;              /* the node before it */
} node;

static int32_t square(int32_t x)
{
	return x * x;
}

/* What a value saves of the error that zero would make. */
static int32_t gain(int32_t magnitude, int32_t value, xc_points points)
{
	const int32_t most = magnitude < MOST_MAGNITUDE ? magnitude : MOST_MAGNITUDE;
	return square(most) - square(magnitude - xc_reconstruct(value, points));
}

/* The bits of a value of `size` bits after the node `from`. */
static int32_t bits_after(const xc_decision *d, const node *from, const node *to, unsigned size)
{
	unsigned run = to->position - from->position - 1u, context = from->context;
	int32_t bits = size < 15 ? 0 : (int32_t)size - 15 + 4;
	for (; run > 15; run -= 16) {
		bits += d->bits[context][0xf0];
		context = xc_context_after_ac(0xf0);
	}
	return bits + d->bits[context][run << 4 | (size < 15 ? size : 15)];
}

/* Finds the best way to nodes[i] with one value, and keeps it if it beats what the node has. */
static void try_value(const xc_decision *d, node *nodes, uint32_t i, int32_t value)
{
	node *to = &nodes[i];
	const unsigned size = xc_value_size(value);
	const int32_t saved = gain(to->magnitude, value, d->points);
	for (uint32_t j = i > d->window ? i - d->window : 0; j < i; j++) {
		const int32_t cost = nodes[j].cost + LAMBDA * bits_after(d, &nodes[j], to, size) - saved;
		if (cost < to->cost) {
			const unsigned run = to->position - nodes[j].position - 1u;
			to->cost = cost;
			to->value = value;
			to->from = (uint8_t)j;
			to->context = (uint8_t)xc_context_after_ac((run & 15) << 4 | (size < 15 ? size : 15));
		}
	}
}

/* The last node of the best way through all nodes. */
static uint32_t best_end(const xc_decision *d, const node *nodes, uint32_t count)
{
	uint32_t best = 0;
	int32_t least = INT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		const int32_t end = nodes[i].position < 63 ? LAMBDA * d->bits[nodes[i].context][0] : 0;
		if (nodes[i].cost + end < least) {
			least = nodes[i].cost + end;
			best = i;
		}
	}
	return best;
}

/* Decides about the nodes 1 to count - 1; returns the last one that stays, and the
 * others that stay follow by `from`. */
static uint32_t decide_block(const xc_decision *d, node *nodes, uint32_t count, int32_t dc)
{
	nodes[0] = (node){.context = (uint8_t)xc_context_after_dc(xc_value_size(dc))};
	for (uint32_t i = 1; i < count; i++) {
		const int32_t nearest = (nodes[i].magnitude + HALF) / XC_STEP_PARTS;
		nodes[i].cost = INT32_MAX;
		try_value(d, nodes, i, nearest);
		if (nearest > 1)
			try_value(d, nodes, i, nearest - 1);
	}
	return best_end(d, nodes, count);
}

static void add_offset(xc_offsets *o, int32_t magnitude, int32_t value)
{
	o->sum[value > 1] += value * XC_STEP_PARTS - magnitude;
	o->count[value > 1]++;
}

/* Coefficients of 16 or 32 bits (deep). */
static inline int32_t get(const void *coefficients, size_t i, int deep)
{
	return deep ? ((const int32_t *)coefficients)[i] : ((const int16_t *)coefficients)[i];
}

static inline void put(void *coefficients, size_t i, int deep, int32_t value)
{
	if (deep)
		((int32_t *)coefficients)[i] = value;
	else
		((int16_t *)coefficients)[i] = (int16_t)value;
}

static inline void dead_zone(void *blocks, size_t first, int deep, xc_offsets *offsets)
{
	for (size_t i = first + 1; i < first + 64; i++) {
		const int32_t c = get(blocks, i, deep), magnitude = c < 0 ? -c : c;
		const int32_t value = (magnitude + DEAD_ZONE_ROUNDING) / XC_STEP_PARTS;
		put(blocks, i, deep, c < 0 ? -value : value);
		if (value)
			add_offset(offsets, magnitude, value);
	}
}

static inline void weigh(const xc_decision *d, void *blocks, size_t first, int deep, int32_t dc,
                         xc_offsets *offsets)
{
	node nodes[64];
	uint64_t negative = 0;
	uint32_t count = 1;
	for (uint8_t k = 1; k < 64; k++) {
		const int32_t c = get(blocks, first + scan[k], deep), magnitude = c < 0 ? -c : c;
		put(blocks, first + scan[k], deep, 0);
		if (magnitude >= HALF) {
			nodes[count++] = (node){.magnitude = magnitude, .position = k};
			negative |= (uint64_t)(c < 0) << k;
		}
	}
	for (uint32_t i = decide_block(d, nodes, count, dc); i; i = nodes[i].from) {
		const unsigned k = nodes[i].position;
		put(blocks, first + scan[k], deep, negative >> k & 1 ? -nodes[i].value : nodes[i].value);
		add_offset(offsets, nodes[i].magnitude, nodes[i].value);
	}
}

static inline __attribute__((always_inline)) void
decide(const xc_decision *d, const xc_entropy_level *level, void *blocks, uint32_t wide,
       uint32_t high, void *dc, int deep, xc_offsets *offsets)
{
	const size_t n = (size_t)wide * high;
	for (size_t b = 0; b < n; b++)
		put(blocks, b * 64, deep, xc_quantized_value(get(blocks, b * 64, deep)));
	if (d->window)
		level->predict_dc(blocks, wide, high, dc);
	for (size_t b = 0; b < n; b++) {
		if (d->window)
			weigh(d, blocks, b * 64, deep, get(dc, b, deep), offsets);
		else
			dead_zone(blocks, b * 64, deep, offsets);
	}
}

void xc_decide(const xc_decision *d, const xc_entropy_level *level, void *blocks, uint32_t wide,
               uint32_t high, void *dc, xc_offsets *offsets)
{
	if (level->width == sizeof(int16_t))
		decide(d, level, blocks, wide, high, dc, 0, offsets);
	else
		decide(d, level, blocks, wide, high, dc, 1, offsets);
}
