/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens: a segment's coefficients between the transform and the coder.
 *
 * A component's tokens follow each other without regard to blocks, so that the coder
 * has one loop without ends to mispredict.  A token says what is coded:
 *   0 ... 1023     an AC coefficient from -32 to 31: (value + 32) * 16 + run, where run
 *                  is the number of zeros before it; value 0 with run 0 ends the block,
 *                  with run 15 it stands for 16 zeros
 *   1024 ... 1262  a DC difference from -119 to 119, plus 1143
 *   1263           a DC difference that the next token holds, as a signed number
 *   1264 ...       the other AC coefficients: (value + 47) * 16 + run if it is positive,
 *                  else (value + 32) * 16 + run, modulo 2^16 or 2^32
 * Tokens below 1263 index the coder's tables.  Tokens of 16 bits serve 8-bit pictures,
 * whose coefficients stay within 2040: an orthonormal transform of support 16x16
 * multiplies samples of +-127.5 by 16 at most.  Tokens of 32 bits serve the deeper ones.
 */
#ifndef XC_ENTROPY_TOKENS_H
#define XC_ENTROPY_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "entropy/huffman.h"

enum {
	XC_TOKENS_PER_BLOCK = 66, /* at most: two for the DC, 63 AC and an end */
	XC_TOKEN_SLACK = 64,      /* tokenizers write whole vectors */
	XC_TOKEN_BIAS = 32,
	XC_END_TOKEN = XC_TOKEN_BIAS * 16,        /* value 0, run 0 */
	XC_ZEROS_TOKEN = XC_TOKEN_BIAS * 16 + 15, /* value 0, run 15 */
	XC_DC_TOKENS = XC_TOKEN_BIAS * 32,        /* the first of them */
	XC_MOST_SMALL_DC = 119,
	XC_LARGE_DC_TOKEN = XC_DC_TOKENS + 2 * XC_MOST_SMALL_DC + 1,
	XC_SMALL_TOKENS = XC_LARGE_DC_TOKEN, /* those below are in the tables */
	XC_LARGE_BIAS = 47,                  /* of AC above 31: they follow the DC tokens */
	/* What a block can take in the bitstream, in bytes: a DC of 16 + 4 + 28 bits and
	 * 63 AC of 16 + 4 + 28, rounded up. */
	XC_CODED_BLOCK_BYTES = 64 * 6,
	XC_CODED_SLACK = 16 /* the coder stores whole words past its end */
};

/* How often each token occurs; folded to symbols before a code is built. */
typedef struct xc_token_counts {
	uint32_t small[XC_SMALL_TOKENS]; /* by token */
	uint32_t ac[XC_AC_SYMBOLS];      /* the other ones, by symbol */
	uint32_t dc[XC_DC_SYMBOLS];
} xc_token_counts;

/* Adds those of each symbol to dc and ac. */
void xc_token_counts_fold(const xc_token_counts *counts, uint64_t dc[XC_DC_SYMBOLS],
                          uint64_t ac[XC_AC_SYMBOLS]);

/* Code and value bits together, ready to be appended: bits << 6 | number of bits. */
typedef struct xc_coder_tables {
	uint32_t small[XC_SMALL_TOKENS];
	uint32_t ac[XC_AC_SYMBOLS]; /* codes alone, code << 6 | length */
	uint32_t dc[XC_DC_SYMBOLS];
} xc_coder_tables;

void xc_coder_tables_init(xc_coder_tables *tables, const xc_huffman_code *dc,
                          const xc_huffman_code *ac);

/* One component of one segment; the array is the caller's. */
typedef struct xc_tokens16 {
	uint16_t *tokens;
	size_t count;
} xc_tokens16;

typedef struct xc_tokens32 {
	uint32_t *tokens;
	size_t count;
} xc_tokens32;

/* n blocks of 64 coefficients in transposed order, and the n DC differences that stand
 * for their DC, to tokens; returns how many. */
size_t xc_tokenize16_scalar(const int16_t *blocks, const int16_t *dc, size_t n, uint16_t *tokens);
size_t xc_tokenize16_sse2(const int16_t *blocks, const int16_t *dc, size_t n, uint16_t *tokens);
size_t xc_tokenize16_avx2(const int16_t *blocks, const int16_t *dc, size_t n, uint16_t *tokens);
size_t xc_tokenize16_avx512(const int16_t *blocks, const int16_t *dc, size_t n, uint16_t *tokens);
size_t xc_tokenize32_scalar(const int32_t *blocks, const int32_t *dc, size_t n, uint32_t *tokens);

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

/* Appends one component. */
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
