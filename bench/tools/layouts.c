/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	layouts [-s WIDTHxHEIGHT] PICTURE...
 *
 * The speed of each layout of 8 bits, with one thread and the options of JPEG: the layouts take turns, and
 * each one's least processor time counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xcodec_pixels.h>

#include "bench/tiled.h"
#include "src/core/clock.h"
#include "src/core/layout.h"

enum { ROUNDS = 15 };

static const struct {
	xc_layout layout;
	const char *name;
} layouts[] = {{XC_LAYOUT_RGB, "RGB"},   {XC_LAYOUT_BGR, "BGR"},         {XC_LAYOUT_RGBX, "RGBX"},
               {XC_LAYOUT_BGRX, "BGRX"}, {XC_LAYOUT_YCBCR_420, "4:2:0"}, {XC_LAYOUT_NV12, "NV12"},
               {XC_LAYOUT_GREY, "grey"}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* Memory for pixels of a layout.  Ends the program when there is none. */
static xc_pixels make(xc_layout layout, uint32_t width, uint32_t height)
{
	xc_pixels p = {.layout = layout, .width = width, .height = height, .depth = 8};
	for (int i = 0; i < xc_layout_get(layout)->planes; i++) {
		const size_t row = xc_pixels_columns(&p, i) * xc_pixels_step(&p, i);
		p.stride[i] = (ptrdiff_t)row;
		p.plane[i] = calloc(xc_pixels_rows(&p, i, height), row);
		if (!p.plane[i])
			exit(1);
	}
	return p;
}

static double now(void)
{
	return xc_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* 0, or 1 after a message. */
static int measure(xc_context *c, const xc_buffer *file, const xc_encode_options *o, xc_pixels *p,
                   double least[2])
{
	xc_buffer made;
	xc_encode_options options = *o;
	if (p->layout == XC_LAYOUT_GREY)
		options.subsampling = XC_SUBSAMPLING_GREY;
	const double start = now();
	xc_status s = xc_decode_pixels(c, file->data, file->size, NULL, p);
	const double decoded = now();
	if (!s)
		s = xc_encode_pixels(c, p, NULL, &options, &made);
	const double encoded = now();
	if (s) {
		fprintf(stderr, "layouts: %s\n", xc_context_message(c));
		return 1;
	}
	xc_buffer_free(c, &made);
	least[0] = encoded - decoded < least[0] ? encoded - decoded : least[0];
	least[1] = decoded - start < least[1] ? decoded - start : least[1];
	return 0;
}

static int run(const xc_picture *picture)
{
	xc_context *c = xc_context_new(NULL);
	xc_encode_options o;
	xc_buffer file;
	xc_pixels pixels[LAYOUTS];
	double least[LAYOUTS][2];
	if (!c)
		return 1;
	xc_encode_options_jpeg(&o);
	xc_context_set_threads(c, 1);
	if (xc_encode(c, picture, NULL, &o, &file)) {
		fprintf(stderr, "layouts: %s\n", xc_context_message(c));
		return 1;
	}
	for (int i = 0; i < LAYOUTS; i++) {
		pixels[i] = make(layouts[i].layout, picture->width, picture->height);
		least[i][0] = least[i][1] = 1e9;
	}
	int bad = 0;
	for (int r = 0; r < ROUNDS; r++)
		for (int i = 0; i < LAYOUTS; i++)
			bad |= measure(c, &file, &o, &pixels[i], least[i]);
	for (int i = 0; i < LAYOUTS; i++)
		printf("%-6s encoding %7.2f ms, decoding %7.2f ms\n", layouts[i].name, least[i][0] * 1e3,
		       least[i][1] * 1e3);
	for (int i = 0; i < LAYOUTS; i++)
		for (int j = 0; j < 3; j++)
			free(pixels[i].plane[j]);
	xc_buffer_free(c, &file);
	xc_context_free(c);
	return bad;
}

int main(int argc, char **argv)
{
	uint32_t width = 4608, height = 4096;
	int at = 1;
	char message[XC_FILE_MESSAGE];
	xc_picture p;
	if (argc > 2 && !strcmp(argv[1], "-s")) {
		if (!xc_bench_parse_size(argv[2], &width, &height))
			argc = 0;
		at = 3;
	}
	if (argc - at < 1) {
		fprintf(stderr, "usage: layouts [-s WIDTHxHEIGHT] PICTURE...\n");
		return 2;
	}
	if (xc_bench_tile((const char *const *)argv + at, argc - at, width, height, &p, message)) {
		fprintf(stderr, "layouts: %s\n", message);
		return 1;
	}
	const int bad = run(&p);
	free(p.data);
	return bad;
}
