/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-fft2d, cpu-fft3d, cpu-idct-idxst, cpu-idxst-idct: the multi-dimensional DCT
 * through one multi-dimensional real FFT of the same size, with the permutation
 * before it and the rotations after it fused into its passes (Jiang, Gu, Pan, "A
 * New Acceleration Paradigm for Discrete Cosine Transform and Other
 * Fourier-Related Transforms", algorithm 2 and equations 13 to 18, 21, 22; Makhoul,
 * "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28, 1980).
 *
 * A real FFT over a plane is an FFT of every row, then one of every column of half
 * the spectrum.  Here it is cut open at that place, so that everything else is
 * done while the data are in a cache anyway:
 *
 *  - Rows, two at a time as one complex row: loaded in permuted order; FFT; taken
 *    apart; rotated by exp(-i pi k / 2N) (the factor b of equation 18, which does
 *    not depend on the row and so may come first).  The result is written in
 *    panels, 16 (of float) complex columns each, in permuted row order.
 *    Coefficient 0 of a row is real, as is N / 2: they share column 0.
 *  - Panels, one at a time, turned on their side: FFT of each column; values k and
 *    N - k combined with the factor a of equation 18; each complex value gives two
 *    coefficients, in columns k and N - k of the frame.
 *
 * The inverse takes rows of coefficients, two at a time: rotated; put together;
 * FFT; written in panels, two real columns to a complex one.  Then the panels:
 * values k and N - k combined; FFT of each column; written to the frame in
 * permuted row order.
 *
 * So a plane passes twice through memory, in and out, where three stages one after
 * the other take four passes, of which the FFT alone is two.  A volume has one
 * more axis, which stays within the panel.
 *
 * Arithmetic a sample, besides complex FFTs of half as many points as samples:
 * taking apart 1 addition, rotation 2 multiplications and 1 addition, combining
 * 2 multiplications and 2 additions (for each axis but the rows').
 *
 * The sine relatives need no further work: IDXST is the IDCT of the coefficients
 * in reversed order with the sign of every second sample changed.  The order is
 * an exchange of k and N - k where they meet anyway; the signs go into the
 * permutation or into the factors.
 */
#include "lab/cpu/frame/algorithms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#endif

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/dispatch.h"
#include "lab/cpu/frame/kernels.h"
#include "lab/cpu/frame/memory.h"
#include "lab/cpu/frame/shape.h"
#include "lab/team.h"

typedef enum xc_multi_kind {
	XC_MULTI_COSINE,
	XC_MULTI_SINE_COLS, /* IDXST along each row, IDCT down the columns */
	XC_MULTI_SINE_ROWS  /* IDCT along each row, IDXST down the columns */
} xc_multi_kind;

/* From here on a frame is written past the caches, which saves reading the lines
 * that are about to be overwritten; smaller ones are better left in them. */
#define XC_MULTI_STREAM_BYTES ((size_t)12 << 20)

/* Where line q of n goes: even ones forwards, then odd ones backwards. */
static size_t xc_multi_permuted(size_t n, size_t q)
{
	return q % 2 ? n - 1 - q / 2 : q / 2;
}

static size_t xc_multi_unpermuted(size_t n, size_t q)
{
	return q < (n + 1) / 2 ? 2 * q : 2 * (n - 1 - q) + 1;
}

/* Streamed stores become visible to the other threads. */
static void xc_multi_fence(void)
{
#if defined __SSE2__
	_mm_sfence();
#endif
}

#define XC_EACH_REAL "lab/cpu/frame/multi_template.h"
#include "lab/each_real.h"

XC_FRAME_DISPATCH(multi);

static int prepare(xc_plan *plan, xc_multi_kind kind)
{
	plan->state = XC_FRAME_PREPARE(multi, plan, kind);
	return plan->state ? 0 : -1;
}

static int prepare_cosine(xc_plan *plan)
{
	return prepare(plan, XC_MULTI_COSINE);
}

static int prepare_sine_cols(xc_plan *plan)
{
	return prepare(plan, XC_MULTI_SINE_COLS);
}

static int prepare_sine_rows(xc_plan *plan)
{
	return prepare(plan, XC_MULTI_SINE_ROWS);
}

#define MULTI \
	.kind = XC_KIND_FRAME, .precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80, \
	.threaded = 1, .execute = execute, .finish = finish, .in_place = 1

const xc_algorithm xc_algorithm_cpu_fft2d = {
	.name = "cpu-fft2d",
	.summary = "whole-frame DCT by one two-dimensional real FFT, fused",
	.source = "Jiang, Gu, Pan, algorithm 2; Makhoul 1980",
	.scaling = "orthonormal",
	.prepare = prepare_cosine,
	.output_size = xc_frame_same_plane,
	MULTI,
};

const xc_algorithm xc_algorithm_cpu_fft3d = {
	.name = "cpu-fft3d",
	.summary = "DCT of a volume by one three-dimensional real FFT, fused",
	.source = "Jiang, Gu, Pan, section III-D",
	.scaling = "orthonormal",
	.prepare = prepare_cosine,
	.output_size = xc_frame_same_size,
	MULTI,
};

const xc_algorithm xc_algorithm_cpu_idct_idxst = {
	.name = "cpu-idct-idxst",
	.summary =
		"inverse: IDXST (sine) along each row, IDCT down the columns; forward: its transpose",
	.source = "Jiang, Gu, Pan, equations 21 and 22, after DREAMPlace",
	.scaling = "orthonormal; coefficient 0 of each row counts as 0",
	.prepare = prepare_sine_cols,
	.output_size = xc_frame_same_plane,
	MULTI,
};

const xc_algorithm xc_algorithm_cpu_idxst_idct = {
	.name = "cpu-idxst-idct",
	.summary =
		"inverse: IDCT along each row, IDXST (sine) down the columns; forward: its transpose",
	.source = "Jiang, Gu, Pan, equations 21 and 22, after DREAMPlace",
	.scaling = "orthonormal; row 0 of the coefficients counts as 0",
	.prepare = prepare_sine_rows,
	.output_size = xc_frame_same_plane,
	MULTI,
};
