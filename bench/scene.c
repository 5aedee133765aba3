/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/scene.h"

#include <math.h>
#include <stdlib.h>

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed)
{
	uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;

	h = (h ^ h >> 15) * 0x2c1b3c6du;
	h = (h ^ h >> 12) * 0x297a2d39u;
	return h ^ h >> 15;
}

/* -1 to 1. */
static float random_at(uint32_t x, uint32_t y, uint32_t seed)
{
	return (float)(hash(x, y, seed) >> 8) * (2.0f / 16777215.0f) - 1;
}

/* Random numbers on a lattice, smoothly in between. */
static float lattice(float x, float y, uint32_t seed)
{
	const uint32_t i = (uint32_t)x, j = (uint32_t)y;
	const float u = x - (float)i, v = y - (float)j;
	const float s = u * u * (3 - 2 * u), t = v * v * (3 - 2 * v);
	const float a = random_at(i, j, seed), b = random_at(i + 1, j, seed);
	const float c = random_at(i, j + 1, seed), d = random_at(i + 1, j + 1, seed);

	return a + (b - a) * s + (c - a) * t + (a - b - c + d) * s * t;
}

/* Octaves from the longest wave (pixels) to the shortest, each `fall` of the one before. */
static float octaves(uint32_t x, uint32_t y, float longest, float shortest, float fall,
                     uint32_t seed)
{
	float sum = 0, weight = 1;

	for (float wave = longest; wave >= shortest; wave /= 2, weight *= fall)
		sum += weight * lattice((float)x / wave, (float)y / wave, seed++);
	return sum;
}

static uint8_t level(float v)
{
	return v <= 0 ? 0 : v >= 255 ? 255 : (uint8_t)(v + 0.5f);
}

static void draw_pixel(uint32_t x, uint32_t y, uint32_t seed, uint8_t rgb[3])
{
	/* Which region: contour lines of a hilly land. */
	const float hill = octaves(x, y, 192, 24, 0.5f, seed);
	const uint32_t region = (uint32_t)(int32_t)floorf(4 * hill + 64);
	/* Some are smooth as skies, most have a texture. */
	const float rough = 22 + 20 * random_at(region, 1, seed);
	const float texture = rough * octaves(x, y, 48, 1.5f, 0.72f, seed + 16);
	const float tint = 12 * octaves(x, y, 96, 12, 0.6f, seed + 32);
	const float grain = 1.5f * random_at(x, y, seed + 48);
	const float light = 120 + 60 * random_at(region, 2, seed) + 25 * hill + texture + grain;

	rgb[0] = level(light + 22 * random_at(region, 3, seed) + tint);
	rgb[1] = level(light);
	rgb[2] = level(light + 26 * random_at(region, 4, seed) - tint);
}

int xc_bench_scene(uint32_t width, uint32_t height, uint32_t number, xc_picture *out)
{
	*out = (xc_picture){width, height, 3, 8, (size_t)width * 3, NULL};
	out->data = malloc(out->stride * height);
	if (!out->data)
		return -1;
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			draw_pixel(x, y, number * 100 + 1, (uint8_t *)out->data + y * out->stride + x * 3);
	return 0;
}
