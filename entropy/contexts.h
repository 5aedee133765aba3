/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of AC symbols, and the set of codes that a class of components (luma or chroma) has for
 * them.
 *
 * The symbol before an AC symbol in its block is the context: coefficients follow neighbours of
 * their own size, and runs follow runs. A decoder knows the context without looking at any other
 * block, so the entry of a look-up table can name the table of the next symbol, and a decoder can
 * begin in the middle of a segment.
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

/* The counts of the symbols of a class. */
typedef struct xc_symbol_counts {
	uint64_t dc[XC_DC_SYMBOLS];
	uint64_t ac[XC_AC_CONTEXTS][XC_AC_SYMBOLS];
} xc_symbol_counts;

/* Makes a set of one AC code for all contexts. */
void xc_code_set_single(xc_code_set *set, const xc_huffman_code *dc, const xc_huffman_code *ac);

/* Builds the best codes of at most XC_MAX_STORED_LENGTH bits. Contexts share a code where one of
 * their own would take more bytes to store than it saves; max: the number of codes allowed, 1 to
 * XC_AC_CONTEXTS. */
void xc_code_set_build(xc_code_set *set, const xc_symbol_counts *counts, uint32_t max);

/* Stored form (doc/format.md, 5.5), which tells how a set differs from the codes of DC and AC of
 * the built-in set. write returns the number of bytes, at most XC_STORED_SET_BYTES; read returns
 * the bytes taken, 0 if they are no codes. */
enum { XC_STORED_SET_BYTES = 8 + XC_DC_SYMBOLS + XC_AC_CONTEXTS * (1 + XC_AC_SYMBOLS) };
size_t xc_code_set_write(const xc_code_set *set, const xc_huffman_code built_in[2], uint8_t *out);
size_t xc_code_set_read(xc_code_set *set, const xc_huffman_code built_in[2], const uint8_t *in,
                        size_t size);

/* Words of the stored form: three bits for a symbol without a code, three bits before a length of
 * four bits, and the first word of four bits, for steps of 2 and 3. */
enum { XC_STORED_ABSENT = 4, XC_STORED_OTHER = 7, XC_STORED_STEPS = 10 };

/* The rank of an AC symbol in the stored order. */
static inline XC_DEVICE unsigned xc_stored_rank(unsigned symbol)
{
	const unsigned run = symbol >> 4, size = symbol & 15;
	return size ? (run + 4) * size : run == 0 ? 0 : run == 15 ? 18 : XC_AC_SYMBOLS + 30;
}

typedef struct xc_stored_word {
	uint32_t bits, count;
} xc_stored_word;

/* The word for a length where the code before has `before`; 0: no code. */
static inline XC_DEVICE xc_stored_word xc_stored_length(uint32_t length, uint32_t before)
{
	const uint32_t more = length > before, step = more ? length - before : before - length;
	xc_stored_word w = {XC_STORED_OTHER << 4 | length, 7};

	if (!before) {
		w.bits = length ? length : 1;
		w.count = length ? 5 : 1;
	} else if (!length) {
		w.bits = XC_STORED_ABSENT;
		w.count = 3;
	} else if (step < 2) {
		w.bits = step ? (more ? 2 : 3) : 0;
		w.count = step ? 3 : 2;
	} else if (step < 4) {
		w.bits = XC_STORED_STEPS + 2 * (step - 2) + !more;
		w.count = 4;
	}
	return w;
}

#endif
