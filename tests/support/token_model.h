/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a component's coefficients become bits, described as plainly as possible and
 * without anything of the codec but its Huffman codes; and coefficients to try it on.
 */
#ifndef XC_TESTS_SUPPORT_TOKEN_MODEL_H
#define XC_TESTS_SUPPORT_TOKEN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "entropy/huffman.h"
#include "entropy/tokens.h"

enum { WIDE = 7, HIGH = 5, BLOCKS = WIDE * HIGH, KINDS = 14 };

/* Blocks in transposed order; the narrow ones are the same numbers for 8-bit pictures
 * and mean nothing for deep ones.  The last coefficient is a decoder's scratch. */
typedef struct picture {
	int32_t c[BLOCKS * 64 + 1];
	int16_t narrow[BLOCKS * 64 + 1];
} picture;

/* What a component is made of: symbols, each with value bits after it. */
typedef struct symbol {
	int ac;
	unsigned symbol, size, escape;
	int32_t value;
} symbol;

typedef struct description {
	symbol symbols[BLOCKS * 65];
	size_t count;
	size_t tokens[BLOCKS]; /* AC symbols of each block */
} description;

typedef struct bits {
	uint8_t byte[BLOCKS * XC_CODED_BLOCK_BYTES];
	size_t count;
} bits;

uint32_t xc_model_random(uint32_t n);

/* Before anything else. */
void xc_model_init(void);

/* Round r below KINDS has blocks of one kind, later ones a mixture. */
void xc_model_picture(picture *p, int deep, int round);

void xc_model_describe(const int32_t *c, description *d);

/* codes: of DC and of AC. */
void xc_model_write(const description *d, const xc_huffman_code codes[2], bits *out);

#endif
