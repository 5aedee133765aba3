/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static xc_picture new_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                              size_t padding)
{
	const size_t stride = (size_t)width * channels * (depth / 8) + padding;
	return (xc_picture){width, height, channels, depth, stride, xc_test_malloc(stride * height)};
}

/* Sample i of row y. */
static void set_sample(const xc_picture *picture, uint32_t y, size_t i, uint32_t value)
{
	uint8_t *row = (uint8_t *)picture->data + y * picture->stride;

	if (picture->depth == 8)
		row[i] = (uint8_t)value;
	else
		((uint16_t *)(void *)row)[i] = (uint16_t)value;
}

/* What depends on the column alone, since sines take longer than all that is tested. */
typedef struct column {
	double wave[4]; /* by channel */
	double cosine, sine;
} column;

static double phase(uint32_t channel)
{
	return 0.7 * channel;
}

static column *make_columns(uint32_t width)
{
	column *columns = xc_test_malloc(width * sizeof *columns);

	for (uint32_t x = 0; x < width; x++) {
		columns[x].cosine = cos(x * 0.02);
		columns[x].sine = sin(x * 0.02);
		for (uint32_t c = 0; c < 4; c++)
			columns[x].wave[c] = sin(x * 0.05 + phase(c));
	}
	return columns;
}

/* From 0 to 1.  waves: two. */
static double shade(uint32_t x, uint32_t y, double waves, int roughness, uint64_t *seed)
{
	double v = 0.5 + 0.2 * waves;

	if (roughness) {
		v += (x / 23 + y / 17) % 3 == 0 ? 0.15 : 0;
		v += (x > y) != (x + y > 90) ? -0.2 : 0;
		v += 0.1 * ((double)(check_random(seed) >> 11) / 9007199254740992.0 - 0.5);
	}
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

static void fill_row(const xc_picture *p, uint32_t y, const column *columns, int roughness,
                     uint64_t *seed)
{
	const double max = p->depth == 8 ? 255 : 65535;
	double cosine[4], sine[4];

	for (uint32_t c = 0; c < 4; c++) {
		cosine[c] = cos(y * 0.07 + phase(c));
		sine[c] = sin(y * 0.07 + phase(c));
	}
	for (uint32_t x = 0; x < p->width; x++) {
		for (uint32_t c = 0; c < p->channels; c++) {
			/* The second one is the cosine of a difference. */
			const column *col = &columns[x];
			const double waves = col->wave[c] + cosine[c] * col->cosine + sine[c] * col->sine;
			const int alpha = p->channels % 2 == 0 && c == p->channels - 1;
			const uint16_t v = alpha ? (uint16_t)(check_random(seed) >> 40)
			                         : (uint16_t)lrint(max * shade(x, y, waves, roughness, seed));
			set_sample(p, y, (size_t)x * p->channels + c, v);
		}
	}
}

xc_picture xc_test_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                           size_t padding, int roughness)
{
	xc_picture p = new_picture(width, height, channels, depth, padding);
	OWN_MEMORY column *columns = make_columns(width);
	uint64_t seed = 77 + width * 1000 + height;

	memset(p.data, 0xee, p.stride * height);
	for (uint32_t y = 0; y < height; y++)
		fill_row(&p, y, columns, roughness, &seed);
	return p;
}

xc_picture xc_test_tall(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                        int roughness)
{
	xc_picture p = xc_test_picture(width, 499, channels, depth, 0, roughness);
	uint8_t *data = xc_test_malloc(p.stride * height);

	for (uint32_t y = 0; y < height; y++)
		memcpy(data + y * p.stride, (const uint8_t *)p.data + y % p.height * p.stride, p.stride);
	free(p.data);
	p.height = height;
	p.data = data;
	return p;
}

xc_picture xc_test_noise(uint32_t width, uint32_t height, uint32_t depth)
{
	xc_picture p = xc_test_picture(width, height, 3, depth, 0, 0);
	uint64_t seed = depth;

	for (size_t i = 0; i < p.stride * p.height; i++)
		((uint8_t *)p.data)[i] = (uint8_t)(check_random(&seed) >> 56 & 1 ? 255 : 0);
	return p;
}

xc_picture xc_sample_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                             size_t padding, uint64_t seed)
{
	xc_picture picture = new_picture(width, height, channels, depth, padding * (depth / 8));

	for (uint32_t y = 0; y < height; y++)
		for (size_t i = 0; i < (size_t)width * channels + padding; i++) {
			uint32_t noise = (uint32_t)(check_random(&seed) >> (depth == 8 ? 59 : 52));
			set_sample(&picture, y, i, (uint32_t)(i * 977 + y * 1543) + noise);
		}
	return picture;
}

xc_picture xc_smooth_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                             uint64_t seed)
{
	xc_picture p = new_picture(width, height, channels, depth, 0);
	const uint64_t r = check_random(&seed);
	const uint32_t unit = depth == 8 ? 1 : 257;

	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			const uint32_t edge = x * (1 + (r & 3)) + y * (1 + (r >> 2 & 3)) > (r >> 8 & 63);
			for (uint32_t c = 0; c < channels; c++) {
				const uint32_t slope = x * (r >> (16 + 2 * c) & 3) + y * (r >> (24 + c) & 1);
				const uint32_t noise = (uint32_t)(check_random(&seed) >> 60) * unit;
				const uint32_t v = (20 * c + slope % 150 + (edge ? 60 : 0)) * unit + noise;
				set_sample(&p, y, (size_t)x * channels + c, v);
			}
		}
	}
	return p;
}

xc_picture xc_extreme_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                              uint64_t seed)
{
	xc_picture p = new_picture(width, height, channels, depth, 0);
	const size_t n = (size_t)width * channels;

	for (size_t i = 0; i < n * height; i++) {
		const uint64_t r = check_random(&seed);
		const uint32_t end = r & 8 ? 0xffff : 0;
		set_sample(&p, (uint32_t)(i / n), i % n, r % 8 == 0 ? (uint32_t)(r >> 32) : end);
	}
	return p;
}

void xc_test_qualities(uint32_t width, uint32_t height,
                       void (*each)(const xc_picture *picture, int quality))
{
	static const int list[] = {1, 10, 34, 35, 50, 75, 90, 99, 100};

	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		OWN_PICTURE p = xc_test_picture(width * 8 / depth, height * 8 / depth, 3, depth, 0, 1);
		for (size_t i = 0; i < COUNT(list); i++)
			each(&p, list[i]);
	}
}

uint32_t xc_sample_at(const xc_picture *picture, uint32_t x, uint32_t y, uint32_t channel)
{
	const uint8_t *row = (const uint8_t *)picture->data + y * picture->stride;
	size_t i = (size_t)x * picture->channels + channel;
	return picture->depth == 8 ? row[i] : ((const uint16_t *)(const void *)row)[i];
}

int xc_sample_equal(const xc_picture *a, const xc_picture *b)
{
	if (a->width != b->width || a->height != b->height || a->channels != b->channels ||
	    a->depth != b->depth || !a->data || !b->data)
		return 0;
	size_t row = (size_t)a->width * a->channels * (a->depth / 8);
	for (uint32_t y = 0; y < a->height; y++)
		if (memcmp((const uint8_t *)a->data + y * a->stride,
		           (const uint8_t *)b->data + y * b->stride, row) != 0)
			return 0;
	return 1;
}
