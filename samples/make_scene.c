/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the pictures of this folder:
 *
 *	make_scene meadow|grey|rgba|rgb16|grey16 OUT
 *	make_scene meadow OUT WIDTH HEIGHT RAYS
 *
 * OUT ends in .png, .pam, .ppm or .pgm.
 * meadow is 768x512 with 64 rays a pixel unless the numbers say otherwise; it
 * takes some minutes.
 */
#include "samples/make_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "samples/scene.h"

/* Linear light to a byte of sRGB (IEC 61966-2-1), with a soft shoulder instead of
 * clipping, and with film grain. */
static uint8_t develop(double light, double grain)
{
	double x = 1.12 * light;
	x = x * (1 + x / 7) / (1 + x) * 1.22;
	x = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
	double value = floor(255 * x + grain + 0.5);
	return (uint8_t)greater(0, lesser(255, value));
}

/* Grain belongs to a pixel's brightness far more than to its colour. */
static void develop_row(const float *light, uint32_t width, uint32_t row, uint8_t *out)
{
	for (uint32_t x = 0; x < width; x++) {
		random_stream random = xc_random_stream(0x67726169, row * width + x);
		double common = 1.1 * xc_random_normal(&random);
		for (int c = 0; c < 3; c++)
			out[3 * x + c] = develop(light[3 * x + c], common + 0.45 * xc_random_normal(&random));
	}
}

static int draw_meadow(const xc_picture *picture, unsigned rays)
{
	size_t row_samples = (size_t)picture->width * 3;
	float *light = calloc(picture->height, row_samples * sizeof *light);
	if (!light || xc_scene_render(picture->width, picture->height, rays, light)) {
		free(light);
		return -1;
	}
	for (uint32_t y = 0; y < picture->height; y++)
		develop_row(light + y * row_samples, picture->width, y,
		            (uint8_t *)picture->data + y * picture->stride);
	free(light);
	return 0;
}

static int save(const xc_picture *picture, const char *path)
{
	char message[XC_FILE_MESSAGE];
	uint8_t *bytes;
	size_t size;
	if (xc_file_write(xc_file_format_by_path(path), picture, NULL, 9, &bytes, &size, message) !=
	    XC_OK) {
		fprintf(stderr, "make_scene: %s: %s\n", path, message);
		return -1;
	}
	FILE *file = fopen(path, "wb");
	int failed = !file || fwrite(bytes, 1, size, file) != size;
	if (file && fclose(file))
		failed = 1;
	if (failed)
		fprintf(stderr, "make_scene: cannot write %s\n", path);
	free(bytes);
	return failed ? -1 : 0;
}

static uint32_t number(const char *text)
{
	unsigned long value = strtoul(text, NULL, 10);
	return value > 16384 ? 16384 : (uint32_t)value;
}

int main(int argc, char **argv)
{
	int meadow = argc >= 2 && strcmp(argv[1], "meadow") == 0;
	const tiny_picture *tiny = argc == 3 ? xc_tiny_find(argv[1]) : NULL;
	if (!tiny && !(meadow && (argc == 3 || argc == 6))) {
		fputs("usage: make_scene meadow|grey|rgba|rgb16|grey16 OUT\n"
		      "       make_scene meadow OUT WIDTH HEIGHT RAYS\n",
		      stderr);
		return 2;
	}
	xc_picture picture = {.width = 768, .height = 512, .channels = 3, .depth = 8};
	uint32_t rays = 64;
	if (tiny) {
		picture = (xc_picture){.width = tiny->width,
		                       .height = tiny->height,
		                       .channels = tiny->channels,
		                       .depth = tiny->depth};
	} else if (argc == 6) {
		picture.width = number(argv[3]);
		picture.height = number(argv[4]);
		rays = number(argv[5]);
	}
	picture.stride = (size_t)picture.width * picture.channels * (picture.depth / 8);
	picture.data = picture.height && rays ? calloc(picture.height, picture.stride) : NULL;
	if (!picture.data) {
		fputs("make_scene: no memory, or nothing to draw\n", stderr);
		return 1;
	}
	int failed = 0;
	if (tiny)
		xc_tiny_draw(tiny, &picture);
	else
		failed = draw_meadow(&picture, rays);
	if (failed)
		fputs("make_scene: out of memory\n", stderr);
	else
		failed = save(&picture, argv[2]);
	free(picture.data);
	return failed ? 1 : 0;
}
