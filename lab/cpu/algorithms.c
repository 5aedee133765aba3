/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms of the processor, as one table. */
#include "lab/cpu/algorithms.h"

#include "lab/cpu/band/plan.h"
#include "lab/cpu/band/short.h"
#include "lab/cpu/frame/engines.h"
#include "lab/cpu/frame/memory.h"

/* The fields of an xc_algorithm whose source the makefile compiles once for each of three
 * precisions, with XC_REAL_BITS set to 32, 64 or 80. */
#define XC_RUN_BY(name) \
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80, \
	.engines = (const xc_engine *const[]) \
	{ \
		&name##_f32, &name##_f64, &name##_f80 \
	}

/* In the order of xc_algorithm's fields; what follows `sizes` is xc_band_details. */
#define BAND(text, what, who, group, threads, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.name = text, .summary = what, .source = who, .scaling = "orthonormal", .kind = group, \
		.threaded = threads, .output_size = sizes, XC_RUN_BY(xc_band), \
		.details = &(const xc_band_details){__VA_ARGS__}, \
	}
#define BLOCK(text, what, who, threads, ...) \
	BAND(text, what, who, XC_KIND_BLOCK_DCT, threads, xc_band_size_same, __VA_ARGS__)
#define LAPPED(text, what, who, threads, sizes, ...) \
	BAND(text, what, who, XC_KIND_LAPPED, threads, sizes, __VA_ARGS__)
/* One line of the table and, with OpenMP, a second for the variant with threads. */
#ifdef _OPENMP
#define THREADED(kind, text, what, who, ...) \
	kind(text, what, who, 0, __VA_ARGS__), \
		kind(text "-openmp", what ", with threads", who, 1, __VA_ARGS__),
#else
#define THREADED(kind, text, what, who, ...) kind(text, what, who, 0, __VA_ARGS__),
#endif
#define BLOCK_FFTW(text, what, how) \
	&(const xc_algorithm) \
	{ \
		.name = text, .summary = what, .source = FFTW, .scaling = "orthonormal", \
		.kind = XC_KIND_BLOCK_DCT, .output_size = xc_band_size_same, .way = how, \
		XC_RUN_BY(xc_block_fftw), \
	}

#define FRAME(text, sizes, engine, ...) \
	&(const xc_algorithm) \
	{ \
		.name = text, .kind = XC_KIND_FRAME, .threaded = 1, .output_size = sizes, \
		XC_RUN_BY(engine), __VA_ARGS__ \
	}

#define WHITEPAPER \
	"A. Obukhov, A. Kharlamov, Discrete Cosine Transform for 8x8 Blocks with CUDA, NVIDIA 2008"
#define FFTW "M. Frigo, S. G. Johnson, The design and implementation of FFTW3, Proc. IEEE 93 (2005)"
#define LOT \
	"H. S. Malvar, D. H. Staelin, The LOT: transform coding without blocking effects, IEEE " \
	"Trans. ASSP 37 (1989)"

#define FFTW_FRAME "Frigo, Johnson, The design and implementation of FFTW3, Proc. IEEE 93, 2005"

const xc_algorithm *const xc_cpu_algorithms[] = {
	BLOCK("cpu-naive", "8x8 DCT, rows and columns straight from the definition",
          "L. C. Larsen, Utilizing GPUs on Cluster Computers, NTNU 2006", 0,
          .transform = XC_BAND_NAIVE, .plain = 1),
	BLOCK("cpu-definition", "8x8 DCT as two matrix products", WHITEPAPER ", kernel 1", 0,
          .transform = XC_BAND_DEFINITION),
	BLOCK("cpu-separable", "8x8 DCT by even/odd decomposition", WHITEPAPER ", kernel 2", 0,
          .transform = XC_BAND_SEPARABLE),
	&(const xc_algorithm){
		.name = "cpu-short",
		.summary = "8x8 DCT in 16-bit integers, for samples of up to 13 bits",
		.source = WHITEPAPER ", short kernel",
		.scaling = "orthonormal, rounded to integers",
		.kind = XC_KIND_BLOCK_DCT,
		.precisions = XC_PRECISION_16,
		.output_size = xc_band_size_same,
		.engines = (const xc_engine *const[]){&xc_short},
	},
	THREADED(BLOCK, "cpu-aan", "8x8 DCT with 5 multiplications for 8 points, and a scaling",
             "Y. Arai, T. Agui, M. Nakajima, A fast DCT-SQ scheme for images, Trans. IEICE E71 "
             "(1988)",
             .transform = XC_BAND_AAN)
		THREADED(BLOCK, "cpu-flmad", "8x8 DCT of 416 additions and multiply-adds, and a scaling",
                 "E. Feig, E. Linzer, Discrete cosine transform algorithms for image data "
                 "compression, Electronic Imaging East 1990",
                 .transform = XC_BAND_FLMAD)
			BLOCK(
				"cpu-feig2d", "8x8 DCT in two dimensions at once, fewest operations",
				"E. Feig, S. Winograd, Fast algorithms for the discrete cosine transform, IEEE Trans. "
				"Signal Processing 40 (1992)",
				0, .transform = XC_BAND_FEIG2D),
#ifdef XC_HAVE_FFTW
	BLOCK_FFTW("cpu-fftw-simple", "8x8 DCT by FFTW, one plan run on each block",
               XC_BLOCK_FFTW_SIMPLE),
	BLOCK_FFTW("cpu-fftw-advanced", "8x8 DCT by FFTW, one plan for all blocks",
               XC_BLOCK_FFTW_ADVANCED),
#endif
	THREADED(LAPPED, "cpu-flot", "fast LOT, type I, edges stored in 8 more rows and columns", LOT,
             xc_band_size_stored, .transform = XC_BAND_LOT, .stored_edges = 1)
		THREADED(LAPPED, "cpu-flot-symmetric",
                 "fast LOT, type I, symmetric edges, output as large as the input", LOT,
                 xc_band_size_same, .transform = XC_BAND_LOT)
			LAPPED("cpu-tdlt", "orthogonal pre-filter across block edges, then the 8x8 DCT",
                   "T. D. Tran, J. Liang, C. Tu, Lapped transform via time-domain pre- and "
                   "post-filtering, IEEE Trans. Signal Processing 51 (2003)",
                   0, xc_band_size_same, .transform = XC_BAND_TDLT),
	LAPPED("cpu-genlot", "GenLOT of order 3: basis functions of 24 samples",
           "R. L. de Queiroz, T. Q. Nguyen, K. R. Rao, The GenLOT: generalized linear-phase "
           "lapped orthogonal transform, IEEE Trans. Signal Processing 44 (1996)",
           0, xc_band_size_same, .transform = XC_BAND_GENLOT),
	FRAME("cpu-dmm", xc_frame_same_plane, xc_dmm, .in_place = 1, .scaling = "orthonormal",
          .summary = "whole-frame DCT by multiplication with two cosine matrices",
          .source = "Ye, Shi, CUDA based implementation of DCT/IDCT on GPU, section B"),
#ifdef XC_HAVE_FFTW
	FRAME("cpu-fft-4n", xc_frame_same_plane, xc_rowcol, .way = XC_LINE_4N, .in_place = 1,
          .scaling = "orthonormal",
          .summary = "whole-frame DCT, row-column, each line by a real FFT of 4N points",
          .source = "Jiang, Gu, Pan, algorithm 1 (DCT using 4N FFT)"),
	FRAME("cpu-fft-2n-mirrored", xc_frame_same_plane, xc_rowcol, .way = XC_LINE_2N_MIRRORED,
          .in_place = 1, .scaling = "orthonormal",
          .summary = "whole-frame DCT, row-column, each line mirrored, by a real FFT of 2N points",
          .source = "Jiang, Gu, Pan, algorithm 1 (DCT using mirrored 2N FFT)"),
	FRAME("cpu-fft-2n-padded", xc_frame_same_plane, xc_rowcol, .way = XC_LINE_2N_PADDED,
          .in_place = 1, .scaling = "orthonormal",
          .summary = "whole-frame DCT, row-column, each line padded, by a real FFT of 2N points",
          .source = "Jiang, Gu, Pan, algorithm 1 (DCT using padded 2N FFT)"),
	FRAME("cpu-fft-n", xc_frame_same_plane, xc_rowcol, .way = XC_LINE_N, .in_place = 1,
          .scaling = "orthonormal",
          .summary = "whole-frame DCT, row-column, each line permuted, by a real FFT of N points",
          .source = "Makhoul 1980; Jiang, Gu, Pan, algorithm 1 (DCT using N FFT)"),
	FRAME("cpu-fft2d", xc_frame_same_plane, xc_multi, .way = XC_MULTI_COSINE, .in_place = 1,
          .scaling = "orthonormal",
          .summary = "whole-frame DCT by one two-dimensional real FFT, fused",
          .source = "Jiang, Gu, Pan, algorithm 2; Makhoul 1980"),
	FRAME("cpu-fft3d", xc_frame_same_size, xc_multi, .way = XC_MULTI_COSINE, .in_place = 1,
          .scaling = "orthonormal",
          .summary = "DCT of a volume by one three-dimensional real FFT, fused",
          .source = "Jiang, Gu, Pan, section III-D"),
	FRAME("cpu-idct-idxst", xc_frame_same_plane, xc_multi, .way = XC_MULTI_SINE_COLS, .in_place = 1,
          .scaling = "orthonormal; coefficient 0 of each row counts as 0",
          .summary = "inverse: IDXST (sine) along each row, IDCT down the columns; forward: its "
                     "transpose",
          .source = "Jiang, Gu, Pan, equations 21 and 22, after DREAMPlace"),
	FRAME("cpu-idxst-idct", xc_frame_same_plane, xc_multi, .way = XC_MULTI_SINE_ROWS, .in_place = 1,
          .scaling = "orthonormal; row 0 of the coefficients counts as 0",
          .summary = "inverse: IDCT along each row, IDXST (sine) down the columns; forward: its "
                     "transpose",
          .source = "Jiang, Gu, Pan, equations 21 and 22, after DREAMPlace"),
	FRAME("cpu-fftw-frame", xc_frame_same_size, xc_fftw_frame, .scaling = "orthonormal",
          .summary = "whole-frame DCT by FFTW's own REDFT10 and REDFT01", .source = FFTW_FRAME),
#endif
	NULL,
};

#ifdef XC_HAVE_FFTW
const xc_algorithm xc_algorithm_fftw_real_fft = {
	.name = "fftw-real-fft",
	.summary = "FFTW's two-dimensional real FFT alone: not a DCT",
	.source = FFTW_FRAME,
	.scaling = "none",
	.kind = XC_KIND_FRAME,
	.threaded = 1,
	.output_size = xc_frame_same_plane,
	XC_RUN_BY(xc_real_fft),
};
#endif
