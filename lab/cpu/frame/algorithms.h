/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole-frame transforms: the array at once, of any size (odd, prime and 1 too),
 * in 32, 64 and 80 bits.
 *
 * Scaling is orthonormal, as scipy's norm="ortho": along an axis of N samples
 *
 *   X[k] = w(k) sum over n of x[n] cos(pi (2 n + 1) k / (2 N)),
 *   w(0) = sqrt(1 / N), w(k) = sqrt(2 / N) otherwise,
 *
 * and the inverse is the transpose.  The sine relative of the inverse, IDXST, is
 *
 *   x[n] = sum over k >= 1 of sqrt(2 / N) X[k] sin(pi (2 n + 1) k / (2 N)),
 *
 * which ignores X[0] (DREAMPlace's definition, made orthonormal).  An algorithm
 * that is named after inverses runs them as XC_INVERSE; its XC_FORWARD is the
 * transpose, which leaves X[0] = 0 along the sine's axis.  forward(inverse(X)) is
 * X but for that row or column; inverse(forward(x)) is x less its alternating
 * part along that axis.
 */
#ifndef XC_LAB_CPU_FRAME_ALGORITHMS_H
#define XC_LAB_CPU_FRAME_ALGORITHMS_H

#include "lab/registry.h"

extern const xc_algorithm xc_algorithm_cpu_dmm;

/* These need FFTW. */
extern const xc_algorithm xc_algorithm_cpu_fft_4n;
extern const xc_algorithm xc_algorithm_cpu_fft_2n_mirrored;
extern const xc_algorithm xc_algorithm_cpu_fft_2n_padded;
extern const xc_algorithm xc_algorithm_cpu_fft_n;
extern const xc_algorithm xc_algorithm_cpu_fft2d;
extern const xc_algorithm xc_algorithm_cpu_fft3d;
extern const xc_algorithm xc_algorithm_cpu_idct_idxst;
extern const xc_algorithm xc_algorithm_cpu_idxst_idct;
extern const xc_algorithm xc_algorithm_cpu_fftw_frame;

/* Not in the registry, for it is no DCT: FFTW's real FFT alone, which leaves its
 * spectrum (or starts from one) in memory of its own.  For benchmarks. */
extern const xc_algorithm xc_algorithm_fftw_real_fft;

#endif
