/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens: a segment's coefficients between the transform and the coder.
 *
 * A token is one AC symbol with its value: (value + 32) * 16 + run, where run is the
 * number of zeros before a coefficient.  Value 0 with run 0 ends a block, with run 15
 * it stands for 16 zeros.  Tokens below 1024 have values from -32 to 31 and index the
 * coder's tables directly.  Tokens of 16 bits serve 8-bit pictures (a coefficient of
 * an orthonormal transform of support 16x16 stays within 16 * 128 = 2048), tokens of
 * 32 bits the deeper ones.
 */
#ifndef XC_ENTROPY_TOKENS_H
#define XC_ENTROPY_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "entropy/huffman.h"

enum {
	XC_TOKENS_PER_BLOCK = 64, /* at most: 63 coefficients, or fewer and an end */
	XC_TOKEN_BIAS = 32,
	XC_SMALL_TOKENS = 16 * 2 * XC_TOKEN_BIAS,
	XC_END_TOKEN = XC_TOKEN_BIAS * 16,       /* value 0, run 0 */
	XC_ZEROS_TOKEN = XC_TOKEN_BIAS * 16 + 15, /* value 0, run 15 */
	XC_SMALL_DC = 256, /* DC differences from -128 to 127 have their own entries too */
	/* What a block can take in the bitstream, in bytes: a DC of 16 + 4 + 28 bits and
	 * 63 AC of 16 + 4 + 28, rounded up. */
	XC_CODED_BLOCK_BYTES = 64 * 6,
	XC_CODED_SLACK = 16 /* the coder stores whole words past its end */
};

/* How often each token occurs; folded to symbols before a code is built. */
typedef struct xc_token_counts {
	uint32_t small[XC_SMALL_TOKENS]; /* by token */
	uint32_t large[XC_AC_SYMBOLS];   /* the other values, by symbol */
	uint32_t dc[XC_DC_SYMBOLS];
} xc_token_counts;

void xc_token_counts_fold(const xc_token_counts *counts, uint64_t dc[XC_DC_SYMBOLS],
                          uint64_t ac[XC_AC_SYMBOLS]);

/* Code and value bits together, ready to be appended: bits << 6 | number of bits. */
typedef struct xc_coder_tables {
	uint32_t small[XC_SMALL_TOKENS];
	uint32_t small_dc[XC_SMALL_DC]; /* by difference + XC_SMALL_DC / 2 */
	uint32_t ac[XC_AC_SYMBOLS];     /* codes alone, code << 6 | length */
	uint32_t dc[XC_DC_SYMBOLS];
} xc_coder_tables;

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac);

/* One component of one segment.  The arrays are the caller's. */
typedef struct xc_tokens16 {
	uint32_t blocks_wide, blocks_high;
	int16_t *dc;      /* [blocks] differences to the prediction */
	uint8_t *lengths; /* [blocks] tokens of each block, its end included */
	uint16_t *tokens; /* [count] */
	size_t count;
} xc_tokens16;

typedef struct xc_tokens32 {
	uint32_t blocks_wide, blocks_high;
	int32_t *dc;
	uint8_t *lengths;
	uint32_t *tokens;
	size_t count;
} xc_tokens32;

/* blocks of 64 coefficients in transposed order to tokens; returns how many. */
typedef size_t (*xc_tokenize16)(const int16_t *blocks, size_t n, uint8_t *lengths,
                                uint16_t *tokens);
size_t xc_tokenize16_scalar(const int16_t *blocks, size_t n, uint8_t *lengths, uint16_t *tokens);
size_t xc_tokenize16_sse2(const int16_t *blocks, size_t n, uint8_t *lengths, uint16_t *tokens);
size_t xc_tokenize16_avx2(const int16_t *blocks, size_t n, uint8_t *lengths, uint16_t *tokens);
size_t xc_tokenize16_avx512(const int16_t *blocks, size_t n, uint8_t *lengths, uint16_t *tokens);
size_t xc_tokenize32_scalar(const int32_t *blocks, size_t n, uint8_t *lengths, uint32_t *tokens);

/* DC less its prediction: the median of left, upper and left + upper - upper left
 * (LOCO-I's edge detector); left alone in the first row, upper alone in the first
 * column, zero for the first block. */
void xc_predict_dc16(const int16_t *blocks, uint32_t wide, uint32_t high, int16_t *out);
void xc_predict_dc32(const int32_t *blocks, uint32_t wide, uint32_t high, int32_t *out);

/* Functions with _bmi2 in their names are the same source for processors that have
 * BMI2 (any with AVX2). */
void xc_count_tokens16(const xc_tokens16 *tokens, xc_token_counts *counts);
void xc_count_tokens16_bmi2(const xc_tokens16 *tokens, xc_token_counts *counts);
void xc_count_tokens32(const xc_tokens32 *tokens, xc_token_counts *counts);

/* The bits being written: the first bit of a byte is its highest. */
typedef struct xc_bit_writer {
	uint8_t *next;
	uint64_t bits;  /* the lowest `count` are not stored yet */
	unsigned count; /* 0 to 7 between calls */
} xc_bit_writer;

/* Appends one component: for each block its DC difference and its tokens. */
void xc_code_tokens16(xc_bit_writer *w, const xc_tokens16 *tokens, const xc_coder_tables *tables);
void xc_code_tokens16_bmi2(xc_bit_writer *w, const xc_tokens16 *tokens,
                           const xc_coder_tables *tables);
void xc_code_tokens32(xc_bit_writer *w, const xc_tokens32 *tokens, const xc_coder_tables *tables);

/* Fills the last byte with zeros and returns the end. */
uint8_t *xc_bit_writer_finish(xc_bit_writer *w);

/* Bits that xc_code_tokens would append for the DC and for the AC. */
void xc_cost_tokens16(const xc_tokens16 *tokens, const xc_coder_tables *tables, uint64_t *dc,
                      uint64_t *ac);
void xc_cost_tokens32(const xc_tokens32 *tokens, const xc_coder_tables *tables, uint64_t *dc,
                      uint64_t *ac);

#endif
