/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a list of pictures of different sizes costs on a GPU beside as many pictures of one size.
 *
 *	bench/tools/mixed [-n PICTURES] [-q QUALITY] [-e EFFORT] [-H] [-t dct|lot|tdlt] [-k KINDS] [PICTURE...]
 *
 * 256 pictures, parts of a mosaic of those given or of a generated one, are from 300x300 to 512x512, or all
 * 406x406, in device memory. Lines: xc_cuda_encode() of one size; xc_cuda_encode_list() of one size, of any
 * sizes, of any sizes one by one, and with KINDS qualities by turns; xc_batch_encode() of any sizes, from host memory to host memory. 10^9 pixels and
 * pictures a second, the best of nine runs. Every file is compared with the CPU's. -H: Huffman codes.  Exit
 * status: 0, 1 after a failure, 77 without a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcodec_batch.h>
#include <xcodec_cuda.h>

#include "bench/tiled.h"
#include "cli/base/clock.h"
#include "src/cuda/module.h"

enum { RUNS = 9, SMALL = 300, LARGE = 512, MEAN = 406, MAX_KINDS = 16 };

static xc_context *context;
static xc_cuda *gpu;

static void stop(const char *what)
{
	fprintf(stderr, "mixed: %s\n", what);
	exit(1);
}

static void check(xc_status s)
{
	if (s)
		stop(xc_context_message(context));
}

static void *memory(int pinned, size_t size)
{
	void *p;

	check(pinned ? xc_cuda_allocate_pinned(gpu, size, &p) : xc_cuda_allocate_device(gpu, size, &p));
	return p;
}

static void copy(void *to, const void *from, size_t size)
{
	check(xc_cuda_check(gpu, gpu->module->copy(gpu->gpu, to, from, size, NULL, &gpu->error)));
	check(xc_cuda_synchronize(gpu, NULL));
}

/* Pictures on the device, one after the other, and the same in host memory; files on the device. */
typedef struct list {
	xc_cuda_picture *of;
	char *host, *device;
	size_t count;
	uint64_t pixels;
} list;

static xc_picture on_host(const list *l, size_t i)
{
	xc_picture p = l->of[i].picture;

	p.data = l->host + ((char *)p.data - l->device);
	return p;
}

static list make_list(size_t count, int mixed, const xc_picture *scene, const xc_encode_options *o,
                      int kinds)
{
	list l = {.of = calloc(count, sizeof *l.of), .count = count};
	uint32_t seed = 7;

	if (!l.of)
		stop("out of memory");
	size_t bytes = 0, at = 0;
	for (size_t i = 0; i < count; i++) {
		xc_picture *p = &l.of[i].picture;
		seed = seed * 1664525 + 1013904223;
		p->width = mixed ? SMALL + (seed >> 8) % (LARGE - SMALL + 1) : MEAN;
		seed = seed * 1664525 + 1013904223;
		p->height = mixed ? SMALL + (seed >> 8) % (LARGE - SMALL + 1) : MEAN;
		p->channels = 3;
		p->depth = 8;
		p->stride = (p->width * (size_t)3 + 15) / 16 * 16;
		bytes += p->stride * p->height;
		l.pixels += (uint64_t)p->width * p->height;
		l.of[i].options = &o[i % (size_t)kinds];
		l.of[i].room = p->stride * p->height + 65536;
	}
	l.host = memory(1, bytes);
	l.device = memory(0, bytes);
	for (size_t i = 0; i < count; i++) {
		xc_picture *p = &l.of[i].picture;
		const char *from = (const char *)scene->data + i % 64 * 4 * scene->stride + i % 100 * 15;
		p->data = l.device + at;
		for (uint32_t y = 0; y < p->height; y++)
			memcpy(l.host + at + y * p->stride, from + y * scene->stride, p->width * (size_t)3);
		at += p->stride * p->height;
		l.of[i].file = memory(0, l.of[i].room);
	}
	copy(l.device, l.host, bytes);
	return l;
}

static void compare(const list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const xc_cuda_picture *p = &l->of[i];
		const xc_picture picture = on_host(l, i);
		void *const found = memory(1, p->room);
		xc_buffer file;
		check(p->status);
		copy(found, p->file, p->size);
		check(xc_encode(context, &picture, NULL, p->options, &file));
		if (file.size != p->size || memcmp(found, file.data, file.size))
			stop("a file is not the CPU's");
		xc_buffer_free(context, &file);
		xc_cuda_release(gpu, found);
	}
}

static void print(const char *what, const list *l, double seconds)
{
	printf("%-34s %7.1f GP/s %9.0f pictures/s %8.1f us\n", what, (double)l->pixels / seconds / 1e9,
	       (double)l->count / seconds, seconds * 1e6);
}

/* one_by_one: a call for each picture, all on one stream. */
static void measure(const char *what, xc_cuda_encoder *encoder, list *l, int one_by_one)
{
	double best = 1e9;

	for (int run = 0; run < RUNS; run++) {
		const double start = xc_cli_seconds();
		for (size_t i = 0; i < (one_by_one ? l->count : 1); i++) {
			check(xc_cuda_encode_list(encoder, l->of + i, one_by_one ? 1 : l->count, NULL, NULL));
			check(xc_cuda_encoder_wait(encoder));
		}
		const double seconds = xc_cli_seconds() - start;
		best = seconds < best ? seconds : best;
	}
	compare(l);
	print(what, l, best);
}

/* Pictures of one size lie one after the other. */
static void measure_one_shape(const char *what, const list *l, const xc_encode_options *o)
{
	const xc_picture *p = &l->of[0].picture;
	const size_t distance = p->stride * p->height;
	const xc_cuda_pictures in = {p->data, p->stride, distance, (uint32_t)l->count};
	const xc_cuda_files out = {memory(0, l->of[0].room * l->count), l->of[0].room,
	                           memory(1, l->count * sizeof(uint64_t))};
	xc_cuda_encoder *encoder;
	double best = 1e9;

	check(xc_cuda_encoder_new(gpu, p, NULL, o, (uint32_t)l->count, &encoder));
	for (int run = 0; run < RUNS; run++) {
		const double start = xc_cli_seconds();
		check(xc_cuda_encode(encoder, &in, &out, NULL, NULL));
		check(xc_cuda_encoder_wait(encoder));
		const double seconds = xc_cli_seconds() - start;
		best = seconds < best ? seconds : best;
	}
	print(what, l, best);
	xc_cuda_encoder_free(encoder);
}

static void measure_batch(const char *what, const list *l, const xc_encode_options *o)
{
	xc_batch_picture *const pictures = calloc(l->count, sizeof *pictures);
	double best = 1e9;
	xc_batch *b;

	if (!pictures)
		stop("out of memory");
	check(xc_batch_new(context, "cuda", 0, &b));
	for (size_t i = 0; i < l->count; i++)
		pictures[i].picture = on_host(l, i);
	for (int run = 0; run < RUNS; run++) {
		const double start = xc_cli_seconds();
		if (xc_batch_encode(b, o, pictures, l->count))
			stop(xc_batch_message(b));
		const double seconds = xc_cli_seconds() - start;
		best = seconds < best ? seconds : best;
	}
	for (size_t i = 0; i < l->count; i++)
		if (pictures[i].status || pictures[i].size != l->of[i].size)
			stop("a file of the batch is another one");
	print(what, l, best);
	xc_batch_free(b);
	free(pictures);
}

int main(int argc, char **argv)
{
	size_t count = 256;
	int kinds = 4, option;
	xc_encode_options o[MAX_KINDS];
	char message[XC_FILE_MESSAGE];
	xc_cuda_encoder *encoder;
	xc_picture scene;

	xc_encode_options_default(&o[0]);
	o[0].mode = XC_MODE_LOSSY;
	o[0].subsampling = XC_SUBSAMPLING_420;
	o[0].transform = XC_TRANSFORM_TDLT;
	while ((option = getopt(argc, argv, "n:q:e:Ht:k:")) != -1) {
		if (option == 'n')
			count = strtoul(optarg, NULL, 10);
		else if (option == 'q')
			o[0].quality = atoi(optarg);
		else if (option == 'e')
			o[0].effort = atoi(optarg);
		else if (option == 'H')
			o[0].entropy = XC_ENTROPY_HUFFMAN;
		else if (option == 't')
			o[0].transform = *optarg == 'd'   ? XC_TRANSFORM_DCT
			                 : *optarg == 'l' ? XC_TRANSFORM_LOT
			                                  : XC_TRANSFORM_TDLT;
		else if (option == 'k')
			kinds = atoi(optarg);
		else
			return 2;
	}
	if (o[0].entropy == XC_ENTROPY_HUFFMAN) {
		o[0].effort = 0;
		o[0].huffman = XC_HUFFMAN_DEFAULT;
	}
	if (!count || count > 65535 || kinds < 1 || kinds > MAX_KINDS)
		return 2;
	for (int i = 1; i < MAX_KINDS; i++) {
		o[i] = o[0];
		o[i].quality = 50 + 2 * i;
	}
	context = xc_context_new(NULL);
	if (!context || xc_cuda_open(context, 0, &gpu)) {
		fprintf(stderr, "mixed: %s\n", context ? xc_context_message(context) : "out of memory");
		return 77;
	}
	if (xc_bench_tile((const char *const *)(argv + optind), argc - optind, 2100, 800, &scene,
	                  message))
		stop("no pictures");
	list same = make_list(count, 0, &scene, o, 1), mixed = make_list(count, 1, &scene, o, 1);
	list many = make_list(count, 1, &scene, o, kinds);
	check(xc_cuda_encoder_new(gpu, NULL, NULL, o, (uint32_t)count, &encoder));
	measure_one_shape("xc_cuda_encode(), one size", &same, o);
	measure("xc_cuda_encode_list(), one size", encoder, &same, 0);
	measure("xc_cuda_encode_list(), any sizes", encoder, &mixed, 0);
	measure("the same, one by one", encoder, &mixed, 1);
	measure("the same, several qualities", encoder, &many, 0);
	measure_batch("xc_batch_encode(), any sizes", &mixed, o);
	xc_cuda_encoder_free(encoder);
	free(scene.data);
	free(same.of);
	free(mixed.of);
	free(many.of);
	xc_cuda_close(gpu);
	xc_context_free(context);
	return 0;
}
