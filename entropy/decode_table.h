/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that decode a symbol and its value in one look-up.
 *
 * The next XC_LOOKUP_BITS bits index `entry`.  When code and value bits lie within
 * them, as nearly always, the entry holds all there is to know:
 *   bits 0-5    bits to consume, code and value together
 *   bits 8-15   how far the scan position moves: run + 1, or XC_END_STEP
 *   bits 16-31  the value, signed
 * Otherwise XC_ENTRY_MORE is set: bits 0-5 hold the length of the code alone and bits
 * 16-31 the size of the value that follows it.  An entry of 0 says that the code is
 * longer than the index, or its size an escape.
 */
#ifndef XC_ENTROPY_DECODE_TABLE_H
#define XC_ENTROPY_DECODE_TABLE_H

#include <stdint.h>

#include "entropy/huffman.h"

enum {
	XC_LOOKUP_BITS = 11,
	XC_ENTRY_MORE = 1 << 7,
	XC_END_STEP = 128 /* past any position that a run can reach */
};

typedef struct xc_decode_table {
	uint32_t entry[1 << XC_LOOKUP_BITS];
	/* For the other codes, in canonical order: those of length l are below limit[l]
	 * when left-aligned in 16 bits, and the symbol of such a code c is
	 * symbol[(uint8_t)(offset[l] + (c >> (16 - l)))]. */
	uint32_t limit[XC_MAX_CODE_LENGTH + 1];
	uint16_t offset[XC_MAX_CODE_LENGTH + 1];
	uint8_t symbol[XC_MAX_SYMBOLS];
} xc_decode_table;

/* What decodes one component. */
typedef struct xc_decode_tables {
	xc_decode_table dc, ac;
} xc_decode_tables;

/* The codes: complete, as xc_huffman_assign() leaves them. */
void xc_decode_tables_init(xc_decode_tables *tables, const xc_huffman_code *dc,
                           const xc_huffman_code *ac);

#endif
