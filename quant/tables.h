/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Quantization tables: the built-in ones, the IJG quality curve, and the form in
 * which the kernels want them.
 */
#ifndef XC_QUANT_TABLES_H
#define XC_QUANT_TABLES_H

#include <stdint.h>

#include <xcodec.h>

/* base scaled to a quality of 1 to 100 by the curve of the Independent JPEG
 * Group (percentage 5000/q below 50, 200-2q from there; rounded, 1 to 65535).  For
 * 16 bits a sample a step is 257 times as large before it is rounded, so that a
 * quality means the same relative precision, and 100 quantizes in steps of one
 * 16-bit level. */
void xc_quant_scale(const uint16_t base[64], int quality, unsigned depth, uint32_t steps[64]);

/* For the forward kernel: 1 / (step * what the scaled DCT multiplies by), for the
 * inverse: step * what it wants multiplied, both in transposed order (horizontal
 * frequency * 8 + vertical frequency), computed in double and rounded once. */
void xc_quant_forward_table(const uint32_t steps[64], float table[64]);
void xc_quant_inverse_table(const uint32_t steps[64], float table[64]);
/* The same for the LOT, whose coefficients are orthonormal. */
void xc_quant_forward_table_lot(const uint32_t steps[64], float table[64]);
void xc_quant_inverse_table_lot(const uint32_t steps[64], float table[64]);

#endif
