/* SPDX-License-Identifier: BSD-2-Clause */
/* The algorithms of the processor, as one table, and the memory and sizes of whole frames. */
#include "lab/algorithms.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined __linux__
#include <sys/mman.h>
#endif

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

size_t xc_frame_multiply(size_t a, size_t b)
{
	size_t product;
	return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

void *xc_frame_allocate(size_t count, size_t size)
{
	size_t bytes = xc_frame_multiply(count, size);

	if (bytes > SIZE_MAX / 2)
		return NULL;
	if (bytes == 0)
		bytes = 1;
	const size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
	bytes = (bytes + alignment - 1) / alignment * alignment;
	void *memory = aligned_alloc(alignment, bytes);
	if (!memory)
		return NULL;
#if defined __linux__ && defined MADV_HUGEPAGE
	/* Advice: nothing depends on whether it is taken. */
	if (alignment == HUGE_PAGE)
		(void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
	memset(memory, 0, bytes);
	return memory;
}

int xc_frame_same_size(xc_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	(void)direction;
	const size_t plane = xc_frame_multiply(in->rows, in->cols);
	const size_t samples = xc_frame_multiply(plane, in->slices);
	/* Every size in bytes, of the widest samples, must be a size_t. */
	if (!in->slices || !in->rows || !in->cols || samples > SIZE_MAX / 64)
		return -1;
	*out = *in;
	return 0;
}

int xc_frame_same_plane(xc_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	return in->slices == 1 ? xc_frame_same_size(direction, in, out) : -1;
}

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
