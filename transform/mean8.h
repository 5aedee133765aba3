/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The means along one direction of a plane's blocks of 8, for pictures of reduced size (doc/reduced.md): how much each
 * frequency of a block counts in each mean. Weights are found by inverse transforms of single coefficients, so every
 * transform works the same way. Processor and GPU add them up in the order that src/pixels/reduced.c describes.
 *
 * Include with XC_V as float, as transform/dct8.h.
 */
#ifndef XC_TRANSFORM_MEAN8_H
#define XC_TRANSFORM_MEAN8_H

#include <stdint.h>
#include <string.h>

#include "transform/lapped8.h"

typedef struct xc_mean_side {
	uint32_t hop;   /* means from one block to the next: 1, 2, 4 or 8 */
	uint32_t span;  /* means that a block adds to, beginning (span - hop) / 2 before it: up to 16 */
	uint32_t flat;  /* 1: a mean covers a whole DCT block, so only frequency 0 counts */
	uint32_t shift; /* the logarithm of hop */
	/* [at][k][i]: the weight of frequency k of a block in mean i of those that it adds to; zero if
	 * none. Bit 0 of at: the block is at the beginning of the plane; bit 1: at the end. */
	float weight[4][8][16];
	float by_mean[4][16][8]; /* the same as [at][i][k] */
} xc_mean_side;

/* What the samples of a plane were made by: one of the codec's transforms, or nothing. */
typedef enum xc_mean_steps {
	XC_MEAN_DCT,
	XC_MEAN_LOT,
	XC_MEAN_TDLT,
	XC_MEAN_SAMPLES
} xc_mean_steps;

static inline void xc_mean_block_step(xc_mean_steps steps, float x[8])
{
	if (steps == XC_MEAN_LOT)
		xc_lot8_inverse_block(x);
	else if (steps != XC_MEAN_SAMPLES)
		xc_dct8_inverse(x);
}

static inline void xc_mean_edge_step(xc_mean_steps steps, float x[8])
{
	if (steps == XC_MEAN_LOT)
		xc_lot8_inverse_edge(x);
	else
		xc_tdlt8_inverse_edge(x);
}

/* Sets `out` to the 16 samples from 4 before a block to 4 after it, for block-step output x and
 * neighbours of zero. at: 1: the block is the first of the plane; 2: the last. */
static inline void xc_mean_spread(xc_mean_steps steps, const float x[8], int at, float out[16])
{
	const int lot = steps == XC_MEAN_LOT;
	float left[8] = {0}, right[8] = {0};

	memcpy(left + 4, x, 4 * sizeof *x);
	memcpy(right, x + 4, 4 * sizeof *x);
	if (lot && at & 1)
		memcpy(left, x, 4 * sizeof *x);
	if (lot && at & 2)
		memcpy(right + 4, x + 4, 4 * sizeof *x);
	if (lot || !(at & 1))
		xc_mean_edge_step(steps, left);
	if (lot || !(at & 2))
		xc_mean_edge_step(steps, right);
	memcpy(out, left, sizeof left);
	memcpy(out + 8, right, sizeof right);
	/* Samples beyond the plane do not exist. */
	for (int i = 0; i < 4; i++) {
		out[i] = at & 1 ? 0 : out[i];
		out[12 + i] = at & 2 ? 0 : out[12 + i];
	}
}

/* mean: samples of the plane for each sample of the result, 1, 2, 4 or 8. */
static inline void xc_mean_side_init(xc_mean_side *s, xc_mean_steps steps, uint32_t mean)
{
	const int lap = steps == XC_MEAN_LOT || steps == XC_MEAN_TDLT;
	/* A block reaches 4 samples beyond either side, which may be half of a mean. */
	const uint32_t before = lap ? (4 + mean - 1) / mean : 0, offset = before * mean - (lap ? 4 : 0);

	memset(s, 0, sizeof *s);
	s->hop = 8 / mean;
	while (1u << s->shift < s->hop)
		s->shift++;
	s->span = s->hop + 2 * before;
	s->flat = steps == XC_MEAN_DCT && mean == 8;
	for (int at = 0; at < 4; at++) {
		for (int k = 0; k < 8; k++) {
			float x[8] = {0}, samples[16];
			x[k] = 1;
			xc_mean_block_step(steps, x);
			memcpy(samples, x, sizeof x);
			if (lap)
				xc_mean_spread(steps, x, at, samples);
			for (uint32_t i = 0; i < (lap ? 16 : 8); i++)
				s->weight[at][k][(i + offset) / mean] += samples[i] / (float)mean;
			for (int i = 0; i < 16; i++)
				s->by_mean[at][i][k] = s->weight[at][k][i];
		}
	}
}

/* The index of `weight` for a block. */
static inline XC_DEVICE int xc_mean_at(uint32_t block, uint32_t blocks)
{
	return (block == 0) | (block + 1 == blocks) << 1;
}

#endif
