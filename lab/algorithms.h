/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The algorithms.
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
 * after inverses runs them as XCT_INVERSE.  Its XCT_FORWARD is the transpose, which leaves X[0] = 0
 * along the sine's axis.  forward(inverse(X)) is X but for that row or column;
 * inverse(forward(x)) is x less its alternating part along that axis.
 */
#ifndef XC_LAB_ALGORITHMS_H
#define XC_LAB_ALGORITHMS_H

#include "lab/cpu/band/band.h"
#include "lab/cpu/frame/frame.h"
#include "lab/registry.h"

/* The transforms that processor and GPU both have.  A row of bands: name, summary, source, kind,
 * size of the output, and the members of xc_band_details. */
#define XC_WHITEPAPER \
	"A. Obukhov, A. Kharlamov, Discrete Cosine Transform for 8x8 Blocks with CUDA, NVIDIA 2008"
#define XC_BLOCK(name, summary, source, transform_) \
	name, summary, source, XCT_BLOCK_DCT, xc_band_size_same, .transform = transform_
#define XC_LAPPED(name, summary, source, kind, sizes, ...) \
	name, summary, source, kind, sizes, __VA_ARGS__
#define XC_ROW_DEFINITION \
	XC_BLOCK("definition", "8x8 DCT as two matrix products", XC_WHITEPAPER ", kernel 1", \
	         XC_BAND_DEFINITION)
#define XC_ROW_SEPARABLE \
	XC_BLOCK("separable", "8x8 DCT by even/odd decomposition", XC_WHITEPAPER ", kernel 2", \
	         XC_BAND_SEPARABLE)
#define XC_ROW_AAN \
	XC_BLOCK("aan", "8x8 DCT with 5 multiplications for 8 points, and a scaling", XC_AAN, \
	         XC_BAND_AAN)
#define XC_AAN \
	"Y. Arai, T. Agui, M. Nakajima, A fast DCT-SQ scheme for images, Trans. IEICE E71 (1988)"
#define XC_ROW_FLMAD \
	XC_BLOCK("flmad", "8x8 DCT of 416 additions and multiply-adds, and a scaling", \
	         "E. Feig, E. Linzer, Discrete cosine transform algorithms for image data " \
	         "compression, Electronic Imaging East 1990", \
	         XC_BAND_FLMAD)
#define XC_ROW_SHORT \
	XC_BLOCK("short", "8x8 DCT in 16-bit integers, for samples of up to 13 bits", \
	         XC_WHITEPAPER ", short kernel", XC_BAND_TRANSFORMS)
#define XC_LOT \
	"H. S. Malvar, D. H. Staelin, The LOT: transform coding without blocking effects, IEEE " \
	"Trans. ASSP 37 (1989)"
#define XC_ROW_FLOT \
	XC_LAPPED("flot", "fast LOT, type I, edges stored in 8 more rows and columns", XC_LOT, \
	          XCT_LOT_STORED, xc_band_size_stored, .transform = XC_BAND_LOT, .stored_edges = 1)
#define XC_ROW_FLOT_SYMMETRIC \
	XC_LAPPED("flot-symmetric", "fast LOT, type I, symmetric edges, output as large as the input", \
	          XC_LOT, XCT_LOT, xc_band_size_same, .transform = XC_BAND_LOT)
#define XC_ROW_TDLT \
	XC_LAPPED("tdlt", "orthogonal pre-filter across block edges, then the 8x8 DCT", \
	          "T. D. Tran, J. Liang, C. Tu, Lapped transform via time-domain pre- and " \
	          "post-filtering, IEEE Trans. Signal Processing 51 (2003)", \
	          XCT_TDLT, xc_band_size_same, .transform = XC_BAND_TDLT)
#define XC_ROW_GENLOT \
	XC_LAPPED("genlot", "GenLOT of order 3: basis functions of 24 samples", \
	          "R. L. de Queiroz, T. Q. Nguyen, K. R. Rao, The GenLOT: generalized linear-phase " \
	          "lapped orthogonal transform, IEEE Trans. Signal Processing 44 (1996)", \
	          XCT_GENLOT, xc_band_size_same, .transform = XC_BAND_GENLOT)

/* A row of whole frames: name, summary, source, scaling, size of the output. */
#define XC_JIANG \
	"Jiang, Gu, Pan, A New Acceleration Paradigm for Discrete Cosine Transform and Other " \
	"Fourier-Related Transforms"
#define XC_YE "Ye, Shi, CUDA based implementation of DCT/IDCT on GPU, section B"
#define XC_ROW_DMM \
	"dmm", "whole-frame DCT by multiplication with two cosine matrices", XC_YE, "orthonormal", \
		xc_frame_same_plane
#define XC_FFT2D_SOURCE XC_JIANG ", algorithm 2; Makhoul 1980"
#define XC_ROW_FFT2D \
	"fft2d", "whole-frame DCT by one two-dimensional real FFT, fused", XC_FFT2D_SOURCE, \
		"orthonormal", xc_frame_same_plane
/* Row by row, then column by column: name, summary, source. */
#define XC_LINES "whole-frame DCT, row-column, each line "
#define XC_ROW_4N \
	"fft-4n", XC_LINES "by a real FFT of 4N points", XC_JIANG ", algorithm 1 (DCT using 4N FFT)"
#define XC_ROW_2N_MIRRORED \
	"fft-2n-mirrored", XC_LINES "mirrored, by a real FFT of 2N points", \
		XC_JIANG ", algorithm 1 (DCT using mirrored 2N FFT)"
#define XC_ROW_2N_PADDED \
	"fft-2n-padded", XC_LINES "padded, by a real FFT of 2N points", \
		XC_JIANG ", algorithm 1 (DCT using padded 2N FFT)"
#define XC_ROW_N \
	"fft-n", XC_LINES "permuted, by a real FFT of N points", \
		"Makhoul 1980; " XC_JIANG ", algorithm 1 (DCT using N FFT)"
#define XC_ROW_LINES \
	"fft-lines", "DCT-I to IV and DST-I to IV of whole arrays, each line by one FFT", XC_MARTUCCI
#define XC_MARTUCCI \
	"S. A. Martucci, Symmetric convolution and the discrete sine and cosine transforms, IEEE " \
	"Trans. Signal Processing 42 (1994)"
#define XC_ROW_IDCT_IDXST \
	"idct-idxst", \
		"inverse: IDXST (sine) along each row, IDCT down the columns; forward: its transpose", \
		XC_JIANG ", equations 21 and 22, after DREAMPlace", \
		"orthonormal; coefficient 0 of each row counts as 0", xc_frame_same_plane
#define XC_ROW_IDXST_IDCT \
	"idxst-idct", \
		"inverse: IDCT along each row, IDXST (sine) down the columns; forward: its transpose", \
		XC_JIANG ", equations 21 and 22, after DREAMPlace", \
		"orthonormal; row 0 of the coefficients counts as 0", xc_frame_same_plane

/* The algorithms for NVIDIA GPUs, from the module xcodec-lab-cuda.so, which is opened when one of
 * them is asked for.  Sizes, edges and scaling are those of the processor's algorithms of the same
 * name.
 *
 * The quantized ones divide the coefficients by the table of the whitepaper (Obukhov and
 * Kharlamov 2008) and round them.  This costs no time, because the division is part of the
 * scaling that the transform ends with.  Their inverses multiply first. */

#endif
