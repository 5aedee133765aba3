/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-fft-4n, cpu-fft-2n-mirrored, cpu-fft-2n-padded, cpu-fft-n: the DCT of a line
 * through one real FFT, the four ways that Jiang, Gu and Pan compare ("A New
 * Acceleration Paradigm for Discrete Cosine Transform and Other Fourier-Related
 * Transforms", algorithm 1; the last after Makhoul, "A fast cosine transform in
 * one and two dimensions", IEEE Trans. ASSP 28, 1980), applied to every row and
 * then to every column.  A single row (or column) is the one-dimensional
 * transform.
 *
 * Arithmetic of a line of N, besides a real FFT of the length in the name (about
 * 2.5 L log2 L operations for L points): 4N and both 2N one complex product a
 * coefficient, of which the real part alone is needed (2 multiplications, 1
 * addition); N half a complex product (2 multiplications, 1 addition), because
 * each complex value gives two coefficients.  The permutations cost none.
 *
 * Passes over memory: two.  Rows go in and out once; columns go in and out once,
 * a cache line's worth of them at a time, transposed in registers on the way, so
 * that every line lies in the first-level cache while it is worked on.
 */
#include "lab/cpu/frame/algorithms.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/dispatch.h"
#include "lab/cpu/frame/kernels.h"
#include "lab/cpu/frame/line.h"
#include "lab/cpu/frame/memory.h"
#include "lab/cpu/frame/shape.h"
#include "lab/team.h"

#define XC_EACH_REAL "lab/cpu/frame/rowcol_template.h"
#include "lab/each_real.h"

XC_FRAME_DISPATCH(rowcol);

static int prepare(xc_plan *plan, xc_line_method method)
{
	plan->state = XC_FRAME_PREPARE(rowcol, plan, method);
	return plan->state ? 0 : -1;
}

static int prepare_4n(xc_plan *plan)
{
	return prepare(plan, XC_LINE_4N);
}

static int prepare_2n_mirrored(xc_plan *plan)
{
	return prepare(plan, XC_LINE_2N_MIRRORED);
}

static int prepare_2n_padded(xc_plan *plan)
{
	return prepare(plan, XC_LINE_2N_PADDED);
}

static int prepare_n(xc_plan *plan)
{
	return prepare(plan, XC_LINE_N);
}

#define ROW_COLUMN \
	.scaling = "orthonormal", .kind = XC_KIND_FRAME, \
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80, .threaded = 1, \
	.output_size = xc_frame_same_plane, .execute = execute, .finish = finish, .in_place = 1

const xc_algorithm xc_algorithm_cpu_fft_4n = {
	.name = "cpu-fft-4n",
	.summary = "whole-frame DCT, row-column, each line by a real FFT of 4N points",
	.source = "Jiang, Gu, Pan, algorithm 1 (DCT using 4N FFT)",
	.prepare = prepare_4n,
	ROW_COLUMN,
};

const xc_algorithm xc_algorithm_cpu_fft_2n_mirrored = {
	.name = "cpu-fft-2n-mirrored",
	.summary = "whole-frame DCT, row-column, each line mirrored, by a real FFT of 2N points",
	.source = "Jiang, Gu, Pan, algorithm 1 (DCT using mirrored 2N FFT)",
	.prepare = prepare_2n_mirrored,
	ROW_COLUMN,
};

const xc_algorithm xc_algorithm_cpu_fft_2n_padded = {
	.name = "cpu-fft-2n-padded",
	.summary = "whole-frame DCT, row-column, each line padded, by a real FFT of 2N points",
	.source = "Jiang, Gu, Pan, algorithm 1 (DCT using padded 2N FFT)",
	.prepare = prepare_2n_padded,
	ROW_COLUMN,
};

const xc_algorithm xc_algorithm_cpu_fft_n = {
	.name = "cpu-fft-n",
	.summary = "whole-frame DCT, row-column, each line permuted, by a real FFT of N points",
	.source = "Makhoul 1980; Jiang, Gu, Pan, algorithm 1 (DCT using N FFT)",
	.prepare = prepare_n,
	ROW_COLUMN,
};
