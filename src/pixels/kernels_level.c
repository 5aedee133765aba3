/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of src/pixels/kernels.h for one SIMD level. The makefile compiles this file once per
 * level and sets
 *   XC_LANES    floats in a vector: 1, 4, 8 or 16
 *   XC_KERNELS  the name of the table that it defines
 * Samples are independent of each other, and every operation is one rounded float operation in the
 * order written, so the number of lanes cannot change a result.
 */
#include "src/pixels/arrays_template.h"
#include "src/pixels/block_template.h"
#include "src/pixels/colour_template.h"
#include "src/pixels/reduced_template.h"

/* Channels, depth, and whether B comes first. */
#define KIND(...) ((pixel_kind){__VA_ARGS__})

#define DEFINE_GREY(name, ...) \
	static void luma_##name(const void *p, size_t n, float *y) \
	{ \
		luma_row(p, n, KIND(__VA_ARGS__), y); \
	} \
	static void output_##name(const float *y, size_t n, void *p) \
	{ \
		out_grey(y, n, KIND(__VA_ARGS__), p); \
	}

#define DEFINE_COLOUR(name, ...) \
	DEFINE_GREY(name, __VA_ARGS__) \
	static void forward_444_##name(const void *p, size_t n, float *y, float *cb, float *cr) \
	{ \
		rows_444(p, n, KIND(__VA_ARGS__), y, cb, cr); \
	} \
	static void forward_422_##name(const void *p, size_t n, float *y, float *cb, float *cr) \
	{ \
		rows_422(p, n, KIND(__VA_ARGS__), y, cb, cr); \
	} \
	static void forward_420_##name(const void *p, const void *q, size_t n, float *y0, float *y1, \
	                               float *cb, float *cr) \
	{ \
		rows_420(p, q, n, KIND(__VA_ARGS__), y0, y1, cb, cr); \
	} \
	static void output_444_##name(const float *y, const float *cb, const float *cr, size_t n, \
	                              const xc_colour_gains *gains, void *p) \
	{ \
		out_444(y, cb, cr, n, KIND(__VA_ARGS__), gains, p); \
	} \
	static void output_422_##name(const float *y, const float *cb, const float *cr, size_t n, \
	                              const xc_colour_gains *gains, void *p) \
	{ \
		out_2(y, chroma_begin(cb, NULL), chroma_begin(cr, NULL), n, KIND(__VA_ARGS__), gains, p); \
	} \
	static void output_420_##name(const float *y, const xc_chroma_rows *near, \
	                              const xc_chroma_rows *far, size_t n, \
	                              const xc_colour_gains *gains, void *p) \
	{ \
		out_2(y, chroma_begin(near->cb, far->cb), chroma_begin(near->cr, far->cr), n, \
		      KIND(__VA_ARGS__), gains, p); \
	}

DEFINE_GREY(g8, 1, 8, 0)
DEFINE_GREY(ga8, 2, 8, 0)
DEFINE_COLOUR(rgb8, 3, 8, 0)
DEFINE_COLOUR(rgba8, 4, 8, 0)
DEFINE_COLOUR(bgr8, 3, 8, 1)
DEFINE_COLOUR(bgra8, 4, 8, 1)
DEFINE_GREY(g16, 1, 16, 0)
DEFINE_GREY(ga16, 2, 16, 0)
DEFINE_COLOUR(rgb16, 3, 16, 0)
DEFINE_COLOUR(rgba16, 4, 16, 0)
DEFINE_COLOUR(bgr16, 3, 16, 1)
DEFINE_COLOUR(bgra16, 4, 16, 1)

#define ALL(f) \
	f##g8, f##ga8, f##rgb8, f##rgba8, f##bgr8, f##bgra8, f##g16, f##ga16, f##rgb16, f##rgba16, \
		f##bgr16, f##bgra16
#define COLOURS(f) \
	0, 0, f##rgb8, f##rgba8, f##bgr8, f##bgra8, 0, 0, f##rgb16, f##rgba16, f##bgr16, f##bgra16

const xc_kernels XC_KERNELS = {
	.luma = {XC_OF_ENCODER(ALL(luma_))},
	.forward_444 = {XC_OF_ENCODER(COLOURS(forward_444_))},
	.forward_422 = {XC_OF_ENCODER(COLOURS(forward_422_))},
	.forward_420 = {XC_OF_ENCODER(COLOURS(forward_420_))},
	.mix = mix,
	.quantize16 = XC_OF_ENCODER(quantize16),
	.quantize32 = XC_OF_ENCODER(quantize32),
	.reduce_across = reduce_across,
	.reduce_down = reduce_down,
	.transform = {&dct_kernels, &lot_kernels, &tdlt_kernels, &none_kernels},
	.output_444 = {COLOURS(output_444_)},
	.output_422 = {COLOURS(output_422_)},
	.output_420 = {COLOURS(output_420_)},
	.output_grey = {ALL(output_)},
	.forward_pairs = XC_OF_ENCODER(pairs_in),
	.output_pairs = two_out,
	.split = {split8, split16},
	.floats = {floats8, floats16},
	.halves = halves,
};
