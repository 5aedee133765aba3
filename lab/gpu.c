/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry's side of the transforms for a GPU. */
#include "lab/algorithms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/gpu/ops.h"
#include "src/core/module.h"

/* xc_algorithm.details */
typedef struct gpu_details {
	xc_lab_kind kind;
	xc_band_details band;
	int way, sine_cols, sine_rows;
} gpu_details;

typedef struct gpu_state {
	const xc_lab_ops *ops;
	void *plan; /* the module's, or NULL if it could not make one */
	xct_times times;
	int failed;
	char message[XC_DEVICE_MESSAGE];
} gpu_state;

/* The factors of 64 coefficients, quantization and the plan's scaling included. */
static void make_scale(const xc_plan *plan, xc_lab_job *job)
{
	const gpu_details *details = plan->algorithm->details;
	const int wide = job->precision == XCT_FLOAT64;
	long double factors[64];
	int scaled = 0;

	if (details->kind == XC_LAB_BAND)
		scaled = xc_band_make_scale(details->band.transform, plan->weighs ? plan->factors : NULL,
		                            XCT_LONG_DOUBLE, factors);
	for (int i = 0; i < 64; i++) {
		const long double value = scaled ? factors[i] : plan->weighs ? plan->factors[i] : 1;
		if (wide)
			job->scale.f64[i] = (double)value;
		else
			job->scale.f32[i] = (float)value;
	}
}

static xc_lab_job make_job(const xc_plan *plan)
{
	const gpu_details *details = plan->algorithm->details;
	xc_transform_size bands = plan->size;
	xc_lab_job job = {
		.kind = details->kind,
		.direction = plan->direction,
		.precision = plan->precision,
		.transform_kind = plan->kind,
		.way = details->way,
		.still = plan->still,
		.device = plan->device,
		.stream = plan->stream,
		.on_device = plan->memory == XCT_DEVICE,
		.rounds = plan->kind == XCT_BLOCK_DCT_QUANTIZED,
		.sine_cols = details->sine_cols,
		.sine_rows = details->sine_rows,
	};

	memcpy(job.factors, plan->axis_factors, sizeof job.factors);
	plan->algorithm->output_size(XCT_FORWARD, &plan->size, &bands);
	job.in = plan->direction == XCT_FORWARD ? plan->size : bands;
	job.out = plan->direction == XCT_FORWARD ? bands : plan->size;
	if (details->kind == XC_LAB_BAND) {
		job.transform = details->band.transform;
		job.rows = xc_band_make_axis(&details->band, plan->direction, plan->size.rows);
		job.cols = xc_band_make_axis(&details->band, plan->direction, plan->size.cols);
	}
	if (details->kind == XC_LAB_BAND || details->kind == XC_LAB_SHORT)
		make_scale(plan, &job);
	return job;
}

static const xc_lab_ops *open_module(char why[XC_DEVICE_MESSAGE])
{
	return xc_module_open("xcodec-lab-cuda", XC_LAB_ABI, why, XC_DEVICE_MESSAGE);
}

static void *gpu_prepare(const xc_plan *plan)
{
	const xc_lab_job job = make_job(plan);
	gpu_state *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	const gpu_details *const details = plan->algorithm->details;
	s->ops = open_module(s->message);
	if (plan->weighs && details->kind == XC_LAB_BAND && !xc_band_scaled(details->band.transform))
		snprintf(s->message, sizeof s->message, "has no scaling but the orthonormal one");
	else if (s->ops)
		s->plan = s->ops->prepare(&job, s->message);
	s->failed = !s->plan;
	return s;
}

static void gpu_execute(const xc_plan *plan, const void *in, void *out)
{
	gpu_state *s = plan->state;

	if (!s->plan)
		return;
	if (plan->memory == XCT_DEVICE)
		s->failed = s->ops->enqueue(s->plan, in, out, s->message) != 0;
	else
		s->failed = s->ops->execute(s->plan, in, out, &s->times, s->message) != 0;
}

static void gpu_finish(void *state)
{
	gpu_state *s = state;

	if (s->plan)
		s->ops->finish(s->plan);
	free(s);
}

/* 8 bands, products, and an FFT at the usual 5 N log2 N. */
static void gpu_count(const xc_plan *plan, xct_operations *operations)
{
	const gpu_details *details = plan->algorithm->details;
	const double rows = (double)plan->size.rows, cols = (double)plan->size.cols;
	const double points = rows * cols / 2 * log2(rows * cols / 2);
	const int bands = details->kind == XC_LAB_BAND, product = details->kind == XC_LAB_PRODUCT;

	if (bands || details->kind == XC_LAB_SHORT) {
		xc_band_count_of(bands ? details->band.transform : XC_BAND_TRANSFORMS, &plan->size,
		                 operations);
	} else if (details->kind == XC_LAB_COMPLEX_FFT) {
		operations->additions = 3 * points;
		operations->multiplications = 2 * points;
	} else if (details->kind >= XC_LAB_DMM && details->kind <= XC_LAB_PRODUCT) {
		operations->multiply_adds = rows * cols * (product ? rows : rows + cols);
	}
}

static const xc_engine engine = {gpu_prepare, gpu_execute, gpu_finish, gpu_count};
static const xc_engine *const engines[] = {&engine, &engine};

static int gpu_usable(const xc_algorithm *algorithm, int number, char text[XC_DEVICE_MESSAGE])
{
	const gpu_details *details = algorithm->details;
	char device[XC_DEVICE_MESSAGE] = "";
	const xc_lab_ops *ops = open_module(text);

	if (!ops || ops->probe(number, device, text))
		return -1;
	if (details->kind >= XC_LAB_DMM && !ops->has_frames) {
		snprintf(text, XC_DEVICE_MESSAGE, "built without cuFFT");
		return -1;
	}
	memcpy(text, device, sizeof device);
	return 0;
}

static int gpu_measure(const xc_plan *plan, const void *in, int runs, double *seconds)
{
	gpu_state *s = plan->state;

	if (s->plan)
		s->failed = s->ops->measure(s->plan, in, runs, seconds, &s->times, s->message) != 0;
	return s->failed ? -1 : 0;
}

static xct_times gpu_times(const xc_plan *plan)
{
	const gpu_state *s = plan->state;
	return s->times;
}

static const char *gpu_failure(const xc_plan *plan)
{
	const gpu_state *s = plan->state;
	return s->failed ? s->message : NULL;
}

static const xc_algorithm_device gpu = {gpu_usable, gpu_measure, gpu_times, gpu_failure};

#define ALGORITHM(text, what, who, scale, group, bits, most, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.is = {.name = text, \
		       .summary = what, \
		       .source = who, \
		       .scaling = scale, \
		       .kinds = group, \
		       .precisions = bits, \
		       .bands = (group) >> XCT_BLOCK_DCT ? 8 : 0, \
		       .dimensions = most, \
		       .in_place = 1, \
		       .gpu = 1}, \
		.output_size = sizes, .engines = engines, .details = &(const gpu_details){__VA_ARGS__}, \
		.device = &gpu, \
	}

static int pairs(xct_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	return in->cols % 2 ? -1 : xc_frame_same_plane(direction, in, out);
}

/* Rows of lab/algorithms.h. */
#define KIND(kind) (1u << (kind))
#define FLOATS (XCT_FLOAT32 | XCT_FLOAT64)
#define BAND(...) BAND_OF(__VA_ARGS__)
#define BAND_OF(text, what, who, group, sizes, ...) \
	ALGORITHM("gpu-" text, what, who, "orthonormal", KIND(group), FLOATS | XCT_FLOAT16, 2, sizes, \
	          .kind = XC_LAB_BAND, .band = {__VA_ARGS__})
#define SHORT(...) SHORT_OF(__VA_ARGS__)
#define SHORT_OF(text, what, who, group, sizes, ...) \
	ALGORITHM("gpu-" text, what, who, "orthonormal, rounded to integers", KIND(group), XCT_INT16, \
	          2, sizes, .kind = XC_LAB_SHORT)
#define COSINE (KIND(XCT_DCT2) | KIND(XCT_DCT3))
#define FRAME(work, most, ...) FRAME_OF(work, most, COSINE, 0, 0, __VA_ARGS__)
#define LINES(how, group, ...) LINES_OF(how, group, __VA_ARGS__)
#define LINES_OF(how, group, text, ...) \
	ALGORITHM("gpu-" text, __VA_ARGS__, "orthonormal", group, FLOATS, 4, xc_frame_same_size, \
	          .kind = XC_LAB_LINES, .way = how)
#define SINE(group, cols, rows, ...) \
	FRAME_OF(XC_LAB_FFT_MULTI, 2, KIND(group), cols, rows, __VA_ARGS__)
#define FRAME_OF(work, most, group, cols, rows, text, what, who, scale, sizes) \
	ALGORITHM(text, what, who, scale, group, FLOATS, most, sizes, .kind = work, .sine_cols = cols, \
	          .sine_rows = rows)
#define PRODUCT(work, how, group, text, what) \
	ALGORITHM(text, what, XC_YE, "orthonormal", group, FLOATS, 2, xc_frame_same_plane, \
	          .kind = work, .way = how)
/* Variants that others are compared with. */
#define STAGES(how, text, what) \
	ALGORITHM("gpu-fft2d-" text, "the same, " what, XC_JIANG ", section III", "orthonormal", \
	          COSINE, FLOATS, 2, xc_frame_same_plane, .kind = XC_LAB_FFT_STAGES, .way = how)
#define QUANTIZED(text, who, bits, ...) \
	ALGORITHM(text, "the same, and quantization", who, \
	          "orthonormal, divided by the whitepaper's table, rounded to integers", \
	          KIND(XCT_BLOCK_DCT_QUANTIZED), bits, 2, xc_band_size_same, __VA_ARGS__)

const xc_algorithm *const xc_gpu_algorithms[] = {
	BAND(XC_ROW_DEFINITION),
	BAND(XC_ROW_SEPARABLE),
	SHORT(XC_ROW_SHORT),
	QUANTIZED("gpu-short-quantized", XC_WHITEPAPER ", short kernel", XCT_INT16,
              .kind = XC_LAB_SHORT),
	BAND(XC_ROW_AAN),
	QUANTIZED("gpu-aan-quantized", XC_AAN, FLOATS, .kind = XC_LAB_BAND,
              .band = {.transform = XC_BAND_AAN}),
	BAND(XC_ROW_FLMAD),
	BAND(XC_ROW_FLOT),
	BAND(XC_ROW_FLOT_SYMMETRIC),
	BAND(XC_ROW_TDLT),
	BAND(XC_ROW_GENLOT),

	FRAME(XC_LAB_DMM, 2, "gpu-" XC_ROW_DMM),
	FRAME(XC_LAB_DMM_CUBLAS, 2, "gpu-dmm-cublas", "the same, the products by cuBLAS", XC_YE,
          "orthonormal", xc_frame_same_plane),
	PRODUCT(XC_LAB_DMM, 1, COSINE, "gpu-dmm-plain",
            "the same, each coefficient by a thread of its own, without shared memory"),
	LINES(XC_LINE_4N, COSINE, XC_ROW_4N),
	LINES(XC_LINE_2N_MIRRORED, COSINE, XC_ROW_2N_MIRRORED),
	LINES(XC_LINE_2N_PADDED, COSINE, XC_ROW_2N_PADDED),
	LINES(XC_LINE_KINDS, KIND(XCT_DST4 + 1) - 1, XC_ROW_LINES),
	FRAME(XC_LAB_FFT_ROWCOL, 2, "gpu-fft-n",
          "whole-frame DCT, row-column, by batches of N-point real FFTs",
          XC_JIANG ", algorithm 1; Makhoul 1980", "orthonormal", xc_frame_same_plane),
	FRAME(XC_LAB_FFT_MULTI, 2, "gpu-" XC_ROW_FFT2D),
	FRAME(XC_LAB_FFT_STAGES, 2, "gpu-fft2d-stages", "the same, in three stages around cuFFT",
          XC_FFT2D_SOURCE, "orthonormal", xc_frame_same_plane),
	STAGES(XC_STAGE_GATHER, "gather", "each sample by a thread of its place in the FFT"),
	STAGES(XC_STAGE_SCATTER, "scatter", "each sample by a thread of its place in the array"),
	STAGES(XC_STAGE_NAIVE, "naive", "each coefficient computed by itself"),
	FRAME(XC_LAB_FFT_MULTI, 3, "gpu-fft3d", "DCT of a volume by one three-dimensional real FFT",
          XC_JIANG ", section III-D", "orthonormal", xc_frame_same_size),
	FRAME_OF(XC_LAB_COMPLEX_FFT, 2, KIND(XCT_COMPLEX_FFT), 0, 0, "gpu-fft-complex",
             "cuFFT's FFT of complex numbers, whose parts lie side by side", "cuFFT", "not scaled",
             pairs),
	PRODUCT(XC_LAB_PRODUCT, 0, KIND(XCT_MATRIX_PRODUCT), "gpu-product",
            "DCT down the columns alone: one product with the cosine matrix"),
	PRODUCT(XC_LAB_PRODUCT, 1, KIND(XCT_MATRIX_PRODUCT), "gpu-product-plain",
            "the same, each coefficient by a thread of its own, without shared memory"),
	SINE(XCT_IDCT_IDXST, 1, 0, "gpu-" XC_ROW_IDCT_IDXST),
	SINE(XCT_IDXST_IDCT, 0, 1, "gpu-" XC_ROW_IDXST_IDCT),
	/* To measure others against. */
	ALGORITHM("gpu-copy", "a copy on the device, to measure others against", "", "none",
              KIND(XCT_COPY), FLOATS | XCT_INT16 | XCT_FLOAT16, 3, xc_frame_same_size,
              .kind = XC_LAB_COPY),
	ALGORITHM("cufft-real-fft", "cuFFT's real FFT of all axes alone: no DCT", "cuFFT", "none",
              KIND(XCT_REAL_FFT), FLOATS, 3, xc_frame_same_size, .kind = XC_LAB_REAL_FFT),
	NULL,
};
