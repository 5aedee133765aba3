/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that have a context each do not disturb one another, on the processor or on a
 * GPU: different pictures, encoded and decoded at the same time, come out as they do alone. Nor does
 * the caller's floating-point mode.
 */
#include <fenv.h>
#include <float.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif
#include <xcodec_array.h>

#include "tests/support/codec.h"

enum { WORKERS = 6 };

/* They differ in the kernels that they take and in the memory that they need. */
static const struct kind {
	uint32_t width, height, channels, depth;
	xc_subsampling subsampling;
	xc_transform transform;
	int quality;
} kinds[WORKERS] = {
	{640, 480, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 75},
	{500, 300, 3, 16, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT, 100},
	{800, 200, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_LOT, 20},
	{333, 777, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_TDLT, 90},
	{256, 256, 3, 16, XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 50},
	{99, 901, 4, 8, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, 95},
};

typedef struct worker {
	const char *device;
	int rounds;
	xc_encode_options options;
	xc_picture picture, decoded; /* what it encodes; what should become of it */
	xc_buffer file;              /* what it should make */
	int wrong;
	char why[256];
	pthread_t thread;
} worker;

static void note(worker *w, const char *what)
{
	if (!w->wrong++)
		snprintf(w->why, sizeof w->why, "%s", what);
}

static void one_round(worker *w, xc_context *c)
{
	OWN_BUFFER(c, file);
	OWN_DECODED(c, back);

	if (xc_encode(c, &w->picture, NULL, &w->options, &file))
		note(w, xc_context_message(c));
	else if (file.size != w->file.size || memcmp(file.data, w->file.data, file.size) != 0)
		note(w, "another file");
	if (xc_decode(c, w->file.data, w->file.size, NULL, &back))
		note(w, xc_context_message(c));
	else if (!xc_sample_equal(&back, &w->decoded))
		note(w, "another picture");
}

static void *run(void *argument)
{
	worker *w = argument;
	OWN_CONTEXT c = xc_context_new(NULL);

	if (!c || xc_context_set_threads(c, 2) || xc_context_set_device(c, w->device))
		note(w, c ? xc_context_message(c) : "no context");
	for (int i = 0; i < w->rounds && !w->wrong; i++)
		one_round(w, c);
	return NULL;
}

static void side_by_side(int gpu)
{
	xc_context *single = xc_test_context();
	worker workers[WORKERS] = {{0}};
	int started = 0;

	if (gpu && xc_context_set_device(single, "cuda")) {
		xc_context_free(single);
		SKIP("no GPU");
	}
	CHECK_OK(single, xc_context_set_device(single, "cpu"));
	for (int i = 0; i < WORKERS; i++) {
		const struct kind *k = &kinds[i];
		worker *w = &workers[i];
		w->device = gpu ? "cuda" : "cpu";
		w->rounds = gpu ? 300 : 8;
		/* With finer steps samples may be stored, which is the processor's work. */
		w->options = xc_test_options(gpu && k->quality > 90 ? 90 : k->quality, k->subsampling,
		                             k->transform,
		                             i % 2 ? XC_HUFFMAN_DEFAULT : XC_HUFFMAN_OPTIMIZED);
		if (gpu)
			w->options.effort = 0; /* a GPU knows no other */
		w->picture = xc_test_picture(k->width, k->height, k->channels, k->depth, 0, 1);
		CHECK_OK(single, xc_encode(single, &w->picture, NULL, &w->options, &w->file));
		CHECK_OK(single, xc_decode(single, w->file.data, w->file.size, NULL, &w->decoded));
	}
	while (started < WORKERS &&
	       !pthread_create(&workers[started].thread, NULL, run, &workers[started]))
		started++;
	CHECK(started == WORKERS, "%d threads", started);
	for (int i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < WORKERS; i++) {
		worker *w = &workers[i];
		CHECK(!w->wrong, "worker %d: %s", i, w->why);
		xc_picture_free(single, &w->decoded);
		xc_buffer_free(single, &w->file);
		free(w->picture.data);
	}
	xc_context_free(single);
}

/* ----------------------------------------------- the caller's floating point */

#ifdef __SSE__
enum { FLUSH = 0x8040 }; /* subnormal results and operands are 0, as gcc's -ffast-math has it */
#endif

/* Rounding modes, and the last: nothing subnormal. 0: this machine has no such mode. */
static int enter_mode(int mode)
{
	static const int rounding[] = {FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD};

	if (mode < 3)
		return !fesetround(rounding[mode]);
#ifdef __SSE__
	_mm_setcsr(_mm_getcsr() | FLUSH);
	return 1;
#else
	return 0;
#endif
}

static int is_in_mode(int mode)
{
	volatile float one = 1, tiny = FLT_MIN;

	if (mode < 3)
		return one + tiny > 1 ? mode == 0 : one - tiny < 1 && mode > 0;
	return tiny / 2 == 0;
}

static void encode_all(xc_context *c, const xc_picture *p, const xc_array_shape *shape,
                       const float *values, xc_buffer files[4])
{
	xc_encode_options o = xc_test_options(75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT,
	                                      XC_HUFFMAN_OPTIMIZED);
	xc_array_options a;

	xc_array_options_default(&a);
	o.entropy = XC_ENTROPY_RANS;
	CHECK_OK(c, xc_encode(c, p, NULL, &o, &files[0]));
	o.mode = XC_MODE_LOSSLESS;
	CHECK_OK(c, xc_encode(c, p, NULL, &o, &files[1]));
	CHECK_OK(c, xc_array_encode(c, shape, values, &a, &files[2]));
	a.kind = XC_BOUND_ABSOLUTE;
	a.bound = 0.01;
	CHECK_OK(c, xc_array_encode(c, shape, values, &a, &files[3]));
}

/* Files, pixels and values do not depend on it, by one thread or several, and it stays what it was. */
static void floating_point(void)
{
	enum { N = 96 };
	const xc_array_shape shape = {XC_ARRAY_FLOAT32, 2, {N, N}};
	OWN_CONTEXT c = xc_context_new(NULL);
	OWN_MEMORY float *values = xc_test_malloc(sizeof *values * N * N);
	OWN_MEMORY float *back = xc_test_malloc(sizeof *back * N * N);
	xc_picture p = xc_test_picture(200, 150, 3, 8, 0, 1), picture = {0}, same = {0};
	xc_buffer files[4], others[4];

	for (int i = 0; i < N * N; i++)
		values[i] = i % 7 ? (float)(i % N) * 0.37f + (float)(i / N) * 0.11f
		                  : FLT_MIN / (float)(i + 2);
	encode_all(c, &p, &shape, values, files);
	CHECK_OK(c, xc_decode(c, files[0].data, files[0].size, NULL, &picture));
	for (int mode = 0; mode < 4; mode++) {
		fenv_t before;
		fegetenv(&before);
		CHECK_OK(c, xc_context_set_threads(c, 1 + mode % 2 * 2));
		if (enter_mode(mode)) {
			encode_all(c, &p, &shape, values, others);
			CHECK_OK(c, xc_decode(c, others[0].data, others[0].size, NULL, &same));
			CHECK(is_in_mode(mode), "mode %d is another one", mode);
			CHECK(xc_sample_equal(&picture, &same), "mode %d: other pixels", mode);
			for (int i = 0; i < 4; i++) {
				CHECK(files[i].size == others[i].size &&
				          !memcmp(files[i].data, others[i].data, files[i].size),
				      "mode %d: another file %d", mode, i);
				xc_buffer_free(c, &others[i]);
			}
			const xc_source source = {.memory = files[2].data, .size = files[2].size};
			xc_array_reader *reader = NULL;
			CHECK_OK(c, xc_array_reader_new(c, &source, &reader));
			CHECK_OK(c, xc_array_read(reader, NULL, 1, back));
			CHECK(!memcmp(values, back, sizeof *values * N * N), "mode %d: other values", mode);
			xc_array_reader_free(reader);
			xc_picture_free(c, &same);
		}
		fesetenv(&before);
	}
	for (int i = 0; i < 4; i++)
		xc_buffer_free(c, &files[i]);
	xc_picture_free(c, &picture);
	free(p.data);
}

int main(void)
{
	RUN(floating_point);
	RUN_FOR("on the processor", 0, side_by_side);
	RUN_FOR("on a GPU", 1, side_by_side);
	return check_done();
}
