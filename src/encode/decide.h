/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rdo: which value each coefficient takes, by rate and distortion.
 *
 * Coefficients are in sixteenths of a step (entropy/points.h). All arithmetic is in integers, so
 * every machine decides alike.
 */
#ifndef XC_SRC_ENCODE_DECIDE_H
#define XC_SRC_ENCODE_DECIDE_H

#include "quant/activity.h"
#include "src/container/segment.h"

/* The squared error that a bit is worth: 24 / 256 = 0.094 of a squared step. */
enum { XC_LAMBDA = 24 };

/* The parameters of rdo for luma or for chroma. */
typedef struct xc_decision {
	int dead_zone; /* 0: round to the nearest, if the window is 0 */
	/* Earlier coefficients that a path may come from; 0: rounding, members below unused. */
	uint32_t window;
	xc_value_points points;
	/* The cost of each symbol with the bits of its value, in squares of a sixteenth of a step. */
	uint16_t weights[XC_AC_CONTEXTS][XC_AC_SYMBOLS];
} xc_decision;

/* Sets the weights by the lengths of the codes. */
void xc_decision_take_codes(xc_decision *decision, const xc_code_set *codes);

/* Turns the coefficients of wide x high blocks of a component to quantized values, and adds to the
 * offsets. factors: the worth of a bit in each block, in parts of XC_FACTOR_ONE. dc: room for a
 * coefficient of each block. */
void xc_decide(const xc_decision *decision, const xc_entropy_level *level, void *blocks,
               uint32_t wide, uint32_t high, const uint16_t *factors, void *dc,
               xc_offsets *offsets);

/* How busy a block is: errors hide where a picture is busy. SSIM divides them by the variance
 * around them (Wang et al. 2004), and the eye masks likewise, so rdo saves more bits in a busy
 * block than in a smooth one. Sets up for these steps of luma and samples up to `peak`. */
void xc_activity_init(xc_activity *activity, xc_tune tune, const uint32_t steps[64], uint32_t peak);

/* Sets the factors of n blocks of luma: coefficients in sixteenths of a step, in transposed order,
 * of 16 bits, or of 32 if depth16 is set. */
void xc_activity_factors(const xc_activity *activity, const void *blocks, size_t n, int depth16,
                         uint16_t *factors);

/* lambda: the worth of a bit. The caller sets the points. */
void xc_rans_decision_init(xc_rans_decision *decision, const xc_rans_frequencies *frequencies,
                           uint32_t lambda);

/* xc_decide() for the rANS mode and all components of a segment; adds to the offsets of luma and of
 * chroma. factors: as above, at most 64. scratch: xc_rans_scratch() bytes, aligned to 64. */
typedef void xc_rans_decide(const xc_rans_tables *tables, const xc_rans_decision *decision,
                            const xc_rans_shape *shape, const uint16_t *factors, void *scratch,
                            void *blocks, xc_offsets offsets[2]);

/* The function of a SIMD level for coefficients of 16 or 32 bits. All levels decide alike. */
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
