/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the components of a picture, for src/encode/plan.c, and turns the stored matrix into those
 * that encoder and decoder multiply by. */
#include "transform/colour_matrix.h"

#include <math.h>
#include <string.h>

/* Y, Cb and Cr of R, G and B (ITU-T T.871). */
static const double ycbcr[3][3] = {
	{0.299, 0.587, 0.114},
	{-0.299 / 1.772, -0.587 / 1.772, 0.886 / 1.772},
	{0.701 / 1.402, -0.587 / 1.402, -0.114 / 1.402},
};

/* Rotates a symmetric matrix so that element (p, q) becomes zero (Jacobi), and accumulates the
 * rotations in `axes`, whose columns become the eigenvectors. Only operations that IEEE 754 rounds
 * exactly are used, so that every machine gets the same. */
static void turn(double m[3][3], double axes[3][3], int p, int q)
{
	if (m[p][q] == 0)
		return;
	const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
	const double size = theta < 0 ? -theta : theta;
	const double t = (theta < 0 ? -1 : 1) / (size + sqrt(theta * theta + 1));
	const double c = 1 / sqrt(t * t + 1), s = t * c;
	for (int k = 0; k < 3; k++) {
		const double a = m[k][p], b = m[k][q];
		m[k][p] = c * a - s * b;
		m[k][q] = s * a + c * b;
	}
	for (int k = 0; k < 3; k++) {
		const double a = m[p][k], b = m[q][k];
		m[p][k] = c * a - s * b;
		m[q][k] = s * a + c * b;
	}
	for (int k = 0; k < 3; k++) {
		const double a = axes[k][p], b = axes[k][q];
		axes[k][p] = c * a - s * b;
		axes[k][q] = s * a + c * b;
	}
}

/* The axes in the order of their variance, each with a positive sum. */
static void order(const double m[3][3], const double axes[3][3], double out[3][3])
{
	int by[3] = {0, 1, 2};

	for (int i = 0; i < 3; i++) {
		for (int j = i + 1; j < 3; j++) {
			if (m[by[j]][by[j]] > m[by[i]][by[i]]) {
				const int t = by[i];
				by[i] = by[j];
				by[j] = t;
			}
		}
	}
	for (int i = 0; i < 3; i++) {
		const double sum = axes[0][by[i]] + axes[1][by[i]] + axes[2][by[i]];
		for (int k = 0; k < 3; k++)
			out[k][i] = sum < 0 ? -axes[k][by[i]] : axes[k][by[i]];
	}
}

void xc_colours_choose(const xc_gradients *g, int16_t stored[9])
{
	enum { SWEEPS = 12 };
	double m[3][3], axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, rgb[3][3];

	memcpy(m, g->product, sizeof m);
	for (int i = 0; i < SWEEPS; i++) {
		turn(m, axes, 0, 1);
		turn(m, axes, 0, 2);
		turn(m, axes, 1, 2);
	}
	order((const double(*)[3])m, (const double(*)[3])axes, rgb);
	/* A component is its axis' product with (R, G, B), divided by the root of 3. */
	const double root = sqrt(3);
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			double sum = 0;
			for (int k = 0; k < 3; k++)
				sum += ycbcr[i][k] * rgb[k][j];
			const double parts = sum * root * XC_COLOUR_PARTS;
			stored[i * 3 + j] = (int16_t)(parts < 0 ? parts - 0.5 : parts + 0.5);
		}
	}
}

void xc_colours_inverse(const int16_t stored[9], float inverse[9])
{
	for (int i = 0; i < 9; i++)
		inverse[i] = (float)(stored[i] / (double)XC_COLOUR_PARTS);
}

void xc_colours_forward(const int16_t stored[9], float forward[9])
{
	double m[9], cofactor[9];

	for (int i = 0; i < 9; i++)
		m[i] = stored[i] / (double)XC_COLOUR_PARTS;
	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			const int r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
			cofactor[i * 3 + j] = m[r * 3 + c] * m[s * 3 + d] - m[r * 3 + d] * m[s * 3 + c];
		}
	}
	const double determinant = m[0] * cofactor[0] + m[1] * cofactor[1] + m[2] * cofactor[2];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			forward[i * 3 + j] = (float)(cofactor[j * 3 + i] / determinant);
}
