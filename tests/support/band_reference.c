/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/band_reference.h"

#include <math.h>
#include <stdlib.h>

static const long double pi = 3.14159265358979323846264338327950288L;

long double reference_dct_basis(int k, int n)
{
	return sqrtl(k ? 0.25L : 0.125L) * cosl((long double)((2 * n + 1) * k) * pi / 16);
}

void reference_dct(reference *r)
{
	*r = (reference){.length = 8, .edge = REFERENCE_REPEAT};
	for (int k = 0; k < 8; k++)
		for (int n = 0; n < 8; n++)
			r->basis[k][n] = reference_dct_basis(k, n);
}

/* Malvar and Staelin: P0 = 1/2 [De - Do, De - Do; J (De - Do), -J (De - Do)]
 * diag(I, Z), with Z = R1 R2 R3 and R the rotations [cos sin; -sin cos]. */
void reference_lot(reference *r, int stored_edges)
{
	*r = (reference){
		.length = 16,
		.first = stored_edges ? -8 : -4,
		.edge = stored_edges ? REFERENCE_ZERO : REFERENCE_MIRROR,
		.more_blocks = stored_edges,
	};
	long double z[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
	const long double angle[3] = {0.13L * pi, 0.16L * pi, 0.13L * pi};
	for (int i = 0; i < 3; i++) {
		for (int row = 0; row < 4; row++) {
			const long double a = z[row][i], b = z[row][i + 1];
			z[row][i] = a * cosl(angle[i]) - b * sinl(angle[i]);
			z[row][i + 1] = a * sinl(angle[i]) + b * cosl(angle[i]);
		}
	}
	for (int n = 0; n < 8; n++) {
		for (int k = 0; k < 4; k++) {
			const long double left = (reference_dct_basis(2 * k, n) -
			                          reference_dct_basis(2 * k + 1, n)) /
			                         2;
			r->basis[2 * k][n] = r->basis[2 * k][15 - n] = left;
			for (int j = 0; j < 4; j++) {
				r->basis[2 * j + 1][n] += left * z[k][j];
				r->basis[2 * j + 1][15 - n] -= left * z[k][j];
			}
		}
	}
}

/* P = 1/2 [I J; J -I] diag(I, V) [I J; J -I], as full matrices.  V is orthogonal, and optimised for
 * an AR(1) source of 0.95; doc/format.md has (V - I) / 2, rounded to float. */
static void pre_filter(long double p[8][8])
{
	static const long double v[4][4] = {
		{0.81962544049970816112819380826772104887L, 0.55600577619548662307133356388483561768L,
	     0.12909829219501563986160173140531792872L, 0.04904431746129373595974215891007688197L},
		{-0.5589396553443731784751034291862543454L, 0.72999983302438655672419615190425105712L,
	     0.39186418275496348816946624736081404792L, 0.03360309125163406807221679132353477847L},
		{0.11806902216431124294001158799865976498L, -0.3969852480177980944012240305206995598L,
	     0.89273078156227744468847090674567565363L, 0.17746597001289004486566997723702019164L},
		{-0.0431312528723205660696494593543703951L, 0.01898771913289011477918900572957260857L,
	     -0.1811293595122563610490161408218937638L, 0.98232953568060560666148014030378968457L},
	};
	long double w[8][8] = {{0}}, d[8][8] = {{0}}, wd[8][8] = {{0}};

	for (int i = 0; i < 4; i++) {
		w[i][i] = w[i][7 - i] = w[4 + i][3 - i] = d[i][i] = 1;
		w[4 + i][4 + i] = -1;
		for (int j = 0; j < 4; j++)
			d[4 + i][4 + j] = v[i][j];
	}
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			for (int k = 0; k < 8; k++)
				wd[i][j] += w[i][k] * d[k][j] / 2;
	for (int i = 0; i < 8; i++) {
		for (int j = 0; j < 8; j++) {
			p[i][j] = 0;
			for (int k = 0; k < 8; k++)
				p[i][j] += wd[i][k] * w[k][j];
		}
	}
}

void reference_tdlt(reference *r)
{
	*r = (reference){.length = 16, .first = -4, .edge = REFERENCE_MIRROR};
	long double p[8][8];
	pre_filter(p);
	for (int k = 0; k < 8; k++) {
		for (int n = 0; n < 8; n++) {
			for (int t = 0; t < 4; t++) {
				r->basis[k][n] += reference_dct_basis(k, t) * p[4 + t][n];
				r->basis[k][8 + n] += reference_dct_basis(k, 4 + t) * p[t][n];
			}
		}
	}
}

/* --------------------------------------------------------------------- */

static long double sample(const long double *x, ptrdiff_t step, ptrdiff_t size, reference_edge edge,
                          ptrdiff_t at)
{
	const ptrdiff_t padded = (size + 7) / 8 * 8;

	if (edge == REFERENCE_ZERO && (at < 0 || at >= padded))
		return 0;
	if (edge == REFERENCE_MIRROR && at < 0)
		at = -1 - at;
	if (edge == REFERENCE_MIRROR && at >= padded)
		at = 2 * padded - 1 - at;
	return x[(at < size ? at : size - 1) * step];
}

static void forward_line(const reference *r, const long double *in, ptrdiff_t in_step, size_t size,
                         long double *out, ptrdiff_t out_step)
{
	const ptrdiff_t blocks = ((ptrdiff_t)size + 7) / 8 + r->more_blocks;

	for (ptrdiff_t b = 0; b < blocks; b++) {
		for (int k = 0; k < 8; k++) {
			long double sum = 0;
			for (int n = 0; n < r->length; n++)
				sum += r->basis[k][n] *
				       sample(in, in_step, (ptrdiff_t)size, r->edge, 8 * b + r->first + n);
			out[(8 * b + k) * out_step] = sum;
		}
	}
}

int reference_forward(const reference *r, const long double *in, size_t rows, size_t cols,
                      long double *out)
{
	const size_t width = (cols + 7) / 8 * 8 + (size_t)r->more_blocks * 8;
	long double *half = malloc(rows * width * sizeof *half);

	if (!half)
		return -1;
	for (size_t y = 0; y < rows; y++)
		forward_line(r, in + y * cols, 1, cols, half + y * width, 1);
	for (size_t x = 0; x < width; x++)
		forward_line(r, half + x, (ptrdiff_t)width, rows, out + x, (ptrdiff_t)width);
	free(half);
	return 0;
}

double reference_gain(const reference *r, double correlation)
{
	double sum = 0;

	for (int k = 0; k < 8; k++) {
		double variance = 0;
		for (int m = 0; m < r->length; m++)
			for (int n = 0; n < r->length; n++)
				variance += (double)(r->basis[k][m] * r->basis[k][n]) *
				            pow(correlation, abs(m - n));
		sum += log10(variance);
	}
	return -10 * sum / 8;
}
