/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lake before mountains, with balloons above and flowers in front.  Lengths are in heights
 * of the picture; y points down.  Only operations that IEEE 754 rounds exactly are used (no
 * sine, no power), so that the pixels do not depend on the C library.
 */
#include "bench/tiled.h"

#include <math.h>
#include <stdlib.h>

typedef struct colour {
	double c[3];
} colour;

typedef struct scene {
	uint32_t seed;
	double pixel; /* the side of a pixel */
} scene;

#define HORIZON 0.58

/* Where the random numbers of a texture begin; each of its octaves takes the next ones. */
enum { CLOUDS = 100, CREST = 200, SLOPE = 300, TREES = 400, WATER = 500, GRASS = 600 };
enum { FLOWERS = 700, BALLOONS = 900, GRAIN = 1000 };

static double clamp(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

/* Rises smoothly from 0 at `from` to 1 at `to`. */
static double step(double from, double to, double v)
{
	const double t = clamp((v - from) / (to - from), 0, 1);
	return t * t * (3 - 2 * t);
}

static colour mix(colour a, colour b, double t)
{
	for (int i = 0; i < 3; i++)
		a.c[i] += (b.c[i] - a.c[i]) * t;
	return a;
}

static colour lighten(colour a, double factor)
{
	return mix((colour){{0, 0, 0}}, a, factor);
}

/* -1 to 1. */
static double random_at(int32_t x, int32_t y, uint32_t seed)
{
	uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u ^ seed * 0xc2b2ae3du;

	h = (h ^ h >> 15) * 0x2c1b3c6du;
	h = (h ^ h >> 12) * 0x297a2d39u;
	return ((h ^ h >> 15) >> 8) * (2 / 16777215.0) - 1;
}

/* Random numbers on a lattice, smoothly in between. */
static double lattice(double x, double y, uint32_t seed)
{
	const int32_t i = (int32_t)floor(x), j = (int32_t)floor(y);
	const double s = step(0, 1, x - i), t = step(0, 1, y - j);
	const double a = random_at(i, j, seed), b = random_at(i + 1, j, seed);
	const double c = random_at(i, j + 1, seed), d = random_at(i + 1, j + 1, seed);

	return a + (b - a) * s + (c - a) * t + (a - b - c + d) * s * t;
}

/* The sum of octaves from this wave length down to that of pixels, each with `fall` times the
 * weight of the one before. */
static double octaves(const scene *s, double x, double y, double wave, double fall, uint32_t seed)
{
	double sum = 0, weight = 1;

	for (seed += s->seed; wave >= s->pixel; wave /= 2, weight *= fall)
		sum += weight * lattice(x / wave, y / wave, seed++);
	return sum;
}

static colour sky(const scene *s, double x, double y)
{
	const colour zenith = {{52, 98, 168}}, low = {{238, 214, 190}}, glow = {{255, 226, 168}};
	const double dx = x - 1.12, dy = y - 0.47, t = y / HORIZON;
	colour out = mix(zenith, low, t * (0.35 + 0.65 * t));

	out = mix(out, glow, 0.75 / (1 + 22 * (dx * dx + 2 * dy * dy)));
	/* Clouds look flatter near the horizon.  Their side towards the sun is lit. */
	const double far = 0.12 + 0.75 * (HORIZON - y), cx = x / far * 0.4, cy = 0.5 / far;
	const double thick = octaves(s, cx, cy, 0.8, 0.55, CLOUDS);
	const double sunward = octaves(s, cx + 0.05, cy + 0.06, 0.8, 0.55, CLOUDS);
	const double light = clamp(0.65 + 0.9 * (thick - sunward), 0, 1);
	const colour cloud = mix((colour){{156, 164, 190}}, (colour){{255, 244, 228}}, light);
	return mix(out, cloud, 0.9 * step(-0.05, 0.75, thick));
}

static const struct balloon {
	double x, y, size;
	colour gores[2];
} balloons[] = {
	{0.36, 0.20, 0.105, {{{214, 30, 38}}, {{250, 196, 28}}}},
	{0.80, 0.27, 0.048, {{{24, 84, 190}}, {{240, 240, 236}}}},
	{1.27, 0.15, 0.070, {{{232, 98, 20}}, {{40, 150, 80}}}},
};
enum { BALLOON_COUNT = sizeof balloons / sizeof *balloons };

/* Returns 1 and the colour if the balloon covers this place. */
static int balloon(const scene *s, int number, double x, double y, colour *out)
{
	/* Sines of the angles at which the gores meet. */
	static const double seams[] = {-0.924, -0.707, -0.383, 0, 0.383, 0.707, 0.924};
	const struct balloon *b = &balloons[number];
	const double u = (x - b->x - 0.06 * random_at(number, 0, s->seed + BALLOONS)) / b->size;
	const double v = (y - b->y - 0.06 * random_at(number, 1, s->seed + BALLOONS)) / b->size;

	if (v > 1.27) { /* the basket on its ropes */
		*out = (colour){{92, 60, 34}};
		return v < 1.7 && fabs(u) < 0.14 && (v > 1.5 || fabs(u) > 0.11);
	}
	const double width = v < 0.35 ? sqrt(clamp(1 - v * v, 0, 1)) : 0.937 - 0.84 * (v - 0.35);
	if (fabs(u) >= width)
		return 0;
	int gore = v > 0.1 && v < 0.25;
	for (size_t i = 0; i < sizeof seams / sizeof *seams; i++)
		gore += u / width > seams[i];
	const double light = 0.62 + 0.3 * u - 0.12 * v + 0.3 * sqrt(1 - u * u / (width * width));
	*out = lighten(b->gores[gore % 2], light);
	return 1;
}

/* The ridges from the nearest to the farthest. */
static const struct ridge {
	double base, height, wave, haze, snow;
	colour rock;
} ridges[] = {
	{0.585, 0.05, 0.30, 0.10, 0, {{44, 76, 40}}},
	{0.56, 0.09, 0.40, 0.30, 0, {{52, 84, 66}}},
	{0.53, 0.14, 0.50, 0.46, 0, {{70, 88, 96}}},
	{0.49, 0.27, 0.75, 0.52, 1, {{96, 98, 112}}},
};
enum { RIDGES = sizeof ridges / sizeof *ridges };

static int mountain(const scene *s, int number, double x, double y, colour *out)
{
	const struct ridge *r = &ridges[number];
	const colour snow = {{226, 230, 240}}, air = {{178, 184, 204}};
	const uint32_t seed = 20 * (uint32_t)number;
	const double crest = 0.9 - 1.5 * fabs(octaves(s, x, 0.5, r->wave, 0.4, CREST + seed));
	const double depth = y - r->base + r->height * fmax(crest, -0.1);

	if (depth < 0)
		return 0;
	/* The slopes are folded along the fall line.  Light comes from the right, so the change
	 * of the fold's height to the right is what shades it. */
	const double fall = x + 0.4 * y;
	const double fold = octaves(s, fall, y * 0.6, 0.12, 0.66, SLOPE + seed);
	const double right = octaves(s, fall + 0.004, y * 0.6 - 0.001, 0.12, 0.66, SLOPE + seed);
	const double light = clamp(1 + 2.2 * (fold - right) + 0.1 * fold, 0.4, 1.7);
	const double cover = r->snow * step(0.13, 0.07, depth + 0.05 * fold);
	*out = lighten(mix(r->rock, snow, cover), light);
	*out = mix(*out, air, r->haze * (1 + 0.35 * step(0.02, 0.2, depth)));
	return 1;
}

/* A row of firs on the far shore, `spacing` apart, each a stack of whorls of branches. */
static int fir(const scene *s, double x, double y, colour *out)
{
	const double spacing = 0.011;
	const uint32_t seed = s->seed + TREES;
	const int32_t here = (int32_t)floor(x / spacing);

	for (int32_t i = here - 2; i <= here + 2; i++) {
		const double grove = clamp(lattice(i * 0.07, 0.5, seed) + 0.25, 0, 1);
		const double height = 0.016 + grove * (0.04 + 0.02 * random_at(i, 1, seed));
		const double down = 1 - (HORIZON - y) / height;
		const double middle = (i + 0.5 + 0.4 * random_at(i, 2, seed)) * spacing;
		const double across = (x - middle) / height, whorl = 7 * down - floor(7 * down);
		if (down < 0 || fabs(across) > 0.24 * down * (0.65 + 0.35 * whorl))
			continue;
		const double light = 0.9 + 0.3 * random_at(i, 3, seed) + 3.6 * across +
		                     0.5 * octaves(s, x, y, 0.01, 0.8, TREES + 20);
		*out = lighten((colour){{34, 58, 38}}, clamp(light, 0.35, 1.8));
		return 1;
	}
	return 0;
}

static colour above_water(const scene *s, double x, double y)
{
	colour out;

	if (fir(s, x, y, &out))
		return out;
	for (int i = 0; i < RIDGES; i++)
		if (mountain(s, i, x, y, &out))
			return out;
	for (int i = 0; i < BALLOON_COUNT; i++)
		if (balloon(s, i, x, y, &out))
			return out;
	return sky(s, x, y);
}

static colour lake(const scene *s, double x, double y)
{
	const double near = y - HORIZON;
	/* Waves are wider than high, and higher the nearer they are. */
	const double wave = octaves(s, x * 0.5, y * 6 + 0.3 / (near + 0.02), 0.25, 0.7, WATER);
	const double up = 1.25 * near + wave * (0.004 + 0.09 * near);
	const colour mirrored = above_water(s, x + 0.06 * wave * near, HORIZON - up);

	return mix(lighten(mirrored, 0.92 + 0.05 * wave), (colour){{34, 66, 92}}, 0.2 + 0.6 * near);
}

/* A flower with five petals on a stem, in some of the cells of a lattice. */
static int flower(const scene *s, double x, double y, double size, uint32_t seed, colour *out)
{
	static const colour petals[] = {{{214, 22, 30}},
	                                {{246, 206, 30}},
	                                {{238, 236, 244}},
	                                {{112, 50, 176}}};
	const int32_t i = (int32_t)floor(x / size), j = (int32_t)floor(y / size);

	if (random_at(i, j, seed) < 0.15 - 0.8 * octaves(s, x, y * 2, 0.4, 0.6, FLOWERS))
		return 0;
	const double dx = x / size - i - 0.5 - 0.25 * random_at(i, j, seed + 1);
	const double dy = 1.25 * (y / size - j - 0.45 - 0.2 * random_at(i, j, seed + 2));
	const double radius = 0.2 + 0.06 * random_at(i, j, seed + 3);
	const double r = sqrt(dx * dx + dy * dy) / radius, c = r > 0 ? dx / (r * radius) : 0;
	/* c is the cosine of an angle, `five` that of five times the angle. */
	const double five = c * (5 + c * c * (16 * c * c - 20));
	if (r > 0.8 + 0.2 * five) {
		*out = (colour){{96, 132, 44}};
		return dy > 0 && fabs(dx - 0.1 * dy) < 0.02; /* the stem */
	}
	const double kind = 1.6 + 2 * lattice(x / 0.3, y / 0.15, seed + 4) + random_at(i, j, seed + 4);
	*out = lighten(petals[(int)clamp(kind, 0, 3)], 0.72 + 0.28 * r + 0.2 * dx / radius);
	if (r < 0.3)
		*out = (colour){{70, 52, 20}};
	return 1;
}

static colour meadow(const scene *s, double x, double y)
{
	const colour dark = {{34, 62, 16}}, fresh = {{138, 164, 58}}, dry = {{190, 174, 92}};
	double top = HORIZON, size = 0.012;
	colour out;

	/* Strips of flowers, larger the nearer they are. */
	for (uint32_t strip = 0; top < y; strip++, size *= 1.17) {
		top += 2 * size;
		const uint32_t seed = s->seed + FLOWERS + 10 + 5 * strip;
		if (y < top && flower(s, x + 0.37 * size * strip, y - top, size, seed, &out))
			return out;
	}
	/* Blades are noise that is stretched upwards and leans in gusts; near ones are larger. */
	const double lean = 0.03 * octaves(s, x, y * 2, 0.25, 0.3, GRASS);
	const double fine = octaves(s, x + lean, y * 0.4, 0.012, 1.1, GRASS + 20);
	const double coarse = octaves(s, x + lean, y * 0.25, 0.024, 1.05, GRASS + 40);
	const double blades = fine + (coarse - fine) * clamp(3 * (y - HORIZON) - 0.3, 0, 1);
	const double patches = octaves(s, x, y * 2.5, 0.6, 0.55, GRASS + 60);
	out = mix(dark, fresh, clamp(0.42 + 0.34 * blades + 0.15 * patches, 0, 1));
	return mix(out, dry, clamp(0.35 * patches + 0.1 * blades, 0, 0.6));
}

static colour look(const scene *s, double x, double y)
{
	if (y < HORIZON)
		return above_water(s, x, y);
	const double bays = 0.05 * octaves(s, x, 0.5, 0.9, 0.45, WATER + 20);
	const double tufts = 0.012 * octaves(s, x, y, 0.01, 0.8, WATER + 40);
	return y < 0.725 + bays + tufts ? lake(s, x, y) : meadow(s, x, y);
}

/* The mean of four points in the pixel, and grain, which changes brightness most. */
static void draw_pixel(const scene *s, uint32_t x, uint32_t y, uint8_t rgb[3])
{
	colour sum = {{0, 0, 0}};

	for (int i = 0; i < 4; i++) {
		const colour one = look(s, (x + 0.25 + 0.5 * (i % 2)) * s->pixel,
		                        (y + 0.25 + 0.5 * (i / 2)) * s->pixel);
		for (int c = 0; c < 3; c++)
			sum.c[c] += one.c[c] / 4;
	}
	const double grain = 2 * random_at((int32_t)x, (int32_t)y, s->seed + GRAIN);
	for (int c = 0; c < 3; c++) {
		const double own = random_at((int32_t)x, (int32_t)y, s->seed + GRAIN + 1 + (uint32_t)c);
		rgb[c] = (uint8_t)clamp(floor(sum.c[c] + grain + 0.8 * own + 0.5), 0, 255);
	}
}

int xc_scene_draw(uint32_t width, uint32_t height, uint32_t number, xc_picture *out)
{
	const scene s = {(number + 1) * 10000, 1.0 / height};

	*out = (xc_picture){width, height, 3, 8, (size_t)width * 3, NULL};
	out->data = malloc(out->stride * height);
	if (!out->data)
		return -1;
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			draw_pixel(&s, x, y, (uint8_t *)out->data + y * out->stride + (size_t)x * 3);
	return 0;
}
