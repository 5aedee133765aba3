/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of CRC-32C: polynomials over GF(2), reflected as in src/core/crc32c.h, so that bit
 * 31 is x^0.  The pieces of a message, each times the power of x for what follows it, add up
 * (exclusive or).  A warp goes over rows of 128 bytes, of which a lane has one word.  From row to
 * row a lane's remainder is multiplied by x^1024, and at the end by x^32 for each word up to the
 * row's end.
 */
#ifndef XC_GPU_RUNTIME_CRC_H
#define XC_GPU_RUNTIME_CRC_H

#include "gpu/runtime/device.h"

#define XC_CRC_POLYNOMIAL 0x82f63b78u /* less x^32 */
#define XC_CRC_ONE 0x80000000u        /* x^0 */

XC_GPU_CONSTANT uint32_t xc_crc_times_x(uint32_t a)
{
	return a >> 1 ^ ((a & 1) ? XC_CRC_POLYNOMIAL : 0);
}

XC_GPU_CONSTANT uint32_t xc_crc_multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	/* All 32 steps written out would be more code than a single use is worth loading. */
	XC_UNROLL_4
	for (int i = 0; i < 32; i++) {
		product ^= (a & XC_CRC_ONE) ? b : 0;
		a <<= 1;
		b = xc_crc_times_x(b);
	}
	return product;
}

/* The remainder `crc` (without the inversions at both ends) continued over a byte. */
XC_GPU_INLINE uint32_t xc_crc_byte(uint32_t crc, uint32_t byte)
{
	crc ^= byte;
	for (int i = 0; i < 8; i++)
		crc = xc_crc_times_x(crc);
	return crc;
}

/* Entry i % 256 of table i / 256: what that byte of a remainder becomes one row later.  row[b] is
 * what bit b becomes. */
XC_GPU_INLINE uint32_t xc_crc_table_entry(const uint32_t row[32], uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t b = 0; b < 8; b++)
		sum ^= (i >> b & 1) ? row[i / 256 * 8 + b] : 0;
	return sum;
}

/* Sets lane[k][i] to x^(32 (32 - i) - 8 k): from word i of a row of 32 to its end, less k bytes of
 * zeros that fill the last word. Returns x^1024, a row of them. */
XC_GPU_CONSTANT uint32_t xc_crc_lane_powers(uint32_t lane[4][32])
{
	uint32_t power = XC_CRC_ONE;

	for (uint32_t m = 1; m <= 128; m++) {
		for (int j = 0; j < 8; j++)
			power = xc_crc_times_x(power);
		lane[(4 - m % 4) % 4][32 - (m + 3) / 4] = power;
	}
	return power;
}

/* Sets row[i] to x^(31 - i) times `power`, for xc_crc_table_entry(). */
XC_GPU_CONSTANT void xc_crc_row_powers(uint32_t row[32], uint32_t power)
{
	for (int i = 31; i >= 0; i--) {
		row[i] = power;
		power = xc_crc_times_x(power);
	}
}

/* A remainder one row on. */
XC_GPU_INLINE uint32_t xc_crc_row(const uint32_t tables[4][256], uint32_t crc)
{
	return tables[0][crc & 255] ^ tables[1][crc >> 8 & 255] ^ tables[2][crc >> 16 & 255] ^
	       tables[3][crc >> 24];
}

#endif
