/* SPDX-License-Identifier: BSD-2-Clause */
/* The entropy coder's functions for 8-bit pictures at one SIMD level. */
#ifndef XC_SRC_CONTAINER_ENTROPY_LEVEL_H
#define XC_SRC_CONTAINER_ENTROPY_LEVEL_H

#include "entropy/stream.h"
#include "entropy/tokens.h"
#include "src/core/cpu.h"

typedef struct xc_entropy_level {
	size_t (*tokenize)(const int16_t *blocks, const int16_t *dc, size_t n, uint16_t *tokens);
	void (*count)(const xc_tokens16 *tokens, xc_token_counts *counts);
	void (*code)(xc_bit_writer *w, const xc_tokens16 *tokens, const xc_coder_tables *tables);
	void (*run_two)(xc_stream16 *a, xc_stream16 *b);
	void (*finish)(xc_stream16 *s);
} xc_entropy_level;

const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu);

#endif
