/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's decisions: which value each coefficient takes.
 *
 * Coefficients come in sixteenths of a step (entropy/points.h).  All arithmetic is of integers, so
 * every machine decides alike.
 */
#ifndef XC_SRC_ENCODE_DECIDE_H
#define XC_SRC_ENCODE_DECIDE_H

#include "src/container/segment.h"

/* What a bit is worth, in squares of a sixteenth of a step: 0.117 of the square of a step. */
enum { XC_LAMBDA = 30 };

/* What the decisions about a class (luma or chroma) weigh. */
typedef struct xc_decision {
	int dead_zone; /* 0: values are rounded to the nearest, as the window is 0 */
	/* How many of the coefficients before it a value is weighed with; 0: none, values are
	 * rounded, perhaps with a dead zone.  The members below are for more. */
	uint32_t window;
	xc_value_points points;
	/* What the bits of each symbol in each context cost, those of its value included, in
	 * squares of a sixteenth of a step. */
	uint16_t weights[XC_AC_CONTEXTS][XC_AC_SYMBOLS];
} xc_decision;

/* Sets the weights to those of the codes. */
void xc_decision_take_codes(xc_decision *decision, const xc_code_set *codes);

/* Turns coefficients of n blocks of a component, wide of them in a row, to quantized values, and
 * adds to the offsets.  factors: what a bit is worth in each block, in parts of XC_FACTOR_ONE.  dc:
 * room for n coefficients. */
void xc_decide(const xc_decision *decision, const xc_entropy_level *level, void *blocks,
               uint32_t wide, uint32_t high, const uint16_t *factors, void *dc,
               xc_offsets *offsets);

#endif
