/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rANS mode's symbols are decoded with: the model, which is the same for all files, and
 * tables of a set of frequencies.
 */
#ifndef XC_GPU_DECODE_RANS_TABLES_H
#define XC_GPU_DECODE_RANS_TABLES_H

#include "entropy/rans/model.h"
#include "entropy/scan.h"
#include "gpu/runtime/device.h"

/* ------------------------------------------------------------------- places */

enum { XC_GPU_NOWHERE = 64, XC_GPU_OWN_PLACES = 4 };

/* Where the context of each position of the scan looks, as places in transposed order: at symbols of
 * its own block but for the one before it in the scan, and in its neighbours at the place itself, to
 * the right of it and below it.  The same places as those of xc_rans_look. */
typedef struct xc_gpu_rans_places {
	uint8_t place[65], own[65][XC_GPU_OWN_PLACES], beyond[65][2];
} xc_gpu_rans_places;

/* The place of a frequency, if the block has it and it is not the DC. */
XC_GPU_CONSTANT uint8_t xc_gpu_rans_place(int u, int v)
{
	return u >= 0 && u < 8 && v >= 0 && v < 8 && u + v > 0 ? (uint8_t)(8 * u + v)
	                                                       : (uint8_t)XC_GPU_NOWHERE;
}

/* The frequencies that entry i of xc_rans_look.own stands for, for the frequency (u, v). */
XC_GPU_CONSTANT uint8_t xc_gpu_rans_neighbour(int u, int v, int i)
{
	return xc_gpu_rans_place(i == 0   ? u - 1
	                         : i == 1 ? u - 2
	                                  : u,
	                         i == 2   ? v - 1
	                         : i == 3 ? v - 2
	                                  : v);
}

XC_GPU_CONSTANT xc_gpu_rans_places xc_gpu_rans_places_make(void)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	xc_gpu_rans_places p = {{0}, {{0}}, {{0}}};
	for (int k = 0; k < 65; k++) {
		const int u = k < 64 ? scan[k] / 8 : 0, v = k < 64 ? scan[k] % 8 : 0;
		int n = 0;
		p.place[k] = k < 64 ? scan[k] : (uint8_t)XC_GPU_NOWHERE;
		for (int i = 0; i < 4 && k > 0 && k < 64; i++) {
			const uint8_t seen = xc_gpu_rans_neighbour(u, v, i);
			if (seen != XC_GPU_NOWHERE && seen != scan[k - 1])
				p.own[k][n++] = seen;
		}
		/* The DC, of which position 1 comes next anyway. */
		if (k == 2)
			p.own[k][n++] = 0;
		while (n < XC_GPU_OWN_PLACES)
			p.own[k][n++] = XC_GPU_NOWHERE;
		p.beyond[k][0] = k > 0 && k < 64 ? xc_gpu_rans_place(u + 1, v) : (uint8_t)XC_GPU_NOWHERE;
		p.beyond[k][1] = k > 0 && k < 64 ? xc_gpu_rans_place(u, v + 1) : (uint8_t)XC_GPU_NOWHERE;
	}
	return p;
}

/* -------------------------------------------------------------------- model */

/* The weights of four symbols at a time, in bytes, in the order of xc_gpu_rans_places.  Those of the
 * last symbol decoded are in `before` alone, so that all other terms can be added up while that
 * symbol is being decoded. */
typedef struct xc_gpu_rans_weights {
	uint32_t own, left, up; /* the highest byte of `up` is the constant */
	uint32_t before;
} xc_gpu_rans_weights;

typedef struct xc_gpu_rans_model {
	xc_gpu_rans_weights at[2][65];
	uint32_t dc[2][XC_RANS_DC_WEIGHTS], flag[2][XC_RANS_GROUPS][XC_RANS_FLAG_WEIGHTS];
} xc_gpu_rans_model;

static inline xc_gpu_rans_weights xc_gpu_rans_weights_of(const xc_rans_weights *from, int k)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	const int u = scan[k] / 8, v = scan[k] % 8;
	const uint8_t *w = from->ac[u > 2 * v ? 0 : v > 2 * u ? 2 : 1];
	xc_gpu_rans_weights r = {0, 0, 0, k > 1 ? w[4] : 0u};
	int n = 0;
	for (int i = 0; i < 4; i++) {
		const uint8_t seen = xc_gpu_rans_neighbour(u, v, i);
		if (seen == XC_GPU_NOWHERE)
			continue;
		if (seen == scan[k - 1])
			r.before += w[i];
		else
			r.own |= (uint32_t)w[i] << 8 * n++;
	}
	if (k == 1)
		r.before += w[11];
	if (k == 2)
		r.own |= (uint32_t)w[11] << 8 * n;
	r.left = w[5] | (uint32_t)w[6] << 8 | (uint32_t)w[7] << 16;
	r.up = w[8] | (uint32_t)w[9] << 8 | (uint32_t)w[10] << 16 | (uint32_t)from->constant[k] << 24;
	return r;
}

/* weights: of luma and of chroma. */
static inline void xc_gpu_rans_model_make(xc_gpu_rans_model *m, const xc_rans_weights weights[2])
{
	for (int c = 0; c < 2; c++) {
		const xc_gpu_rans_weights none = {0, 0, 0, 0};
		m->at[c][0] = m->at[c][64] = none;
		for (int k = 1; k < 64; k++)
			m->at[c][k] = xc_gpu_rans_weights_of(&weights[c], k);
		for (int i = 0; i < XC_RANS_DC_WEIGHTS; i++)
			m->dc[c][i] = weights[c].dc[i];
		for (int i = 0; i < XC_RANS_GROUPS * XC_RANS_FLAG_WEIGHTS; i++)
			m->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS] =
				weights[c].flag[i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS];
	}
}

/* ------------------------------------------------------------------- tables */

/* What a slot is compared with, by bin.  A row is eight words of two numbers: -(16 c + s) for symbols
 * s from 1 to 15, whose least slot is c, after that of symbol 1 once more.  Its halves lie apart, so
 * that lanes with different bins meet fewer bank conflicts. */
typedef struct xc_gpu_rans_rows {
	uint32_t low[XC_RANS_BINS][4], high[XC_RANS_BINS][4];
} xc_gpu_rans_rows;

typedef struct xc_gpu_rans_tables {
	xc_gpu_rans_rows of[2][XC_RANS_FLAG_SET];
	uint16_t zeros[2][XC_RANS_GROUPS][XC_RANS_BINS]; /* frequencies of flags that are 0 */
} __attribute__((aligned(16))) xc_gpu_rans_tables;

XC_GPU_INLINE void xc_gpu_fill_rans_row(xc_gpu_rans_rows *to, uint32_t bin,
                                        const uint16_t frequency[XC_RANS_SYMBOLS])
{
	uint32_t word[XC_RANS_SYMBOLS / 2] = {0}, slot = 0;
	for (uint32_t s = 0; s < XC_RANS_SYMBOLS; s++) {
		const uint32_t of = s ? s : 1, least = s ? slot : frequency[0];
		word[s / 2] |= ((0u - (16 * least + of)) & 0xffff) << s % 2 * 16;
		slot += frequency[s];
	}
	for (int i = 0; i < 4; i++) {
		to->low[bin][i] = word[i];
		to->high[bin][i] = word[4 + i];
	}
}

/* Fills the tables, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_fill_rans_tables(xc_gpu_rans_tables *t,
                                           const xc_rans_frequencies *frequencies,
                                           const xc_rans_weights weights[2], uint32_t worker,
                                           uint32_t workers)
{
	for (uint32_t i = worker; i < 2 * XC_RANS_SETS * XC_RANS_BINS; i += workers) {
		const uint32_t bin = i % XC_RANS_BINS, set = i / XC_RANS_BINS % XC_RANS_SETS;
		const uint32_t c = i / XC_RANS_BINS / XC_RANS_SETS;
		uint32_t level = 0;
		while (level < XC_RANS_LEVELS - 1 && bin >= weights[c].limit[set][level])
			level++;
		const uint16_t *frequency = frequencies->of[c][set][level];
		if (set < XC_RANS_FLAG_SET)
			xc_gpu_fill_rans_row(&t->of[c][set], bin, frequency);
		else
			t->zeros[c][set - XC_RANS_FLAG_SET][bin] = frequency[0];
	}
}

#endif
