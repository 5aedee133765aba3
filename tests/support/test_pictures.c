/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/test_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static int read_picture(const char *path, xc_file_picture *out)
{
	char message[XC_FILE_MESSAGE];
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	int good = 0;
	if (!f)
		return 0;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET))
		data = malloc((size_t)size);
	if (data && fread(data, 1, (size_t)size, f) == (size_t)size)
		good = xc_file_read(data, (size_t)size, 0, 0, out, message) == XC_OK;
	free(data);
	fclose(f);
	return good;
}

static int read_in(const char *folder, const char *between, const char *name, xc_file_picture *out)
{
	char path[4096];
	const int n = snprintf(path, sizeof path, "%s/%s%s", folder, between, name);
	return n > 0 && (size_t)n < sizeof path && read_picture(path, out);
}

static const char *source_folder(void)
{
	const char *folder = getenv("srcdir");
	return folder && *folder ? folder : ".";
}

int xc_test_sample(const char *name, xc_file_picture *out)
{
	return read_in(source_folder(), "samples/", name, out);
}

int xc_test_shared(const char *name, xc_file_picture *out)
{
	const char *folder = getenv("XC_SHARED");
	return folder && *folder ? read_in(folder, "", name, out)
	                         : read_in(source_folder(), "../shared/", name, out);
}

/* 0 to 1. */
static double shade(uint32_t x, uint32_t y, uint32_t channel, int roughness, uint64_t *seed)
{
	const double phase = 0.7 * channel;
	double v = 0.5 + 0.2 * sin(x * 0.05 + phase) + 0.2 * cos(y * 0.07 - x * 0.02 + phase);
	if (roughness) {
		v += (x / 23 + y / 17) % 3 == 0 ? 0.15 : 0;
		v += (x > y) != (x + y > 90) ? -0.2 : 0;
		v += 0.1 * ((double)(check_random(seed) >> 11) / 9007199254740992.0 - 0.5);
	}
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

xc_picture xc_test_picture(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                           size_t padding, int roughness)
{
	xc_picture p = {width, height, channels, depth, 0, NULL};
	const double most = depth == 8 ? 255 : 65535;
	uint64_t seed = 77 + width * 1000 + height;
	p.stride = (size_t)width * channels * (depth / 8) + padding;
	p.data = malloc(p.stride * height);
	if (!p.data)
		abort();
	memset(p.data, 0xee, p.stride * height);
	for (uint32_t y = 0; y < height; y++) {
		uint8_t *row = (uint8_t *)p.data + y * p.stride;
		for (uint32_t x = 0; x < width; x++) {
			for (uint32_t c = 0; c < channels; c++) {
				const int alpha = channels % 2 == 0 && c == channels - 1;
				const uint16_t v = alpha ? (uint16_t)(check_random(&seed) >> 40)
				                         : (uint16_t)lrint(most * shade(x, y, c, roughness, &seed));
				const size_t at = (size_t)x * channels + c;
				if (depth == 8)
					row[at] = (uint8_t)v;
				else
					memcpy(row + 2 * at, &v, 2);
			}
		}
	}
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

void xc_test_qualities(uint32_t width, uint32_t height,
                       void (*each)(const xc_picture *picture, int quality))
{
	static const int list[] = {1, 10, 34, 35, 50, 75, 90, 99, 100};
	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		xc_picture p = xc_test_picture(width * 8 / depth, height * 8 / depth, 3, depth, 0, 1);
		for (size_t i = 0; i < sizeof list / sizeof *list; i++)
			each(&p, list[i]);
		free(p.data);
	}
}
