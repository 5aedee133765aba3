/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several GPUs in one process encode from host memory to host memory: one of them, then two,
 * and so on to all, each with a context and a thread of its own.  Every file must equal the
 * CPU's and come in the order of its picture.
 *
 *	bench/tools/gpus [FRAMES]
 *
 * Exit status: 0, 1 if a file is another, 77 without a GPU.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xcodec_cuda.h>

#include "bench/tiled.h"
#include "bench/tools/submit.h"
#include "cli/base/clock.h"

enum { SLOTS = 4, FRAMES = 512, MOST = 16 };

typedef struct work {
	const xc_picture *pictures; /* SLOTS of them, which the frames repeat */
	const xc_buffer *files;     /* what they should become */
	const xc_encode_options *options;
	pthread_barrier_t start;
	uint32_t frames; /* of each GPU */
	int devices[MOST];
} work;

typedef struct worker {
	work *w;
	int device;
	pthread_t thread;
	xc_context *context;
	xc_cuda *gpu;
	xc_cuda_encode_queue *queue;
	double began, ended;
	const char *trouble; /* NULL: none */
} worker;

/* Opens the GPU and starts on the pictures, which the slots keep for later frames. */
static const char *set_up(worker *k)
{
	k->context = xc_context_new(NULL);
	if (!k->context)
		return "out of memory";
	if (xc_cuda_open(k->context, k->device, &k->gpu) ||
	    xc_cuda_encode_queue_new(k->gpu, &k->w->pictures[0], NULL, k->w->options, SLOTS, &k->queue))
		return xc_context_message(k->context);
	for (int i = 0; i < SLOTS; i++)
		if (xc_bench_submit(k->queue, &k->w->pictures[i]))
			return xc_context_message(k->context);
	return NULL;
}

static const char *encode(worker *k)
{
	for (uint32_t i = 0; i < k->w->frames + SLOTS; i++) {
		const xc_buffer *want = &k->w->files[i % SLOTS];
		const void *file;
		size_t size;
		if (i == SLOTS)
			k->began = xc_cli_seconds();
		if (xc_cuda_encode_queue_collect(k->queue, &file, &size))
			return xc_context_message(k->context);
		if (size != want->size || memcmp(file, want->data, size))
			return "another file than the CPU's";
		if (i < k->w->frames && xc_cuda_encode_queue_submit(k->queue))
			return xc_context_message(k->context);
	}
	k->ended = xc_cli_seconds();
	return NULL;
}

static void *run(void *user)
{
	worker *k = user;
	k->trouble = set_up(k);
	pthread_barrier_wait(&k->w->start);
	if (!k->trouble)
		k->trouble = encode(k);
	return NULL;
}

/* Encodes w->frames pictures on each of n GPUs; returns pictures a second, or 0. */
static double measure(work *w, int n)
{
	worker workers[MOST] = {{0}};
	double began = 0, ended = 0;
	int failed = 0;
	pthread_barrier_init(&w->start, NULL, (unsigned)n);
	for (int i = 0; i < n; i++) {
		workers[i].w = w;
		workers[i].device = w->devices[i];
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			exit(2);
	}
	for (int i = 0; i < n; i++) {
		worker *k = &workers[i];
		pthread_join(k->thread, NULL);
		if (k->trouble)
			printf("GPU %d: %s\n", k->device, k->trouble);
		failed |= k->trouble != NULL;
		began = i == 0 || k->began < began ? k->began : began;
		ended = k->ended > ended ? k->ended : ended;
		xc_cuda_encode_queue_free(k->queue);
		xc_cuda_close(k->gpu);
		xc_context_free(k->context);
	}
	pthread_barrier_destroy(&w->start);
	return failed ? 0 : (double)w->frames * n / (ended - began);
}

/* The GPUs that can be used, of the first MOST; says why there is none. */
static int find_gpus(xc_context *context, int found[MOST])
{
	xc_cuda_device list[MOST];
	int there = 0, count = 0;
	if (xc_cuda_devices(context, list, MOST, &there))
		printf("no GPU: %s\n", xc_context_message(context));
	for (int i = 0; i < there && i < MOST; i++) {
		if (list[i].usable)
			found[count++] = list[i].index;
		else
			printf("GPU %d: %s\n", list[i].index, list[i].reason);
	}
	return count;
}

int main(int argc, char **argv)
{
	xc_picture scene, pictures[SLOTS];
	xc_buffer files[SLOTS];
	char message[XC_FILE_MESSAGE];
	xc_encode_options options;
	work w = {.pictures = pictures, .files = files, .options = &options, .frames = FRAMES};
	xc_context *cpu = xc_context_new(NULL);
	int count = 0;
	double one = 0, all;
	if (argc > 1)
		w.frames = (uint32_t)strtoul(argv[1], NULL, 10);
	if (!cpu || !w.frames)
		return 2;
	count = find_gpus(cpu, w.devices);
	if (!count)
		return 77;
	if (xc_bench_tile(NULL, 0, 3840, 2160, &scene, message))
		return 2;
	xc_encode_options_jpeg(&options); /* what a GPU knows */
	for (int i = 0; i < SLOTS; i++) {
		pictures[i] = scene;
		pictures[i].width = 3840 - 8 * SLOTS; /* all of one shape, with other pixels */
		pictures[i].data = (char *)scene.data + (size_t)i * 8 * 3;
		if (xc_encode(cpu, &pictures[i], NULL, &options, &files[i]))
			return 2;
	}
	for (int n = 1; n <= count; n = n < count && 2 * n > count ? count : 2 * n) {
		all = measure(&w, n);
		if (all <= 0)
			return 1;
		one = n == 1 ? all : one;
		printf("%2d GPUs: %7.1f frames of %ux%u a second, %6.2f GP/s, %5.2f times one\n", n, all,
		       pictures[0].width, pictures[0].height,
		       all * pictures[0].width * pictures[0].height * 1e-9, all / one);
	}
	for (int i = 0; i < SLOTS; i++)
		xc_buffer_free(cpu, &files[i]);
	free(scene.data);
	xc_context_free(cpu);
	return 0;
}
