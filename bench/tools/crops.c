/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a region or a reduced size of each picture costs beside whole pictures, in a batch on a GPU (xcodec_batch.h):
 * crops of 224x224 as training wants them, from pictures of a data set's size and of 3840x2160, and each 1/SCALE.
 *
 *	bench/tools/crops [-d DEVICE] [-n PICTURES] [-q QUALITY] [-b SEGMENT-BLOCKS] [-s SCALE] [-j] [PICTURE...]
 *
 * 256 pictures are parts of a mosaic of those given, or of a generated one. A line for each size: pictures a
 * second whole, and as crops in other places each time, all in full size and then at 1/SCALE (2, 4 or 8; without it
 * all three); best of five runs. Arrays are uint8 in the device's memory. DEVICE is "cuda", or "cpu" for the threads.
 * -j: the DCT and Huffman codes, as JPEG has them. Exit status: 0, 1 after a failure, 77 without a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcodec_batch.h>

#include "bench/tiled.h"
#include "cli/base/clock.h"

enum { SHAPES = 16, CROP = 224, RUNS = 5 };

static void stop(const char *what)
{
	fprintf(stderr, "crops: %s\n", what);
	exit(1);
}

/* Pictures a second.  side: of the crops; 0: whole pictures. */
static double measure(xc_batch *b, xc_batch_item *items, size_t count, uint32_t width,
                      uint32_t height, uint32_t side, uint32_t scale, void *memory)
{
	const xc_batch_options o = {.channels = 3, .scale = scale};
	double best = 0;
	uint32_t place = 1;

	for (int run = -1; run < RUNS; run++) {
		size_t at = 0;
		for (size_t i = 0; i < count; i++) {
			place = place * 1664525 + 1013904223;
			items[i].region = (xc_rectangle){0, 0, side, side};
			if (side)
				items[i].region.x = (place >> 8) % (width - side + 1);
			place = place * 1664525 + 1013904223;
			if (side)
				items[i].region.y = (place >> 8) % (height - side + 1);
		}
		if (xc_batch_shapes(b, &o, items, count))
			stop(xc_batch_message(b));
		for (size_t i = 0; i < count; i++) {
			items[i].data = (char *)memory + at;
			at += xc_batch_item_bytes(&o, &items[i]);
		}
		const double start = xc_cli_seconds();
		if (xc_batch_decode(b, &o, items, count, NULL))
			stop(xc_batch_message(b));
		const double seconds = xc_cli_seconds() - start;
		for (size_t i = 0; i < count; i++)
			if (items[i].status)
				stop(items[i].message);
		if (run >= 0 && (run == 0 || (double)count / seconds > best))
			best = (double)count / seconds;
	}
	return best;
}

/* Files of parts of one mosaic, each some pixels further. */
static void make_files(xc_context *c, const xc_encode_options *o, char **paths, int count,
                       uint32_t width, uint32_t height, xc_buffer files[SHAPES])
{
	char message[XC_FILE_MESSAGE];
	xc_picture scene;

	if (xc_bench_tile((const char *const *)paths, count, width + 8 * SHAPES, height, &scene,
	                  message))
		stop("no pictures");
	for (uint32_t i = 0; i < SHAPES; i++) {
		xc_picture part = scene;
		part.width = width;
		part.data = (char *)scene.data + (size_t)i * 8 * 3;
		if (xc_encode(c, &part, NULL, o, &files[i]))
			stop(xc_context_message(c));
	}
	free(scene.data);
}

static void compare(xc_context *c, xc_batch *b, int gpu, const xc_encode_options *o, char **paths,
                    int parts, size_t count, uint32_t width, uint32_t height, uint32_t scale)
{
	const size_t bytes = count * width * height * 3;
	xc_buffer files[SHAPES];
	xc_batch_item *const items = calloc(count, sizeof *items);
	void *memory = gpu ? NULL : malloc(bytes);

	if (!items || (gpu && xc_batch_allocate(b, bytes, &memory)) || !memory)
		stop("out of memory");
	make_files(c, o, paths, parts, width, height, files);
	for (size_t i = 0; i < count; i++) {
		items[i].file = files[i % SHAPES].data;
		items[i].size = files[i % SHAPES].size;
	}
	for (uint32_t s = 1; s <= 8; s *= 2) {
		if (s > 1 && scale && s != scale)
			continue;
		const double whole = measure(b, items, count, width, height, 0, s, memory);
		const double crops = measure(b, items, count, width, height, CROP, s, memory);
		printf("%5ux%-5u 1/%u %9.0f whole/s %9.0f crops/s %7.2f times\n", width, height, s, whole,
		       crops, crops / whole);
	}
	for (int i = 0; i < SHAPES; i++)
		xc_buffer_free(c, &files[i]);
	free(items);
	if (gpu)
		xc_batch_release(b, memory);
	else
		free(memory);
}

int main(int argc, char **argv)
{
	const char *device = "cuda";
	uint32_t scale = 0;
	size_t count = 256;
	xc_encode_options o;
	xc_context *const c = xc_context_new(NULL);
	xc_batch *b;
	int option;

	xc_encode_options_default(&o);
	while ((option = getopt(argc, argv, "d:n:q:b:s:j")) != -1) {
		if (option == 'd')
			device = optarg;
		else if (option == 'n')
			count = strtoul(optarg, NULL, 10);
		else if (option == 'q')
			o.quality = atoi(optarg);
		else if (option == 'b')
			o.segment_blocks = atoi(optarg);
		else if (option == 's')
			scale = (uint32_t)atoi(optarg);
		else if (option == 'j')
			o.transform = XC_TRANSFORM_DCT, o.entropy = XC_ENTROPY_HUFFMAN, o.effort = 0;
		else
			return 2;
	}
	const int gpu = strcmp(device, "cpu") != 0;
	if (!c || xc_batch_new(c, gpu ? device : NULL, 0, &b)) {
		fprintf(stderr, "crops: %s\n", c ? xc_context_message(c) : "out of memory");
		return 77;
	}
	compare(c, b, gpu, &o, argv + optind, argc - optind, count, 500, 375, scale);
	compare(c, b, gpu, &o, argv + optind, argc - optind, count > 256 ? 256 : count, 3840, 2160,
	        scale);
	xc_batch_free(b);
	xc_context_free(c);
	return 0;
}
