/* SPDX-License-Identifier: BSD-2-Clause */
/* How the stored form of a set of codes has a length: doc/format.md, 5.5. */
#ifndef XC_ENTROPY_STORED_LENGTH_H
#define XC_ENTROPY_STORED_LENGTH_H

#include "entropy/huffman.h"

#ifndef XC_DEVICE
#define XC_DEVICE
#endif

/* Words: of three bits for a symbol that has no code, and before a length of four bits; the first of
 * those of four bits, for steps of 2 and 3. */
enum { XC_STORED_ABSENT = 4, XC_STORED_OTHER = 7, XC_STORED_STEPS = 10 };

/* How late an AC symbol comes in the order: (run + 4) * size, or for those without a value. */
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
