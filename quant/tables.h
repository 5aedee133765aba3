/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantization tables: the built-in ones, the IJG quality curve, and those of the kernels. */
#ifndef XC_QUANT_TABLES_H
#define XC_QUANT_TABLES_H

#include <stdint.h>

#include <xcodec.h>

/* Scales `base` to a quality of 1 to 100 by the curve of the Independent JPEG Group: the percentage
 * is 5000/q below 50 and 200-2q from there on, and each step is rounded and held to 1 ... 65535.
 * For samples from 0 to `peak` a step is peak / 255 times as large before it is rounded, so that a
 * quality means the same relative precision, and 100 gives steps of one level. */
void xc_quant_scale(const uint16_t base[64], int quality, uint32_t peak, uint32_t steps[64]);

/* The scale of the sloped tables at a quality, in 256ths: the curve above to the power of 3/4, or
 * of 5/8 below quality 50, with which a quality has the SSIM of the same quality of JPEG. */
uint32_t xc_quant_sloped_scale(int quality);
/* Scales `base` by 256ths; the rest as above. */
void xc_quant_scale_by(const uint16_t base[64], uint32_t scale, uint32_t peak, uint32_t steps[64]);

/* The steps of one component as a function of the diagonal d, the sum of both frequencies: what the
 * file's preset 4 has. The step of the middle of luma is the scale, in 256ths of a level of 8 bits;
 * low: the factors of the diagonals 0, 1 and 2; slope, bend: on the others the factor is
 * 1 + slope x + bend x (1 - x), x = (d - 2) / 12; all in 64ths. */
typedef struct xc_quant_curve {
	uint16_t scale;
	uint8_t low[3], slope;
	int8_t bend;
} xc_quant_curve;

/* Sets the steps for samples up to `peak`. A step between two integers is rounded up on as many
 * places of 64 as its fraction says, so small steps, too, fall evenly as the scale falls. */
void xc_quant_curve_steps(const xc_quant_curve *curve, uint32_t peak, uint32_t steps[64]);

/* Sets the curves of luma and chroma that need the fewest bytes for what the eye sees, at a quality
 * in 256ths, 256 to 25600. full: chroma has the size of luma. bench/rd/search found them. */
void xc_quant_eye_curves(uint32_t quality, int full, xc_quant_curve curves[2]);

/* Steps between two sets; `coarse` is nowhere smaller than `fine`. part: position between them in
 * 256ths, 0 to 255. Frequencies change one after another, so that a unit of all steps is divided
 * into 64 small changes. No step grows with `part`. chroma: 1 or 0, so that the two tables change
 * at different frequencies. */
void xc_quant_between(const uint32_t coarse[64], const uint32_t fine[64], uint32_t part, int chroma,
                      uint32_t steps[64]);

/* Turns steps, row by row, into the multipliers of the kernels, in transposed order (horizontal
 * frequency * 8 + vertical frequency): forward 1 / step, inverse the step, each together with the
 * scale of the transform's coefficients (transform/dct8.h; those of the LOT are orthonormal).
 * parts: coefficients are in that fraction of a step, a power of two. The tables are computed in
 * double and rounded once. */
void xc_quant_forward_table(xc_transform transform, const uint32_t steps[64], int parts,
                            float table[64]);
void xc_quant_inverse_table(xc_transform transform, const uint32_t steps[64], int parts,
                            float table[64]);

#endif
