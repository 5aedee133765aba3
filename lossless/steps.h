/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of coder and decoder through a part: bundles of rows, steps, lanes. */
#ifndef XC_LOSSLESS_STEPS_H
#define XC_LOSSLESS_STEPS_H

#include "lossless/code.h"
#include "lossless/model.h"

enum {
	XC_IDLE = XC_LAG * (XC_LANES16 - 1), /* steps at either end in which some lanes are idle */
};

/* A bundle under way. */
typedef struct xc_bundle {
	const xc_part *part;
	uint32_t y, rows;
	int steps; /* of each plane */
	int32_t level_offset;
	const uint8_t *class[XC_PLANES]; /* of its cells */
	const int16_t *above[XC_PLANES]; /* the last row of the bundle before; NULL: there is none */
	int32_t *sums[XC_PLANES];        /* of that row, by column: see xc_plane_state */
	xc_plane_state plane[XC_PLANES];
} xc_bundle;

/* Steps of the bundle of row y. After the last one each lane has gone one column further, for NE of
 * the row below. */
static inline int xc_steps_of(const xc_part *p, uint32_t y)
{
	const uint32_t rows = p->height - y < XC_LANES16 ? p->height - y : XC_LANES16;
	return (int)(p->width + XC_LAG * (rows - 1) + 1);
}

LANES_INLINE void bundle_begin(xc_bundle *b, const xc_part *p, uint32_t y,
                               int32_t (*sums)[XC_STEPS_MOST])
{
	const lanes zero = all_lanes(0);

	b->part = p;
	b->y = y;
	b->rows = p->height - y < XC_LANES16 ? p->height - y : XC_LANES16;
	b->steps = xc_steps_of(p, y);
	b->level_offset = xc_level_offset(p->near);
	for (int c = 0; c < p->planes; c++) {
		const xc_plane16 *s = &p->samples[c];
		const int constant = !p->model[c].bits;
		int first = constant ? p->model[c].value : 0, second = first;
		b->class[c] = p->class[c] + (size_t)(y / XC_CELL) * p->cells_wide;
		b->sums[c] = sums[c];
		b->above[c] = y ? s->first + ((ptrdiff_t)(y - p->first_row) - 1) * s->stride : NULL;
		if (y && !constant) {
			first = b->above[c][-s->stride];
			second = b->above[c][0];
		}
		const lanes start = pair(first, second);
		b->plane[c] = (xc_plane_state){start, start, start, start, zero, zero, zero, zero};
	}
}

/* Lanes that have a column at step x, and lanes that have begun. */
LANES_INLINE uint32_t lanes_begun(int x)
{
	return x >= XC_IDLE ? 0xffff : (2U << x / XC_LAG) - 1;
}

LANES_INLINE uint32_t lanes_active(const xc_bundle *b, int x)
{
	const int gone = x - (int)b->part->width; /* lanes up to gone / 2 have ended */
	const uint32_t ended = gone < 0 ? 0 : gone >= XC_IDLE ? 0xffff : (2U << gone / XC_LAG) - 1;
	return lanes_begun(x) & ~ended & ((1U << b->rows) - 1);
}

LANES_INLINE xc_expected bundle_expect(xc_bundle *b, const int c, int x)
{
	const int width = (int)b->part->width;
	lanes above, twice, sum;

	if (b->above[c]) {
		const int16_t *row = b->above[c] + x, *over = row - b->part->samples[c].stride;
		above = pair(row[0], row[1]);
		twice = pair(over[0], over[1]);
		sum = all_lanes(b->sums[c][x + 1]);
	} else {
		above = twice = first_lane(b->plane[c].last);
		sum = first_lane(b->plane[c].sum);
	}
	return expect(b->part->model, b->plane, c, above, twice, sum,
	              b->class[c][(x < width ? x : width - 1) / XC_CELL], b -> level_offset);
}

/* The samples of lanes without a column: before the first column the one above to the right, after
 * the last one the one before. */
LANES_INLINE lanes bundle_idle(const xc_bundle *b, const int c, int x, const xc_expected *e)
{
	return blend(mask_with(lanes_begun(x)), high_half(e->above), high_half(b->plane[c].last));
}

LANES_INLINE void bundle_advance(xc_bundle *b, const int c, int x, const xc_expected *e,
                                 lanes sample, lanes magnitude)
{
	advance(b->plane, c, e, sample, magnitude);
	/* Lane 15's, for the next bundle. */
	if (x >= XC_IDLE)
		b->sums[c][x - XC_IDLE] = last_lane(b->plane[c].sum);
}

/* Bits of a residue that are stored as they are, by level. */
LANES_INLINE lanes raw_bits_of(lanes level)
{
	return sra(max(sub(level, all_lanes(XC_LEVEL_RAW)), all_lanes(0)), 2);
}

#endif
