/* SPDX-License-Identifier: BSD-2-Clause */
/* The components of a picture: the principal axes of its colour gradients (Karhunen-Loeve
 * transform), as matrices between them and Y, Cb and Cr. */
#ifndef XC_TRANSFORM_COLOUR_MATRIX_H
#define XC_TRANSFORM_COLOUR_MATRIX_H

#include <stdint.h>

/* Sums of products of gradients: [i][j] of channels i and j of R, G, B. */
typedef struct xc_gradients {
	double product[3][3];
} xc_gradients;

/* Stored elements count these parts. */
enum { XC_COLOUR_PARTS = 8192 };

/* Sets `stored` to the matrix from the components to Y, Cb and Cr, row by row. The components are
 * orthogonal in RGB, so steps of the same size in all of them give the least error; they come in
 * the order of their variance, and none exceeds the range of Y. */
void xc_colours_choose(const xc_gradients *gradients, int16_t stored[9]);

/* The matrix of the decoder, and the matrix from Y, Cb and Cr to the components, only for the
 * result of xc_colours_choose(). */
void xc_colours_inverse(const int16_t stored[9], float inverse[9]);
void xc_colours_forward(const int16_t stored[9], float forward[9]);

#endif
