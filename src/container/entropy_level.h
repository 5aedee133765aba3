/* SPDX-License-Identifier: BSD-2-Clause */
/* The entropy coder's functions at one SIMD level, for one width of coefficients. */
#ifndef XC_SRC_CONTAINER_ENTROPY_LEVEL_H
#define XC_SRC_CONTAINER_ENTROPY_LEVEL_H

#include "entropy/stream.h"
#include "entropy/tokens.h"
#include "src/core/cpu.h"

/* See entropy/tokens.h and entropy/stream.h, which declare the functions. */
typedef struct xc_entropy_level {
	size_t width; /* of a coefficient and of a token, in bytes */
	void (*predict_dc)(const void *blocks, uint32_t wide, uint32_t high, void *out);
	size_t (*tokenize)(const void *blocks, const void *dc, size_t n, void *tokens);
	void (*count)(const xc_tokens *tokens, const xc_token_contexts *contexts,
	              xc_token_counts *counts);
	void (*code)(xc_bit_writer *w, const xc_tokens *tokens, const xc_coder *coder);
	void (*cost)(const xc_tokens *tokens, const xc_coder *coder, uint64_t *dc, uint64_t *ac);
	void (*restore_dc)(void *blocks, uint32_t wide, uint32_t high);
	/* The decoder of 8-bit pictures; NULL for deeper ones. */
	void (*run_two)(xc_stream16 *a, xc_stream16 *b);
	void (*finish)(xc_stream16 *s);
} xc_entropy_level;

/* deep: for pictures of 16 bits a sample, which have no SIMD levels. */
const xc_entropy_level *xc_entropy_level_get(xc_cpu cpu, int deep);

#endif
