/* SPDX-License-Identifier: BSD-2-Clause */
/* The zig-zag scan (ITU-T T.81, figure A.6) over blocks in transposed order. */
#ifndef XC_ENTROPY_SCAN_H
#define XC_ENTROPY_SCAN_H

#include <stdint.h>

/* The coefficients in scan order: horizontal frequency * 8 + vertical frequency. */
#define XC_SCAN_63 \
	0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, \
		41, 48, 56, 49, 42, 35, 28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, \
		31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55
#define XC_SCAN_TABLE XC_SCAN_63, 63

/* The position of each coefficient in the scan. */
#define XC_POSITION_TABLE \
	0, 2, 3, 9, 10, 20, 21, 35, 1, 4, 8, 11, 19, 22, 34, 36, 5, 7, 12, 18, 23, 33, 37, 48, 6, 13, \
		17, 24, 32, 38, 47, 49, 14, 16, 25, 31, 39, 46, 50, 57, 15, 26, 30, 40, 45, 51, 56, 58, \
		27, 29, 41, 44, 52, 55, 59, 62, 28, 42, 43, 53, 54, 60, 61, 63

/* Masks of a block's coefficients, brought from the order of storage to that of the scan. */

/* The mask, by scan position, of the coefficients of column u whose bits are set in the index. */
extern const uint64_t xc_scan_mask[8][256];

/* Turns a mask by transposed order into a mask by scan position. */
static inline uint64_t xc_scan_order_mask(uint64_t mask)
{
	uint64_t out = 0;

	for (int u = 0; u < 8; u++)
		out |= xc_scan_mask[u][mask >> 8 * u & 255];
	return out;
}

#endif
