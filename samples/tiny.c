/* SPDX-License-Identifier: BSD-2-Clause */
/* The tiny pictures, one for each kind of sample, in sizes that are no multiple
 * of a block. */
#include <string.h>

#include "samples/make_scene.h"

static unsigned below(unsigned value, unsigned limit)
{
	return value < limit ? value : limit;
}

static uint32_t square_distance(uint32_t x, uint32_t y, int cx, int cy)
{
	int dx = (int)x - cx, dy = (int)y - cy;
	return (uint32_t)(dx * dx + dy * dy);
}

/* A disc with shading before a ramp; bars as fine as one pixel below. */
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
	unsigned light[3];
	for (int i = 0; i < 3; i++) {
		uint32_t square = square_distance(x, y, centre[i][0], centre[i][1]);
		light[i] = square < 121 ? 255 - square : 40;
	}
	if (c < 3)
		return light[c];
	return 255 - below(square_distance(x, y, 20, 16) * 255 / 300, 255);
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

const tiny_picture *xc_tiny_find(const char *name)
{
	for (size_t i = 0; i < sizeof tiny_pictures / sizeof tiny_pictures[0]; i++) {
		if (strcmp(tiny_pictures[i].name, name) == 0)
			return &tiny_pictures[i];
	}
	return NULL;
}

void xc_tiny_draw(const tiny_picture *tiny, const xc_picture *picture)
{
	for (uint32_t y = 0; y < tiny->height; y++) {
		uint8_t *row = (uint8_t *)picture->data + y * picture->stride;
		for (uint32_t i = 0; i < tiny->width * tiny->channels; i++) {
			unsigned value = tiny->sample(i / tiny->channels, y, i % tiny->channels);
			if (tiny->depth == 8)
				row[i] = (uint8_t)value;
			else
				((uint16_t *)(void *)row)[i] = (uint16_t)value;
		}
	}
}
