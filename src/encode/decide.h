/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoder's decisions: which value each coefficient takes.
 *
 * Coefficients come in sixteenths of a step (entropy/points.h). All arithmetic is of integers, so
 * every machine decides alike.
 */
#ifndef XC_SRC_ENCODE_DECIDE_H
#define XC_SRC_ENCODE_DECIDE_H

#include "quant/activity.h"
#include "src/container/segment.h"

/* What a bit is worth, in squares of a sixteenth of a step: 0.117 of the square of a step. */
enum { XC_LAMBDA = 30 };

/* What the decisions about a class (luma or chroma) weigh. */
typedef struct xc_decision {
	int dead_zone; /* 0: values are rounded to the nearest, as the window is 0 */
	/* How many of the coefficients before it a value is weighed with; 0: none, values are rounded,
	 * perhaps with a dead zone. The members below are for more. */
	uint32_t window;
	xc_value_points points;
	/* What the bits of each symbol in each context cost, those of its value included, in squares of
	 * a sixteenth of a step. */
	uint16_t weights[XC_AC_CONTEXTS][XC_AC_SYMBOLS];
} xc_decision;

/* Sets the weights to those of the codes. */
void xc_decision_take_codes(xc_decision *decision, const xc_code_set *codes);

/* Turns coefficients of n blocks of a component, wide of them in a row, to quantized values, and
 * adds to the offsets. factors: what a bit is worth in each block, in parts of XC_FACTOR_ONE. dc:
 * room for n coefficients. */
void xc_decide(const xc_decision *decision, const xc_entropy_level *level, void *blocks,
               uint32_t wide, uint32_t high, const uint16_t *factors, void *dc,
               xc_offsets *offsets);

/* Sets up for luma with these steps, row by row, of samples up to `peak`. */
void xc_activity_init(xc_activity *activity, xc_tune tune, const uint32_t steps[64], uint32_t peak);

/* Sets the factors of n blocks of luma: coefficients in sixteenths of a step, in transposed order,
 * of 16 bits or 32 (deep). */
void xc_activity_factors(const xc_activity *activity, const void *blocks, size_t n, int depth16,
                         uint16_t *factors);

/* lambda: what a bit is worth.  The caller sets the points. */
void xc_rans_decision_init(xc_rans_decision *decision, const xc_rans_frequencies *frequencies,
                           uint32_t lambda);

/* The same in the rANS mode, for all components of a segment: finds what is best for the tables
 * that the decision was made of, and adds to the offsets of luma and of chroma. factors: 16 for as
 * much as the decision says, 64 at most. scratch: xc_rans_scratch() bytes, aligned to 64. */
typedef void xc_rans_decide(const xc_rans_tables *tables, const xc_rans_decision *decision,
                            const xc_rans_shape *shape, const uint16_t *factors, void *scratch,
                            void *blocks, xc_offsets offsets[2]);

/* The function of a SIMD level for coefficients of 16 (deep 0) or 32 bits. All levels decide
 * alike. */
xc_rans_decide *xc_rans_decide_get(xc_cpu cpu, int depth16);

/* decide_rans.c at each level. */
extern xc_rans_decide *const xc_rans_scalar_decide[2];
#ifdef XC_HAVE_AVX2
extern xc_rans_decide *const xc_rans_avx2_decide[2];
#endif
#ifdef XC_HAVE_AVX512
extern xc_rans_decide *const xc_rans_avx512_decide[2];
#endif

#endif
