/* SPDX-License-Identifier: BSD-2-Clause */
/* Masks of a block's coefficients, brought from the order of storage to that of the scan. */
#ifndef XC_ENTROPY_SCAN_MASK_H
#define XC_ENTROPY_SCAN_MASK_H

#include <stdint.h>

/* The mask, by scan position, of the coefficients of column u whose bits are set in the index. */
extern const uint64_t xc_scan_mask[8][256];

/* Bit i of `mask` stands for coefficient i of the transposed order; the result's bit k for
 * position k of the scan. */
static inline uint64_t xc_scan_order_mask(uint64_t mask)
{
	uint64_t out = 0;
	for (int u = 0; u < 8; u++)
		out |= xc_scan_mask[u][mask >> 8 * u & 255];
	return out;
}

#endif
