/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms of the processor, as one table. */
#include "lab/algorithms.h"

/* The fields of an xc_algorithm whose source the makefile compiles once for each of three
 * precisions, with XC_REAL_BITS set to 32, 64 or 80. */
#define XC_RUN_BY(name) \
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80, \
	.engines = (const xc_engine *const[]) \
	{ \
		&name##_f32, &name##_f64, &name##_f80 \
	}

/* A row of algorithms.h; `suffix` and `more` belong to its name and its summary. */
#define BAND(...) BAND_OF("", "", 0, __VA_ARGS__)
#define BAND_OF(suffix, more, threads, text, what, who, group, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.name = "cpu-" text suffix, .summary = what more, .source = who, .scaling = "orthonormal", \
		.kind = group, .threaded = threads, .output_size = sizes, XC_RUN_BY(xc_band), \
		.details = &(const xc_band_details){__VA_ARGS__}, \
	}
#define SHORT(...) SHORT_OF(__VA_ARGS__)
#define SHORT_OF(text, what, who, group, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.name = "cpu-" text, .summary = what, .source = who, \
		.scaling = "orthonormal, rounded to integers", .kind = group, \
		.precisions = XC_PRECISION_16, .output_size = sizes, \
		.engines = (const xc_engine *const[]){&xc_short}, \
	}
/* With OpenMP, a second row for the variant with threads. */
#ifdef _OPENMP
#define THREADED(...) \
	BAND_OF("", "", 0, __VA_ARGS__), BAND_OF("-openmp", ", with threads", 1, __VA_ARGS__)
#else
#define THREADED(...) BAND(__VA_ARGS__)
#endif
#define BLOCK_FFTW(text, what, how) \
	&(const xc_algorithm) \
	{ \
		.name = text, .summary = what, .source = FFTW, .scaling = "orthonormal", \
		.kind = XC_KIND_BLOCK_DCT, .output_size = xc_band_size_same, .way = how, \
		XC_RUN_BY(xc_block_fftw), \
	}

#define FRAME(engine, how, ...) FRAME_OF(engine, how, 1, __VA_ARGS__)
#define FRAME_OF(engine, how, within, text, what, who, scale, sizes) \
	&(const xc_algorithm) \
	{ \
		.name = "cpu-" text, .summary = what, .source = who, .scaling = scale, \
		.kind = XC_KIND_FRAME, .threaded = 1, .output_size = sizes, .in_position = within, \
		.way = how, XC_RUN_BY(engine) \
	}
/* Row by row, then column by column. */
#define LINES(how, text, what, who) \
	FRAME(xc_rowcol, how, text, "whole-frame DCT, row-column, each line " what, who, \
	      "orthonormal", xc_frame_same_plane)

#define FFTW "M. Frigo, S. G. Johnson, The design and implementation of FFTW3, Proc. IEEE 93 (2005)"

const xc_algorithm *const xc_cpu_algorithms[] = {
	BAND("naive", "8x8 DCT, rows and columns straight from the definition",
         "L. C. Larsen, Utilizing GPUs on Cluster Computers, NTNU 2006", XC_KIND_BLOCK_DCT,
         xc_band_size_same, .transform = XC_BAND_NAIVE, .plain = 1),
	BAND(XC_ROW_DEFINITION),
	BAND(XC_ROW_SEPARABLE),
	SHORT(XC_ROW_SHORT),
	THREADED(XC_ROW_AAN),
	THREADED(XC_ROW_FLMAD),
	BAND("feig2d", "8x8 DCT in two dimensions at once, fewest operations",
         "E. Feig, S. Winograd, Fast algorithms for the discrete cosine transform, IEEE Trans. "
         "Signal Processing 40 (1992)",
         XC_KIND_BLOCK_DCT, xc_band_size_same, .transform = XC_BAND_FEIG2D),
#ifdef XC_HAVE_FFTW
	BLOCK_FFTW("cpu-fftw-simple", "8x8 DCT by FFTW, one plan run on each block",
               XC_BLOCK_FFTW_SIMPLE),
	BLOCK_FFTW("cpu-fftw-advanced", "8x8 DCT by FFTW, one plan for all blocks",
               XC_BLOCK_FFTW_ADVANCED),
#endif
	THREADED(XC_ROW_FLOT),
	THREADED(XC_ROW_FLOT_SYMMETRIC),
	BAND(XC_ROW_TDLT),
	BAND(XC_ROW_GENLOT),
	FRAME(xc_dmm, 0, XC_ROW_DMM),
#ifdef XC_HAVE_FFTW
	LINES(XC_LINE_4N, "fft-4n", "by a real FFT of 4N points",
          XC_JIANG ", algorithm 1 (DCT using 4N FFT)"),
	LINES(XC_LINE_2N_MIRRORED, "fft-2n-mirrored", "mirrored, by a real FFT of 2N points",
          XC_JIANG ", algorithm 1 (DCT using mirrored 2N FFT)"),
	LINES(XC_LINE_2N_PADDED, "fft-2n-padded", "padded, by a real FFT of 2N points",
          XC_JIANG ", algorithm 1 (DCT using padded 2N FFT)"),
	LINES(XC_LINE_N, "fft-n", "permuted, by a real FFT of N points",
          "Makhoul 1980; " XC_JIANG ", algorithm 1 (DCT using N FFT)"),
	FRAME(xc_multi, XC_MULTI_COSINE, XC_ROW_FFT2D),
	FRAME(xc_multi, XC_MULTI_COSINE, "fft3d",
          "DCT of a volume by one three-dimensional real FFT, fused", XC_JIANG ", section III-D",
          "orthonormal", xc_frame_same_size),
	FRAME(xc_multi, XC_MULTI_SINE_COLS, XC_ROW_IDCT_IDXST),
	FRAME(xc_multi, XC_MULTI_SINE_ROWS, XC_ROW_IDXST_IDCT),
	FRAME_OF(xc_fftw_frame, 0, 0, "fftw-frame", "whole-frame DCT by FFTW's own REDFT10 and REDFT01",
             FFTW, "orthonormal", xc_frame_same_size),
#endif
	NULL,
};

#ifdef XC_HAVE_FFTW
const xc_algorithm xc_algorithm_fftw_real_fft = {
	.name = "fftw-real-fft",
	.summary = "FFTW's two-dimensional real FFT alone: not a DCT",
	.source = FFTW,
	.scaling = "none",
	.kind = XC_KIND_FRAME,
	.threaded = 1,
	.output_size = xc_frame_same_plane,
	XC_RUN_BY(xc_real_fft),
};
#endif
