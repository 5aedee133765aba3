/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry's side of the transforms for a GPU. */
#include "lab/algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/gpu/ops.h"
#include "src/core/module.h"

const unsigned char xc_lab_quantizers[64] = {
	32, 33, 51, 81, 66, 39, 34, 17, 33, 36, 48, 47, 28, 23, 12, 12, 51, 48, 47, 28, 23, 12,
	12, 12, 81, 47, 28, 23, 12, 12, 12, 12, 66, 28, 23, 12, 12, 12, 12, 12, 39, 23, 12, 12,
	12, 12, 12, 12, 34, 12, 12, 12, 12, 12, 12, 12, 17, 12, 12, 12, 12, 12, 12, 12,
};

/* xc_algorithm.details */
typedef struct gpu_details {
	xc_lab_kind kind;
	xc_band_details band;
	int quantized, sine_cols, sine_rows;
} gpu_details;

typedef struct gpu_state {
	const xc_lab_ops *ops;
	void *plan; /* the module's, or NULL if it could not make one */
	xc_device_times times;
	int failed;
	char message[XC_DEVICE_MESSAGE];
} gpu_state;

const xc_algorithm *xc_lab_twin(const xc_algorithm *algorithm)
{
	static const char *const variants[] = {"-cublas", "-stages", "-quantized"};
	char name[64];

	snprintf(name, sizeof name, "cpu%s", algorithm->name + strlen("gpu"));
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		char *const variant = strstr(name, variants[i]);
		if (variant)
			*variant = '\0';
	}
	return xc_algorithm_find(name);
}

/* The factors of 64 coefficients, quantization included. */
static void make_scale(const gpu_details *details, xc_lab_job *job)
{
	const int inverse = job->direction == XC_INVERSE, wide = job->precision == XC_PRECISION_64;
	long double factors[64];
	int scaled = 0;

	if (details->kind == XC_LAB_BAND)
		scaled = xc_band_make_scale(details->band.transform, XC_PRECISION_80, factors);
	for (int i = 0; i < 64; i++) {
		long double value = scaled ? factors[i] : 1;
		if (details->quantized)
			value = inverse ? value * xc_lab_quantizers[i] : value / xc_lab_quantizers[i];
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
		.rounds = details->quantized,
		.sine_cols = details->sine_cols,
		.sine_rows = details->sine_rows,
	};

	plan->algorithm->output_size(XC_FORWARD, &plan->size, &bands);
	job.in = plan->direction == XC_FORWARD ? plan->size : bands;
	job.out = plan->direction == XC_FORWARD ? bands : plan->size;
	if (details->kind == XC_LAB_BAND) {
		job.transform = details->band.transform;
		job.rows = xc_band_make_axis(&details->band, plan->direction, plan->size.rows);
		job.cols = xc_band_make_axis(&details->band, plan->direction, plan->size.cols);
	}
	if (details->kind == XC_LAB_BAND || details->kind == XC_LAB_SHORT)
		make_scale(details, &job);
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
	s->ops = open_module(s->message);
	if (s->ops)
		s->plan = s->ops->prepare(&job, s->message);
	s->failed = !s->plan;
	return s;
}

static void gpu_execute(const xc_plan *plan, const void *in, void *out)
{
	gpu_state *s = plan->state;
	if (s->plan)
		s->failed = s->ops->execute(s->plan, in, out, &s->times, s->message) != 0;
}

static void gpu_finish(void *state)
{
	gpu_state *s = state;

	if (s->plan)
		s->ops->finish(s->plan);
	free(s);
}

static const xc_engine engine = {gpu_prepare, gpu_execute, gpu_finish};
static const xc_engine *const engines[] = {&engine, &engine};

static int gpu_usable(const xc_algorithm *algorithm, char text[XC_DEVICE_MESSAGE])
{
	const gpu_details *details = algorithm->details;
	char device[XC_DEVICE_MESSAGE] = "";
	const xc_lab_ops *ops = open_module(text);

	if (!ops || ops->probe(device, text))
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
		s->failed = s->ops->measure(s->plan, in, runs, seconds, s->message) != 0;
	return s->failed ? -1 : 0;
}

static xc_device_times gpu_times(const xc_plan *plan)
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

#define ALGORITHM(text, what, who, scale, group, bits, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.name = text, .summary = what, .source = who, .scaling = scale, .kind = group, \
		.precisions = bits, .output_size = sizes, .engines = engines, .in_position = 1, \
		.details = &(const gpu_details){__VA_ARGS__}, .device = &gpu, \
	}

/* Rows of lab/algorithms.h. */
#define FLOATS (XC_PRECISION_32 | XC_PRECISION_64)
#define BAND(...) BAND_OF(__VA_ARGS__)
#define BAND_OF(text, what, who, group, sizes, ...) \
	ALGORITHM("gpu-" text, what, who, "orthonormal", group, FLOATS, sizes, .kind = XC_LAB_BAND, \
	          .band = {__VA_ARGS__})
#define SHORT(...) SHORT_OF(__VA_ARGS__)
#define SHORT_OF(text, what, who, group, sizes, ...) \
	ALGORITHM("gpu-" text, what, who, "orthonormal, rounded to integers", group, XC_PRECISION_16, \
	          sizes, .kind = XC_LAB_SHORT)
#define FRAME(work, ...) FRAME_OF(work, 0, 0, __VA_ARGS__)
#define SINE(cols, rows, ...) FRAME_OF(XC_LAB_FFT_MULTI, cols, rows, __VA_ARGS__)
#define FRAME_OF(work, cols, rows, text, what, who, scale, sizes) \
	ALGORITHM("gpu-" text, what, who, scale, XC_KIND_FRAME, FLOATS, sizes, .kind = work, \
	          .sine_cols = cols, .sine_rows = rows)
#define QUANTIZED(text, who, bits, ...) \
	ALGORITHM(text, "the same, and quantization", who, \
	          "orthonormal, divided by the whitepaper's table, rounded to integers", \
	          XC_KIND_BLOCK_DCT, bits, xc_band_size_same, .quantized = 1, __VA_ARGS__)

const xc_algorithm *const xc_gpu_algorithms[] = {
	BAND(XC_ROW_DEFINITION),
	BAND(XC_ROW_SEPARABLE),
	SHORT(XC_ROW_SHORT),
	QUANTIZED("gpu-short-quantized", XC_WHITEPAPER ", short kernel", XC_PRECISION_16,
              .kind = XC_LAB_SHORT),
	BAND(XC_ROW_AAN),
	QUANTIZED("gpu-aan-quantized", XC_AAN, FLOATS, .kind = XC_LAB_BAND,
              .band = {.transform = XC_BAND_AAN}),
	BAND(XC_ROW_FLMAD),
	BAND(XC_ROW_FLOT),
	BAND(XC_ROW_FLOT_SYMMETRIC),
	BAND(XC_ROW_TDLT),
	BAND(XC_ROW_GENLOT),

	FRAME(XC_LAB_DMM, XC_ROW_DMM),
	FRAME(XC_LAB_DMM_CUBLAS, "dmm-cublas", "the same, the products by cuBLAS", XC_YE, "orthonormal",
          xc_frame_same_plane),
	FRAME(XC_LAB_FFT_ROWCOL, "fft-n",
          "whole-frame DCT, row-column, by batches of N-point real FFTs",
          XC_JIANG ", algorithm 1; Makhoul 1980", "orthonormal", xc_frame_same_plane),
	FRAME(XC_LAB_FFT_MULTI, XC_ROW_FFT2D),
	FRAME(XC_LAB_FFT_STAGES, "fft2d-stages", "the same, in three stages around cuFFT",
          XC_FFT2D_SOURCE, "orthonormal", xc_frame_same_plane),
	FRAME(XC_LAB_FFT_MULTI, "fft3d", "DCT of a volume by one three-dimensional real FFT",
          XC_JIANG ", section III-D", "orthonormal", xc_frame_same_size),
	SINE(1, 0, XC_ROW_IDCT_IDXST),
	SINE(0, 1, XC_ROW_IDXST_IDCT),
	NULL,
};

const xc_algorithm *const xc_algorithm_gpu_copy = ALGORITHM("copy", "a copy on the device", "", "",
                                                            XC_KIND_FRAME, FLOATS | XC_PRECISION_16,
                                                            xc_frame_same_size,
                                                            .kind = XC_LAB_COPY);
const xc_algorithm *const xc_algorithm_gpu_real_fft =
	ALGORITHM("cufft-real-fft", "cuFFT's real FFT of all axes alone", "cuFFT", "orthonormal",
              XC_KIND_FRAME, FLOATS, xc_frame_same_size, .kind = XC_LAB_REAL_FFT);
