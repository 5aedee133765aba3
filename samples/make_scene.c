/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the pictures of this folder:
 *
 *	make_scene meadow|grey|rgba|rgb16|grey16 OUT
 *	make_scene meadow OUT WIDTH HEIGHT
 *
 * OUT ends in .png, .pam, .ppm or .pgm.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "bench/tiled.h"

/* One for each kind of sample, in sizes that are no multiple of a block. */
typedef struct tiny_picture {
	const char *name;
	uint32_t width, height, channels, depth;
	/* Sample c of the pixel at (x, y). */
	unsigned (*sample)(uint32_t x, uint32_t y, uint32_t c);
} tiny_picture;

static unsigned below(unsigned value, unsigned limit)
{
	return value < limit ? value : limit;
}

static uint32_t square_distance(uint32_t x, uint32_t y, int cx, int cy)
{
	int dx = (int)x - cx, dy = (int)y - cy;
	return (uint32_t)(dx * dx + dy * dy);
}

/* A shaded disc on a ramp; below them bars as fine as one pixel. */
static unsigned grey(uint32_t x, uint32_t y, uint32_t c)
{
	(void)c;
	if (y >= 38)
		return x / (1 + (y - 38) / 3) % 2 ? 235 : 20;
	uint32_t square = square_distance(x, y, 30, 19);
	if (square < 225)
		return 250 - square * 4 / 5 - x;
	return 40 + 3 * x / 2 + y;
}

/* Three overlapping discs of colour whose opacity falls off from the middle. */
static unsigned rgba(uint32_t x, uint32_t y, uint32_t c)
{
	static const int centre[3][2] = {{14, 12}, {26, 12}, {20, 21}};

	if (c == 3)
		return 255 - below(square_distance(x, y, 20, 16) * 255 / 300, 255);
	uint32_t square = square_distance(x, y, centre[c][0], centre[c][1]);
	return square < 121 ? 255 - square : 40;
}

/* Slow ramps that differ only in the low byte from one pixel to the next, and in
 * one corner the extremes. */
static unsigned rgb16(uint32_t x, uint32_t y, uint32_t c)
{
	if (x < 6 && y < 6)
		return (x + y + c) % 2 ? 65535 : 0;
	switch (c) {
	case 0:
		return 1000 + 1900 * x + 37 * y;
	case 1:
		return 60000 - 3300 * y - 11 * x;
	default:
		return 20000 + 85 * x * y + 5 * (x ^ y);
	}
}

/* A slow radial ramp. */
static unsigned grey16(uint32_t x, uint32_t y, uint32_t c)
{
	(void)c;
	return 65535 - below(square_distance(x, y, 9, 14) * 131, 65535);
}

static const tiny_picture tiny_pictures[] = {
	{"grey", 61, 47, 1, 8, grey},
	{"rgba", 40, 33, 4, 8, rgba},
	{"rgb16", 33, 17, 3, 16, rgb16},
	{"grey16", 29, 23, 1, 16, grey16},
};
enum { TINY_PICTURES = sizeof tiny_pictures / sizeof *tiny_pictures };

static int draw_tiny(const tiny_picture *tiny, xc_picture *out)
{
	*out = (xc_picture){tiny->width, tiny->height, tiny->channels, tiny->depth, 0, NULL};
	out->stride = (size_t)tiny->width * tiny->channels * (tiny->depth / 8);
	out->data = malloc(out->stride * out->height);
	for (uint32_t y = 0; out->data && y < tiny->height; y++) {
		uint8_t *row = (uint8_t *)out->data + y * out->stride;
		for (uint32_t i = 0; i < tiny->width * tiny->channels; i++) {
			unsigned value = tiny->sample(i / tiny->channels, y, i % tiny->channels);
			if (tiny->depth == 8)
				row[i] = (uint8_t)value;
			else
				((uint16_t *)(void *)row)[i] = (uint16_t)value;
		}
	}
	return out->data ? 0 : -1;
}

static int save(const xc_picture *picture, const char *path)
{
	char message[XC_FILE_MESSAGE];
	uint8_t *bytes;
	size_t size;

	if (xc_file_write(xc_file_format_by_path(path), picture, NULL, 9, NULL, &bytes, &size,
	                  message) != XC_OK) {
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

static uint32_t side(const char *text)
{
	unsigned long value = strtoul(text, NULL, 10);
	return value < 1 ? 1 : value > 16384 ? 16384 : (uint32_t)value;
}

int main(int argc, char **argv)
{
	const int meadow = (argc == 3 || argc == 5) && strcmp(argv[1], "meadow") == 0;
	const tiny_picture *tiny = NULL;

	for (int i = 0; argc == 3 && i < TINY_PICTURES; i++)
		if (strcmp(argv[1], tiny_pictures[i].name) == 0)
			tiny = &tiny_pictures[i];
	if (!tiny && !meadow) {
		fputs("usage: make_scene meadow|grey|rgba|rgb16|grey16 OUT\n"
		      "       make_scene meadow OUT WIDTH HEIGHT\n",
		      stderr);
		return 2;
	}
	xc_picture picture;
	const uint32_t width = argc == 5 ? side(argv[3]) : XC_SCENE_WIDTH;
	const uint32_t height = argc == 5 ? side(argv[4]) : XC_SCENE_HEIGHT;
	if (tiny ? draw_tiny(tiny, &picture) : xc_scene_draw(width, height, 0, &picture)) {
		fputs("make_scene: out of memory\n", stderr);
		return 1;
	}
	const int failed = save(&picture, argv[2]);
	free(picture.data);
	return failed ? 1 : 0;
}
