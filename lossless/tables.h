/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frequencies of symbols by level and what coder and decoder make of them. A set of frequencies is
 * 16 numbers whose sum is 4096. The decoder looks a slot of 12 bits up in one of 16 buckets of 256
 * (the alias method: Walker 1977, Vose 1991): a bucket has slots of the symbol of its own number
 * and of one other symbol.
 */
#ifndef XC_LOSSLESS_TABLES_H
#define XC_LOSSLESS_TABLES_H

#include <stddef.h>
#include <stdint.h>

enum {
	XC_SYMBOLS = 16,
	XC_LEVELS = 64,
	XC_FREQUENCY_BITS = 12,
	XC_FREQUENCY_ONE = 1 << XC_FREQUENCY_BITS,
	XC_BUCKET = XC_FREQUENCY_ONE / XC_SYMBOLS
};

/* A frequency as it is stored: 0 is none, i stands for (8 + (i - 1) % 8) 2^((i - 1) / 8). */
typedef uint8_t xc_shape_index[XC_SYMBOLS];
enum { XC_SHAPE_INDICES = 98 };

/* The indices nearest to counts, not all of which are zero. */
void xc_shape_of_counts(const uint32_t counts[XC_SYMBOLS], xc_shape_index shape);
/* The frequencies that they stand for. */
void xc_shape_frequencies(const xc_shape_index shape, uint16_t frequencies[XC_SYMBOLS]);
/* A bucket has two entries. own: frequency in bits 0 to 11, what is to be added to the slot in 12 to 23, and the
 * first slot of the other symbol in 24 to 31. other: likewise, and its symbol in 24 to 27. */
typedef struct xc_bucket {
	uint32_t own, other;
} xc_bucket;

void xc_buckets_make(const uint16_t frequencies[XC_SYMBOLS], xc_bucket buckets[XC_SYMBOLS]);

/* For coding: of a symbol its frequency in bits 0 to 11 and the sum of those before it above, and
 * its reciprocal less 2^-22 of it: states are below 2^20 times the frequency, so that their products
 * are too small by less than 1. And the slot of each number below 4096. */
#define XC_RECIPROCAL(f) ((f) ? (1 - 0x1p-22F) / (f) : 0)
typedef struct xc_code_symbol {
	uint32_t frequency;
	float reciprocal;
} xc_code_symbol;

void xc_code_make(const uint16_t frequencies[XC_SYMBOLS], const xc_bucket buckets[XC_SYMBOLS],
                  xc_code_symbol symbols[XC_SYMBOLS], uint16_t slots[XC_FREQUENCY_ONE]);

#endif
