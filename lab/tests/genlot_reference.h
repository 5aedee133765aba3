/* SPDX-License-Identifier: BSD-2-Clause */
/* The GenLOT from its lattice, with the matrices of lab/kernels/genlot8.h. */
#ifndef XC_LAB_TESTS_GENLOT_REFERENCE_H
#define XC_LAB_TESTS_GENLOT_REFERENCE_H

#include <string.h>

#include "tests/support/band_reference.h"

#define XC_V long double
#define XC_REAL long double
#include "lab/kernels/genlot8.h"

typedef long double lattice[8][24];

/* One stage of the lattice: sums and differences of the two halves, the left neighbour's delayed,
 * and the differences turned by v. */
static void turn_and_join(const lattice in, lattice out, const long double v[4][4], int length)
{
	memset(out, 0, sizeof(lattice));
	for (int i = 0; i < 4; i++) {
		for (int n = 0; n < length; n++) {
			/* The left neighbour's lower half comes 8 samples earlier. */
			out[i][n] += in[4 + i][n] / 2;
			out[i][n + 8] += in[i][n] / 2;
			for (int j = 0; j < 4; j++) {
				out[4 + j][n] += v[j][i] * in[4 + i][n] / 2;
				out[4 + j][n + 8] -= v[j][i] * in[i][n] / 2;
			}
		}
	}
}

static void butterflies(lattice x)
{
	for (int i = 0; i < 4; i++) {
		for (int n = 0; n < 24; n++) {
			const long double p = x[i][n], q = x[4 + i][n];
			x[i][n] = p + q;
			x[4 + i][n] = p - q;
		}
	}
}

static void reference_genlot(reference *r)
{
	static const long double odd[4][4] = XC_GENLOT8_ODD, v1[4][4] = XC_GENLOT8_V1;
	static const long double v2[4][4] = XC_GENLOT8_V2;
	static const long double scale[8] = XC_DCT8_FLMAD_SCALES;
	*r = (reference){.length = 24, .first = -8, .edge = REFERENCE_MIRROR};
	lattice a = {{0}}, b, c;
	for (int n = 0; n < 8; n++) {
		for (int i = 0; i < 4; i++) {
			a[i][n] = reference_dct_basis(2 * i, n);
			/* the header has V0 with the DCT's scaling and a factor of 1/4 */
			for (int j = 0; j < 4; j++)
				a[4 + j][n] += 4 * odd[j][i] / scale[2 * i + 1] * reference_dct_basis(2 * i + 1, n);
		}
	}
	butterflies(a);
	turn_and_join(a, b, v1, 8);
	butterflies(b);
	turn_and_join(b, c, v2, 16);
	for (int n = 0; n < 24; n++) {
		for (int i = 0; i < 4; i++) {
			r->basis[2 * i][n] = c[i][n];
			r->basis[2 * i + 1][n] = c[4 + i][n];
		}
	}
}

#endif
