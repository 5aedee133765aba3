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

int xc_frame_same_size(xct_direction direction, const xc_transform_size *in, xc_transform_size *out)
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

int xc_frame_same_plane(xct_direction direction, const xc_transform_size *in,
                        xc_transform_size *out)
{
	return in->slices == 1 ? xc_frame_same_size(direction, in, out) : -1;
}

static void run_copy(const xc_plan *plan, const void *in, void *out)
{
	memmove(out, in, xc_transform_samples(&plan->size) * xc_precision_bytes(plan->precision));
}

static const xc_engine copy = {.execute = run_copy};

/* A row's fields: what libxct tells of it, and the engines, whose source the makefile compiles once for
 * each of three precisions, with XC_REAL_BITS set to 32, 64 or 80. */
#define REALS (XCT_FLOAT32 | XCT_FLOAT64 | XCT_LONG_DOUBLE)
#define ROW(...) ROW_OF(8, __VA_ARGS__)
#define ROW_OF(bands_, name_, what, who, scale, kinds_, bits, most, threads_, within, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.is = {.name = name_, \
		       .summary = what, \
		       .source = who, \
		       .scaling = scale, \
		       .kinds = kinds_, \
		       .precisions = bits, \
		       .bands = (kinds_) >> XCT_BLOCK_DCT ? (bands_) : 0, \
		       .dimensions = most, \
		       .threads = threads_, \
		       .in_place = within}, \
		.output_size = sizes, __VA_ARGS__ \
	}
#define RUN_BY(name) \
	.engines = (const xc_engine *const[]) \
	{ \
		&name##_f32, &name##_f64, &name##_f80 \
	}
#define KIND(kind) (1u << (kind))

/* A row of algorithms.h; `suffix` and `more` belong to its name and its summary. */
#define BAND(...) BAND_OF("", "", 0, __VA_ARGS__)
#define BAND_OF(suffix, more, with_threads, text, what, who, group, sizes, ...) \
	ROW("cpu-" text suffix, what more, who, "orthonormal", KIND(group), REALS, 2, with_threads, 0, \
	    sizes, RUN_BY(xc_band), .details = &(const xc_band_details){__VA_ARGS__})
/* A second row, for the variant with OpenMP's threads, as the 2006 work had it. */
#define THREADED(...) \
	BAND_OF("", "", 0, __VA_ARGS__), BAND_OF("-openmp", ", with threads", 1, __VA_ARGS__)
#define QUANTIZED(...) QUANTIZED_OF(__VA_ARGS__)
#define QUANTIZED_OF(text, what, who, group, sizes, ...) \
	ROW("cpu-" text "-quantized", what ", and quantization", who, \
	    "orthonormal, divided by the whitepaper's table, rounded to integers", \
	    KIND(XCT_BLOCK_DCT_QUANTIZED), REALS, 2, 1, 0, sizes, RUN_BY(xc_band), \
	    .details = &(const xc_band_details){__VA_ARGS__})
#define SHORT(...) SHORT_OF(__VA_ARGS__)
#define SHORT_OF(suffix, more, scaled, kind, text, what, who, group, sizes, ...) \
	ROW("cpu-" text suffix, what more, who, "orthonormal, " scaled "rounded to integers", \
	    KIND(kind), XCT_INT16, 2, 0, 0, sizes, .engines = (const xc_engine *const[]){&xc_short})
#define BLOCK_FFTW(text, what, how) \
	ROW(text, what, FFTW, "orthonormal", KIND(XCT_BLOCK_DCT), REALS, 2, 1, 0, xc_band_size_same, \
	    RUN_BY(xc_block_fftw), .way = how)

/* Whole arrays. */
#define COSINE (KIND(XCT_DCT2) | KIND(XCT_DCT3))
#define FRAME(engine, how, most, kinds, ...) FRAME_OF(engine, how, most, kinds, 1, __VA_ARGS__)
#define FRAME_OF(engine, how, most, kinds, within, text, what, who, scale, sizes) \
	ROW(text, what, who, scale, kinds, REALS, most, 1, within, sizes, RUN_BY(engine), .way = how)
/* Row by row, then column by column. */
#define LINES(how, kinds, ...) \
	FRAME(xc_rowcol, how, 3, kinds, "cpu-" __VA_ARGS__, "orthonormal", xc_frame_same_size)
#define KINDS (KIND(XCT_DST4 + 1) - 1)

#define FFTW "M. Frigo, S. G. Johnson, The design and implementation of FFTW3, Proc. IEEE 93 (2005)"

const xc_algorithm *const xc_cpu_algorithms[] = {
	BAND("naive", "8x8 DCT, rows and columns straight from the definition",
         "L. C. Larsen, Utilizing GPUs on Cluster Computers, NTNU 2006", XCT_BLOCK_DCT,
         xc_band_size_same, .transform = XC_BAND_NAIVE, .plain = 1),
	BAND(XC_ROW_DEFINITION),
	BAND(XC_ROW_SEPARABLE),
	SHORT("", "", "", XCT_BLOCK_DCT, XC_ROW_SHORT),
	THREADED(XC_ROW_AAN),
	THREADED(XC_ROW_FLMAD),
	BAND("feig2d", "8x8 DCT in two dimensions at once, fewest operations",
         "E. Feig, S. Winograd, Fast algorithms for the discrete cosine transform, IEEE Trans. "
         "Signal Processing 40 (1992)",
         XCT_BLOCK_DCT, xc_band_size_same, .transform = XC_BAND_FEIG2D),
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
	ROW_OF(16 + 32, "cpu-block-dct", "DCT of 16x16 or 32x32 blocks as two matrix products",
           XC_WHITEPAPER, "orthonormal", KIND(XCT_BLOCK_DCT), REALS, 2, 1, 0, xc_band_size_same,
           RUN_BY(xc_wide)),
	ROW_OF(
		8 + 16 + 32, "cpu-lot2", "LOT of type II, of 8, 16 or 32 bands, symmetric edges",
		"H. S. Malvar, Lapped transforms for efficient transform/subband coding, IEEE Trans. ASSP 38 "
		"(1990)",
		"orthonormal", KIND(XCT_LOT2), REALS, 2, 1, 0, xc_band_size_same, RUN_BY(xc_wide)),
	QUANTIZED(XC_ROW_DEFINITION),
	QUANTIZED(XC_ROW_SEPARABLE),
	QUANTIZED(XC_ROW_AAN),
	QUANTIZED(XC_ROW_FLMAD),
	SHORT("-quantized", ", and quantization", "divided by the whitepaper's table, ",
          XCT_BLOCK_DCT_QUANTIZED, XC_ROW_SHORT),
	FRAME(xc_dmm, XC_DMM_FAST, 2, COSINE, "cpu-" XC_ROW_DMM),
	FRAME(xc_dmm, XC_DMM_PLAIN, 2, COSINE, "cpu-dmm-plain",
          "the same by three plain loops, to measure others against", XC_YE, "orthonormal",
          xc_frame_same_plane),
#ifdef XC_HAVE_FFTW
	LINES(XC_LINE_4N, COSINE, XC_ROW_4N),
	LINES(XC_LINE_2N_MIRRORED, COSINE, XC_ROW_2N_MIRRORED),
	LINES(XC_LINE_2N_PADDED, COSINE, XC_ROW_2N_PADDED),
	LINES(XC_LINE_N, COSINE, XC_ROW_N),
	FRAME(xc_multi, XC_MULTI_COSINE, 2, COSINE, "cpu-" XC_ROW_FFT2D),
	FRAME(xc_multi, XC_MULTI_COSINE, 3, COSINE, "cpu-fft3d",
          "DCT of a volume by one three-dimensional real FFT, fused", XC_JIANG ", section III-D",
          "orthonormal", xc_frame_same_size),
	FRAME(xc_multi, XC_MULTI_SINE_COLS, 2, KIND(XCT_IDCT_IDXST), "cpu-" XC_ROW_IDCT_IDXST),
	FRAME(xc_multi, XC_MULTI_SINE_ROWS, 2, KIND(XCT_IDXST_IDCT), "cpu-" XC_ROW_IDXST_IDCT),
	LINES(XC_LINE_KINDS, KINDS, XC_ROW_LINES),
	FRAME_OF(xc_fftw_frame, 0, 3, KINDS, 0, "cpu-fftw-frame",
             "DCT-I to IV and DST-I to IV of whole arrays by FFTW's own r2r kinds", FFTW,
             "orthonormal", xc_frame_same_size),
	FRAME_OF(xc_real_fft, 0, 2, KIND(XCT_REAL_FFT), 0, "fftw-real-fft",
             "FFTW's real FFT alone, to measure others against: no DCT", FFTW, "none",
             xc_frame_same_plane),
#endif
	FRAME(xc_rowcol, XC_LINE_DEFINITION, 3, KINDS, "cpu-definition-lines",
          "DCT-I to IV and DST-I to IV of whole arrays by their definitions", XC_MARTUCCI,
          "orthonormal", xc_frame_same_size),
	ROW("copy", "a copy, to measure others against", "", "none", KIND(XCT_COPY), REALS | XCT_INT16,
        3, 0, 1, xc_frame_same_size, .engines = (const xc_engine *const[]){&copy, &copy, &copy}),
	NULL,
};
