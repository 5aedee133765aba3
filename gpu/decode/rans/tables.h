/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rANS mode's symbols are decoded with: the model, which is the same for all files, and
 * tables of a set of frequencies.
 */
#ifndef XC_GPU_DECODE_RANS_TABLES_H
#define XC_GPU_DECODE_RANS_TABLES_H

#include "entropy/rans/model.h"
#include "gpu/decode/rans/columns.h"

/* -------------------------------------------------------------------- model */

/* The same for all files.  Two positions more, because those after are always looked at. */
typedef struct xc_gpu_rans_model {
	xc_gpu_rans_weights at[2][66];
	uint32_t dc[2][XC_RANS_DC_WEIGHTS], flag[2][XC_RANS_ZONES][XC_RANS_FLAG_WEIGHTS];
} xc_gpu_rans_model;

/* weights: of luma and of chroma. */
static inline void xc_gpu_rans_model_make(xc_gpu_rans_model *m, const xc_rans_weights weights[2])
{
	for (int c = 0; c < 2; c++) {
		const xc_gpu_rans_weights none = {0, 0, 0, 0};
		m->at[c][0] = m->at[c][64] = m->at[c][65] = none;
		for (int k = 1; k < 64; k++)
			m->at[c][k] = xc_gpu_rans_weights_of(&weights[c], k);
		for (int i = 0; i < XC_RANS_DC_WEIGHTS; i++)
			m->dc[c][i] = weights[c].dc[i];
		for (int i = 0; i < XC_RANS_ZONES * XC_RANS_FLAG_WEIGHTS; i++)
			m->flag[c][i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS] =
				weights[c].flag[i / XC_RANS_FLAG_WEIGHTS][i % XC_RANS_FLAG_WEIGHTS];
	}
}

/* ------------------------------------------------------------------- tables */

/* What a slot is compared with, by bin. A row is eight words of two numbers: -(16 c + s) for
 * symbols s from 1 to 15, whose least slot is c, and that of symbol 15 once more. Parts of rows
 * that are loaded apart lie apart, so that lanes with different bins meet fewer bank conflicts. */
typedef struct xc_gpu_rans_rows {
	uint32_t first[XC_RANS_BINS][2], second[XC_RANS_BINS][2], last[XC_RANS_BINS][4];
} xc_gpu_rans_rows;

typedef struct xc_gpu_rans_tables {
	xc_gpu_rans_rows of[2][XC_RANS_FLAG_SET];
	uint16_t zeros[2][XC_RANS_ZONES][XC_RANS_BINS]; /* frequencies of flags that are 0 */
} __attribute__((aligned(16))) xc_gpu_rans_tables;

XC_GPU_INLINE void xc_gpu_fill_rans_row(xc_gpu_rans_rows *to, uint32_t bin,
                                        const uint16_t frequency[XC_RANS_SYMBOLS])
{
	uint32_t word[XC_RANS_SYMBOLS / 2] = {0}, slot = 0;

	for (uint32_t i = 0; i < XC_RANS_SYMBOLS; i++) {
		const uint32_t s = xc_gpu_min(i + 1, XC_RANS_SYMBOLS - 1);
		slot += s > i ? frequency[i] : 0;
		word[i / 2] |= ((0u - (16 * slot + s)) & 0xffff) << i % 2 * 16;
	}
	for (int i = 0; i < 2; i++) {
		to->first[bin][i] = word[i];
		to->second[bin][i] = word[2 + i];
	}
	for (int i = 0; i < 4; i++)
		to->last[bin][i] = word[4 + i];
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
