/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is expected of the AC symbols of blocks, in the rANS mode (entropy/rans/model.h), by
 * products of matrices: the symbols of a block, of its left and of its upper neighbour, 192
 * numbers, times a weight for each position. Of these twelve a position are not 0, at places that
 * depend on the scan. Products have 32 factors a step; 30 steps of 48 have weights, the same ones
 * for pairs of eight positions.
 *
 * A warp takes 32 blocks.  Symbols are words of eight nibbles (gpu/encode/rans/block.h).
 */
#ifndef XC_GPU_ENCODE_RANS_EXPECT_H
#define XC_GPU_ENCODE_RANS_EXPECT_H

#include <string.h>

#include "entropy/rans/model.h"
#include "gpu/runtime/matrix.h"

/* Whose symbols they are, 64 each, two steps each. */
enum { XC_GPU_LEFT, XC_GPU_NOW, XC_GPU_UP, XC_GPU_SEEN };

enum {
	XC_GPU_EXPECT_TILES = 8, /* of eight positions, two and two together */
	XC_GPU_EXPECT_PAIRS = XC_GPU_EXPECT_TILES / 2,
	XC_GPU_EXPECT_STEPS = 2 * XC_GPU_SEEN
};

/* The weights of a class, in the form that xc_warp_multiply() wants of b. */
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

/* Adds what all steps give. */
XC_WARP_INLINE void xc_gpu_expect(const xc_gpu_expect_seen *seen,
                                  const xc_gpu_expect_weights *weights, int pair,
                                  xc_gpu_expect_sums *s)
{
	/* Or those of all pairs would be loaded first, into too many registers. */
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

#endif
