/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a SIMD level for the Huffman mode. */
#ifndef XC_ENTROPY_LEVEL_H
#define XC_ENTROPY_LEVEL_H

#include "entropy/dc_only.h"
#include "entropy/stream.h"
#include "entropy/tokens.h"
#include "src/core/cpu.h"

/* For one width of coefficients; see entropy/tokens.h and entropy/stream.h. */
typedef struct xc_entropy_level {
	size_t width; /* of a coefficient and of a token, in bytes */
	void (*predict_dc)(const void *blocks, uint32_t wide, uint32_t high, void *out);
	xc_tokenizer *tokenize;
	xc_token_counter *count;
	xc_token_coder *code;
	void (*restore_dc)(void *blocks, uint32_t wide, uint32_t high);
	void (*restore_dc_only)(void *dcs, uint32_t wide, uint32_t high);
	void (*dc_only_finish)(xc_dc_only *s);
	/* The decoder of 8-bit pictures; NULL for 16 bits. */
	void (*dc_only_two)(xc_dc_only *a, xc_dc_only *b);
	void (*run_two)(xc_stream16 *a, xc_stream16 *b);
	void (*finish)(xc_stream16 *s);
} xc_entropy_level;

/* depth16: for pictures of 16 bits a sample, whose colours have no SIMD levels. */
const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu, int depth16);

#endif
