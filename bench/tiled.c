/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/tiled.h"
#include "cli/base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

static int fail(char message[XC_FILE_MESSAGE], const char *path, const char *why)
{
	/* A long path is cut off rather than the reason. */
	snprintf(message, XC_FILE_MESSAGE, "%.100s: %.150s", path, why);
	return -1;
}

/* Reads a whole file to memory from malloc(); NULL with errno if that fails. */
static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	int error = f ? 0 : errno;

	*size = 0;
	for (size_t room = 1 << 20; !error && !feof(f); room *= 2) {
		uint8_t *more = realloc(data, room);
		if (more) {
			data = more;
			*size += fread(data + *size, 1, room - *size, f);
		}
		if (!more || ferror(f))
			error = errno;
	}
	if (f)
		fclose(f);
	if (error) {
		free(data);
		errno = error;
	}
	return error ? NULL : data;
}

int xc_bench_read_picture(const char *path, xc_file_picture *out, char message[XC_FILE_MESSAGE])
{
	char why[XC_FILE_MESSAGE];
	size_t size;
	uint8_t *data = read_file(path, &size);

	if (!data) {
		snprintf(why, sizeof why, "cannot read: %s", strerror(errno));
		return fail(message, path, why);
	}
	const xc_status s = xc_file_read(data, size, NULL, NULL, out, why);
	free(data);
	return s ? fail(message, path, why) : 0;
}

void xc_bench_rgb(const xc_picture *p, uint32_t x, uint32_t y, uint8_t rgb[3])
{
	const size_t i = (size_t)x * p->channels;
	const void *row = (const uint8_t *)p->data + y * p->stride;

	for (size_t c = 0; c < 3; c++) {
		const size_t at = i + (p->channels < 3 ? 0 : c);
		rgb[c] = p->depth == 8 ? ((const uint8_t *)row)[at]
		                       : (uint8_t)(((const uint16_t *)row)[at] >> 8);
	}
}

static void fill(xc_picture *out, const xc_picture *pictures, int count)
{
	const uint32_t width = pictures[0].width, height = pictures[0].height;
	const uint32_t across = (out->width + width - 1) / width;
	uint8_t *to = out->data;

	for (uint32_t y = 0; y < out->height; y++)
		for (uint32_t x = 0; x < out->width; x++, to += 3) {
			const uint32_t cell = y / height * across + x / width;
			xc_bench_rgb(&pictures[cell % (uint32_t)count], x % width, y % height, to);
		}
}

/* Reads the pictures that have the first one's size; without paths, draws one.  Returns how
 * many there are, or -1.  Their views are in pictures. */
static int read_all(const char *const *paths, int count, xc_file_picture *files,
                    xc_picture *pictures, char message[XC_FILE_MESSAGE])
{
	int n = 0;

	if (!count) {
		const int failed = xc_scene_draw(XC_SCENE_WIDTH, XC_SCENE_HEIGHT, 0, &pictures[0]);
		files[0].owned[0] = pictures[0].data;
		return failed ? fail(message, "the generated picture", "out of memory") : 1;
	}
	for (int i = 0; i < count; i++) {
		if (xc_bench_read_picture(paths[i], &files[i], message))
			return -1;
		pictures[n] = files[i].picture;
		n += pictures[n].width == pictures[0].width && pictures[n].height == pictures[0].height;
	}
	return n;
}

int xc_bench_tile(const char *const *paths, int count, uint32_t width, uint32_t height,
                  xc_picture *out, char message[XC_FILE_MESSAGE])
{
	const size_t room = (size_t)count + 1;
	xc_file_picture *files = calloc(room, sizeof *files);
	xc_picture *pictures = calloc(room, sizeof *pictures);
	const int n = files && pictures ? read_all(paths, count, files, pictures, message)
	                                : fail(message, "pictures", "out of memory");
	int status = -1;

	if (n > 0) {
		const uint32_t w = width ? width : pictures[0].width;
		const uint32_t h = height ? height : pictures[0].height;
		*out = (xc_picture){w, h, 3, 8, (size_t)w * 3, malloc((size_t)w * 3 * h)};
		status = out->data ? 0 : fail(message, "the large picture", "out of memory");
		if (!status)
			fill(out, pictures, n);
	}
	for (size_t i = 0; files && i < room; i++)
		xc_file_picture_free(&files[i]);
	free(files);
	free(pictures);
	return status;
}

int xc_bench_parse_size(const char *text, uint32_t *width, uint32_t *height)
{
	uint32_t *const sides[2] = {width, height};

	for (int i = 0; i < 2; i++) {
		const size_t digits = strspn(text, "0123456789");
		*sides[i] = digits && digits <= 5 ? (uint32_t)strtoul(text, NULL, 10) : 0;
		if (!*sides[i] || text[digits] != (i ? '\0' : 'x'))
			return 0;
		text += digits + 1;
	}
	return 1;
}

/* Hides the sum and the step from the compiler.  With a constant step in the instruction,
 * newer processors would do without the addition. */
#define ADD \
	__asm__ volatile("" : "+r"(sum), "+r"(step)); \
	sum += step;
#define ADD4 ADD ADD ADD ADD
#define ADD16 ADD4 ADD4 ADD4 ADD4

double xc_bench_hertz(void)
{
	enum { ADDITIONS = 1 << 18, TRIES = 8 };
	uint64_t sum = 0, step = 1;
	double min = 0;

	/* The least time of a few: an interruption only ever makes one longer. */
	for (int i = 0; i < TRIES; i++) {
		const double start = xc_cli_seconds();
		for (int n = 0; n < ADDITIONS; n += 16) {
			ADD16
		}
		const double seconds = xc_cli_seconds() - start;
		min = i == 0 || seconds < min ? seconds : min;
	}
	return min > 0 ? ADDITIONS / min : 0;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double xc_bench_median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, ascending);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
