/* SPDX-License-Identifier: BSD-2-Clause */
/* One component of one segment: from bits to coefficients. */
#ifndef XC_ENTROPY_SEGMENT_DECODE_H
#define XC_ENTROPY_SEGMENT_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "entropy/decode_table.h"

/* The bits being read: the highest `count` of `bits` are the next ones.  Past the
 * end there are zeros; xc_bit_reader_end() tells. */
typedef struct xc_bit_reader {
	const uint8_t *next, *end;
	const uint8_t *fast; /* up to here 8 bytes can be read at once */
	uint64_t bits;
	unsigned count;
	unsigned beyond; /* bytes of zeros made up past the end */
} xc_bit_reader;

/* size bytes at data; readable (not used, but touched) up to `readable`. */
void xc_bit_reader_init(xc_bit_reader *reader, const uint8_t *data, size_t size,
                        const uint8_t *readable);

/* 1: all was read but less than 8 bits, which are zero. */
int xc_bit_reader_at_end(const xc_bit_reader *reader);

/* Decodes wide * high blocks into `blocks` ([wide * high * 64 + 1], transposed
 * order; the last one is scratch) and says for each whether it has only a DC.
 * Returns 1, or 0 when the symbols make no sense; the blocks are then valid but
 * meaningless. */
int xc_decode_blocks16(xc_bit_reader *reader, const xc_decode_table *dc, const xc_decode_table *ac,
                       uint32_t wide, uint32_t high, int16_t *blocks, uint8_t *dc_only);
int xc_decode_blocks16_bmi2(xc_bit_reader *reader, const xc_decode_table *dc,
                            const xc_decode_table *ac, uint32_t wide, uint32_t high, int16_t *blocks,
                            uint8_t *dc_only);
int xc_decode_blocks32(xc_bit_reader *reader, const xc_decode_table *dc, const xc_decode_table *ac,
                       uint32_t wide, uint32_t high, int32_t *blocks, uint8_t *dc_only);

#endif
