/* SPDX-License-Identifier: BSD-2-Clause */
/* The rANS model (entropy/rans/) in the form that the encoder's kernels want, made on the host. */
#ifndef XC_GPU_ENCODE_RANS_MODEL_H
#define XC_GPU_ENCODE_RANS_MODEL_H

#include <string.h>

#include "entropy/rans/model.h"
#include "gpu/rans/columns.h"

enum {
	/* Entries of a class: AC by range and DC by level << 4 | symbol, flags by level << 1 | flag. */
	XC_GPU_RANS_FLAGS_AT = XC_RANS_FLAG_SET * XC_RANS_LEVELS * XC_RANS_SYMBOLS,
	XC_GPU_RANS_ENTRIES = XC_GPU_RANS_FLAGS_AT + XC_RANS_GROUPS * XC_RANS_LEVELS * 2
};

/*
 * What coding a symbol of frequency f does to a state x below f * 2^20: with the quotient q of both it
 * becomes x + q * (2^12 - f) + the least slot.  q is ((x + add) * reciprocal) >> (32 + shift), which
 * is exact: the reciprocal is rounded up, or down where that would be too large for some x.
 */
typedef struct xc_gpu_rans_entry {
	uint32_t reciprocal;
	uint32_t rest; /* f, 12 bits; least slot, 12; shift, 4; add, 1 */
} __attribute__((aligned(8))) xc_gpu_rans_entry;

static inline xc_gpu_rans_entry xc_gpu_rans_entry_of(uint32_t frequency, uint32_t slot)
{
	const uint64_t f = frequency, most = f << 20;
	xc_gpu_rans_entry e = {UINT32_MAX, (uint32_t)f | slot << 12 | 1u << 28};
	uint32_t bits = 0;
	while (f > UINT64_C(1) << bits)
		bits++;
	if (!bits)
		return e;
	const uint64_t one = UINT64_C(1) << (31 + bits), up = (one + f - 1) / f;
	const int down = (up * f - one) * most >= one;
	e.reciprocal = (uint32_t)(up - (uint64_t)down);
	e.rest = (uint32_t)f | slot << 12 | (bits - 1) << 24 | (uint32_t)down << 28;
	return e;
}

/* What a symbol adds to the state x, which is below f * 2^20; for any other x a number of no meaning. */
XC_GPU_INLINE uint32_t xc_gpu_rans_added(uint32_t x, xc_gpu_rans_entry e)
{
	const uint32_t shift = e.rest >> 24 & 15;
#ifdef __CUDA_ARCH__
	const uint32_t q = __umulhi(x + (e.rest >> 28), e.reciprocal) >> shift;
#else
	const uint32_t q = (uint32_t)((uint64_t)(x + (e.rest >> 28)) * e.reciprocal >> 32) >> shift;
#endif
	return q * (XC_RANS_ONE - (e.rest & 4095)) + (e.rest >> 12 & 4095);
}

/* Weights of AC symbols by direction, four bytes each: of the block's own symbols (two to the left, two
 * above); of the left block (here, to the right, below) and of the symbol before in the scan; of the
 * upper block likewise and of the DC. */
typedef struct xc_gpu_context_weights {
	uint32_t own, left, up;
} xc_gpu_context_weights;

typedef struct xc_gpu_rans_contexts {
	xc_gpu_context_weights ac[2][XC_RANS_DIRECTIONS];
	uint32_t dc[2][XC_RANS_DC_WEIGHTS], flag[2][XC_RANS_GROUPS][XC_RANS_FLAG_WEIGHTS];
	uint8_t constant[2][64];
	uint8_t position[64];                         /* of each place in the scan */
	uint8_t level[2][XC_RANS_SETS][XC_RANS_BINS]; /* times 16 */
} xc_gpu_rans_contexts;

/* What decisions weigh: costs of symbols below XC_GPU_RANS_COSTS, of AC by range and bin, and of flags by level;
 * points of reconstruction of values of 1 and of larger ones; and weights of contexts, of one position
 * more, because the one after is always looked at. */
enum { XC_GPU_RANS_COSTS = 8 };

typedef struct xc_gpu_rans_decisions {
	uint16_t cost[2][XC_RANS_RANGES][XC_RANS_BINS][XC_GPU_RANS_COSTS];
	uint16_t flag[2][XC_RANS_GROUPS][XC_RANS_LEVELS][2];
	int32_t points[2][2];
	xc_gpu_rans_weights at[2][65];
} xc_gpu_rans_decisions;

typedef struct xc_gpu_encode_model {
	xc_gpu_rans_entry entry[2][XC_GPU_RANS_ENTRIES];
	xc_gpu_rans_contexts contexts;
	xc_gpu_rans_decisions decisions;
} xc_gpu_encode_model;

static inline void xc_gpu_rans_entries_init(xc_gpu_rans_entry *to, const xc_rans_set *set,
                                            int flags)
{
	const int symbols = flags ? 2 : XC_RANS_SYMBOLS;
	for (int i = 0; i < XC_RANS_LEVELS * symbols; i++) {
		const uint32_t range = set->range[i / symbols * XC_RANS_SYMBOLS + i % symbols];
		to[i] = xc_gpu_rans_entry_of(range & 0xffff, range >> 16);
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
	for (int i = 0; i < XC_RANS_GROUPS * XC_RANS_FLAG_WEIGHTS; i++)
		m->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS] =
			t->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS][0];
	for (int k = 0; k < 64; k++)
		m->constant[c][k] = (uint8_t)t->look[k].constant[c];
	for (int s = 0; s < XC_RANS_SETS; s++)
		for (int bin = 0; bin < XC_RANS_BINS; bin++)
			m->level[c][s][bin] = (uint8_t)(t->set[c][s].level[bin] << 4);
}

static inline void xc_gpu_rans_costs_init(xc_gpu_rans_decisions *m, const xc_rans_tables *t,
                                          const xc_rans_decision *d, int c)
{
	for (int i = 0; i < XC_RANS_RANGES * XC_RANS_BINS; i++) {
		const int range = i / XC_RANS_BINS, bin = i % XC_RANS_BINS;
		for (int symbol = 0; symbol < XC_GPU_RANS_COSTS; symbol++)
			m->cost[c][range][bin][symbol] = d->cost[c][range][symbol][t->set[c][range].level[bin]];
	}
	for (int i = 0; i < XC_RANS_GROUPS * XC_RANS_LEVELS * 2; i++) {
		const int g = i / (2 * XC_RANS_LEVELS), level = i / 2 % XC_RANS_LEVELS;
		m->flag[c][g][level][i % 2] = d->cost[c][XC_RANS_FLAG_SET + g][i % 2][level];
	}
	m->points[c][0] = d->points[c].one;
	m->points[c][1] = d->points[c].more;
}

static inline void xc_gpu_rans_weights_init(xc_gpu_rans_decisions *m, const xc_rans_tables *t,
                                            int c)
{
	xc_rans_weights w;
	for (int i = 0; i < XC_RANS_DIRECTIONS * XC_RANS_AC_WEIGHTS; i++)
		w.ac[i / XC_RANS_AC_WEIGHTS][i % XC_RANS_AC_WEIGHTS] =
			(uint8_t)t->ac[c][i / XC_RANS_AC_WEIGHTS][i % XC_RANS_AC_WEIGHTS][0];
	for (int k = 1; k < 64; k++) {
		w.constant[k] = (uint8_t)t->look[k].constant[c];
		m->at[c][k] = xc_gpu_rans_weights_of(&w, k);
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
	}
	for (int k = 1; k < 64; k++)
		m->contexts.position[t->look[k].place] = (uint8_t)k;
	for (int c = 0; d && c < 2; c++) {
		xc_gpu_rans_costs_init(&m->decisions, t, d, c);
		xc_gpu_rans_weights_init(&m->decisions, t, c);
	}
}

#endif
