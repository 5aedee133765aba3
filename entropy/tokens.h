/* SPDX-License-Identifier: BSD-2-Clause */
/* Making, counting and coding the tokens of a component; entropy/token.h says what they are. */
#ifndef XC_ENTROPY_TOKENS_H
#define XC_ENTROPY_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "entropy/contexts.h"

/* The counts of tokens in a context. They are folded to symbols before a code is built. */
typedef struct xc_token_counts {
	uint32_t small[XC_SMALL_TOKENS]; /* by token */
	uint32_t ac[XC_AC_SYMBOLS];      /* the other tokens, by symbol */
	uint32_t dc[XC_DC_SYMBOLS];
} xc_token_counts;

/* Adds the counts of a context to those of symbols: dc[XC_DC_SYMBOLS], ac[XC_AC_SYMBOLS]. */
void xc_token_counts_fold(const xc_token_counts *counts, uint64_t *dc, uint64_t *ac);

/* The context after each small token, for the AC token that follows it in its block. */
typedef struct xc_token_contexts {
	uint8_t after[XC_SMALL_TOKENS];
} xc_token_contexts;
void xc_token_contexts_init(xc_token_contexts *contexts);

/* The coder's tables for the code of DC and one of AC. Code and value bits together, ready to be
 * appended: bits << 6 | number of bits. */
typedef struct xc_coder_tables {
	uint32_t small[XC_SMALL_TOKENS];
	uint32_t ac[XC_AC_SYMBOLS]; /* codes alone, code << 6 | length */
	uint32_t dc[XC_DC_SYMBOLS];
} xc_coder_tables;

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac);

/* The coder of a class. */
typedef struct xc_coder {
	uint32_t codes;       /* of AC; the next two members are set only if there are several */
	const uint8_t *after; /* see xc_token_contexts */
	uint8_t number[XC_AC_CONTEXTS]; /* which of the tables each context takes */
	xc_coder_tables tables[XC_AC_CONTEXTS];
} xc_coder;

/* `contexts` must stay. */
void xc_coder_init(xc_coder *coder, const xc_code_set *codes, const xc_token_contexts *contexts);

/* One component of one segment; the array is the caller's, of uint16_t or uint32_t. */
typedef struct xc_tokens {
	void *tokens;
	size_t count;
} xc_tokens;

/* The functions below exist for two widths: 16 in a name stands for coefficients of int16_t and
 * tokens of uint16_t, 32 for int32_t and uint32_t. Functions with _bmi2 in their names are the same
 * source for processors that have BMI2 (any with AVX2). */

/* Makes tokens of n blocks of 64 coefficients in transposed order, with the n DC differences in
 * place of their DC. Returns how many; `tokens` must have room for XC_TOKENS_PER_BLOCK a block and
 * XC_TOKEN_SLACK. */
typedef size_t xc_tokenizer(const void *blocks, const void *dc, size_t n, void *tokens);
xc_tokenizer xc_tokenize16_scalar, xc_tokenize16_sse2, xc_tokenize16_avx2, xc_tokenize16_avx512,
	xc_tokenize32_scalar;

/* Sets `out` to the DC of wide x high blocks less their predictions; see entropy/value.h. */
void xc_predict_dc16(const void *blocks, uint32_t wide, uint32_t high, void *out);
void xc_predict_dc32(const void *blocks, uint32_t wide, uint32_t high, void *out);

/* Replaces the DC differences of the blocks by the DC. */
void xc_restore_dc16(void *blocks, uint32_t wide, uint32_t high);
void xc_restore_dc32(void *blocks, uint32_t wide, uint32_t high);
/* The same for DCs alone, side by side, which are whole values and become sixteenths of a step. */
void xc_restore_dc_only16(void *dcs, uint32_t wide, uint32_t high);
void xc_restore_dc_only32(void *dcs, uint32_t wide, uint32_t high);

/* Adds to counts[0], or to those of each context if `contexts` is not NULL. */
typedef void xc_token_counter(const xc_tokens *tokens, const xc_token_contexts *contexts,
                              xc_token_counts *counts);
xc_token_counter xc_count_tokens16, xc_count_tokens16_bmi2, xc_count_tokens32;

/* The bits being written: the first bit of a byte is its highest. */
typedef struct xc_bit_writer {
	uint8_t *next;
	uint64_t bits;  /* the lowest `count` are not stored yet */
	unsigned count; /* 0 to 7 between calls */
} xc_bit_writer;

/* Appends one component, at most XC_CODED_BLOCK_BYTES a block. Stores XC_CODED_SLACK more. */
typedef void xc_token_coder(xc_bit_writer *w, const xc_tokens *tokens, const xc_coder *coder);
xc_token_coder xc_code_tokens16, xc_code_tokens16_bmi2, xc_code_tokens32;

/* Fills the last byte with zeros and returns the end. */
uint8_t *xc_bit_writer_finish(xc_bit_writer *w);

#endif
