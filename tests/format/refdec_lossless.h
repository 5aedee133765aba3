/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the reference decoder for lossless segments share (doc/format.md, section 7):
 * refdec_lossless.c, whose samples are predicted, and refdec_drawing.c. */
#ifndef XC_TESTS_FORMAT_REFDEC_LOSSLESS_H
#define XC_TESTS_FORMAT_REFDEC_LOSSLESS_H

#include <stdlib.h>
#include <string.h>

#include "tests/format/refdec_internal.h"

typedef struct plane {
	int constant, bits, classes, kind[8], c[8][12];
	uint8_t class[64 * 64]; /* of cells */
	refdec_set sets[64];
	int w;
	int32_t outside; /* [7.7] left of row 0 */
	int32_t *v, *g;  /* numbers and magnitudes, row by row; of a drawing colours and escapes */
} plane;

typedef struct part {
	int planes, bits, transform, values;
	uint16_t value[65536];
	plane plane[3];
} part;

/* [7.11] A set of a drawing: C of each symbol and, after the last one, A; and how often it was used. */
typedef struct drawn_set {
	uint32_t symbols, sum[17], uses;
} drawn_set;

typedef struct entry {
	int32_t colour, count;
} entry;

struct refdec_lossless {
	part parts[2];
	uint32_t state[3][16];
	drawn_set sets[157];
	int taken[16 * 6][2], taken_count; /* sets and symbols of a step */
	entry near_entries[1 << 14], far_entries[1 << 16];
	uint32_t colours; /* of the palette */
	int32_t palette[65535];
	int w, h;
	uint8_t given[1024]; /* of each square of a drawing: 1: its pixels are known */
	int32_t numbers[];   /* v and g of four planes */
};

static inline void need(refdec *d, int condition)
{
	if (!condition)
		refdec_fail(d, "a lossless segment is damaged");
}

static inline int clamp(int a, int low, int high)
{
	return a < low ? low : a > high ? high : a;
}

/* The integer that z stands for. */
static inline int32_t unfold(uint32_t z)
{
	return z % 2 ? -(int32_t)(z / 2) - 1 : (int32_t)(z / 2);
}

/* ------------------------------------------------------------------ [7.3] numbers */

/* What follows the symbol of a number. */
static inline int32_t take_residue(refdec *d, uint32_t *x, int symbol, int c, int bits)
{
	const int n = symbol > 9 ? symbol - 9 : 0;

	if (symbol == 15)
		return unfold(refdec_take_raw(d, x, bits));
	const uint32_t z = ((1u << n) - 1 + (uint32_t)(symbol < 9 ? symbol : 9)) << c;
	return unfold(z + refdec_take_raw(d, x, n + c));
}

/* Reads n states, or fewer in fewer rows, or sees that they are as they must be at the end. */
static inline void take_states(refdec *d, uint32_t *state, int n, int end)
{
	for (int i = 0; i < n && i < d->lossless->h; i++) {
		state[i] = end ? state[i] : refdec_read_u32(d);
		need(d, end ? state[i] == 65536 : state[i] >= 65536);
	}
}

/* ------------------------------------------------------- [7.7], [7.8] neighbours */

static inline int v_at(const plane *q, int x, int y)
{
	x -= y < 0 ? 2 : 0;
	y = y < 0 ? 0 : y;
	for (; x < 0 && y > 0; x++)
		y--;
	return x < 0 ? q->outside : q->v[y * q->w + (x < q->w ? x : q->w - 1)];
}

static inline int median(int w, int n, int nw)
{
	return clamp(w + n - nw, w < n ? w : n, w < n ? n : w);
}

/* [7.4] Parts, after the first byte. */
void refdec_read_parts(refdec *d, const refdec_rectangle *r, uint32_t form, uint16_t *samples);
/* [7.11] A drawing, after the first byte. */
void refdec_read_drawing(refdec *d, const refdec_rectangle *r, uint32_t form, uint16_t *samples);

#endif
