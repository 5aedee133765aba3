/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of CRC-32C: polynomials over GF(2), reflected as in src/core/crc32c.h, so bit 31
 * is x^0. The remainder of a message is the exclusive or of the remainders of its pieces, each
 * multiplied by the power of x for the bits after it. A warp reads rows of 128 bytes, one word a
 * lane. From row to row a lane multiplies its remainder by x^1024, and at the end by x^32 for each
 * word after its own.
 */
#ifndef XC_GPU_RUNTIME_CRC_H
#define XC_GPU_RUNTIME_CRC_H

#include "gpu/runtime/device.h"
#include "gpu/runtime/warp.h"

#define XC_CRC_POLYNOMIAL 0x82f63b78u /* less x^32 */
#define XC_CRC_ONE 0x80000000u        /* x^0 */

XC_GPU_CONSTANT uint32_t xc_crc_times_x(uint32_t a)
{
	return a >> 1 ^ ((a & 1) ? XC_CRC_POLYNOMIAL : 0);
}

XC_GPU_CONSTANT uint32_t xc_crc_multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	/* Fully unrolled it would be too much code to load for a single use. */
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

/* Entry i % 256 of table i / 256: the remainder of that byte one row later. row[b]: the remainder
 * of bit b. */
XC_GPU_INLINE uint32_t xc_crc_table_entry(const uint32_t row[32], uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t b = 0; b < 8; b++)
		sum ^= (i >> b & 1) ? row[i / 256 * 8 + b] : 0;
	return sum;
}

/* Sets lane[k][i] to x^(32 (32 - i) - 8 k): the bits from word i to the end of a row of 32 words,
 * less k bytes of padding. Returns x^1024, one row. */
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

/* The remainder one row later. */
XC_GPU_INLINE uint32_t xc_crc_row(const uint32_t tables[4][256], uint32_t crc)
{
	return tables[0][crc & 255] ^ tables[1][crc >> 8 & 255] ^ tables[2][crc >> 16 & 255] ^
	       tables[3][crc >> 24];
}

/* The encoder's side: the CRC of a segment by a warp, and of pieces that are combined. */

enum { XC_CRC_POWERS = 40 };

/* Powers of x that the host prepares. */
typedef struct xc_crc_write_constants {
	uint32_t tables[4][256]; /* by byte of a remainder: its value one row of 128 bytes later */
	uint32_t lane[4][XC_WARP_LANES]; /* see xc_crc_lane_powers() */
	uint32_t bytes[XC_CRC_POWERS];   /* x^(8 2^i) */
} xc_crc_write_constants;

static inline void xc_crc_write_constants_init(xc_crc_write_constants *k)
{
	uint32_t row[32]; /* what bit i becomes */

	xc_crc_row_powers(row, xc_crc_lane_powers(k->lane));
	k->bytes[0] = k->lane[3][XC_WARP_LANES - 1];
	for (uint32_t i = 0; i < 1024; i++)
		k->tables[i / 256][i % 256] = xc_crc_table_entry(row, i);
	for (int i = 1; i < XC_CRC_POWERS; i++)
		k->bytes[i] = xc_crc_multiply(k->bytes[i - 1], k->bytes[i - 1]);
}

/* x^(8 n) times crc, the remainder with n bytes of zeros after it; powers is
 * xc_crc_write_constants.bytes. */
XC_GPU_INLINE uint32_t xc_crc_shift(const uint32_t *powers, uint32_t crc, uint64_t n)
{
	for (int i = 0; n; i++, n >>= 1)
		if (n & 1)
			crc = xc_crc_multiply(crc, powers[i]);
	return crc;
}

/* Continues the remainder `crc` over `bytes` bytes of `value`, lowest first. */
XC_GPU_INLINE uint32_t xc_crc_bytes(uint32_t crc, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++, value >>= 8)
		crc = xc_crc_byte(crc, (uint32_t)value & 255);
	return crc;
}

/* ---------------------------------------- one segment, by the 32 lanes of a warp */

/* The four bytes at offset `at` of aligned words; also reads the word after them. */
XC_GPU_INLINE uint32_t xc_crc_unaligned(const uint32_t *words, uint32_t at)
{
	return xc_gpu_funnel(words[at / 4], words[at / 4 + 1], at % 4 * 8);
}

/* The share of `lane` in the remainder of `size` bytes. Leading zeros, which do not change it, make
 * whole rows; lane i takes word i of each. Zeros also pad the last word; the powers in k->lane omit
 * the x^8 that each byte of them would multiply by. */
XC_GPU_INLINE uint32_t xc_crc_write_lane(const xc_crc_write_constants *k,
                                         const uint32_t tables[4][256], const uint32_t *words,
                                         uint32_t size, uint32_t lane)
{
	enum { AT_ONCE = 8 }; /* rows whose loads are under way together */
	const uint32_t n = (size + 3) / 4;
	const uint32_t rows = (n + AT_ONCE * XC_WARP_LANES - 1) / (AT_ONCE * XC_WARP_LANES) * AT_ONCE;
	uint32_t crc = 0, at = n - XC_WARP_LANES * rows + lane; /* before the segment: beyond n */

	if (size < 4) {
		crc = lane ? 0 : ~UINT32_C(0);
		for (uint32_t i = 0; i < size && lane == 0; i++)
			crc = xc_crc_byte(crc, words[0] >> 8 * i & 255);
		return crc;
	}
	for (uint32_t row = 0; row < rows; row += AT_ONCE) {
		uint32_t word[AT_ONCE];
		XC_UNROLL
		for (uint32_t i = 0; i < AT_ONCE; i++)
			word[i] = at + i * XC_WARP_LANES < n ? words[at + i * XC_WARP_LANES] : 0;
		XC_UNROLL
		for (uint32_t i = 0; i < AT_ONCE; i++, at += XC_WARP_LANES) {
			if (at == n - 1 && size % 4)
				word[i] &= ~(~UINT32_C(0) << size % 4 * 8);
			/* The initial value, all ones, inverts the first four bytes. */
			crc = xc_crc_row(tables, crc) ^ (at == 0 ? ~word[i] : word[i]);
		}
	}
	return xc_crc_multiply(crc, k->lane[(4 - size % 4) % 4][lane]);
}

#endif
