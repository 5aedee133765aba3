/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of samples: what is predicted of each, and which level of frequencies its residue has.
 * Coder and decoder take the same steps (lossless/encode.c, lossless/decode.c).
 *
 * Rows are taken in bundles of sixteen, a lane each. Lane i is 2 i columns behind the first one, and
 * plane p another p columns: at step t of its own a plane's lane i is at column t - 2 i. So the
 * neighbours N, NE, NW, NN and NNE of all lanes are vectors of earlier steps moved by a lane. The
 * state of a plane is six vectors.
 */
#ifndef XC_LOSSLESS_MODEL_H
#define XC_LOSSLESS_MODEL_H

#include "lossless/lanes.h"
#include "lossless/part.h"

/* Weights of the sum whose logarithm is the level of a sample, by plane: of the magnitudes of
 * residues around it, and of differences of samples. Found by descent on photographs. */
typedef struct xc_level_weights {
	int w, ww;      /* magnitudes of the same row */
	int n, ne, nw;  /* of the row above */
	int along;      /* |N - NW| and |NE - N| */
	int down;       /* |W - N| */
	int earlier[2]; /* the magnitude of the plane before, and of the one before that */
} xc_level_weights;

static const xc_level_weights xc_weights_of_levels[XC_PLANES] = {
	{21, 16, 21, 18, 16, 3, 4, {0, 0}},
	{14, 6, 9, 13, 8, 6, 11, {6, 0}},
	{13, 5, 9, 9, 8, 4, 6, {12, 4}},
};

enum {
	/* A level is a quarter of an octave. */
	XC_LEVEL_SHIFT = 21,
	XC_LEVEL_RAW = 19 /* a residue's lowest bit is stored as it is from four levels above on */
};

typedef struct xc_plane_state {
	lanes last, before; /* pairs of samples: the two before this column, and a step earlier */
	lanes above, above_before; /* N and NE a step and two steps earlier */
	lanes m;                   /* the pair of the last two magnitudes */
	lanes sum;                 /* what the row contributes to levels of the next row */
	lanes class1, class2;      /* the predictors of the last two steps */
} xc_plane_state;

/* What a step finds before it knows the sample. */
typedef struct xc_expected {
	lanes above;  /* N and NE */
	lanes sample; /* the prediction */
	lanes level;
} xc_expected;

LANES_INLINE lanes high_half(lanes pairs)
{
	return sra(pairs, 16);
}

LANES_INLINE lanes low_half(lanes pairs)
{
	return sra(sll(pairs, 16), 16);
}

LANES_INLINE lanes median(lanes w, lanes n, lanes nw)
{
	return max(min(w, n), min(max(w, n), sub(add(w, n), nw)));
}

/* The expectation of plane p. fill_above, fill_twice: the pairs above lane 0, in their last lane;
 * fill_sum likewise; class0: the class of lane 0 in all lanes. */
LANES_INLINE xc_expected expect(const xc_plane_model *model, xc_plane_state *s, const int p,
                                lanes fill_above, lanes fill_twice, lanes fill_sum, int32_t class0,
                                int32_t level_offset)
{
	const xc_plane_model *m = &model[p];
	const xc_level_weights *k = &xc_weights_of_levels[p];
	xc_plane_state *own = &s[p];
	xc_expected e;
	lanes class = all_lanes(0);

	if (m->classes > 1) {
		class = up(own->class2, all_lanes(class0));
		own->class2 = own->class1;
		own->class1 = class;
	}
	e.above = up(own->last, fill_above);
	const lanes twice = up(own->above_before, fill_twice);
	lanes a = madd(own->last, pick(m->pairs[0], class));
	lanes b = madd(e.above, pick(m->pairs[1], class));
	a = add(a, madd(own->above, pick(m->pairs[2], class)));
	b = add(b, madd(twice, pick(m->pairs[3], class)));
	if (p > 0) {
		a = add(a, madd(s[p - 1].last, pick(m->pairs[4], class)));
		b = add(b, madd(s[p - 1].above, pick(m->pairs[5], class)));
	}
	if (p > 1) {
		a = add(a, madd(s[p - 2].before, pick(m->pairs[6], class)));
		b = add(b, madd(s[p - 2].above_before, pick(m->pairs[7], class)));
	}
	e.sample = sra(add(add(a, b), all_lanes(1 << (XC_TAP_BITS - 1))), XC_TAP_BITS);
	if (m->has_median)
		e.sample = blend(less(pick(m->median, class), all_lanes(0)), e.sample,
		                 median(high_half(own->last), high_half(own->above), low_half(own->above)));

	lanes sum = add(up(own->sum, fill_sum), madd(own->m, pair(k->ww, k->w)));
	sum = add(sum, madd(distance16(own->last, own->above), pair(0, k->down)));
	if (p > 0)
		sum = add(sum, madd(s[p - 1].m, pair(0, k->earlier[0])));
	if (p > 1)
		sum = add(sum, madd(s[p - 2].m, pair(k->earlier[1], 0)));
	const lanes level = sra(sub(to_float(sum), all_lanes(level_offset)), XC_LEVEL_SHIFT);
	e.level = min(max(level, all_lanes(0)), all_lanes(XC_LEVELS - 1));
	return e;
}

/* Goes on to the next column. magnitude: of the residue times the step, at most 32767. */
LANES_INLINE void advance(xc_plane_state *s, const int p, const xc_expected *e, lanes sample,
                          lanes magnitude)
{
	const xc_level_weights *k = &xc_weights_of_levels[p];
	xc_plane_state *own = &s[p];
	const lanes next = append(own->last, sample), m = append(own->m, magnitude);
	lanes sum = madd(m, pair(k->n, k->ne));

	sum = add(sum, madd(own->m, pair(k->nw, 0)));
	own->sum = add(sum, madd(distance16(next, own->last), pair(k->along, k->along)));
	own->before = own->last;
	own->last = next;
	own->above_before = own->above;
	own->above = e->above;
	own->m = m;
}

#endif
