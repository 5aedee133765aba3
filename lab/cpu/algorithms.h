/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The algorithms of the processor.
 *
 * Band transforms (lab/cpu/band) have 8 bands: they are the blockwise 8x8 DCTs, each block alone,
 * and the lapped transforms.  Their arrays have any size: the forward transform repeats the last
 * row and column up to whole blocks, so its output is rounded up to multiples of 8, and the inverse
 * drops what was added.  A caller pads nothing.  Both directions take one pass over memory.  At the
 * frame's edges a lapped transform follows one of two rules.
 *
 *  - Stored edges (cpu-flot), as in the 2006 work: there are zeros all around.  An edge of two
 *    blocks gives 8 coefficients, and so do the frame's own edges, which adds 8 rows and 8 columns;
 *    coefficients 8b ... 8b + 7 belong to the edge before block b.  The half that the 2006 work
 *    found to be always zero is not stored.
 *  - Symmetric edges (all others): the frame continues as its mirror image, and the coefficients
 *    that follow from the others are not stored, so as many come out as went in.  Coefficients
 *    8b ... 8b + 7 sit on samples 8b ... 8b + 7 and reach half a block (LOT, TDLT) or a whole one
 *    (GenLOT) beyond them.  For the TDLT this means that the pre-filter leaves the frame's edges
 *    alone; for the LOT, that its DCTs lie half a block off the grid, with half a block at either
 *    end.
 *
 * Frame transforms (lab/cpu/frame) take the array at once, of any size (odd, prime and 1 too).
 *
 * The scaling is orthonormal, as with norm="ortho" of SciPy: along an axis of N samples
 *
 *   X[k] = w(k) sum over n of x[n] cos(pi (2 n + 1) k / (2 N)),
 *   w(0) = sqrt(1 / N), w(k) = sqrt(2 / N) otherwise,
 *
 * and the inverse is the transpose.  The sine relative of the inverse, IDXST, is
 *
 *   x[n] = sum over k >= 1 of sqrt(2 / N) X[k] sin(pi (2 n + 1) k / (2 N)),
 *
 * which ignores X[0] (DREAMPlace's definition, made orthonormal).  An algorithm that is named
 * after inverses runs them as XC_INVERSE.  Its XC_FORWARD is the transpose, which leaves X[0] = 0
 * along the sine's axis.  forward(inverse(X)) is X but for that row or column;
 * inverse(forward(x)) is x less its alternating part along that axis.
 */
#ifndef XC_LAB_CPU_ALGORITHMS_H
#define XC_LAB_CPU_ALGORITHMS_H

#include "lab/registry.h"

/* For the registry; a NULL entry ends the list. */
extern const xc_algorithm *const xc_cpu_algorithms[];

#ifdef XC_HAVE_FFTW
/* FFTW's real FFT of a plane alone: it leaves its spectrum (or starts from one) in memory of its
 * own.  It is no DCT and so not in the registry; benchmarks measure the others against it.  Its
 * arrays must be aligned to 64 bytes. */
extern const xc_algorithm xc_algorithm_fftw_real_fft;
#endif

#endif
