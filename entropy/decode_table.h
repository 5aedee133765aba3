/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that decode a symbol and its value, or two of each, in one look-up.
 *
 * The next XC_LOOKUP_BITS bits index `entry`. Nearly always they hold the code and the value of a
 * symbol, and mostly those of the next one as well. Then the entry says everything:
 *   bits 0-5    bits to consume, codes and values together
 *   bits 8-15   how far the first symbol moves the scan position: run + 1, or XC_END_STEP
 *   bits 16-31  the first value, signed
 *   bits 32-47  the second value
 *   bits 48-55  the table of the symbol that comes next
 *   bits 56-63  how far both symbols, or the only one, move the position; the highest bit is set if
 *               the last symbol ends the block
 * The second symbol is taken for an AC, which is wrong after position 63.
 *
 * Values are reconstructed: in sixteenths of a step, with the points of reconstruction taken off
 * (doc/format.md, 6.2.3).
 *
 * Otherwise XC_ENTRY_MORE is set, and bits 56-63 hold XC_MORE_STEP:
 *   bits 0-5    bits of the code alone
 *   bits 16-21  bits of the value after it; 0 if the entry says nothing, because the code is longer
 *               than the index or the size is an escape
 *   bits 32-39  how far the symbol moves the position
 *   bits 48-55  the table of the symbol that comes next
 */
#ifndef XC_ENTROPY_DECODE_TABLE_H
#define XC_ENTROPY_DECODE_TABLE_H

#include <stdint.h>

#include "entropy/contexts.h"
#include "entropy/points.h"

enum {
	XC_LOOKUP_BITS = 11,
	XC_TABLE_SIZE = 1 << XC_LOOKUP_BITS,
	XC_DECODE_TABLES = 1 + XC_AC_CONTEXTS, /* at most: of the DC code and of each AC code */
	XC_ENTRY_MORE = 1 << 7,
	XC_END_STEP = 128, /* past any position that a run can reach */
	XC_MORE_STEP = 192 /* past any position that an end of block reaches */
};

/* Codes in canonical order. Left-aligned in 16 bits, a code c of length l is below limit[l], and
 * its symbol is symbol[(uint8_t)(offset[l] + (c >> (16 - l)))]. */
typedef struct xc_canonical_code {
	uint32_t limit[XC_MAX_CODE_LENGTH + 1];
	uint16_t offset[XC_MAX_CODE_LENGTH + 1];
	uint8_t symbol[XC_MAX_SYMBOLS];
} xc_canonical_code;

/* The tables of one component: first those of the DC, then those of the AC codes in order. */
typedef struct xc_decode_tables {
	uint64_t entry[XC_DECODE_TABLES][XC_TABLE_SIZE];
	xc_canonical_code code[XC_DECODE_TABLES];
	uint8_t after_dc[XC_DC_SYMBOLS]; /* the table after a symbol of the DC */
	uint8_t after_ac[XC_AC_SYMBOLS]; /* the table after a symbol of an AC */
	xc_value_points points;
} xc_decode_tables;

/* The codes must be complete, as xc_huffman_assign() leaves them. */
void xc_canonical_code_init(xc_canonical_code *canonical, const xc_huffman_code *code);
void xc_decode_tables_init(xc_decode_tables *tables, const xc_code_set *codes,
                           xc_value_points points);

#endif
