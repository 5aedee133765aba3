/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry's side of the transforms for a GPU. */
#include "lab/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/band/plan.h"
#include "lab/cpu/frame/memory.h"
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

/* ------------------------------------------------------------------ job */

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

/* ----------------------------------------------------------------- plan */

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

/* ----------------------------------------------------------- algorithms */

#define ALGORITHM(text, what, who, scale, group, bits, sizes, ...) \
	&(const xc_algorithm) \
	{ \
		.name = text, .summary = what, .source = who, .scaling = scale, .kind = group, \
		.precisions = bits, .output_size = sizes, .engines = engines, .in_place = 1, \
		.details = &(const gpu_details){__VA_ARGS__}, .device = &gpu, \
	}

#define FLOATS (XC_PRECISION_32 | XC_PRECISION_64)
#define BAND(text, what, who, group, sizes, ...) \
	ALGORITHM(text, what, who, "orthonormal", group, FLOATS, sizes, .kind = XC_LAB_BAND, \
	          .band = {__VA_ARGS__})
#define FRAME(text, what, who, sizes, ...) \
	ALGORITHM(text, what, who, "orthonormal", XC_KIND_FRAME, FLOATS, sizes, .kind = __VA_ARGS__)

#define WHITEPAPER \
	"A. Obukhov, A. Kharlamov, Discrete Cosine Transform for 8x8 Blocks with CUDA, NVIDIA 2008"
#define AAN \
	"Y. Arai, T. Agui, M. Nakajima, A fast DCT-SQ scheme for images, Trans. IEICE E71 (1988)"
#define LOT \
	"H. S. Malvar, D. H. Staelin, The LOT: transform coding without blocking effects, IEEE " \
	"Trans. ASSP 37 (1989)"
#define JIANG \
	"Jiang, Gu, Pan, A New Acceleration Paradigm for Discrete Cosine Transform and Other " \
	"Fourier-Related Transforms"
#define QUANTIZED "orthonormal, divided by the whitepaper's table, rounded to integers"

const xc_algorithm *const xc_gpu_algorithms[] = {
	BAND("gpu-definition", "8x8 DCT as two matrix products", WHITEPAPER ", kernel 1",
         XC_KIND_BLOCK_DCT, xc_band_size_same, .transform = XC_BAND_DEFINITION),
	BAND("gpu-separable", "8x8 DCT by even/odd decomposition", WHITEPAPER ", kernel 2",
         XC_KIND_BLOCK_DCT, xc_band_size_same, .transform = XC_BAND_SEPARABLE),
	ALGORITHM("gpu-short", "8x8 DCT in 16-bit integers, for samples of up to 13 bits",
              WHITEPAPER ", short kernel", "orthonormal, rounded to integers", XC_KIND_BLOCK_DCT,
              XC_PRECISION_16, xc_band_size_same, .kind = XC_LAB_SHORT),
	ALGORITHM("gpu-short-quantized", "the same, and quantization", WHITEPAPER ", short kernel",
              QUANTIZED, XC_KIND_BLOCK_DCT, XC_PRECISION_16, xc_band_size_same,
              .kind = XC_LAB_SHORT, .quantized = 1),
	BAND("gpu-aan", "8x8 DCT with 5 multiplications for 8 points, and a scaling", AAN,
         XC_KIND_BLOCK_DCT, xc_band_size_same, .transform = XC_BAND_AAN),
	ALGORITHM("gpu-aan-quantized", "the same, and quantization", AAN, QUANTIZED, XC_KIND_BLOCK_DCT,
              FLOATS, xc_band_size_same, .kind = XC_LAB_BAND, .band = {.transform = XC_BAND_AAN},
              .quantized = 1),
	BAND("gpu-flmad", "8x8 DCT of 416 additions and multiply-adds, and a scaling",
         "E. Feig, E. Linzer, Discrete cosine transform algorithms for image data compression, "
         "Electronic Imaging East 1990",
         XC_KIND_BLOCK_DCT, xc_band_size_same, .transform = XC_BAND_FLMAD),
	BAND("gpu-flot", "fast LOT, type I, edges stored in 8 more rows and columns", LOT,
         XC_KIND_LAPPED, xc_band_size_stored, .transform = XC_BAND_LOT, .stored_edges = 1),
	BAND("gpu-flot-symmetric", "fast LOT, type I, symmetric edges, output as large as the input",
         LOT, XC_KIND_LAPPED, xc_band_size_same, .transform = XC_BAND_LOT),
	BAND("gpu-tdlt", "orthogonal pre-filter across block edges, then the 8x8 DCT",
         "T. D. Tran, J. Liang, C. Tu, Lapped transform via time-domain pre- and post-filtering, "
         "IEEE Trans. Signal Processing 51 (2003)",
         XC_KIND_LAPPED, xc_band_size_same, .transform = XC_BAND_TDLT),
	BAND("gpu-genlot", "GenLOT of order 3: basis functions of 24 samples",
         "R. L. de Queiroz, T. Q. Nguyen, K. R. Rao, The GenLOT: generalized linear-phase lapped "
         "orthogonal transform, IEEE Trans. Signal Processing 44 (1996)",
         XC_KIND_LAPPED, xc_band_size_same, .transform = XC_BAND_GENLOT),

	FRAME("gpu-dmm", "whole-frame DCT by multiplication with two cosine matrices",
          "Ye, Shi, CUDA based implementation of DCT/IDCT on GPU, section B", xc_frame_same_plane,
          XC_LAB_DMM),
	FRAME("gpu-dmm-cublas", "the same, the products by cuBLAS",
          "Ye, Shi, CUDA based implementation of DCT/IDCT on GPU, section B", xc_frame_same_plane,
          XC_LAB_DMM_CUBLAS),
	FRAME("gpu-fft-n", "whole-frame DCT, row-column, by batches of N-point real FFTs",
          JIANG ", algorithm 1; Makhoul 1980", xc_frame_same_plane, XC_LAB_FFT_ROWCOL),
	FRAME("gpu-fft2d", "whole-frame DCT by one two-dimensional real FFT, fused",
          JIANG ", algorithm 2; Makhoul 1980", xc_frame_same_plane, XC_LAB_FFT_MULTI),
	FRAME("gpu-fft2d-stages", "the same, in three stages around cuFFT",
          JIANG ", algorithm 2; Makhoul 1980", xc_frame_same_plane, XC_LAB_FFT_STAGES),
	FRAME("gpu-fft3d", "DCT of a volume by one three-dimensional real FFT", JIANG ", section III-D",
          xc_frame_same_size, XC_LAB_FFT_MULTI),
	FRAME("gpu-idct-idxst",
          "inverse: IDXST (sine) along each row, IDCT down the columns; forward: its transpose",
          JIANG ", equations 21 and 22, after DREAMPlace", xc_frame_same_plane, XC_LAB_FFT_MULTI,
          .sine_cols = 1),
	FRAME("gpu-idxst-idct",
          "inverse: IDCT along each row, IDXST (sine) down the columns; forward: its transpose",
          JIANG ", equations 21 and 22, after DREAMPlace", xc_frame_same_plane, XC_LAB_FFT_MULTI,
          .sine_rows = 1),
	NULL,
};

const xc_algorithm *const xc_algorithm_gpu_copy = ALGORITHM("copy", "a copy on the device", "", "",
                                                            XC_KIND_FRAME, FLOATS | XC_PRECISION_16,
                                                            xc_frame_same_size,
                                                            .kind = XC_LAB_COPY);
const xc_algorithm *const xc_algorithm_gpu_real_fft = FRAME("cufft-real-fft",
                                                            "cuFFT's real FFT of all axes alone",
                                                            "cuFFT", xc_frame_same_size,
                                                            XC_LAB_REAL_FFT);
