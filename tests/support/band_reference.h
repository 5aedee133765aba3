/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blockwise and lapped transforms from their definitions, slowly, in long
 * double: basis functions as a table, samples beyond the edges by formula.
 */
#ifndef XC_LAB_TESTS_BAND_REFERENCE_H
#define XC_LAB_TESTS_BAND_REFERENCE_H

#include <stddef.h>

typedef enum reference_edge {
	REFERENCE_REPEAT, /* padded to whole blocks, nothing beyond */
	REFERENCE_ZERO,
	REFERENCE_MIRROR
} reference_edge;

/* Coefficient k of block b is the sum of basis[k][n] x(8 b + first + n). */
typedef struct reference {
	int length; /* of the basis functions: 8, 16 or 24 */
	int first;
	reference_edge edge;
	int more_blocks; /* beyond those of the samples */
	long double basis[8][24];
} reference;

void reference_dct(reference *r);
void reference_lot(reference *r, int stored_edges);
void reference_tdlt(reference *r);
void reference_genlot(reference *r);

/* out: (rows + 8 more_blocks) x (cols + 8 more_blocks), rows and cols rounded up
 * to multiples of 8.  Returns -1 when memory is out. */
int reference_forward(const reference *r, const long double *in, size_t rows, size_t cols,
                      long double *out);

/* Coding gain in dB for an AR(1) source. */
double reference_gain(const reference *r, double correlation);

#endif
