/* SPDX-License-Identifier: BSD-2-Clause */
/* The entropy coder's functions for 8-bit pictures at one SIMD level. */
#ifndef XC_ENTROPY_LEVEL_H
#define XC_ENTROPY_LEVEL_H

#include "entropy/segment_decode.h"
#include "entropy/tokens.h"
#include "src/cpu.h"

typedef struct xc_entropy_level {
	size_t (*tokenize)(const int16_t *blocks, size_t n, uint8_t *lengths, uint16_t *tokens);
	void (*count)(const xc_tokens16 *tokens, xc_token_counts *counts);
	void (*code)(xc_bit_writer *w, const xc_tokens16 *tokens, const xc_coder_tables *tables);
	int (*decode)(xc_bit_reader *reader, const xc_decode_table *dc, const xc_decode_table *ac,
	              uint32_t wide, uint32_t high, int16_t *blocks, uint8_t *dc_only);
} xc_entropy_level;

const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu);

#endif
