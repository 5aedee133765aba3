/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many pictures of a camera's, a phone's or a data set's size in memory: GPUs that have one queue
 * for each of several threads against a processor with a picture for each core. Every file must
 * equal the processor's.
 *
 * 	bench/tools/pictures [-n PICTURES] [-c CORES] [-s WIDTHxHEIGHT] [PICTURE...]
 *
 * The pictures (1000 of 768x512) are mosaics of those given, or of the meadow, each with other
 * pixels; options are the default's, with 4:2:0 and TDLT. The time of a GPU holds the copies to and
 * from pinned memory.
 * Exit status: 0, 1 if a file is another, 77 without a GPU.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcodec_cuda.h>

#include "bench/tiled.h"
#include "cli/base/clock.h"

enum { SHAPES = 64, MAX_THREADS = 64, MAX_GPUS = MAX_THREADS / 8 };

typedef struct work {
	xc_picture pictures[SHAPES]; /* which the numbers repeat */
	xc_buffer files[SHAPES];     /* what they become */
	xc_encode_options options;
	uint32_t count, next;        /* pictures; changed atomically */
	uint32_t slots;              /* 0: by the processor */
	int devices[MAX_GPUS], gpus; /* that can be used; how many of them threads take in turn */
	pthread_barrier_t start;
} work;

typedef struct worker {
	work *w;
	int thread_number;
	pthread_t thread;
	xc_context *context;
	xc_cuda *gpu;
	xc_cuda_encode_queue *queue;
	uint32_t number[MAX_THREADS], first, in_flight; /* of pictures on their way */
	double began, ended;
	const char *trouble; /* NULL: none */
} worker;

static const char *check(const work *w, uint32_t number, const void *file, size_t size)
{
	const xc_buffer *want = &w->files[number % SHAPES];
	const int same = size == want->size && !memcmp(file, want->data, size);
	return same ? NULL : "another file than the processor's";
}

static const char *encode(worker *k, uint32_t number)
{
	xc_buffer file;

	if (xc_encode(k->context, &k->w->pictures[number % SHAPES], NULL, &k->w->options, &file))
		return xc_context_message(k->context);
	const char *trouble = check(k->w, number, file.data, file.size);
	xc_buffer_free(k->context, &file);
	return trouble;
}

static const char *submit(worker *k, uint32_t number)
{
	const xc_picture *from = &k->w->pictures[number % SHAPES];
	xc_picture to;

	if (xc_cuda_encode_queue_next(k->queue, &to))
		return xc_context_message(k->context);
	for (uint32_t y = 0; y < from->height; y++)
		memcpy((char *)to.data + y * to.stride, (char *)from->data + y * from->stride,
		       (size_t)from->width * 3);
	if (xc_cuda_encode_queue_submit(k->queue))
		return xc_context_message(k->context);
	k->number[(k->first + k->in_flight++) % MAX_THREADS] = number;
	return NULL;
}

static const char *collect(worker *k)
{
	const void *file;
	size_t size;

	if (xc_cuda_encode_queue_collect(k->queue, &file, &size))
		return xc_context_message(k->context);
	k->in_flight--;
	return check(k->w, k->number[k->first++ % MAX_THREADS], file, size);
}

static const char *work_on_all(worker *k)
{
	work *w = k->w;
	const char *trouble = NULL;
	uint32_t i;

	while (!trouble && (i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->count) {
		if (w->slots && k->in_flight == w->slots)
			trouble = collect(k);
		if (!trouble)
			trouble = w->slots ? submit(k, i) : encode(k, i);
	}
	while (!trouble && k->in_flight)
		trouble = collect(k);
	return trouble;
}

static const char *set_up(worker *k)
{
	const work *w = k->w;

	k->context = xc_context_new(NULL);
	if (!k->context)
		return "out of memory";
	xc_context_set_threads(k->context, 1);
	if (w->slots &&
	    (xc_cuda_open(k->context, w->devices[k->thread_number % w->gpus], &k->gpu) ||
	     xc_cuda_encode_queue_new(k->gpu, &w->pictures[0], NULL, &w->options, w->slots, &k->queue)))
		return xc_context_message(k->context);
	/* What the first picture sets up is not measured. */
	if (!w->slots)
		return encode(k, 0);
	const char *trouble = submit(k, 0);
	return trouble ? trouble : collect(k);
}

static void *run(void *user)
{
	worker *k = user;

	k->trouble = set_up(k);
	pthread_barrier_wait(&k->w->start);
	k->began = xc_cli_seconds();
	if (!k->trouble)
		k->trouble = work_on_all(k);
	k->ended = xc_cli_seconds();
	return NULL;
}

/* Pixels a second, or 0. */
static double measure(work *w, int threads, uint32_t slots)
{
	static worker workers[MAX_THREADS];
	double began = 0, ended = 0;
	int failed = 0;

	w->next = 0;
	w->slots = slots;
	pthread_barrier_init(&w->start, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++) {
		workers[i] = (worker){.w = w, .thread_number = i};
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			exit(2);
	}
	for (int i = 0; i < threads; i++) {
		worker *k = &workers[i];
		pthread_join(k->thread, NULL);
		if (k->trouble)
			printf("%s\n", k->trouble);
		failed |= k->trouble != NULL;
		began = i == 0 || k->began < began ? k->began : began;
		ended = k->ended > ended ? k->ended : ended;
		xc_cuda_encode_queue_free(k->queue);
		xc_cuda_close(k->gpu);
		xc_context_free(k->context);
	}
	pthread_barrier_destroy(&w->start);
	const xc_picture *p = &w->pictures[0];
	return failed ? 0 : (double)w->count * p->width * p->height / (ended - began);
}

/* Parts of one large mosaic, each a few pixels further. */
static int make_pictures(work *w, xc_context *cpu, char **paths, int count, uint32_t width,
                         uint32_t height, xc_picture *scene)
{
	char message[XC_FILE_MESSAGE];

	if (xc_bench_tile((const char *const *)paths, count, width + 8 * SHAPES, height, scene,
	                  message))
		return -1;
	for (int i = 0; i < SHAPES; i++) {
		w->pictures[i] = *scene;
		w->pictures[i].width = width;
		w->pictures[i].data = (char *)scene->data + (size_t)i * 8 * 3;
		if (xc_encode(cpu, &w->pictures[i], NULL, &w->options, &w->files[i]))
			return -1;
	}
	return 0;
}

static int compare(work *w, int cores, int gpus)
{
	static const struct {
		int threads;
		uint32_t slots;
	} ways[] = {{1, 4}, {1, 64}, {2, 64}, {4, 64}, {8, 16}, {8, 32}, {8, 64}};
	const int last = sizeof ways / sizeof *ways - 1;
	const double cpu = measure(w, cores, 0);

	printf("%-28s %7.2f GP/s\n", "processor", cpu * 1e-9);
	/* All ways with one GPU, then the last one with two and more. */
	for (int i = 0; cpu > 0 && i < last + gpus; i++) {
		const int way = i < last ? i : last, threads = ways[way].threads * (i - way + 1);
		w->gpus = i - way + 1;
		const double gpu = measure(w, threads, ways[way].slots);
		if (gpu <= 0)
			return 1;
		printf("%d GPU%s, %2d threads, %2u slots each %7.2f GP/s, %5.2f times\n", w->gpus,
		       w->gpus == 1 ? " " : "s", threads, ways[way].slots, gpu * 1e-9, gpu / cpu);
	}
	return cpu <= 0;
}

int main(int argc, char **argv)
{
	static work w = {.count = 1000};
	unsigned width = 768, height = 512;
	int cores = (int)sysconf(_SC_NPROCESSORS_ONLN), option, devices = 0, gpus = 0;
	xc_picture scene;

	while ((option = getopt(argc, argv, "n:c:s:")) != -1) {
		if (option == 'n')
			w.count = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 'c')
			cores = atoi(optarg);
		else if (option != 's' || sscanf(optarg, "%ux%u", &width, &height) != 2)
			return 2;
	}
	if (cores < 1 || cores > MAX_THREADS || !w.count)
		return 2;
	xc_context *context = xc_context_new(NULL);
	xc_cuda_device list[MAX_GPUS];
	if (!context || xc_cuda_devices(context, list, MAX_GPUS, &devices))
		devices = 0;
	for (int i = 0; i < devices && i < MAX_GPUS; i++)
		if (list[i].usable)
			w.devices[gpus++] = list[i].index;
	if (!gpus) {
		printf("no GPU: %s\n", xc_context_message(context));
		return 77;
	}
	xc_encode_options_default(&w.options);
	/* A queue chooses by quality alone; the processor would look at the pixels. */
	w.options.subsampling = XC_SUBSAMPLING_420;
	w.options.transform = XC_TRANSFORM_TDLT;
	if (make_pictures(&w, context, argv + optind, argc - optind, width, height, &scene))
		return 2;
	printf("%u pictures of %ux%u, %zu bytes the first, %d cores\n", w.count, width, height,
	       w.files[0].size, cores);
	const int failed = compare(&w, cores, gpus);
	for (int i = 0; i < SHAPES; i++)
		xc_buffer_free(context, &w.files[i]);
	xc_context_free(context);
	free(scene.data);
	return failed;
}
