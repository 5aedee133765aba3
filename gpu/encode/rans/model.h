/* SPDX-License-Identifier: BSD-2-Clause */
/* The rANS model (entropy/rans/) in the form of the encoder's kernels, made on the host. */
#ifndef XC_GPU_ENCODE_RANS_MODEL_H
#define XC_GPU_ENCODE_RANS_MODEL_H

#include <string.h>

#include "entropy/rans/model.h"
#include "gpu/runtime/warp.h"

/*
 * The expectations of AC symbols (entropy/rans/model.h) as products of matrices: the symbols of a
 * block, its left and its upper neighbour, 192 numbers, times a weight for each position. Twelve
 * weights a position are nonzero, at places that depend on the scan. A step has 32 factors; 30 of
 * 48 steps have weights, equal for pairs of eight positions.
 *
 * A warp takes 32 blocks.  Symbols are words of eight nibbles (gpu/encode/rans/contexts.h).
 */

/* Products of small matrices of bytes, by a warp. */

/*
 * Adds the product of a, 16 rows of 32 bytes, and b, 32 rows of 8 bytes, to c, 16 rows of 8 words.
 * Lane 4 g + t holds, as for PTX's mma.m16n8k32:
 *
 * 	a  row g: bytes from 4 t on in a[0], and from 16 + 4 t on in a[2]; of row g + 8 in a[1] and a[3]
 * 	b  column g, likewise in b[0] and b[1]
 * 	c  row g: columns 2 t and 2 t + 1 in c[0] and c[1]; of row g + 8 in c[2] and c[3]
 */
XC_WARP_INLINE void xc_warp_multiply(uint32_t c[4][XC_SLOTS], const uint32_t a[4][XC_SLOTS],
                                     const uint32_t b[2][XC_SLOTS])
{
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
	asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+r"(c[0][0]), "+r"(c[1][0]), "+r"(c[2][0]), "+r"(c[3][0])
	    : "r"(a[0][0]), "r"(a[1][0]), "r"(a[2][0]), "r"(a[3][0]), "r"(b[0][0]), "r"(b[1][0]));
#else
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const int row = i % 2, half = i / 2;
		asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
		    : "+r"(c[2 * row][0]), "+r"(c[2 * row + 1][0])
		    : "r"(a[row + 2 * half][0]), "r"(b[half][0]));
	}
#endif
#else
	for (int lane = 0; lane < XC_WARP_LANES; lane++)
		for (int i = 0; i < 4; i++) {
			const int row = i / 2, column = lane % 4 * 2 + i % 2;
			for (int t = 0; t < 8; t++)
				c[i][lane] = xc_gpu_dot(a[row + t / 4 * 2][lane / 4 * 4 + t % 4],
				                        b[t / 4][column * 4 + t % 4], c[i][lane]);
		}
#endif
}

/* The three sources of symbols, 64 each, two steps each. */
enum { XC_GPU_LEFT, XC_GPU_NOW, XC_GPU_UP, XC_GPU_SEEN };

enum {
	XC_GPU_EXPECT_TILES = 8, /* of eight positions, two and two together */
	XC_GPU_EXPECT_PAIRS = XC_GPU_EXPECT_TILES / 2,
	XC_GPU_EXPECT_STEPS = 2 * XC_GPU_SEEN
};

/* The weights of a class, in the form of b of xc_warp_multiply(). */
typedef struct xc_gpu_expect_two {
	uint32_t of[2];
} __attribute__((aligned(8))) xc_gpu_expect_two;

typedef struct xc_gpu_expect_weights {
	xc_gpu_expect_two of[XC_GPU_EXPECT_TILES][XC_GPU_EXPECT_STEPS][XC_WARP_LANES];
} xc_gpu_expect_weights;

/* The steps of a pair of tiles that have weights, a bit each. */
XC_GPU_CONSTANT uint32_t xc_gpu_expect_steps(int pair)
{
	return pair == 0 ? 0x15 : pair == 1 ? 0x37 : pair == 2 ? 0x2e : 0x2a;
}

/* Adds the weight of the symbol at a place of a block, if there is such a place, for position k. */
static inline void xc_gpu_expect_weight(xc_gpu_expect_weights *m, const uint8_t position[65],
                                        int whose, uint32_t raster, int k, uint16_t weight)
{
	if (raster == XC_RANS_NOWHERE)
		return;
	/* Even positions of a word of nibbles are four bytes, odd ones four others. */
	const uint32_t p = position[raster], lane = (uint32_t)k % 8 * 4 + p / 8 % 4;
	m->of[k / 8][2 * whose + (int)(p / 32)][lane].of[p % 2] += (uint32_t)weight << p % 8 / 2 * 8;
}

/* c: the class. */
static inline void xc_gpu_expect_weights_init(xc_gpu_expect_weights *m, const xc_rans_tables *t,
                                              int c)
{
	uint8_t position[65] = {0};

	memset(m, 0, sizeof *m);
	for (int k = 0; k < 64; k++)
		position[t->templates[k].raster] = (uint8_t)k;
	for (int k = 1; k < 64; k++) {
		const xc_rans_template *const tmpl = &t->templates[k];
		const uint16_t(*const w)[XC_RANS_WIDEST] = t->ac[c][tmpl->direction];
		for (int i = 0; i < 5; i++)
			xc_gpu_expect_weight(m, position, XC_GPU_NOW, tmpl->own[i], k, w[i][0]);
		for (int i = 0; i < 2; i++) {
			const int whose = i ? XC_GPU_UP : XC_GPU_LEFT;
			xc_gpu_expect_weight(m, position, whose, tmpl->raster, k, w[5 + 3 * i][0]);
			xc_gpu_expect_weight(m, position, whose, tmpl->beyond[0], k, w[6 + 3 * i][0]);
			xc_gpu_expect_weight(m, position, whose, tmpl->beyond[1], k, w[7 + 3 * i][0]);
		}
		xc_gpu_expect_weight(m, position, XC_GPU_NOW, tmpl->dc, k, w[11][0]);
	}
}

/* The symbols that lane 4 g + t has: words t and t + 4 of the blocks g, g + 8, g + 16 and g + 24
 * and of their neighbours. */
typedef struct xc_gpu_expect_seen {
	uint32_t word[XC_GPU_SEEN][2][4][XC_SLOTS];
} xc_gpu_expect_seen;

/* Sums for sixteen positions from 16 pair on, a constant. What lane 4 g + t has: of block g + 8 r,
 * positions 16 pair + 8 n + 2 t and one more, in of[n][r / 2][r % 2 * 2] and after it. */
typedef struct xc_gpu_expect_sums {
	uint32_t of[2][2][4][XC_SLOTS];
} xc_gpu_expect_sums;

/* Begins sums with a class's constants, one a position. */
XC_WARP_INLINE void xc_gpu_expect_begin(xc_gpu_expect_sums *s, const uint8_t *constant, int pair)
{
	XC_FOR_LANES(lane) {
		XC_UNROLL
		for (int n = 0; n < 2; n++)
			XC_UNROLL
		for (int i = 0; i < 8; i++)
			s->of[n][i / 4][i % 4][XC_SLOT(lane)] =
				constant[16 * pair + 8 * n + lane % 4 * 2 + i % 2];
	}
}

/* Adds the products of all steps. */
XC_WARP_INLINE void xc_gpu_expect(const xc_gpu_expect_seen *seen,
                                  const xc_gpu_expect_weights *weights, int pair,
                                  xc_gpu_expect_sums *s)
{
	/* Or nvcc would load the weights of all pairs first, into too many registers. */
	XC_OPAQUE_AGAIN(weights, "l");
	XC_GPU_GLOBAL(weights);
	XC_UNROLL
	for (int step = 0; step < XC_GPU_EXPECT_STEPS; step++) {
		uint32_t a[2][4][XC_SLOTS], b[2][2][XC_SLOTS];
		if (!(xc_gpu_expect_steps(pair) & 1u << step))
			continue;
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			XC_UNROLL
			for (int n = 0; n < 2; n++) {
				const xc_gpu_expect_two w = weights->of[2 * pair + n][step][lane];
				b[n][0][i] = w.of[0];
				b[n][1][i] = w.of[1];
			}
			XC_UNROLL
			for (int r = 0; r < 4; r++) {
				const uint32_t w = seen->word[step / 2][step % 2][r][i];
				a[r / 2][r % 2][i] = w & 0x0f0f0f0f;
				a[r / 2][r % 2 + 2][i] = w >> 4 & 0x0f0f0f0f;
			}
		}
		XC_UNROLL
		for (int n = 0; n < 2; n++)
			XC_UNROLL
		for (int half = 0; half < 2; half++)
			xc_warp_multiply(s->of[n][half], a[half], b[n]);
	}
}

enum {
	/* Entries of a class: AC by range and DC, see xc_gpu_rans_number(); flags by level << 1 | flag;
	 * and one that leaves a state as it is, of zeros. */
	XC_GPU_RANS_FLAGS_AT = XC_RANS_FLAG_SET * XC_RANS_LEVELS * XC_RANS_SYMBOLS,
	XC_GPU_RANS_NONE = XC_GPU_RANS_FLAGS_AT + XC_RANS_ZONES * XC_RANS_LEVELS * 2,
	XC_GPU_RANS_ENTRIES
};

/*
 * The number of the entry of symbol 0 of AC or DC among those of its set: the level's four bits in
 * the other order, twice. That of another symbol is the exclusive or with it. So lanes with the
 * same symbol and neighbouring levels find their entries in different banks of shared memory.
 */
static inline uint32_t xc_gpu_rans_number(uint32_t level)
{
	const uint32_t bits = (level & 1) << 3 | (level & 2) << 1 | (level & 4) >> 1 | level >> 3;
	return bits << 4 | bits;
}

/*
 * Coding a symbol of frequency f in state x: if x is f * 2^20 or more, its lower half is written
 * and the upper half becomes x. Then, with q = x / f, x becomes x + q * (2^12 - f) + the first
 * slot. q is ((x + add) * reciprocal) >> (32 + shift), which is exact: the reciprocal is rounded
 * up, or down if rounding up would be too large for some x.
 */
typedef struct xc_gpu_rans_entry {
	uint32_t reciprocal;
	/* 2^12 - f, 12 bits from bit 20 on; least slot, 12 bits from 8 on; add, bit
	 * 7; shift, 5 bits. */
	uint32_t rest;
} __attribute__((aligned(8))) xc_gpu_rans_entry;

static inline xc_gpu_rans_entry xc_gpu_rans_entry_of(uint32_t frequency, uint32_t slot)
{
	const uint64_t f = frequency, max = f << 20;
	const uint32_t rest = (XC_RANS_ONE - frequency) << 20 | slot << 8;
	xc_gpu_rans_entry e = {UINT32_MAX, rest | 1u << 7};
	uint32_t bits = 0;

	while (f > UINT64_C(1) << bits)
		bits++;
	if (!bits)
		return e;
	const uint64_t one = UINT64_C(1) << (31 + bits), up = (one + f - 1) / f;
	const int down = (up * f - one) * max >= one;
	e.reciprocal = (uint32_t)(up - (uint64_t)down);
	e.rest = rest | (uint32_t)down << 7 | (bits - 1);
	return e;
}

/* The maximum state that keeps its lower half: f * 2^20 - 1. */
XC_GPU_INLINE uint32_t xc_gpu_rans_limit(xc_gpu_rans_entry e)
{
#ifdef __CUDA_ARCH__
	uint32_t limit; /* in one instruction */
	asm("lop3.b32 %0, %1, 0xfff00000, 0, 0x3f;" : "=r"(limit) : "r"(e.rest));
	return limit;
#else
	return ~(e.rest & 0xfff00000);
#endif
}

/* The state after the symbol; x: the state after its lower half was written, if necessary. */
XC_GPU_INLINE uint32_t xc_gpu_rans_coded(uint32_t x, xc_gpu_rans_entry e)
{
	const uint32_t added = x + ((e.rest & 1u << 7) >> 7);
#ifdef __CUDA_ARCH__
	const uint32_t q = __funnelshift_r(__umulhi(added, e.reciprocal), 0, e.rest);
#else
	const uint32_t q = (uint32_t)((uint64_t)added * e.reciprocal >> 32) >> (e.rest & 31);
#endif
	return q * (e.rest >> 20) + (x + ((e.rest & 0xfff00) >> 8));
}

/* Weights of AC symbols by direction, four bytes each: of the block's own symbols (two to the left,
 * two above); of the left block (here, to the right, below) and of the symbol before in the scan;
 * of the upper block likewise and of the DC. */
typedef struct xc_gpu_context_weights {
	uint32_t own, left, up;
} xc_gpu_context_weights;

typedef struct xc_gpu_rans_contexts {
	xc_gpu_context_weights ac[2][XC_RANS_DIRECTIONS];
	uint32_t dc[2][XC_RANS_DC_WEIGHTS], flag[2][XC_RANS_ZONES][XC_RANS_FLAG_WEIGHTS];
	uint8_t constant[2][64];
	uint8_t position[64]; /* of each place in the scan */
	/* By bin, of AC and DC xc_gpu_rans_number(), of flags times 2. */
	uint8_t level[2][XC_RANS_SETS][XC_RANS_BINS];
} xc_gpu_rans_contexts;

/* The two nonzero candidates for a size in sixteenths of a step, and the reduction of error of
 * each. They may be equal. */
typedef struct xc_gpu_rans_choice {
	int16_t low_gain, high_gain;
	uint8_t low, high;
} __attribute__((aligned(8))) xc_gpu_rans_choice;

/* The input of decisions: costs of values up to XC_RANS_NEAREST, by AC range and bin, and of flags
 * by level; and choices by size. */
enum {
	XC_GPU_RANS_COSTS = XC_RANS_NEAREST + 2, /* one more than needed: words of 32 bits are copied */
	XC_GPU_RANS_SIZES =
		256 - XC_RANS_GUESS_ROUNDING /* larger ones count as the last: a guess fits a byte */
};

typedef struct xc_gpu_rans_decisions {
	uint16_t cost[2][XC_RANS_RANGES][XC_RANS_BINS][XC_GPU_RANS_COSTS];
	uint16_t flag[2][XC_RANS_ZONES][XC_RANS_LEVELS][2];
	xc_gpu_rans_choice choice[2][XC_GPU_RANS_SIZES];
} xc_gpu_rans_decisions;

typedef struct xc_gpu_encode_model {
	xc_gpu_rans_entry entry[2][XC_GPU_RANS_ENTRIES];
	xc_gpu_rans_contexts contexts;
	xc_gpu_rans_decisions decisions;
	xc_gpu_expect_weights expected[2];
} xc_gpu_encode_model;

static inline void xc_gpu_rans_entries_init(xc_gpu_rans_entry *to, const xc_rans_set *set,
                                            int flags)
{
	const uint32_t symbols = flags ? 2 : XC_RANS_SYMBOLS;

	for (uint32_t i = 0; i < XC_RANS_LEVELS * symbols; i++) {
		const uint32_t level = i / symbols, symbol = i % symbols;
		const uint32_t range = set->range[level * XC_RANS_SYMBOLS + symbol];
		const uint32_t at = flags ? i : xc_gpu_rans_number(level) ^ symbol;
		to[at] = xc_gpu_rans_entry_of(range & 0xffff, range >> 16);
	}
}

static inline uint32_t xc_gpu_rans_pack(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return a | b << 8 | c << 16 | d << 24;
}

static inline void xc_gpu_rans_contexts_init(xc_gpu_rans_contexts *m, const xc_rans_tables *t,
                                             int c)
{
	for (int d = 0; d < XC_RANS_DIRECTIONS; d++) {
		uint32_t w[XC_RANS_AC_WEIGHTS];
		for (int i = 0; i < XC_RANS_AC_WEIGHTS; i++)
			w[i] = t->ac[c][d][i][0];
		m->ac[c][d].own = xc_gpu_rans_pack(w[0], w[1], w[2], w[3]);
		m->ac[c][d].left = xc_gpu_rans_pack(w[5], w[6], w[7], w[4]);
		m->ac[c][d].up = xc_gpu_rans_pack(w[8], w[9], w[10], w[11]);
	}
	for (int i = 0; i < XC_RANS_DC_WEIGHTS; i++)
		m->dc[c][i] = t->dc[c][i][0];
	for (int i = 0; i < XC_RANS_ZONES * XC_RANS_FLAG_WEIGHTS; i++)
		m->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS] =
			t->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS][0];
	for (int k = 0; k < 64; k++)
		m->constant[c][k] = (uint8_t)t->templates[k].constant[c];
	for (int s = 0; s < XC_RANS_SETS; s++)
		for (int bin = 0; bin < XC_RANS_BINS; bin++)
			m->level[c][s][bin] = (uint8_t)(s < XC_RANS_FLAG_SET
			                                    ? xc_gpu_rans_number(t->set[c][s].level[bin])
			                                    : t->set[c][s].level[bin] * 2u);
}

static inline void xc_gpu_rans_costs_init(xc_gpu_rans_decisions *m, const xc_rans_tables *t,
                                          const xc_rans_decision *d, int c)
{
	for (int i = 0; i < XC_RANS_RANGES * XC_RANS_BINS; i++) {
		const int range = i / XC_RANS_BINS, bin = i % XC_RANS_BINS;
		for (int symbol = 0; symbol < XC_RANS_NEAREST; symbol++)
			m->cost[c][range][bin][symbol] = d->cost[c][range][symbol][t->set[c][range].level[bin]];
	}
	for (int i = 0; i < XC_RANS_ZONES * XC_RANS_LEVELS * 2; i++) {
		const int g = i / (2 * XC_RANS_LEVELS), level = i / 2 % XC_RANS_LEVELS;
		m->flag[c][g][level][i % 2] = d->cost[c][XC_RANS_FLAG_SET + g][i % 2][level];
	}
}

/* The reduction of squared error by a magnitude that is restored with these points. */
static inline int16_t xc_gpu_rans_gain(int size, int magnitude, const xc_value_points *points)
{
	const int restored = magnitude * XC_STEP_PARTS - (magnitude > 1 ? points->more : points->one);
	return (int16_t)(restored * (2 * size - restored));
}

static inline void xc_gpu_rans_choices_init(xc_gpu_rans_choice *to, const xc_value_points *points)
{
	for (int size = 0; size < XC_GPU_RANS_SIZES; size++) {
		const int nearest = (size + XC_STEP_PARTS / 2) / XC_STEP_PARTS,
				  high = nearest > 1 ? nearest : 1;
		const int low = high > 1 ? high - 1 : 1;
		xc_gpu_rans_choice *const choice = &to[size];
		if (nearest > XC_RANS_LAST_CHOICE) {
			choice->low = choice->high = XC_RANS_NEAREST;
			choice->low_gain = choice->high_gain = XC_RANS_LARGE_GAIN;
			continue;
		}
		choice->low = (uint8_t)low;
		choice->high = (uint8_t)high;
		choice->low_gain = xc_gpu_rans_gain(size, low, points);
		choice->high_gain = xc_gpu_rans_gain(size, high, points);
	}
}

/* d: NULL: there are no decisions. */
static inline void xc_gpu_encode_model_init(xc_gpu_encode_model *m, const xc_rans_tables *t,
                                            const xc_rans_decision *d)
{
	memset(m, 0, sizeof *m);
	for (int c = 0; c < 2; c++) {
		for (int s = 0; s < XC_RANS_SETS; s++) {
			const int flags = s >= XC_RANS_FLAG_SET, g = s - XC_RANS_FLAG_SET;
			const int at = flags ? XC_GPU_RANS_FLAGS_AT + g * XC_RANS_LEVELS * 2
			                     : s * XC_RANS_LEVELS * XC_RANS_SYMBOLS;
			xc_gpu_rans_entries_init(m->entry[c] + at, &t->set[c][s], flags);
		}
		xc_gpu_rans_contexts_init(&m->contexts, t, c);
		xc_gpu_expect_weights_init(&m->expected[c], t, c);
	}
	for (int k = 1; k < 64; k++)
		m->contexts.position[t->templates[k].raster] = (uint8_t)k;
	for (int c = 0; d && c < 2; c++) {
		xc_gpu_rans_costs_init(&m->decisions, t, d, c);
		xc_gpu_rans_choices_init(m->decisions.choice[c], &d->points[c]);
	}
}

#endif
