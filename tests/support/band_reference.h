/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DCT, the LOT and the TDLT from their definitions, slowly, in long double: basis functions as
 * a table, samples beyond the edges by formula.  Nothing here comes from the code under test.
 */
#ifndef XC_TESTS_SUPPORT_BAND_REFERENCE_H
#define XC_TESTS_SUPPORT_BAND_REFERENCE_H

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

/* Sample n of the basis function k of the orthonormal 8-point DCT. */
long double reference_dct_basis(int k, int n);

void reference_dct(reference *r);
void reference_lot(reference *r, int stored_edges);
void reference_tdlt(reference *r);

/* Transforms rows x cols samples to (rows + 8 more_blocks) x (cols + 8 more_blocks) coefficients,
 * with rows and cols rounded up to multiples of 8.  Returns -1 when memory is out. */
int reference_forward(const reference *r, const long double *in, size_t rows, size_t cols,
                      long double *out);

/* Coding gain in dB for an AR(1) source. */
double reference_gain(const reference *r, double correlation);

#endif
