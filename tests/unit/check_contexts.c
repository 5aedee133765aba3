/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that have a context each do not disturb one another, on the processor or on a
 * GPU: different pictures, encoded and decoded at the same time, come out as they do alone.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
	RUN_FOR("on the processor", 0, side_by_side);
	RUN_FOR("on a GPU", 1, side_by_side);
	return check_done();
}
