/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of AC symbols, and the set of codes that a class of components (luma or chroma)
 * has for them.
 *
 * The symbol before an AC symbol in its block is the context: coefficients follow
 * neighbours of their own size, and runs follow runs.  A decoder knows the context without looking
 * at any other block, so the entry of a look-up table can name the table of the next symbol, and
 * a decoder can begin in the middle of a segment.
 */
#ifndef XC_ENTROPY_CONTEXTS_H
#define XC_ENTROPY_CONTEXTS_H

#include "entropy/huffman.h"
#include "entropy/token.h"

enum {
	XC_CONTEXT_SMALL_DC,   /* the first symbol after a DC difference of size 0 to 2 */
	XC_CONTEXT_LARGE_DC,   /* the same after a larger one */
	XC_CONTEXT_LARGE,      /* after a coefficient of size 3 or more, */
	XC_CONTEXT_TWO,        /* of size 2, */
	XC_CONTEXT_ONE,        /* of size 1 without zeros before it, */
	XC_CONTEXT_SPARSE_ONE, /* of size 1 after zeros, or after the symbol for 16 zeros */
	XC_AC_CONTEXTS
};

static inline XC_DEVICE unsigned xc_context_after_dc(unsigned size)
{
	return size < 3 ? XC_CONTEXT_SMALL_DC : XC_CONTEXT_LARGE_DC;
}

/* After a coefficient of that size, 1 or more, with `run` zeros before it. */
static inline XC_DEVICE unsigned xc_context_after_value(unsigned run, unsigned size)
{
	if (size >= 2)
		return size > 2 ? XC_CONTEXT_LARGE : XC_CONTEXT_TWO;
	return run ? XC_CONTEXT_SPARSE_ONE : XC_CONTEXT_ONE;
}

/* After an AC symbol that does not end the block. */
static inline XC_DEVICE unsigned xc_context_after_ac(unsigned symbol)
{
	return xc_context_after_value(symbol >> 4, symbol & 15);
}

/* The codes of a class. */
typedef struct xc_code_set {
	xc_huffman_code dc;
	xc_huffman_code ac[XC_AC_CONTEXTS];
	uint32_t ac_codes;               /* of `ac`, 1 or more */
	uint8_t ac_code[XC_AC_CONTEXTS]; /* which of them each context takes */
} xc_code_set;

/* How often each symbol of a class occurs. */
typedef struct xc_symbol_counts {
	uint64_t dc[XC_DC_SYMBOLS];
	uint64_t ac[XC_AC_CONTEXTS][XC_AC_SYMBOLS];
} xc_symbol_counts;

/* Makes a set of one AC code for all contexts. */
void xc_code_set_single(xc_code_set *set, const xc_huffman_code *dc, const xc_huffman_code *ac);

/* Builds the best codes of at most XC_MAX_STORED_LENGTH bits.  Contexts share a code where one
 * of their own would take more bytes to store than it saves; most: codes that are allowed,
 * 1 to XC_AC_CONTEXTS. */
void xc_code_set_build(xc_code_set *set, const xc_symbol_counts *counts, uint32_t most);

/* Stored form (doc/format.md, 5.5), which tells how a set differs from the codes of DC and AC of
 * the built-in set.  write returns the number of bytes, at most XC_STORED_SET_BYTES; read
 * returns the bytes taken, 0 if they are no codes. */
enum { XC_STORED_SET_BYTES = 8 + XC_DC_SYMBOLS + XC_AC_CONTEXTS * (1 + XC_AC_SYMBOLS) };
size_t xc_code_set_write(const xc_code_set *set, const xc_huffman_code built_in[2], uint8_t *out);
size_t xc_code_set_read(xc_code_set *set, const xc_huffman_code built_in[2], const uint8_t *in,
                        size_t size);

#endif
